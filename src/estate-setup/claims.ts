import { createHash } from "node:crypto";

/** A pair of NATS keys: what it signs is known by its public key. */
export interface Signer {
  getPublicKey(): string;
  sign(input: Uint8Array): Uint8Array;
}

/** What a claim of NATS says; times in seconds since 1970. */
export interface Claim {
  /** Public key of whom it is about. */
  readonly subject: string;
  readonly name: string;
  readonly issuedAt: number;
  /** Absent: it does not end by itself. */
  readonly expiresAt?: number;
  /** Its part for NATS: kind, rights, limits (https://github.com/nats-io/jwt, version 2). */
  readonly nats: object;
}

/** A claim as the signed text (JWT) that servers and clients of NATS take; the same claim is the same text. */
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
