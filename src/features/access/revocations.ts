/**
 * What was revoked stays revoked, also after a restore. Triggers record in the table `revocation` everything that ends
 * (a key, an invitation, a guest's link, a passkey, a client, a device's password, an owner's role, a person) and
 * everything that is narrowed (a scope removed, a key replaced, a webhook, a rule or a plate switched off, a rule
 * paused), and this part keeps a copy in a small file beside the database, which is in no backup and which no restore replaces. At the
 * start both are merged. A database that lacks an entry of the file is an older one: it was restored, or copied there.
 * Then a new epoch begins: every session ends, later revocations are applied again, people who were removed since stay
 * removed, ids continue from the highest ever assigned. If the database from before the restore is readable, its people
 * keep their passwords, second factors, roles, ends and limits, and its devices their passwords.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { isJsonObject } from "../../core/kernel/json-object.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Service } from "../../core/kernel/service.ts";
import { checkedJson, jsonWithCheck, readSmallFile } from "../../core/kernel/small-file.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { Database } from "../../core/storage/database.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import { type EndedAgain, type IdMarks, type RevocationRow, RevocationTable } from "./tables/revocation.ts";

/** The effect of a restore on credentials, shown to the owner. */
export interface RestoreReport {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly sessions: number;
  /** How much came back and ended again, by kind. */
  readonly ended: Readonly<Record<string, number>>;
  /** The affected items, up to a hundred; absent in a report of an earlier version. */
  readonly list?: readonly EndedAgain[];
  /** Whether people keep the passwords that they had before it. */
  readonly keptPasswords: boolean;
}

/** The file beside the database. */
const FILE = "revoked.json";
/** Written by a restore: the folder with the previous content, or nothing. */
const RESTORED = "restored";
/** The key of the last report in the table of the hub's facts. */
const REPORT = "restore_report";
/** Revocations that are kept, the newest: more than a household makes in decades, and 3 MB of a file. */
const MOST = 20_000;
/** Includes revocations lifted since, which the file may not record. */
const WITH_LIFTED = -1;
/** Maximum entries of a report. */
const MOST_LISTED = 100;
/** The file is written when ids have gone up by this much, so that one that was not written last is still above them. */
const RESERVE = 1_000;

interface Kept {
  readonly rows: readonly RevocationRow[];
  readonly marks: IdMarks;
}

