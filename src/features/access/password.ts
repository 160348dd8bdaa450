/**
 * Hashes and checks passwords with scrypt (N = 2^14, r = 8, p = 5: 16 MiB and a few tenths of a second), stored as PHC
 * strings, so that stronger parameters can be adopted later. One hash is computed at a time: two simultaneous sign-ins
 * must not double the memory on a small host. Waiting checks are bounded, and addresses take turns.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "../../core/kernel/problem.ts";

/** Cost of a hash: 2^`ln` iterations. */
export interface ScryptCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * The cost of every new hash (listed at
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt beside N = 2^17, p = 1, with
 * an eighth of its memory). Older hashes are made again at the next sign-in.
 */
export const PASSWORD_COST: ScryptCost = { ln: 14, r: 8, p: 5 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Checks of one caller that may wait; beyond it the hub refuses instead of letting a queue of guesses grow. */
const MAX_WAITING_EACH = 8;
/** Checks of all callers that may wait; beyond it the caller with the most loses one to a caller with fewer. */
const MAX_WAITING = 16;

/** The queue of a check: callers of one name wait behind each other, and known ones come first. */
export interface Caller {
  readonly name: string;
  readonly known: boolean;
}

const NOBODY: Caller = { name: "", known: false };

/** Outcome of a check. */
export interface PasswordVerdict {
  readonly ok: boolean;
  /** The hash was made with another cost: hash the password again. */
  readonly outdated: boolean;
}

/** Hashes passwords one at a time. */
export class Passwords {
  readonly #cost: ScryptCost;
  readonly #queue = new FairQueue();
  /** The hash to compare with if the account does not exist: no password has it, and it costs as much as a real one. */
  readonly #nobodys: { readonly cost: ScryptCost; readonly salt: Buffer; readonly hash: Buffer };

  constructor(cost: ScryptCost = PASSWORD_COST) {
    this.#cost = cost;
    this.#nobodys = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  }

  /** The PHC string of a password. @throws Problem `unavailable` when too many wait */
  async hash(password: string, caller = NOBODY): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const { ln, r, p } = this.#cost;
    const hash = await this.#derive(password, { salt, cost: this.#cost }, caller);
    return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
  }

  /**
   * Compares a password with a stored hash; null stands for an account that does not exist and costs the same time.
   * @throws Problem `unavailable`
   */
  async verify(password: string, phc: string | null, caller = NOBODY): Promise<PasswordVerdict> {
    const known = parsePhc(phc ?? "");
    const { salt, cost, hash } = known ?? this.#nobodys;
    const isSame = timingSafeEqual(await this.#derive(password, { salt, cost }, caller), hash);
    const { ln, r, p } = this.#cost;
    return {
      ok: known !== null && isSame,
      outdated: known !== null && (cost.ln !== ln || cost.r !== r || cost.p !== p),
    };
  }

  #derive(
    password: string,
    { salt, cost }: { readonly salt: Buffer; readonly cost: ScryptCost },
    caller: Caller,
  ): Promise<Buffer> {
    return this.#queue.run(caller, () => derive(password.normalize("NFKC"), salt, cost));
  }
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** Runs one task at a time; callers take turns, the known ones before all others. */
class FairQueue {
  /** By caller's name, in the order of their turns. */
  readonly #known = new Map<string, Waiting[]>();
  readonly #others = new Map<string, Waiting[]>();
  #isRunning = false;

  run<Result>({ name, known }: Caller, task: () => Promise<Result>): Promise<Result> {
    const lanes = known ? this.#known : this.#others;
    const own = lanes.get(name) ?? [];
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(tooManyAtOnce());
      if (own.length >= MAX_WAITING_EACH - (this.#isRunning ? 1 : 0) || !makeRoom(lanes, own.length)) return refuse();
      const begin = (): void => {
        void task()
          .then(resolve, reject)
          .finally(() => {
            this.#isRunning = false;
            this.#next();
          });
      };
      own.push({ begin, refuse });
      lanes.set(name, own);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isRunning) return;
    const lanes = this.#known.size > 0 ? this.#known : this.#others;
    const [name, waiting] = lanes.entries().next().value ?? [];
    if (name === undefined || waiting === undefined) return;
    lanes.delete(name);
    const first = waiting.shift();
    if (waiting.length > 0) lanes.set(name, waiting); // behind the others
    this.#isRunning = true;
    first?.begin();
  }
}

/**
 * Room for one more check of a caller who has `own` waiting: drops the last check of the caller with the most. False
 * when that is this caller.
 */
function makeRoom(lanes: Map<string, Waiting[]>, own: number): boolean {
  let total = 0;
  let longest: [string, Waiting[]] | null = null;
  for (const lane of lanes) {
    total += lane[1].length;
    if (longest === null || lane[1].length > longest[1].length) longest = lane;
  }
  if (total < MAX_WAITING) return true;
  if (longest === null || longest[1].length <= own + 1) return false;
  longest[1].pop()?.refuse();
  return true;
}

function tooManyAtOnce(): Problem {
  return new Problem(
    "unavailable",
    { code: "unavailable.signIns" },
    {
      headers: { "Retry-After": "5" },
    },
  );
}

function derive(password: string, salt: Buffer, { ln, r, p }: ScryptCost): Promise<Buffer> {
  const N = 2 ** ln;
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

function parsePhc(text: string): { readonly cost: ScryptCost; readonly salt: Buffer; readonly hash: Buffer } | null {
  const [, ln, r, p, salt, hash] =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return null;
  const bytes = Buffer.from(hash, "base64");
  return bytes.length === HASH_BYTES
    ? { cost: { ln: Number(ln), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, "base64"), hash: bytes }
    : null;
}
