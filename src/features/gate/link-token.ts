import { createHash, randomBytes } from "node:crypto";

/** The secret of a guest's link: 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of it. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
