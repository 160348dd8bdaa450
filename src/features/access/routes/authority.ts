import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Base } from "../../../core/base.ts";
import { type BoundRoute, bindOpen, type RouteResponse } from "../../../core/http/exchange.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Authority } from "../../../core/platform/certificates.ts";
import { type HubTls, isPlainHttpClosed } from "../../../core/platform/tls.ts";
import { getAuthorityFile, getAuthorityPage, getDeviceAuthorityFile } from "../api/authority.ts";
import type { Claim } from "../claim.ts";
import { type TrustFacts, trustPage } from "./trust-page.ts";

/** `/ca`, `/ca.crt` and `/ca-devices.crt`: trusting the hub once, on phones, computers and devices of the household. */
export function authorityRoutes(claim: Claim, { tls, address, store, projectFolder }: Base): BoundRoute[] {
  if (tls === null) return [];
  let fonts: Promise<TrustFacts["fonts"]> | null = null;
  return [
    bindOpen(getAuthorityFile, () => file(own(tls).cert, "gatehouse-ca.crt")),
    bindOpen(getDeviceAuthorityFile, () => file(own(tls).deviceCert, "gatehouse-ca-devices.crt")),
    bindOpen(getAuthorityPage, async ({ baseUrl, query, facts }) => {
      const { fingerprint } = own(tls);
      const { name } = address;
      const httpPort = address.httpPort ?? 0;
      const wished = query.lang ?? (/^hi\b/i.test(facts.headers["accept-language"] ?? "") ? "hi" : "en");
      const namedUrl = name === null ? null : `http://${name}${httpPort === 80 ? "" : `:${httpPort}`}`;
      fonts ??= consoleFonts(join(projectFolder, "dist/console/assets"));
      const page = await trustPage({
        fonts: await fonts,
        language: wished,
        baseUrl,
        httpsPort: address.httpsPort ?? 0,
        fingerprint,
        namedUrl,
        offersClear: !facts.secure && !claim.claimed && !isPlainHttpClosed(store.current, tls),
      });
      return {
        status: 200,
        bytes: page.html,
        contentType: "text/html; charset=utf-8",
        headers: { "Content-Security-Policy": page.contentSecurityPolicy, Vary: "Accept-Language" },
      };
    }),
  ];
}

/** The type of the built console; null where there is none. */
async function consoleFonts(folder: string): Promise<TrustFacts["fonts"]> {
  try {
    const names = await readdir(folder);
    const read = (file: RegExp): Promise<Buffer> => readFile(join(folder, names.find((one) => file.test(one)) ?? ""));
    const [latin, devanagari] = await Promise.all([
      read(/^inter-latin-.*\.woff2$/),
      read(/^noto-sans-devanagari-devanagari-400-.*\.woff2$/),
    ]);
    return { latin, devanagari };
  } catch {
    return null;
  }
}

function own({ authority }: HubTls): Authority {
  if (authority === null)
    throw new Problem("not_found", "This hub has a certificate of its owner's, and no authority of its own.");
  return authority;
}

function file(pem: string, name: string): RouteResponse<200, never> {
  return {
    status: 200,
    bytes: Buffer.from(pem),
    contentType: "application/x-x509-ca-cert",
    headers: { "Content-Disposition": `attachment; filename="${name}"` },
  };
}
