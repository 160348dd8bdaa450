import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { Problem } from "../../core/kernel/problem.ts";
import { errorText } from "../../core/text/described-error.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { BackupManifest } from "./backup-file.ts";
import { fileName, timeOf } from "./backup-name.ts";
import type { BackupsOptions } from "./backups-options.ts";
import type { DestinationProbe } from "./destination-probe.ts";
import type { FileOrders } from "./file-orders.ts";
import type { PackFigures } from "./pack.ts";
import type { Passphrase } from "./passphrase.ts";
import type { BackupRow, BackupTable } from "./tables/backup.ts";
import { emptyWorkFolder } from "./work-folder.ts";

/** A checked and packed backup that only has to be put in place. */
interface PreparedBackup {
  readonly manifest: BackupManifest;
  readonly packed: string;
  readonly figures: PackFigures;
  readonly passphrase: string | null;
}

/** Writes backups: checked and packed once in the work folder, then put into place and read back. */
export class BackupWriter {
  readonly #options: BackupsOptions;
  readonly #parts: ConstructorParameters<typeof BackupWriter>[1];

  constructor(
    options: BackupsOptions,
    parts: {
      readonly table: BackupTable;
      readonly destinations: DestinationProbe;
      readonly orders: FileOrders;
      readonly passphrase: Passphrase;
    },
  ) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Writes one to a file that a person names. @throws Problem as `Backups.writeTo` */
  async writeTo(file: string): Promise<BackupManifest> {
    const { orders } = this.#parts;
    await orders.brief(file, { kind: "try-path", file });
    const work = await emptyWorkFolder(this.#options.dataFolder);
    try {
      const { manifest, packed, figures, passphrase } = await this.#prepare(work);
      const wrote = await orders.long(file, {
        kind: "place",
        packed,
        file,
        makeFolder: false,
        wanted: figures,
        passphrase,
      });
      this.#options.wrote(wrote);
      return manifest;
    } catch (error) {
      const damage = damageOf(error);
      if (damage !== null) this.#options.database.foundDamaged(damage);
      throw error;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  /** Writes one backup to each of the destinations. One that fails has a row with its problem. */
  async writeAt(names: readonly string[], reason: BackupRow["reason"]): Promise<BackupRow[]> {
    const { clock, version, database } = this.#options;
    const { table, destinations, orders } = this.#parts;
    const at = this.#freeMoment(clock.now());
    const base = { at, reason, encrypted: this.#parts.passphrase.isSet ? (1 as const) : (0 as const), version };
    const work = await emptyWorkFolder(this.#options.dataFolder);
    const rows: Omit<BackupRow, "id">[] = [];
    let damage: string | null = null;
    const failed = (destination: string, error: unknown): void =>
      void rows.push({ ...base, destination, file: null, bytes: null, sha256: null, ...failure(error) });
    try {
      const { packed, figures, passphrase } = await this.#prepare(work);
      for (const name of names) {
        try {
          const { kind, path, ready, words } = await destinations.destination(name);
          if (!ready || path === null) throw awayNow(words);
          const file = join(path, fileName(at, passphrase !== null));
          const wrote = await orders.long(file, {
            kind: "place",
            packed,
            file,
            makeFolder: kind === "local",
            wanted: figures,
            passphrase,
          });
          this.#options.wrote(wrote);
          const { bytes, sha256 } = figures;
          rows.push({ ...base, destination: name, file, bytes, sha256, problem: null, words: null });
        } catch (error) {
          failed(name, error);
        }
      }
    } catch (error) {
      damage = damageOf(error);
      for (const name of names) failed(name, error);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    try {
      return await database.write(() => rows.map((row) => table.insert(row)));
    } finally {
      if (damage !== null) database.foundDamaged(damage); // after its row: nothing is written to a damaged file
    }
  }

  /**
   * The first moment from `now` on, in steps of a second, that is not the name of a backup yet. Names have whole
   * seconds; a clock that went back, or a second backup within a second, must not overwrite an existing one.
   */
  #freeMoment(now: number): number {
    const taken = new Set(
      this.#parts.table.list().flatMap(({ file }) => (file === null ? [] : (timeOf(basename(file)) ?? []))),
    );
    let at = now;
    while (taken.has(at - (at % 1_000))) at += 1_000;
    return at;
  }

  async #prepare(work: string): Promise<PreparedBackup> {
    const { database, dataFolder, version, clock, migrationsFolder, doWork, wrote } = this.#options;
    if (database.isFallback) throw new Problem("conflict", { code: "conflict.databaseNotWhole" });
    const packed = join(work, "packed");
    const { raw } = database;
    const source = raw.memory ? join(work, "copy.db") : raw.name;
    if (raw.memory) await raw.backup(source); // only this connection can see it
    const passphrase = this.#parts.passphrase.get();
    const { manifest, figures } = await doWork({
      kind: "finish",
      source,
      packed,
      dataFolder,
      version,
      nowMs: clock.now(),
      passphrase,
      migrationsFolder,
    });
    wrote(figures.bytes);
    return { manifest, packed, figures, passphrase };
  }
}

/** SQLite's finding about the database, if that is why there is no backup. */
function damageOf(error: unknown): string | null {
  const words = error instanceof Problem ? error.words : null;
  return words?.code === "unavailable.copyDamaged" ? String(words.why) : null;
}

/** A destination cannot be written to; `words` give the reason. */
function awayNow(words: Detail): Problem {
  return new Problem("conflict", words);
}

function failure(error: unknown): Pick<BackupRow, "problem" | "words"> {
  const { text, words } = errorText(error);
  return { problem: text, words: words === undefined ? null : JSON.stringify(words) };
}
