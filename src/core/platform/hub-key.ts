/**
 * The hub's own key: 32 random bytes in a file of the data folder that only the hub's user can read. Secrets that the
 * hub must be able to read back (second factors) are sealed with it, so that a copy of the database alone does not give
 * them away.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { type FileTrouble, FileTroubles } from "../kernel/file-troubles.ts";
import { Problem } from "../kernel/problem.ts";
import { restrictToOwner } from "../kernel/restrict-to-owner.ts";
import { checkValue, moveAside, readSmallFile } from "../kernel/small-file.ts";
import { writeFileAtomicSync } from "../kernel/write-file-atomic.ts";

const FILE = "hub.key";
/** A second copy of the key: a hub with one bad block in the wrong place still has a gate to open. */
const COPY = "hub.key.copy";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens small secrets, and derives texts that only this hub can. */
export class HubKey {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * AES-256-GCM of `plain`; it opens only under the same `context`, so that a sealed value cannot be moved to another
   * row.
   */
  seal(plain: Buffer, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#subkey("seal"), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Undoes {@link seal}. @throws Problem `unavailable` when the value was sealed by another hub or changed */
  open(sealed: Buffer, context: string): Buffer {
    try {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      // its whole tag: a part of one is easier to guess
      const whole = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv("aes-256-gcm", this.#subkey("seal"), nonce, whole).setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch (error) {
      throw new Problem(
        "unavailable",
        { code: "unavailable.secret" },
        {
          cause: error,
          hint: "The data folder's hub.key does not belong to its database; restore both from the same backup, or run 'gatehouse reset-owner'.",
        },
      );
    }
  }

  /** 32 bytes that depend on this hub and `purpose` only. */
  derive(purpose: string): Buffer {
    return createHmac("sha256", this.#subkey("derive")).update(purpose).digest();
  }

  #subkey(use: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#key, Buffer.alloc(0), `gatehouse ${use}`, KEY_BYTES));
  }
}

/** What proves a key: a text that was sealed with it, kept in the database. */
const PROOF = "proof of hub.key";

/** A text that only this key opens, for {@link opensProof}. */
export function keyProof(key: HubKey): string {
  return key.seal(Buffer.from(PROOF), PROOF).toString("base64");
}

/** Whether `key` is the one with which a database's secrets were sealed. */
export function opensProof(key: HubKey, proof: string): boolean {
  try {
    return key.open(Buffer.from(proof, "base64"), PROOF).toString() === PROOF;
  } catch {
    return false;
  }
}

/** What {@link loadHubKey} looks at besides the key and its copy. */
export interface KeyWishes {
  /** Reads what {@link keyProof} made from the database; null where it has none, or cannot be read. */
  readonly proof?: () => string | null;
  /** Whether this folder had a hub before: then a missing key is a loss. */
  readonly isExpected?: () => boolean;
  readonly troubles?: FileTroubles;
}

/**
 * Reads the key of a data folder, or makes it on first use (written whole, then renamed, mode 0600). A key that is
 * missing, unreadable or altered is replaced by its copy. The old file is set aside, never overwritten; nor does an
 * unproven key ever overwrite the copy. If neither is usable, a new key is made and `troubles` reports it: data sealed
 * with the old key stays locked until that key is restored.
 */
export function loadHubKey(dataFolder: string, wishes: KeyWishes = {}): HubKey {
  const { proof = () => null, isExpected = () => false, troubles = new FileTroubles() } = wishes;
  const [file, copy] = [join(dataFolder, FILE), join(dataFolder, COPY)];
  const [found, kept] = [readKey(file), readKey(copy)];
  const chosen = choose(found, kept, proof);
  if (chosen === null) {
    if (found.state !== "missing" || isExpected())
      troubles.note({ file: FILE, reason: reasonOf(found), instead: "anew" });
    if (kept.state === "unusable") troubles.note({ file: COPY, reason: kept.reason, instead: "anew" });
  } else if (found.state !== "key") troubles.note({ file: FILE, reason: reasonOf(found), instead: "copy" });
  else if (!found.key.equals(chosen.key)) troubles.note({ file: FILE, reason: "content", instead: "copy" });
  else if (kept.state === "unusable") troubles.note({ file: COPY, reason: kept.reason, instead: "anew" });
  else if (kept.state === "key" && !kept.key.equals(chosen.key))
    troubles.note({ file: COPY, reason: "another key", instead: "anew" });
  const key = chosen?.key ?? randomBytes(KEY_BYTES);
  const isInFile = found.state === "key" && found.key.equals(key);
  if (!isInFile && found.state !== "missing") moveAside(file);
  if (!isInFile || !found.isChecked) ifPossible(() => writeKey(file, key));
  restrictToOwner(file);
  const isInCopy = kept.state === "key" && kept.key.equals(key);
  if (!isInCopy && (kept.state !== "key" || chosen?.isProved === true)) {
    if (kept.state === "unusable") moveAside(copy);
    ifPossible(() => writeKey(copy, key));
  } else if (isInCopy && !kept.isChecked) ifPossible(() => writeKey(copy, key));
  return new HubKey(key);
}

/** The stored key, or else its copy; null without either. Changes nothing. */
export function readHubKey(dataFolder: string): HubKey | null {
  const [found] = [FILE, COPY].map((name) => readKey(join(dataFolder, name))).filter((one) => one.state === "key");
  return found === undefined ? null : new HubKey(found.key);
}

/**
 * The troubles that {@link loadHubKey} would report, without changing any file: names with reasons; empty if all is
 * well.
 */
export function keyTroubles(dataFolder: string): FileTrouble[] {
  const [found, kept] = [readKey(join(dataFolder, FILE)), readKey(join(dataFolder, COPY))];
  const isLost = found.state !== "key" && kept.state !== "key";
  const trouble = (file: string, one: Found): FileTrouble[] =>
    one.state === "key" ? [] : [{ file, reason: reasonOf(one), instead: isLost ? "anew" : "copy" }];
  if (found.state === "missing" && kept.state === "missing") return [];
  if (found.state === "key" && kept.state === "key" && !found.key.equals(kept.key))
    return [{ file: FILE, reason: "its copy differs", instead: "copy" }];
  return [...trouble(FILE, found), ...trouble(COPY, kept)];
}

interface Chosen {
  readonly key: Buffer;
  readonly isProved: boolean;
}

/** The database is asked only if the files leave a doubt. */
function choose(found: Found, kept: Found, proof: () => string | null): Chosen | null {
  const candidates = [found, kept].flatMap((one) => (one.state === "key" ? [one] : []));
  const [first, second] = candidates;
  if (first === undefined) return null;
  if (second === undefined) return { key: first.key, isProved: true };
  if (first.key.equals(second.key)) return { key: first.key, isProved: true };
  const sealed = proof();
  const proved = sealed === null ? undefined : candidates.find(({ key }) => opensProof(new HubKey(key), sealed));
  if (proved !== undefined) return { key: proved.key, isProved: true };
  const checked = candidates.filter(({ isChecked }) => isChecked);
  const only = checked.length === 1 ? checked[0] : undefined;
  return { key: (only ?? first).key, isProved: only !== undefined };
}

type Found =
  | { readonly state: "key"; readonly key: Buffer; readonly isChecked: boolean }
  | { readonly state: "missing" }
  | { readonly state: "unusable"; readonly reason: string };

function reasonOf(found: Found): string {
  return found.state === "unusable" ? found.reason : found.state;
}

function readKey(file: string): Found {
  const found = readSmallFile(file);
  if (found.kind !== "good")
    return found.kind === "missing" ? { state: "missing" } : { state: "unusable", reason: found.reason };
  // earlier versions read the first line only, and wrote no second one
  const [line = "", check = ""] = found.text.split("\n");
  const key = Buffer.from(line.trim(), "base64");
  const isOurs = key.length === KEY_BYTES && key.toString("base64") === line.trim();
  if (!isOurs || (check !== "" && check !== checkValue(FILE, key))) return { state: "unusable", reason: "content" };
  return { state: "key", key, isChecked: check !== "" };
}

function writeKey(file: string, key: Buffer): void {
  writeFileAtomicSync(file, `${key.toString("base64")}\n${checkValue(FILE, key)}\n`);
}

/** A disk that takes no writes is no reason not to start: the key is known. */
function ifPossible(write: () => unknown): void {
  try {
    write();
  } catch {
    // The next start tries again.
  }
}
