/**
 * Time-based one-time passwords (RFC 6238) as every authenticator app makes them: SHA-1, six digits, thirty seconds.
 */
import { createHmac, randomBytes } from "node:crypto";
import { equalsInConstantTime } from "../../core/kernel/ids.ts";

const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Steps before and after the present one that are taken: clocks of phones and boxes differ. */
const WINDOW = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A new random secret. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** The code of one 30 s step. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac[mac.length - 1] ?? 0) & 0x0f; // dynamic truncation, RFC 4226 §5.3
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The 30 s step that `nowMs` (epoch milliseconds) falls into. */
export function totpStep(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

/** The step whose code was given, or null when it matches none of the current steps. */
export function matchTotp(secret: Buffer, code: string, nowMs: number): number | null {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const now = totpStep(nowMs);
  for (let step = now - WINDOW; step <= now + WINDOW; step++)
    if (step >= 0 && equalsInConstantTime(totpCode(secret, step), digits)) return step;
  return null;
}

/** Base32 without padding (RFC 4648 §6), the form that people type into an app. */
export function base32(bytes: Buffer): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUri(secret: Buffer, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
