/**
 * The hub's own key: 32 random bytes in a file of the data folder that only the hub's user can read. Secrets that the
 * hub must be able to read back (second factors) are sealed with it, so that a copy of the database alone does not give
 * them away.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../kernel/problem.js";
import { restrictToOwner } from "../kernel/restrict-to-owner.js";
import { writeFileAtomicSync } from "../kernel/write-file-atomic.js";

const FILE = "hub.key";
/** The same key once more: a hub with one bad block in the wrong place still has a gate to open. */
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

/**
 * Reads the key of a data folder, or makes it on first use (written whole, then renamed into place, mode 0600). Of one
 * that is gone or cannot be read the copy takes the place; it is set aside, never written over.
 * @throws Problem `unavailable` when neither is a key
 */
export function loadHubKey(dataFolder: string): HubKey {
  const [file, copy] = [join(dataFolder, FILE), join(dataFolder, COPY)];
  const kept = readKey(copy);
  const found = readKey(file);
  const known = keyOf(found) ?? keyOf(kept);
  if (known === null && found !== "missing") {
    throw new Problem(
      "unavailable",
      { code: "unavailable.hubKey", file },
      {
        hint: "Restore it from a backup. Without it second factors must be set up anew: move it away and run 'gatehouse reset-owner'.",
      },
    );
  }
  const key = known ?? randomBytes(KEY_BYTES);
  if (known === null) writeKey(file, key);
  if (found === "unusable") ifPossible(() => renameSync(file, `${file}.unusable`));
  if (known !== null && keyOf(found) === null) ifPossible(() => writeKey(file, key));
  restrictToOwner(file);
  if (keyOf(kept)?.equals(key) !== true) ifPossible(() => writeKey(copy, key));
  return new HubKey(key);
}

type Found = Buffer | "missing" | "unusable";

function readKey(file: string): Found {
  try {
    const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
    return key.length === KEY_BYTES ? key : "unusable";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "missing" : "unusable";
  }
}

function keyOf(found: Found): Buffer | null {
  return Buffer.isBuffer(found) ? found : null;
}

function writeKey(file: string, key: Buffer): void {
  writeFileAtomicSync(file, `${key.toString("base64")}\n`);
}

/** A disk that takes no writes is no reason not to start: the key is known. */
function ifPossible(write: () => unknown): void {
  try {
    write();
  } catch {
    // The next start tries again.
  }
}
