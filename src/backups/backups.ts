import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Problem } from "../kernel/problem.js";
import { type BackupRow, BackupTable, type RehearsalRow } from "../storage/tables/backup.js";
import type { BackupManifest } from "./backup-file.js";
import { fileName, isEncrypted, timeOf } from "./backup-name.js";
import type { BackupsOptions } from "./backups-options.js";
import { type DestinationDeadline, DestinationProbe } from "./destination-probe.js";
import type { Destination } from "./destinations.js";
import type { PackFigures } from "./pack.js";
import { stageRestore } from "./restore.js";
import { lastDue, nextDue, rehearsalDue, rotatedOut } from "./schedule.js";
import type { DoWork } from "./thread.js";
import type { WorkOrder, WorkResults } from "./work.js";
import { emptyWorkFolder } from "./work-folder.js";

/** How a restore goes on. */
export interface RestorePlan {
  readonly manifest: BackupManifest;
  readonly restarts: boolean;
}

const RETRY_MS = 3_600_000;
const FAILURES_MS = 60 * 86_400_000;
const SHORTEST_PASSPHRASE = 12;
const FIRST_UNLISTED_ID = 2 ** 40;
const PASSPHRASE = "passphrase";
const LOCAL = "local";
/** Far beyond what the largest backup takes on the slowest stick. */
const PLACE_MS = 30 * 60_000;
/** One file is removed, or looked for. */
const SHORT_MS = 30_000;

