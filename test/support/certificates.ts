import {
  type Authority,
  type CertificateWishes,
  ownCertificates,
  type ServerCertificate,
} from "../../src/core/platform/certificates.ts";

/** Certificates of a hub whose authority is sound. @throws Error if it is lost */
export async function soundCertificates(
  wishes: CertificateWishes,
): Promise<{ server: ServerCertificate; authority: Authority; renewed: boolean }> {
  const { authority, ...more } = await ownCertificates(wishes);
  if (authority === null) throw new Error("the authority is lost");
  return { ...more, authority };
}
