import { createHmac } from "node:crypto";

/** Most hashes remembered: the same vehicles come again and again. */
const MOST_KNOWN = 10_000;

/**
 * Makes the hashes that represent plates in subjects and keys: without the estate's key a hash does not reveal the
 * plate, and every hub makes the same ones.
 */
export function plateTokens(key: Uint8Array): (plate: string) => string {
  const known = new Map<string, string>();
  return (plate) => {
    const standing = known.get(plate);
    if (standing !== undefined) return standing;
    const token = createHmac("sha256", key).update(plate).digest("hex").slice(0, 32);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(plate, token);
    return token;
  };
}

/** Whether a text from another hub has the form of such a hash. */
export function isPlateToken(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
