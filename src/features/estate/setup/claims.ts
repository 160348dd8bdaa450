import { createHash } from "node:crypto";

/** A pair of NATS keys, whose signatures its public key verifies. */
export interface Signer {
  getPublicKey(): string;
  sign(input: Uint8Array): Uint8Array;
}

/** The content of a NATS claim; times in seconds since 1970. */
export interface Claim {
  /** Public key of the subject. */
  readonly subject: string;
  readonly name: string;
  readonly issuedAt: number;
  /** Absent: it never expires. */
  readonly expiresAt?: number;
  /** Its NATS part: kind, rights, limits (https://github.com/nats-io/jwt, version 2). */
  readonly nats: object;
}

/** A claim as the signed text (JWT) that NATS servers and clients take; the same claim gives the same text. */
export function signClaim(issuer: Signer, { subject, name, issuedAt, expiresAt, nats }: Claim): string {
  const claims = {
    iat: issuedAt,
    iss: issuer.getPublicKey(),
    name,
    sub: subject,
    nats,
    ...(expiresAt === undefined ? {} : { exp: expiresAt }),
  };
  const jti = createHash("sha256").update(JSON.stringify(claims)).digest("base64url");
  const parts = [
    { typ: "JWT", alg: "ed25519-nkey" },
    { jti, ...claims },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}
