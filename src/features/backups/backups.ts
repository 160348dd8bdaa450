import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../../core/kernel/problem.ts";
import { errorText } from "../../core/text/described-error.ts";
import { withEnglish } from "../../core/text/english.ts";
import type { BackupManifest } from "./backup-file.ts";
import { BackupWriter } from "./backup-writer.ts";
import type { BackupsOptions } from "./backups-options.ts";
import { DestinationProbe } from "./destination-probe.ts";
import type { Destination } from "./destinations.ts";
import { FileOrders } from "./file-orders.ts";
import { localFolderOf } from "./folder-probe.ts";
import { Passphrase } from "./passphrase.ts";
import { stageRestore } from "./restore.ts";
import { lastDue, nextDue, rehearsalDue, rotatedOut } from "./schedule.ts";
import { StrayBackups } from "./stray-backups.ts";
import { type BackupRow, BackupTable, type RehearsalRow } from "./tables/backup.ts";
import type { DoWork } from "./thread.ts";
import { rehearsalFolder } from "./work-folder.ts";

/** How a restore continues. */
export interface RestorePlan {
  readonly manifest: BackupManifest;
  readonly restarts: boolean;
}

const RETRY_MS = 3_600_000;
const FAILURES_MS = 60 * 86_400_000;
const LOCAL = "local";
/** Makes, keeps, rehearses and restores backups. One at a time. */
export class Backups {
  readonly #options: BackupsOptions;
  readonly #table: BackupTable;
  readonly #destinations: DestinationProbe;
  readonly #passphrase: Passphrase;
  readonly #strays: StrayBackups;
  readonly #orders: FileOrders;
  readonly #writer: BackupWriter;
  #running: Promise<unknown> | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BackupsOptions) {
    this.#options = options;
    this.#table = new BackupTable(options.database);
    this.#passphrase = new Passphrase(this.#table, options);
    const { mounts, probe, clock, dataFolder } = options;
    this.#destinations = new DestinationProbe({ localFolder: localFolderOf(dataFolder), mounts, probe, clock });
    this.#orders = new FileOrders(this.#destinations, options.doWork);
    this.#writer = new BackupWriter(options, {
      table: this.#table,
      destinations: this.#destinations,
      orders: this.#orders,
      passphrase: this.#passphrase,
    });
    this.#strays = new StrayBackups({ database: options.database, table: this.#table, probe: this.#destinations });
  }

  /** Every backup and failure, newest first, with whether its file exists now. Files without a row are added. */
  async list(): Promise<(BackupRow & { readonly present: boolean })[]> {
    await this.#strays.takeUp(await this.destinations(), () => this.running);
    const rows = [...this.#strays.unlisted(), ...this.#table.list()].sort((a, b) => b.at - a.at);
    const present = await this.#destinations.present(rows.flatMap(({ file }) => file ?? []));
    return rows.map((row) => ({ ...row, present: row.file !== null && present.has(row.file) }));
  }

  /** The destinations' present state; `local` unless others are set. */
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
    return this.#passphrase.isSet;
  }

  lastRehearsal(): RehearsalRow | null {
    return this.#table.lastRehearsal();
  }

  /** Makes a scheduled backup when one is due and was not made yet; call it every minute. Failures wait an hour. */
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
    return this.#alone(() => this.#writer.writeAt(wanted, reason));
  }

  /**
   * Writes one backup to a file that a person names.
   * @throws Problem `conflict` when it exists or its folder does not, `unavailable`
   */
  async writeTo(file: string): Promise<BackupManifest> {
    return this.#alone(() => this.#writer.writeTo(file));
  }

  /** A backup whose file is there. @throws Problem `not_found` */
  async file(id: number): Promise<BackupRow & { readonly file: string }> {
    const row = this.#strays.get(id) ?? this.#table.get(id);
    if (row === null || row.file === null) throw new Problem("not_found", "There is no such backup.");
    if (!(await this.#destinations.present([row.file])).has(row.file))
      throw new Problem("not_found", "Its file is not there now: is the stick or the share away?");
    return { ...row, file: row.file };
  }

  /**
   * Deletes a backup: its row, then its file. A stop between the two leaves a file, which {@link list} picks up again.
   * @throws Problem `not_found`, `conflict` when the file cannot be removed, `storage_full` when nothing can be
   *   written; then nothing has changed
   */
  async remove(id: number): Promise<BackupRow> {
    const row = this.#strays.get(id) ?? this.#table.get(id);
    if (row === null) throw new Problem("not_found", "There is no such backup.");
    const { file, destination } = row;
    const { database } = this.#options;
    if (file !== null && !(await this.#destinations.destination(destination)).ready)
      throw new Problem("conflict", { code: "conflict.backupAway" });
    if (!(await this.#deleteRow(row))) return row;
    if (file === null) return row;
    try {
      await this.#orders.brief(file, { kind: "remove", file });
    } catch (cause) {
      await database.writeIfPossible(() => this.#table.insert(row));
      throw new Problem("conflict", { code: "conflict.backupStays" }, { cause });
    }
    return row;
  }

  /**
   * Returns whether the row was deleted and the file is to follow. On a full disk without a reserve, no row can be
   * deleted: there the file goes first, since the person wants to make room. If the row stays even then, the list shows
   * its file as missing.
   */
  async #deleteRow({ id, file }: BackupRow): Promise<boolean> {
    const { database, reserve } = this.#options;
    if (this.#strays.delete(id)) return true; // it never had a row
    const hasReserve = reserve.isThere;
    try {
      await reserve.write(() => this.#table.delete(id));
      return true;
    } catch (error) {
      if (database.state !== "full" || hasReserve || file === null) throw error;
    }
    await this.#orders.brief(file, { kind: "remove", file });
    database.roomMade();
    await database.writeIfPossible(() => this.#table.delete(id));
    return false;
  }

  /**
   * Deletes the oldest scheduled backup on the hub's own disk while another is left, to make room. Returns whether one
   * was deleted. Its file goes first: on a full disk, no row can be changed before that.
   */
  async evictOldest(): Promise<boolean> {
    const rows = this.#table.list().filter(({ destination }) => destination === LOCAL);
    const present = await this.#destinations.present(rows.flatMap(({ file }) => file ?? []));
    const local = rows.filter(({ file }) => file !== null && present.has(file));
    const oldest = local.findLast(({ reason }) => reason === "schedule");
    if (oldest === undefined || local.length < 2) return false;
    if (oldest.file !== null) await this.#orders.brief(oldest.file, { kind: "remove", file: oldest.file });
    await this.#options.database.write(() => this.#table.delete(oldest.id));
    return true;
  }

  /** Encrypts new backups from now on; null: no longer. @throws Problem `weak_password` */
  async setPassphrase(passphrase: string | null): Promise<void> {
    await this.#options.database.write(() => void this.putPassphrase(passphrase));
  }

  /** As {@link setPassphrase}, inside a job; returns whether it has changed. */
  putPassphrase(passphrase: string | null): boolean {
    return this.#passphrase.put(passphrase);
  }

  /** Rehearses if the last rehearsal was a week ago and there is a backup to do it with. */
  async rehearseWhenDue(): Promise<void> {
    const isDue = rehearsalDue(this.lastRehearsal()?.at ?? null, this.#options.clock.now());
    if (isDue && !this.running && (await this.list()).some(({ present }) => present)) await this.rehearse();
  }

  /**
   * Restores the newest backup into a separate folder, migrates it, checks it and deletes it again.
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
      let result: ReturnType<typeof errorText>;
      try {
        const { root, folder } = await rehearsalFolder(dataFolder, this.#databaseBytes, this.#options.availableMemory);
        const order = { kind: "rehearse", file, folder, passphrase: this.#passphrase.get(), migrationsFolder } as const;
        const { manifest, migrated, bytes } = await this.#orders
          .long(file, order)
          .finally(() => rm(root, { recursive: true, force: true }));
        const megabytes = (bytes / 1_048_576).toFixed(1);
        result = withEnglish({
          code: "backup.rehearsed",
          at: manifest.at,
          megabytes,
          migrated: migrated ? "yes" : "no",
        });
      } catch (error) {
        ok = 0;
        result = errorText(error);
      }
      const rehearsal: RehearsalRow = {
        at: clock.now(),
        backupId: row.id,
        ok,
        text: result.text,
        words: result.words === undefined ? null : JSON.stringify(result.words),
        tookMs: Math.round(clock.mono() - begun),
      };
      await database.write(() => this.#table.insertRehearsal(rehearsal));
      return rehearsal;
    });
  }

  /**
   * Prepares a backup for the next start, and restarts.
   * @throws Problem `wrong_file`, `damaged_file`, `newer_file`, `unreadable_file`, `wrong_passphrase`, `storage_full`:
   *   each describes its cause
   */
  async restore(file: string, passphrase: string | null): Promise<RestorePlan> {
    return this.#alone(async () => {
      const { dataFolder, migrationsFolder, clock, restart } = this.#options;
      const given = passphrase ?? this.#passphrase.get();
      const doWork: DoWork = (order) => this.#orders.long(file, order);
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

  async #rotate(): Promise<void> {
    const { settings, zone, clock, database, logger } = this.#options;
    const rows = this.#table.list().filter(({ reason, problem }) => reason === "schedule" && problem === null);
    for (const destination of new Set(rows.map((row) => row.destination))) {
      // a file on an absent stick is deleted when the stick is back
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

  /**
   * Whether this hub already existed at that moment: a hub that was set up at noon missed no backup of the night
   * before.
   */
  #hasPast(due: number): boolean {
    const file = join(this.#options.dataFolder, "hub.key");
    return existsSync(file) && statSync(file).birthtimeMs <= due;
  }

  /** Approximate unpacked size of a backup of the present database. */
  get #databaseBytes(): number {
    const { raw } = this.#options.database;
    return Number(raw.pragma("page_count", { simple: true })) * Number(raw.pragma("page_size", { simple: true }));
  }

  #destinationNames(): readonly string[] {
    const { destinations } = this.#options.settings();
    return destinations.length === 0 ? [LOCAL] : destinations;
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