/** Keeps the list of revocations. */
export class Revocations implements Service {
  readonly name = "revocations";
  readonly #options: ConstructorParameters<typeof Revocations>[0];
  readonly #table: RevocationTable;
  readonly #hub: string;
  #isDue = false;
  /** Writings of the file, one after the other: the last one has the newest. */
  #mirrored: Promise<void> = Promise.resolve();
  #pending: RestoreReport | null = null;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly accounts: Accounts;
    readonly audit: Audit;
    readonly recordFeedItem: RecordFeedItem;
    readonly hubKey: Pick<HubKey, "derive">;
    /** Null: in memory only (tests of other parts). */
    readonly dataFolder: string | null;
  }) {
    this.#options = options;
    this.#table = new RevocationTable(options.database);
    this.#hub = options.hubKey.derive("revocations").toString("hex").slice(0, 32);
  }

  /** Unites file and table, begins a new epoch where the database is an older one, and watches the table from then on. */
  async start(): Promise<void> {
    const { database, dataFolder, clock } = this.#options;
    if (database.state !== "ok") return;
    if (dataFolder !== null) this.#unite(dataFolder);
    database.writeNow(() => this.#table.trim(clock.certain(), MOST));
    this.#table.watch(() => this.#note());
    await this.#mirror();
  }

  /** Waits for the file. The triggers go with the connection. */
  async stop(): Promise<void> {
    await this.#mirrored;
  }

  /**
   * Reports to the household what the restore before this start did, once everything runs; does nothing without one.
   */
  async report(): Promise<void> {
    const { database, accounts, audit, recordFeedItem } = this.#options;
    const report = this.#pending;
    const owner = accounts.owner();
    if (report === null || owner === null) return;
    this.#pending = null;
    const n = Object.values(report.ended).reduce((sum, count) => sum + count, 0);
    await database.write(() => {
      const { at, sessions, ended, keptPasswords } = report;
      audit.record({
        accountId: owner.id,
        actor: "hub",
        action: "restore.settled",
        target: "",
        detail: { sessions, ended, keptPasswords },
        at,
      });
      recordFeedItem({
        siteId: accounts.siteIdOf(owner.id, "live"),
        kind: "security.restored",
        deviceId: null,
        text: { code: "security.restored", n, sessions },
        at,
      });
    });
  }

  /** The report of the last restore; null without one. */
  lastRestore(): RestoreReport | null {
    const text = new HubTable(this.#options.database).get(REPORT);
    return text === null ? null : (JSON.parse(text) as RestoreReport); // written below
  }

  #unite(dataFolder: string): void {
    const { database, clock } = this.#options;
    const kept = this.#read(join(dataFolder, FILE));
    const mark = join(dataFolder, RESTORED);
    const restored = readSmallFile(mark, { mayBeEmpty: true });
    const wasRestored = restored.kind !== "missing";
    const before = restored.kind === "good" ? readEarlier(dataFolder, restored.text.trim()) : null;
    database.writeNow(() => {
      const isNew = (kept?.rows ?? [])
        .filter(({ until }) => until === null || until > clock.certain())
        .map((row) => this.#table.add(row))
        .includes(true);
      if (wasRestored || isNew) this.#beginEpoch(before, kept?.marks ?? {});
    });
    if (wasRestored) rmSync(mark, { force: true, recursive: true });
  }

  /** Inside the job: `before` is what this hub had before the restore, where it can be read. */
  #beginEpoch(before: Earlier | null, marks: IdMarks): void {
    const { database, clock } = this.#options;
    const at = clock.now();
    const sessions = this.#table.endSessions();
    this.#table.raise(marks);
    // another hub's people, and those of a new host, prove nothing about these
    const own = before !== null && before.headUid !== null && before.headUid === this.#table.headUid() ? before : null;
    const again: EndedAgain[] = [];
    if (own !== null) {
      for (const row of own.rows) this.#table.put(row);
      this.#table.raise(own.marks);
      for (const end of own.ends) this.#table.putEnd(end);
      for (const limits of own.limits) this.#table.putLimits(limits);
      const uids = own.persons.filter((person) => this.#table.putPerson(person)).map(({ uid }) => uid);
      for (const code of own.codes) if (uids.includes(code.uid)) this.#table.putCode(code);
      for (const device of own.devices) this.#table.putDevice(device);
      this.#table.putMakers(own.makers);
      again.push(...this.#table.keepPersons(own.persons.map(({ uid }) => uid)));
    }
    again.push(...this.#table.enforce(at));
    const ended: Record<string, number> = {};
    for (const { kind } of again) ended[kind] = (ended[kind] ?? 0) + 1;
    const list = again.slice(0, MOST_LISTED);
    const report: RestoreReport = { at, sessions, ended, list, keptPasswords: own !== null };
    new HubTable(database).set(REPORT, JSON.stringify(report));
    this.#pending = report;
    this.#options.logger.warn({ report }, "older database detected: sessions ended, revocations kept");
  }

  /** A file that is missing, garbled or another hub's counts as empty. */
  #read(file: string): Kept | null {
    const lying = readSmallFile(file);
    if (lying.kind !== "good") return null; // a pipe would keep the start waiting
    try {
      const found = checkedJson(FILE, lying.text);
      if (found === null || found.hub !== this.#hub || !Array.isArray(found.revoked) || !isJsonObject(found.marks))
        return null;
      const marks = Object.entries(found.marks).filter((entry): entry is [string, number] =>
        Number.isSafeInteger(entry[1]),
      );
      return { rows: found.revoked.flatMap(rowOf), marks: Object.fromEntries(marks) };
    } catch {
      return null;
    }
  }

  /** Inside a write job, as often as something is revoked. */
  #note(): void {
    this.#options.database.committed(() => {
      if (this.#isDue) return;
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        this.#mirrored = this.#mirrored.then(() => this.#mirror());
      });
    });
  }

  /** Writes the file, after what it holds is on the medium. */
  async #mirror(): Promise<void> {
    const { database, dataFolder, clock, logger } = this.#options;
    if (dataFolder === null) return;
    try {
      await database.durable();
      const revoked = this.#table
        .all(clock.certain())
        .map(({ kind, credential, at, until }) => [kind, credential, at, until]);
      const marks = Object.fromEntries(
        Object.entries(this.#table.marks()).map(([name, last]) => [name, last + RESERVE]),
      );
      await writeFileAtomic(join(dataFolder, FILE), jsonWithCheck(FILE, { hub: this.#hub, marks, revoked }));
    } catch (error) {
      logger.warn({ err: error }, "the revocation list could not be written; the database has it");
    }
  }
}

/** The needed part of the database from before a restore. */
interface Earlier extends Kept {
  readonly headUid: string | null;
  readonly persons: ReturnType<RevocationTable["persons"]>;
  readonly ends: ReturnType<RevocationTable["ends"]>;
  readonly limits: ReturnType<RevocationTable["limits"]>;
  readonly makers: ReturnType<RevocationTable["makers"]>;
  readonly codes: ReturnType<RevocationTable["recoveryCodes"]>;
  readonly devices: ReturnType<RevocationTable["devices"]>;
}

/** Null if it is missing or unreadable. */
function readEarlier(dataFolder: string, aside: string): Earlier | null {
  const file = join(dataFolder, aside, "gatehouse.db");
  if (aside === "" || aside.includes("/") || !existsSync(file)) return null;
  let raw: SqliteDatabase.Database | null = null;
  try {
    raw = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    const table = new RevocationTable({ raw });
    return {
      rows: table.all(WITH_LIFTED),
      marks: table.marks(),
      headUid: table.headUid(),
      persons: table.persons(),
      ends: orNone(table.ends),
      limits: orNone(table.limits),
      makers: table.makers(),
      codes: table.recoveryCodes(),
      devices: table.devices(),
    };
  } catch {
    return null; // it was damaged, which may be why there was a restore
  } finally {
    raw?.close();
  }
}

function orNone<Row>(rows: () => Row[]): Row[] {
  try {
    return rows();
  } catch {
    return []; // written by a version in which no person had such a thing
  }
}

function rowOf(value: unknown): RevocationRow[] {
  if (!Array.isArray(value)) return [];
  const [kind, credential, at, until]: unknown[] = value;
  if (typeof kind !== "string" || typeof credential !== "string" || typeof at !== "number") return [];
  return [{ kind, credential, at, until: typeof until === "number" ? until : null }];
}
