import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { ulid } from "ulid";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A sortable unique id: prefix + ULID (48 bits of time, 80 random bits). */
export function prefixedUlid(prefix: string, nowMs: number): string {
  return prefix + ulid(nowMs);
}

/** `length` characters of base62 from the system's random source, without modulo bias. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: larger bytes would favour low digits
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** CRC-32 of `text` as six base62 digits: the check digits of a key. */
export function crc32Base62(text: string): string {
  let value = crc32(text);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = BASE62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** SHA-256 as lower-case hex; the stored form of every random secret. */
export function sha256Hex(data: string | Buffer): string {
  return hash("sha256", data, "hex");
}

/** Compares two strings in time that depends on their lengths only. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
