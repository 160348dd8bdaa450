import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../kernel/clock.js";
import { isoTime } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import { type BackupRow, BackupTable, type RehearsalRow } from "../storage/tables/backup.js";
import type { BackupManifest } from "./backup-file.js";
import { type Destination, lookAt, type MountFacts } from "./destinations.js";
import { type PackFigures, syncFile, syncFolder } from "./pack.js";
import { stageRestore } from "./restore.js";
import { type BackupPlan, lastDue, nextDue, rotatedOut } from "./schedule.js";
import type { DoWork } from "./thread.js";

/** The values of the settings, read when needed. */
export interface BackupSettings extends BackupPlan {
  readonly scheduled: boolean;
  /** `folder:`, `mount:` and `usb:` words; empty = the data folder only. */
  readonly destinations: readonly string[];
}

/** What {@link Backups} needs. */
export interface BackupsOptions {
  readonly database: Database;
  readonly dataFolder: string;
  readonly migrationsFolder: string;
  readonly version: string;
  readonly settings: () => BackupSettings;
  /** IANA zone of the household. */
  readonly zone: () => string;
  /** Whether somebody owns the hub: before that there is nothing to keep. */
  readonly owned: () => boolean;
  readonly clockTrusted: () => boolean;
  /** Seals with the hub's own key. */
  readonly seal: (plain: Buffer) => Buffer;
  readonly open: (sealed: Buffer) => Buffer;
  readonly mounts: MountFacts;
  readonly doWork: DoWork;
  /** Restarts the hub; false when nobody would start it again. */
  readonly restart: () => boolean;
  /** Tells how many bytes a backup wrote. */
  readonly wrote: (bytes: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How a restore goes on. */
export interface RestorePlan {
  readonly manifest: BackupManifest;
  readonly restarts: boolean;
}

const RETRY_MS = 3_600_000;
const FAILURES_MS = 60 * 86_400_000;
const SHORTEST_PASSPHRASE = 12;
const PASSPHRASE = "passphrase";
/** A copy, its packed form, and some air. */
const SPACE_FACTOR = 2.2;

/** Makes, keeps, rehearses and restores backups. One at a time. */
export class Backups {
  readonly #options: BackupsOptions;
  readonly #table: BackupTable;
  #running: Promise<unknown> | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BackupsOptions) {
    this.#options = options;
    this.#table = new BackupTable(options.database);
  }

  /** Every backup and failure, newest first, with whether its file is there now. */
  list(): (BackupRow & { readonly present: boolean })[] {
    return this.#table.list().map((row) => ({ ...row, present: row.file !== null && existsSync(row.file) }));
  }

  /** The destinations as they are now; `local` first unless others are set. */
  destinations(): Destination[] {
    const { destinations } = this.#options.settings();
    const names = destinations.length === 0 ? ["local"] : destinations;
    return names.map((name) => this.#look(name));
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

  /** Makes a scheduled backup when one is due and was not made yet; to be called every minute. Failures wait an hour. */
  async tick(): Promise<void> {
    const { settings, zone, clock, clockTrusted, owned, logger } = this.#options;
    const plan = settings();
    const now = clock.now();
    if (!plan.scheduled || !owned() || !clockTrusted() || this.running || clock.mono() - this.#triedAt < RETRY_MS) return;
    const due = lastDue(plan, zone(), now);
    const done = this.#table.list().some((row) => row.reason === "schedule" && row.problem === null && row.at >= due && row.at <= now);
    if (done || !this.#hasPast(due)) return;
    this.#triedAt = clock.mono();
    const rows = await this.make(null, "schedule");
    for (const { problem, destination } of rows) if (problem !== null) logger.error({ destination, problem }, "the scheduled backup failed");
    await this.#rotate();
  }

  /**
   * Writes, reads back and checks a backup at one destination, or at every ready one. A destination that fails has a row with its problem.
   * @throws Problem `not_found` for an unknown destination, `conflict` while one is being made or when nothing is ready
   */
  async make(destination: string | null, reason: BackupRow["reason"]): Promise<BackupRow[]> {
    const all = this.destinations();
    const wanted = destination === null ? all : [...all, this.#look("local")].filter(({ name }) => name === destination).slice(0, 1);
    if (wanted.length === 0) throw new Problem("not_found", `There is no destination ${destination}.`);
    return this.#alone(() => this.#makeAt(wanted, reason));
  }

  /** Writes one backup to a file that a person names. @throws Problem `conflict` when it exists or its folder does not, `unavailable` */
  async writeTo(file: string): Promise<BackupManifest> {
    if (existsSync(file)) throw new Problem("conflict", `${file} exists already.`);
    if (!existsSync(join(file, ".."))) throw new Problem("conflict", `There is no folder ${join(file, "..")}.`);
    return this.#alone(async () => {
      const work = this.#workFolder();
      try {
        const { manifest, packed, figures, passphrase } = await this.#prepare(work);
        await this.#place(packed, file, figures, passphrase);
        return manifest;
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    });
  }

  /** A backup whose file is there. @throws Problem `not_found` */
  file(id: number): BackupRow & { readonly file: string } {
    const row = this.#table.get(id);
    if (row === null || row.file === null) throw new Problem("not_found", "There is no such backup.");
    if (!existsSync(row.file)) throw new Problem("not_found", "Its file is not there now: is the stick or the share away?");
    return { ...row, file: row.file };
  }

  /** Deletes a backup and its file. @throws Problem `not_found`, `conflict` when the file cannot be removed */
  async remove(id: number): Promise<BackupRow> {
    const row = this.#table.get(id);
    if (row === null) throw new Problem("not_found", "There is no such backup.");
    if (row.file !== null && !this.#look(row.destination).ready) throw new Problem("conflict", "Its stick or share is away: plug it in first.");
    try {
      if (row.file !== null) rmSync(row.file, { force: true });
    } catch (cause) {
      throw new Problem("conflict", "The file cannot be removed.", { cause });
    }
    await this.#options.database.write(() => this.#table.delete(id));
    return row;
  }

  /** Deletes the oldest scheduled backup on the hub's own disk while another is left, to make room. Answers whether one went. */
  async evictOldest(): Promise<boolean> {
    const local = this.list().filter(({ destination, present }) => destination === "local" && present);
    const oldest = local.findLast(({ reason }) => reason === "schedule");
    if (oldest === undefined || local.length < 2) return false;
    await this.remove(oldest.id);
    return true;
  }

  /** Encrypts new backups from now on; null: no longer. @throws Problem `weak_password` */
  async setPassphrase(passphrase: string | null): Promise<void> {
    if (passphrase !== null && [...passphrase].length < SHORTEST_PASSPHRASE)
      throw new Problem("weak_password", `The passphrase needs at least ${SHORTEST_PASSPHRASE} characters.`);
    const sealed = passphrase === null ? null : this.#options.seal(Buffer.from(passphrase));
    await this.#options.database.write(() => this.#table.setSecret(PASSPHRASE, sealed));
  }

  /** Restores the newest backup into a folder aside, brings it up to date, checks it and deletes it again. @throws Problem `conflict` without one */
  async rehearse(): Promise<RehearsalRow> {
    const row = this.list().find(({ present }) => present);
    if (row === undefined || row.file === null) throw new Problem("conflict", "There is no backup to rehearse with.");
    const { file } = row;
    return this.#alone(async () => {
      const { clock, database, doWork, dataFolder, migrationsFolder } = this.#options;
      const begun = clock.mono();
      let ok: 0 | 1 = 1;
      let text: string;
      try {
        const folder = join(dataFolder, "rehearsal");
        const { manifest, migrated, bytes } = await doWork({ kind: "rehearse", file, folder, passphrase: this.#passphrase(), migrationsFolder });
        const size = `${(bytes / 1_048_576).toFixed(1)} MB`;
        text = `The backup of ${manifest.at} was restored aside and is sound (${size}${migrated ? ", brought up to this version" : ""}).`;
      } catch (error) {
        ok = 0;
        text = error instanceof Error ? error.message : String(error);
      }
      const rehearsal: RehearsalRow = { at: clock.now(), backup_id: row.id, ok, text, took_ms: Math.round(clock.mono() - begun) };
      await database.write(() => this.#table.insertRehearsal(rehearsal));
      return rehearsal;
    });
  }

  /**
   * Lays a backup out for the next start and restarts.
   * @throws Problem `conflict` when it is none, damaged or newer, `invalid_code` for a missing or wrong passphrase
   */
  async restore(file: string, passphrase: string | null): Promise<RestorePlan> {
    return this.#alone(async () => {
      const { dataFolder, migrationsFolder, clock, doWork, restart } = this.#options;
      const given = passphrase ?? this.#passphrase();
      const manifest = await stageRestore({ file, dataFolder, passphrase: given, migrationsFolder, nowMs: clock.now(), doWork });
      return { manifest, restarts: restart() };
    });
  }

  async #makeAt(destinations: readonly Destination[], reason: BackupRow["reason"]): Promise<BackupRow[]> {
    const { clock, version, database } = this.#options;
    const at = clock.now();
    const base = { at, reason, encrypted: this.hasPassphrase ? (1 as const) : (0 as const), version };
    const work = this.#workFolder();
    const rows: Omit<BackupRow, "id">[] = [];
    const failed = (destination: string, error: unknown): void =>
      void rows.push({ ...base, destination, file: null, bytes: null, sha256: null, problem: error instanceof Error ? error.message : String(error) });
    try {
      const { packed, figures, passphrase } = await this.#prepare(work);
      for (const { name, path, ready, text } of destinations) {
        try {
          if (!ready || path === null) throw new Problem("conflict", text);
          mkdirSync(path, { recursive: true, mode: 0o700 });
          const file = join(path, fileName(at, passphrase !== null));
          await this.#place(packed, file, figures, passphrase);
          rows.push({ ...base, destination: name, file, bytes: figures.bytes, sha256: figures.sha256, problem: null });
        } catch (error) {
          failed(name, error);
        }
      }
    } catch (error) {
      for (const { name } of destinations) failed(name, error);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
    return database.write(() => rows.map((row) => this.#table.insert(row)));
  }

  /** A checked and packed backup in `work`. */
  async #prepare(work: string): Promise<{ manifest: BackupManifest; packed: string; figures: PackFigures; passphrase: string | null }> {
    const { database, dataFolder, version, clock, migrationsFolder, doWork, wrote } = this.#options;
    const copy = join(work, "copy.db");
    const packed = join(work, "packed");
    checkSpace(work, database.raw.memory ? 0 : statSync(join(dataFolder, "gatehouse.db")).size * SPACE_FACTOR);
    await database.raw.backup(copy);
    const passphrase = this.#passphrase();
    const order = { kind: "finish", copy, packed, dataFolder, version, nowMs: clock.now(), passphrase, migrationsFolder } as const;
    const { manifest, figures } = await doWork(order);
    wrote(statSync(copy).size + figures.bytes);
    return { manifest, packed, figures, passphrase };
  }

  /** Writes a packed backup to its place whole or not at all, and reads it back. */
  async #place(packed: string, file: string, wanted: PackFigures, passphrase: string | null): Promise<void> {
    const draft = `${file}.part`;
    try {
      checkSpace(join(file, ".."), wanted.bytes);
      await copyFile(packed, draft);
      syncFile(draft);
      await this.#options.doWork({ kind: "verify", file: draft, passphrase, wanted });
      renameSync(draft, file);
      syncFolder(join(file, ".."));
      this.#options.wrote(wanted.bytes);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  async #rotate(): Promise<void> {
    const { settings, zone, clock, database } = this.#options;
    const rows = this.list().filter(({ reason, problem }) => reason === "schedule" && problem === null);
    for (const destination of new Set(rows.map((row) => row.destination))) {
      if (!this.#look(destination).ready) continue; // what lies on a stick that is away goes when it is back
      for (const { id } of rotatedOut(
        rows.filter((row) => row.destination === destination),
        settings(),
        zone(),
      ))
        await this.remove(id);
    }
    await database.write(() => this.#table.deleteFailures(clock.now() - FAILURES_MS));
  }

  /** Whether this hub has lived since the moment: a hub that was claimed at noon missed no backup of the night. */
  #hasPast(due: number): boolean {
    const file = join(this.#options.dataFolder, "hub.key");
    return existsSync(file) && statSync(file).birthtimeMs <= due;
  }

  #look(name: string): Destination {
    return lookAt(name, join(this.#options.dataFolder, "backups"), this.#options.mounts);
  }

  #passphrase(): string | null {
    const sealed = this.#table.secret(PASSPHRASE);
    return sealed === null ? null : this.#options.open(sealed).toString();
  }

  #workFolder(): string {
    const work = join(this.#options.dataFolder, "backup-work");
    rmSync(work, { recursive: true, force: true }); // left over from a power cut
    mkdirSync(work, { recursive: true, mode: 0o700 });
    return work;
  }

  async #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running !== null) throw new Problem("conflict", "A backup is being worked on; try again in a minute.");
    const run = task();
    this.#running = run;
    try {
      return await run;
    } finally {
      this.#running = null;
    }
  }
}

function fileName(at: number, encrypted: boolean): string {
  return `gatehouse-${isoTime(at).replace(/[-:]/g, "").replace("T", "-").slice(0, 15)}.db.gz${encrypted ? ".age" : ""}`;
}

function checkSpace(folder: string, wantedBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < wantedBytes)
    throw new Problem("storage_full", `There is not enough room in ${folder}: ${Math.ceil(wantedBytes / 1_048_576)} MB are needed.`);
}
