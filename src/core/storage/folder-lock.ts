/**
 * Ensures one owner of the data folder. The lock is SQLite's exclusive lock on an empty file (fcntl(2) byte ranges),
 * which the kernel holds for the process and releases when it ends in any way: no stale lock is ever left. It holds
 * between containers that share a volume, and the server of an NFS share keeps it too. Node has no flock(2), and an
 * abstract socket would only be seen within one network namespace.
 *
 * fcntl(2) releases a lock when its process closes *any* descriptor of the file: no other code may open it. The lock's
 * holder is therefore recorded in a second file, which is trusted only while the lock is taken.
 */
import {
  chownSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { isoTime } from "../kernel/clock.ts";
import { Problem } from "../kernel/problem.ts";
import { checkedJson, jsonWithCheck, moveAside, readSmallFile } from "../kernel/small-file.ts";
import { writeFileAtomicSync } from "../kernel/write-file-atomic.ts";

const FILE = "gatehouse.lock";
const HOLDER_FILE = "gatehouse.lock.holder";
const HOLDER = "lock holder";
const TRY_EVERY_MS = 100;
/** File systems of other machines, as statfs(2) names them: NFS, CIFS, SMB 2 and later. */
const SHARES: readonly number[] = [0x6969, 0xff534d42, 0xfe534d42];
/** Options with which a share's locks count on this machine only: nfs(5), mount.cifs(8). */
const LOCAL_LOCKS = /(?:^|,)(nolock|local_lock=(?:all|posix)|nobrl)(?:,|$)/;
/** SQLite's error when the system refuses the lock itself; its other errors are the disk's. */
const UNLOCKABLE = /^SQLITE_(PROTOCOL|IOERR_(LOCK|RDLOCK|UNLOCK|CHECKRESERVEDLOCK))$/;

/** The holder of a folder. */
export interface FolderHolder {
  readonly pid: number;
  /** `hub`, or the command: `gatehouse restore`. */
  readonly what: string;
  /** ISO 8601. */
  readonly since: string;
  /** The hub's address; null for a command and while a hub starts. */
  readonly address: string | null;
}

/** What the system reports about its file systems. */
export interface Mounts {
  /** The kind of the one that holds a folder: `f_type` of statfs(2). */
  readonly typeOf: (folder: string) => number;
  /** All of them: /proc/self/mountinfo, see proc(5). */
  readonly all: () => string;
}

const OWN_MOUNTS: Mounts = {
  typeOf: (folder) => statfsSync(folder).type,
  all: () => readFileSync("/proc/self/mountinfo", "utf8"),
};

/** Who takes the lock. */
export interface LockWishes {
  readonly dataFolder: string;
  readonly pid: number;
  readonly what: string;
  readonly nowMs: number;
  /** How long to wait for a holder that is about to end, ms. */
  readonly patienceMs: number;
  /** The machine's own by default. */
  readonly mounts?: Mounts;
}

/** The folder belongs to another process. */
export class FolderTaken extends Problem {
  readonly holder: FolderHolder | null;

  constructor(dataFolder: string, holder: FolderHolder | null) {
    super("conflict", `Another process works on ${dataFolder}: ${describeHolder(holder)}`, {
      hint:
        holder?.what === "hub"
          ? "One folder serves one hub. Stop that one first, or give this one a folder of its own (GATEHOUSE_DATA)."
          : "Wait until it has ended, then try again.",
    });
    this.holder = holder;
  }
}

/** The folder's file system keeps no locks, as some network shares. */
export class FolderUnlockable extends Problem {
  constructor(dataFolder: string, code: string) {
    super(
      "unavailable",
      `The file system of ${dataFolder} keeps no locks (${code}): two hubs could work on it at once.`,
      {
        hint: "Mount it with locks (NFS without nolock and local_lock, CIFS without nobrl), or put the data folder on a disk of this machine.",
      },
    );
  }
}

/** The lock, for as long as this process has the folder. */
export class FolderLock {
  readonly #wishes: LockWishes;
  /** Null where the folder takes no writes: then nothing in it can be changed either. */
  #connection: SqliteDatabase.Database | null;

  private constructor(wishes: LockWishes, connection: SqliteDatabase.Database | null) {
    this.#wishes = wishes;
    this.#connection = connection;
    this.#say(null);
  }

  /**
   * Takes the folder, which exists.
   * @throws FolderTaken while another process has it, FolderUnlockable where no lock is possible
   */
  static async take(wishes: LockWishes): Promise<FolderLock> {
    const { dataFolder, patienceMs, mounts = OWN_MOUNTS } = wishes;
    const option = localLocks(dataFolder, mounts);
    if (option !== null) throw new FolderUnlockable(dataFolder, option);
    for (let waited = 0; ; waited += TRY_EVERY_MS) {
      const found = tryLock(join(dataFolder, FILE), dataFolder);
      if (found !== "taken") return new FolderLock(wishes, found === "readonly" ? null : found);
      if (waited >= patienceMs) throw new FolderTaken(dataFolder, holderOf(dataFolder));
      await delay(TRY_EVERY_MS);
    }
  }

  /** Whether the folder is really held; it is not where it takes no writes. */
  get isHeld(): boolean {
    return this.#connection !== null;
  }

  /** Records the address of the hub that holds the folder. */
  reachedAt(address: string): void {
    this.#say(address);
  }

  /** Gives the folder back; the end of the process does the same. */
  release(): void {
    if (this.#connection === null) return;
    rmSync(join(this.#wishes.dataFolder, HOLDER_FILE), { force: true });
    this.#connection.close();
    this.#connection = null;
  }

  #say(address: string | null): void {
    if (this.#connection === null) return;
    const { dataFolder, pid, what, nowMs } = this.#wishes;
    const holder: FolderHolder = { pid, what, since: isoTime(nowMs), address };
    const file = join(dataFolder, HOLDER_FILE);
    try {
      if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) rmSync(file, { recursive: true });
      writeFileAtomicSync(file, jsonWithCheck(HOLDER, holder));
      giveToFolderOwner(file, dataFolder);
    } catch {
      // The lock counts; only its words are missing.
    }
  }
}

/** The mount option by which another machine would not see a lock in `folder`; null where one is seen. */
export function localLocks(folder: string, { typeOf, all }: Mounts = OWN_MOUNTS): string | null {
  try {
    if (!SHARES.includes(typeOf(folder))) return null;
    const inside = `${realpathSync(folder)}/`;
    const [nearest] = all()
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, , , , place = ""]) => place !== "" && inside.startsWith(place === "/" ? place : `${place}/`))
      .sort(([, , , , one = ""], [, , , , other = ""]) => other.length - one.length);
    return LOCAL_LOCKS.exec(nearest?.at(-1) ?? "")?.[1] ?? null;
  } catch {
    return null; // not Linux: the lock itself shows whether there is one
  }
}

