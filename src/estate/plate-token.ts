import { createHmac } from "node:crypto";

/** Makes the hashes that stand for plates in subjects and keys: nobody without the estate's key can tell the plate, and every hub makes the same. */
export function plateTokens(key: Uint8Array): (plate: string) => string {
  return (plate) => createHmac("sha256", key).update(plate).digest("hex").slice(0, 32);
}

/** Whether a text of another hub has the form of such a hash. */
export function isPlateToken(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
