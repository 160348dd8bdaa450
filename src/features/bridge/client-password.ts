import { createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { equalsInConstantTime } from "../../core/kernel/ids.ts";

/** Firmware passwords are typed by people and short; but a hundred devices reconnect at once after a power cut. */
const COST = { N: 4096, r: 8, p: 1 } as const;
const KEY_BYTES = 32;
const MOST_REMEMBERED = 1_000;

/**
 * Hashes and checks passwords of bridge clients. A password that was hashed here, or was right, is recognised without
 * the work for the life of the process: a newly created client is admitted at once.
 */
export class ClientPasswords {
  readonly #pepper = randomBytes(KEY_BYTES);
  readonly #right = new Map<string, string>();

  /** The hash to be stored: `scrypt:` with salt and key in base64. */
  hash(password: string): string {
    const salt = randomBytes(16);
    const hash = `scrypt:${salt.toString("base64")}:${scryptSync(password, salt, KEY_BYTES, COST).toString("base64")}`;
    this.#remember(hash, this.#printOf(password, hash));
    return hash;
  }

  /** Whether `password` is the one that was hashed. Takes about ten milliseconds for one that is not known here. */
  matches(password: string, hash: string): boolean {
    const print = this.#printOf(password, hash);
    const known = this.#right.get(hash);
    if (known !== undefined && equalsInConstantTime(known, print)) return true;
    const [scheme, salt = "", key = ""] = hash.split(":");
    const wanted = Buffer.from(key, "base64");
    if (scheme !== "scrypt" || wanted.length !== KEY_BYTES) return false;
    if (!timingSafeEqual(scryptSync(password, Buffer.from(salt, "base64"), KEY_BYTES, COST), wanted)) return false;
    this.#remember(hash, print);
    return true;
  }

  #printOf(password: string, hash: string): string {
    return createHmac("sha256", this.#pepper).update(`${hash}\n${password}`).digest("base64");
  }

  #remember(hash: string, print: string): void {
    if (this.#right.size >= MOST_REMEMBERED) this.#right.clear();
    this.#right.set(hash, print);
  }
}