/** The recorded holder of the folder; trusted only while the lock is taken. */
function holderOf(dataFolder: string): FolderHolder | null {
  const found = readSmallFile(join(dataFolder, HOLDER_FILE));
  const holder = found.kind === "good" ? checkedJson(HOLDER, found.text) : null;
  if (holder === null) return null;
  const { pid, what, since, address } = holder;
  return typeof pid === "number" && typeof what === "string" && typeof since === "string"
    ? { pid, what, since, address: typeof address === "string" ? address : null }
    : null;
}

function describeHolder(holder: FolderHolder | null): string {
  if (holder === null) return "it has not said which.";
  const { what, pid, since, address } = holder;
  return `${what === "hub" ? "a hub" : what} (process ${pid}, since ${since}${address === null ? "" : `, at ${address}`}).`;
}

function tryLock(file: string, dataFolder: string): SqliteDatabase.Database | "taken" | "readonly" {
  makeRoomFor(file);
  try {
    closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600));
    giveToFolderOwner(file, dataFolder);
  } catch (error) {
    const code = codeOf(error);
    if (code !== "EEXIST") return "readonly";
  }
  try {
    return exclusive(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "SQLITE_BUSY") return "taken";
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
      // Something wrote into the file. Truncating it by its path takes no lock from its holder, whom the next try meets.
      truncateSync(file);
      return retried(file);
    }
    if (UNLOCKABLE.test(code)) throw new FolderUnlockable(dataFolder, code);
    return "readonly"; // SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: this user may not write it; or its disk fails
  }
}

function retried(file: string): SqliteDatabase.Database | "taken" {
  try {
    return exclusive(file);
  } catch (error) {
    if (codeOf(error) === "SQLITE_BUSY") return "taken";
    throw error;
  }
}

/** @throws Error with SQLite's code */
function exclusive(file: string): SqliteDatabase.Database {
  const connection = new SqliteDatabase(file, { timeout: 0, fileMustExist: true });
  try {
    connection.pragma("journal_mode = MEMORY"); // nothing is written: a failing disk keeps locks anyway
    connection.exec("BEGIN EXCLUSIVE");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * A folder, a pipe or a link in the lock's place holds no data of the hub and no lock; neither does a file of another
 * user.
 */
function makeRoomFor(file: string): void {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || (found.isFile() && isWritable(file))) return;
    if (found.isSymbolicLink() || found.isFile() || !moveAside(file)) rmSync(file, { force: true, recursive: true });
  } catch {
    // It stays, and the lock cannot be taken.
  }
}

/** By its mode: opening and closing it could release a lock of this process. */
function isWritable(file: string): boolean {
  const { uid, mode } = statSync(file);
  const own = process.getuid?.();
  return own === 0 || own === undefined || (uid === own ? (mode & 0o600) === 0o600 : (mode & 0o006) === 0o006);
}

/** What root makes in the folder of the hub's user is that user's. */
function giveToFolderOwner(file: string, dataFolder: string): void {
  const { uid, gid } = statSync(dataFolder);
  if (process.getuid?.() === 0 && uid !== 0) chownSync(file, uid, gid);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
