import { createHash } from "node:crypto";
import { Problem } from "../../kernel/problem.ts";

/** The strong ETag of an answer's bytes. */
export function etagOf(bytes: Buffer | string): string {
  const etag = new ChunkedEtag();
  etag.add(bytes);
  return etag.end();
}

/** {@link etagOf} of bytes that come piece by piece. */
export class ChunkedEtag {
  readonly #hash = createHash("sha1"); // a fingerprint against change, not against an enemy

  add(bytes: Buffer | string): void {
    this.#hash.update(bytes);
  }

  /** The ETag of all that was added; once. */
  end(): string {
    return `"${this.#hash.digest("base64url")}"`;
  }
}

/**
 * The ETag of one object that clients edit. `edited` is what they may change: only a change of it makes If-Match fail.
 * `rest` is what else a client may wait for with If-None-Match. Values that change by themselves (when a device was
 * last seen) belong to neither.
 */
export function objectTag(edited: unknown, rest?: unknown): string {
  const part = (value: unknown): string =>
    createHash("sha1").update(JSON.stringify(value)).digest("base64url").slice(0, TAG_CHARACTERS);
  return rest === undefined ? `"${part(edited)}"` : `"${part(edited)}.${part(rest)}"`;
}

const TAG_CHARACTERS = 16;

/** Whether If-None-Match names the answer's ETag, so that 304 is enough (RFC 9110 §13.1.2, weak comparison). */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === "*" || tagsIn(ifNoneMatch).includes(etag);
}

/**
 * Compares a change with what the client read: `current` is the object's {@link objectTag} now.
 * @throws Problem `precondition_failed`
 */
export function checkIfMatch(ifMatch: string | undefined, current: () => string): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const now = editedPart(current());
  if (!tagsIn(ifMatch).some((tag) => editedPart(tag) === now))
    throw new Problem("precondition_failed", "The object has been edited since the ETag in If-Match was read.");
}

function tagsIn(header: string): string[] {
  return header.split(",").map((entry) => entry.trim().replace(/^W\//, ""));
}

/** The part of an {@link objectTag} before the dot; the whole of any other tag. */
function editedPart(tag: string): string {
  return tag.replace(/\.[^.]*"$/, '"');
}
