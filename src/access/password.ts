/**
 * Hashes and checks passwords with scrypt (N = 2^15, r = 8, p = 3: 32 MiB and a few tenths of a second), stored as PHC
 * strings, so that stronger parameters can be taken up later. One hash is computed at a time: two sign-ins at once must
 * not double the memory of a small box.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "../kernel/problem.js";

/** Cost of a hash: 2^`ln` iterations. */
export interface ScryptCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** The cost of every new hash (an equivalent of N = 2^17, p = 1 in the OWASP list with a quarter of its memory). */
export const PASSWORD_COST: ScryptCost = { ln: 15, r: 8, p: 3 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Callers that may wait; past it the hub says so instead of letting a queue of guesses grow. */
const MAX_WAITING = 8;

/** Outcome of a check. */
export interface PasswordVerdict {
  readonly ok: boolean;
  /** The hash was made with another cost: hash the password again. */
  readonly outdated: boolean;
}

/** Hashes passwords one at a time. */
export class Passwords {
  readonly #cost: ScryptCost;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #dummy: string | null = null;

  constructor(cost: ScryptCost = PASSWORD_COST) {
    this.#cost = cost;
  }

  /** The PHC string of a password. @throws Problem `unavailable` when too many wait */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const { ln, r, p } = this.#cost;
    const hash = await this.#derive(password, salt, this.#cost);
    return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
  }

  /** Compares a password with a stored hash; null stands for an account that does not exist and costs the same time. @throws Problem `unavailable` */
  async verify(password: string, phc: string | null): Promise<PasswordVerdict> {
    const known = parsePhc(phc ?? "");
    if (known === null) {
      this.#dummy ??= await this.hash(unpadded(randomBytes(SALT_BYTES)));
      const dummy = parsePhc(this.#dummy);
      if (dummy !== null) await this.#derive(password, dummy.salt, dummy.cost);
      return { ok: false, outdated: false };
    }
    const hash = await this.#derive(password, known.salt, known.cost);
    const { ln, r, p } = this.#cost;
    return { ok: timingSafeEqual(hash, known.hash), outdated: known.cost.ln !== ln || known.cost.r !== r || known.cost.p !== p };
  }

  #derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
    if (this.#waiting >= MAX_WAITING) {
      return Promise.reject(new Problem("unavailable", "Too many sign-ins at once; try again in a few seconds.", { headers: { "Retry-After": "5" } }));
    }
    this.#waiting += 1;
    const result = this.#tail.then(() => derive(password.normalize("NFKC"), salt, cost)).finally(() => (this.#waiting -= 1));
    this.#tail = result.catch(() => {});
    return result;
  }
}

function derive(password: string, salt: Buffer, { ln, r, p }: ScryptCost): Promise<Buffer> {
  const N = 2 ** ln;
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

function parsePhc(text: string): { readonly cost: ScryptCost; readonly salt: Buffer; readonly hash: Buffer } | null {
  const [, ln, r, p, salt, hash] = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return null;
  const bytes = Buffer.from(hash, "base64");
  return bytes.length === HASH_BYTES ? { cost: { ln: Number(ln), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, "base64"), hash: bytes } : null;
}
