import { createHash } from "node:crypto";
import { Problem } from "../../kernel/problem.js";

/** The strong ETag of an answer's bytes. */
export function etagOf(bytes: Buffer | string): string {
  const etag = new EtagOfPieces();
  etag.add(bytes);
  return etag.end();
}

/** {@link etagOf} of bytes that come piece by piece. */
export class EtagOfPieces {
  readonly #hash = createHash("sha1"); // a fingerprint against change, not against an enemy

  add(bytes: Buffer | string): void {
    this.#hash.update(bytes);
  }

  /** The ETag of all that was added; once. */
  end(): string {
    return `"${this.#hash.digest("base64url")}"`;
  }
}

/** Whether If-None-Match names the answer's ETag, so that 304 is enough (RFC 9110 §13.1.2, weak comparison). */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === "*" || listed(ifNoneMatch, etag);
}

/**
 * Holds a change to the state that the client saw: `current` is the body that a GET would answer now.
 * @throws Problem `precondition_failed`
 */
export function checkIfMatch(ifMatch: string | undefined, current: () => unknown): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  if (!listed(ifMatch, etagOf(JSON.stringify(current())))) throw new Problem("precondition_failed", "The object has changed since the ETag in If-Match.");
}

function listed(header: string, etag: string): boolean {
  return header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === etag);
}