/** Makes, keeps, rehearses and restores backups. One at a time. */
export class Backups {
  readonly #options: BackupsOptions;
  readonly #table: BackupTable;
  readonly #destinations: DestinationProbe;
  #running: Promise<unknown> | null = null;
  /** Backups that were found while their rows could not be written, by an id that no row has. */
  readonly #unlisted = new Map<number, BackupRow>();
  #nextUnlistedId = FIRST_UNLISTED_ID;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BackupsOptions) {
    this.#options = options;
    this.#table = new BackupTable(options.database);
    const { mounts, probe, clock, dataFolder } = options;
    this.#destinations = new DestinationProbe({ localFolder: join(dataFolder, "backups"), mounts, probe, clock });
  }

  /**
   * Every backup and failure, newest first, with whether its file is there now. Files that no row knows of are taken
   * up.
   */
  async list(): Promise<(BackupRow & { readonly present: boolean })[]> {
    await this.#takeUp();
    const rows = [...this.#unlisted.values(), ...this.#table.list()].sort((a, b) => b.at - a.at);
    const present = await this.#destinations.present(rows.flatMap(({ file }) => file ?? []));
    return rows.map((row) => ({ ...row, present: row.file !== null && present.has(row.file) }));
  }

  /** The destinations as they are now; `local` unless others are set. */
  destinations(): Promise<Destination[]> {
    return Promise.all(this.#destinationNames().map((name) => this.#destinations.destination(name)));
  }

  /** When the next scheduled one is due; null while they are off or the time is not known. */
  nextAt(): number | null {
    const { settings, zone, clock, clockTrusted, owned } = this.#options;
    const plan = settings();
    return plan.scheduled && clockTrusted() && owned() ? nextDue(plan, zone(), clock.now()) : null;
  }

  get running(): boolean {
    return this.#running !== null;
  }

  get hasPassphrase(): boolean {
    return this.#table.secret(PASSPHRASE) !== null;
  }

  lastRehearsal(): RehearsalRow | null {
    return this.#table.lastRehearsal();
  }

  /**
   * Makes a scheduled backup when one is due and was not made yet; to be called every minute. Failures wait an hour.
   */
  async tick(): Promise<void> {
    const { settings, zone, clock, clockTrusted, owned, logger } = this.#options;
    const plan = settings();
    const now = clock.now();
    if (
      this.#options.database.isFallback ||
      !plan.scheduled ||
      !owned() ||
      !clockTrusted() ||
      this.running ||
      clock.mono() - this.#triedAt < RETRY_MS
    )
      return;
    const due = lastDue(plan, zone(), now);
    const done = this.#table
      .list()
      .some((row) => row.reason === "schedule" && row.problem === null && row.at >= due && row.at <= now);
    if (done || !this.#hasPast(due)) return;
    this.#triedAt = clock.mono();
    const rows = await this.make(null, "schedule");
    for (const { problem, destination } of rows)
      if (problem !== null) logger.error({ destination, problem }, "the scheduled backup failed");
    await this.#rotate();
  }

  /**
   * Writes, reads back and checks a backup at one destination, or at every ready one. A destination that fails has a
   * row with its problem.
   * @throws Problem `not_found` for an unknown destination, `conflict` while one is being made
   */
  async make(destination: string | null, reason: BackupRow["reason"]): Promise<BackupRow[]> {
    const all = this.#destinationNames();
    // The hub's own disk first: it has its backup however long the others take.
    const wanted =
      destination === null ? [...all].sort((a, b) => Number(b === LOCAL) - Number(a === LOCAL)) : [destination];
    if (destination !== null && destination !== LOCAL && !all.includes(destination))
      throw new Problem("not_found", `There is no destination ${destination}.`);
    return this.#alone(() => this.#makeAt(wanted, reason));
  }

  /**
   * Writes one backup to a file that a person names.
   * @throws Problem `conflict` when it exists or its folder does not, `unavailable`
   */
  async writeTo(file: string): Promise<BackupManifest> {
    return this.#alone(async () => {
      await this.#orderAt(file, SHORT_MS, { kind: "try-path", file });
      const work = await emptyWorkFolder(this.#options.dataFolder);
      try {
        const { manifest, packed, figures, passphrase } = await this.#prepare(work);
        await this.#orderAt(file, PLACE_MS, {
          kind: "place",
          packed,
          file,
          makeFolder: false,
          wanted: figures,
          passphrase,
        });
        this.#options.wrote(figures.bytes);
        return manifest;
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    });
  }

  /** A backup whose file is there. @throws Problem `not_found` */
  async file(id: number): Promise<BackupRow & { readonly file: string }> {
    const row = this.#unlisted.get(id) ?? this.#table.get(id);
    if (row === null || row.file === null) throw new Problem("not_found", "There is no such backup.");
    if (!(await this.#destinations.present([row.file])).has(row.file))
      throw new Problem("not_found", "Its file is not there now: is the stick or the share away?");
    return { ...row, file: row.file };
  }

  /**
   * Deletes a backup: its row, then its file. What stops between the two leaves a file, which {@link list} takes up
   * again.
   * @throws Problem `not_found`, `conflict` when the file cannot be removed, `storage_full` when nothing can be
   *   written; then nothing has changed
   */
  async remove(id: number): Promise<BackupRow> {
    const row = this.#unlisted.get(id) ?? this.#table.get(id);
    if (row === null) throw new Problem("not_found", "There is no such backup.");
    const { file, destination } = row;
    const { database } = this.#options;
    if (file !== null && !(await this.#destinations.destination(destination)).ready)
      throw new Problem("conflict", { code: "conflict.backupAway" });
    if (!(await this.#deleteRow(row))) return row;
    if (file === null) return row;
    try {
      await this.#orderAt(file, SHORT_MS, { kind: "remove", file });
    } catch (cause) {
      await database.writeIfPossible(() => this.#table.insert(row));
      throw new Problem("conflict", { code: "conflict.backupStays" }, { cause });
    }
    return row;
  }

  /**
   * Answers whether the row went, and the file is to follow. On a full disk where no room was laid by no row can: there
   * the file goes first, since making room is what the person wants; should the row stay even then, the list says that
   * its file is missing.
   */
  async #deleteRow({ id, file }: BackupRow): Promise<boolean> {
    const { database, reserve } = this.#options;
    if (this.#unlisted.delete(id)) return true; // it never had a row
    const hasReserve = reserve.isThere;
    try {
      await reserve.write(() => this.#table.delete(id));
      return true;
    } catch (error) {
      if (database.state !== "full" || hasReserve || file === null) throw error;
    }
    await this.#orderAt(file, SHORT_MS, { kind: "remove", file });
    database.roomMade();
    await database.writeIfPossible(() => this.#table.delete(id));
    return false;
  }

  /**
   * Deletes the oldest scheduled backup on the hub's own disk while another is left, to make room. Answers whether one
   * went. Its file goes first: where the disk is full, no row can be changed before.
   */
  async evictOldest(): Promise<boolean> {
    const rows = this.#table.list().filter(({ destination }) => destination === LOCAL);
    const present = await this.#destinations.present(rows.flatMap(({ file }) => file ?? []));
    const local = rows.filter(({ file }) => file !== null && present.has(file));
    const oldest = local.findLast(({ reason }) => reason === "schedule");
    if (oldest === undefined || local.length < 2) return false;
    if (oldest.file !== null) await this.#orderAt(oldest.file, SHORT_MS, { kind: "remove", file: oldest.file });
    await this.#options.database.write(() => this.#table.delete(oldest.id));
    return true;
  }

  /** Encrypts new backups from now on; null: no longer. @throws Problem `weak_password` */
  async setPassphrase(passphrase: string | null): Promise<void> {
    await this.#options.database.write(() => void this.putPassphrase(passphrase));
  }

  /** As {@link setPassphrase}, inside a job; answers whether it is another one. */
  putPassphrase(passphrase: string | null): boolean {
    if (passphrase !== null && [...passphrase].length < SHORTEST_PASSPHRASE)
      throw new Problem("weak_password", `The passphrase needs at least ${SHORTEST_PASSPHRASE} characters.`);
    if (this.hasPassphrase && passphrase === this.#passphrase()) return false;
    this.#table.setSecret(PASSPHRASE, passphrase === null ? null : this.#options.seal(Buffer.from(passphrase)));
    return true;
  }

  /** Rehearses where the last time is a week ago and there is a backup to do it with. */
  async rehearseWhenDue(): Promise<void> {
    const isDue = rehearsalDue(this.lastRehearsal()?.at ?? null, this.#options.clock.now());
    if (isDue && !this.running && (await this.list()).some(({ present }) => present)) await this.rehearse();
  }

  /**
   * Restores the newest backup into a folder aside, brings it up to date, checks it and deletes it again.
   * @throws Problem `conflict` without one
   */
  async rehearse(): Promise<RehearsalRow> {
    return this.#alone(async () => {
      // one that this hub has written
      const row = (await this.list()).find(({ present, sha256 }) => present && sha256 !== null);
      if (row === undefined || row.file === null) throw new Problem("conflict", { code: "conflict.noBackup" });
      const { file } = row;
      const { clock, database, dataFolder, migrationsFolder } = this.#options;
      const begun = clock.mono();
      let ok: 0 | 1 = 1;
      let text: string;
      try {
        const folder = join(dataFolder, "rehearsal");
        const order = { kind: "rehearse", file, folder, passphrase: this.#passphrase(), migrationsFolder } as const;
        const { manifest, migrated, bytes } = await this.#orderAt(file, PLACE_MS, order);
        const size = `${(bytes / 1_048_576).toFixed(1)} MB`;
        text = `The backup of ${manifest.at} was restored aside and is sound (${size}${migrated ? ", brought up to this version" : ""}).`;
      } catch (error) {
        ok = 0;
        text = wordsOf(error);
      }
      const rehearsal: RehearsalRow = {
        at: clock.now(),
        backupId: row.id,
        ok,
        text,
        tookMs: Math.round(clock.mono() - begun),
      };
      await database.write(() => this.#table.insertRehearsal(rehearsal));
      return rehearsal;
    });
  }

  /**
   * Lays a backup out for the next start and restarts.
   * @throws Problem `wrong_file`, `damaged_file`, `newer_file`, `unreadable_file`, `wrong_passphrase`, `storage_full`:
   *   each says what is so
   */
  async restore(file: string, passphrase: string | null): Promise<RestorePlan> {
    return this.#alone(async () => {
      const { dataFolder, migrationsFolder, clock, restart } = this.#options;
      const given = passphrase ?? this.#passphrase();
      const doWork: DoWork = (order) => this.#orderAt(file, PLACE_MS, order);
      const manifest = await stageRestore({
        file,
        dataFolder,
        passphrase: given,
        migrationsFolder,
        nowMs: clock.now(),
        doWork,
      });
      return { manifest, restarts: restart() };
    });
  }

  async #makeAt(destinations: readonly string[], reason: BackupRow["reason"]): Promise<BackupRow[]> {
    const { clock, version, database } = this.#options;
    const at = this.#freeMoment(clock.now());
    const base = { at, reason, encrypted: this.hasPassphrase ? (1 as const) : (0 as const), version };
    const work = await emptyWorkFolder(this.#options.dataFolder);
    const rows: Omit<BackupRow, "id">[] = [];
    const failed = (destination: string, error: unknown): void =>
      void rows.push({ ...base, destination, file: null, bytes: null, sha256: null, problem: wordsOf(error) });
    try {
      const { packed, figures, passphrase } = await this.#prepare(work);
      for (const name of destinations) {
        try {
          const { kind, path, ready, text } = await this.#destinations.destination(name);
          if (!ready || path === null) throw new Problem("conflict", text);
          const file = join(path, fileName(at, passphrase !== null));
          await this.#orderAt(file, PLACE_MS, {
            kind: "place",
            packed,
            file,
            makeFolder: kind === "local",
            wanted: figures,
            passphrase,
          });
          this.#options.wrote(figures.bytes);
          rows.push({ ...base, destination: name, file, bytes: figures.bytes, sha256: figures.sha256, problem: null });
        } catch (error) {
          failed(name, error);
        }
      }
    } catch (error) {
      for (const name of destinations) failed(name, error);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return database.write(() => rows.map((row) => this.#table.insert(row)));
  }

  /**
   * A moment from `now` on, in whole seconds later, after which no backup is named: their names tell seconds, and a
   * clock that went back, or a second backup within the second, must not write over one that is there.
   */
  #freeMoment(now: number): number {
    const taken = new Set(
      this.#table.list().flatMap(({ file }) => (file === null ? [] : (timeOf(basename(file)) ?? []))),
    );
    let at = now;
    while (taken.has(at - (at % 1_000))) at += 1_000;
    return at;
  }

  /** A checked and packed backup in `work`. */
  async #prepare(
    work: string,
  ): Promise<{ manifest: BackupManifest; packed: string; figures: PackFigures; passphrase: string | null }> {
    const { database, dataFolder, version, clock, migrationsFolder, doWork, wrote } = this.#options;
    if (database.isFallback) throw new Problem("conflict", { code: "conflict.databaseNotWhole" });
    const copy = join(work, "copy.db");
    const packed = join(work, "packed");
    const source = database.raw.memory ? null : database.raw.name;
    if (source === null) await database.raw.backup(copy); // only this connection can see it
    const passphrase = this.#passphrase();
    const order = {
      kind: "finish",
      source,
      copy,
      packed,
      dataFolder,
      version,
      nowMs: clock.now(),
      passphrase,
      migrationsFolder,
    } as const;
    const { manifest, figures, copyBytes } = await doWork(order);
    wrote(copyBytes + figures.bytes);
    return { manifest, packed, figures, passphrase };
  }

  /**
   * Has an order carried out on a backup's file, in the time that its place has.
   * @throws Problem `unavailable` when the place does not answer
   */
  #orderAt<Order extends WorkOrder>(file: string, ms: number, order: Order): Promise<WorkResults[Order["kind"]]> {
    const limit: DestinationDeadline = { ms, silent: `The place ${dirname(file)} does not answer.` };
    return this.#destinations.order(dirname(file), limit, (signal) => this.#options.doWork(order, signal));
  }

  /**
   * Backups that lie at a destination and have no row: a restore went back behind them, or their deletion was cut off.
   * They have no digest here, and rotation never removes them.
   */
  async #takeUp(): Promise<void> {
    const { database } = this.#options;
    const known = new Set(this.#table.list().map(({ file }) => file));
    const found: Omit<BackupRow, "id">[] = [];
    for (const { name: destination, path, ready } of await this.destinations()) {
      if (!ready || path === null) continue;
      for (const { name, bytes } of await this.#destinations.filesIn(path)) {
        const at = timeOf(name);
        const file = join(path, name);
        if (at === null || known.has(file)) continue;
        const encrypted = isEncrypted(name) ? 1 : 0;
        found.push({
          at,
          reason: "person",
          destination,
          file,
          bytes,
          sha256: null,
          encrypted,
          version: "",
          problem: null,
        });
      }
    }
    if (found.length === 0) this.#unlisted.clear();
    if (found.length === 0 || this.running) return; // one that is being written has its row in a moment
    const stored = await database.writeIfPossible(() => {
      for (const row of found) this.#table.insert(row);
      return true;
    });
    const listed = new Map([...this.#unlisted.values()].map(({ file, id }) => [file, id]));
    this.#unlisted.clear();
    if (stored !== null) return;
    // The storage takes nothing, and a backup may be what puts that right. Each keeps its id for as long as the hub
    // runs.
    for (const row of found) {
      const id = listed.get(row.file) ?? this.#nextUnlistedId++;
      this.#unlisted.set(id, { ...row, id });
    }
  }

  async #rotate(): Promise<void> {
    const { settings, zone, clock, database, logger } = this.#options;
    const rows = this.#table.list().filter(({ reason, problem }) => reason === "schedule" && problem === null);
    for (const destination of new Set(rows.map((row) => row.destination))) {
      // what lies on a stick that is away goes when it is back
      if (!(await this.#destinations.destination(destination)).ready) continue;
      const old = rotatedOut(
        rows.filter((row) => row.destination === destination),
        settings(),
        zone(),
      );
      try {
        for (const { id } of old) await this.remove(id);
      } catch (error) {
        logger.warn({ err: error, destination }, "old backups cannot be removed");
      }
    }
    await database.write(() => this.#table.deleteFailures(clock.certain() - FAILURES_MS));
  }

  /** Whether this hub has lived since the moment: a hub that was claimed at noon missed no backup of the night. */
  #hasPast(due: number): boolean {
    const file = join(this.#options.dataFolder, "hub.key");
    return existsSync(file) && statSync(file).birthtimeMs <= due;
  }

  #destinationNames(): readonly string[] {
    const { destinations } = this.#options.settings();
    return destinations.length === 0 ? [LOCAL] : destinations;
  }

  #passphrase(): string | null {
    const sealed = this.#table.secret(PASSPHRASE);
    return sealed === null ? null : this.#options.open(sealed).toString();
  }

  async #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running !== null) throw new Problem("conflict", { code: "conflict.backupUnderWay" });
    const run = task();
    this.#running = run;
    try {
      return await run;
    } finally {
      this.#running = null;
    }
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
