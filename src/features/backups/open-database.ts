import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Database } from "../../core/storage/database.ts";
import type { EarlierCopy, Source } from "../../core/storage/database-options.ts";
import { hasAccount } from "../../core/storage/fallback-database.ts";
import type { OwnershipMark } from "../access/ownership-mark.ts";
import { isEncrypted, timeOf } from "./backup-name.ts";
import { localFolderOf } from "./folder-probe.ts";
import { workInThread } from "./thread.ts";

const MOST_TRIED = 6;

/** The hub's database, with the known facts about earlier ones in the same folder. */
export function openDatabase(options: {
  readonly dataFolder: string;
  readonly migrationsFolder: string;
  readonly commitIntervalMs: number;
  readonly mark: OwnershipMark;
  readonly onDamage: (reason: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly source: Source;
  readonly because: string;
}): Database {
  const { dataFolder, migrationsFolder, commitIntervalMs, mark, onDamage, clock, logger, source, because } = options;
  return new Database({
    file: join(dataFolder, "gatehouse.db"),
    migrationsFolder,
    commitIntervalMs,
    isExpected: () => mark.isSet || plainCopies(dataFolder).some(hasAccount) || packedCopies(dataFolder).length > 0,
    earlierCopy: () => newestCopy(dataFolder, migrationsFolder),
    onDamage,
    clock,
    logger,
    source,
    because,
  });
}

/** Copies of the database that the host itself kept, newest first: from before migrations, and from before restores. */
function plainCopies(dataFolder: string): string[] {
  const names = namesIn(dataFolder).flatMap((name) => {
    if (/^gatehouse\.db\.before-v\d+$/.test(name)) return [name];
    return name.startsWith("before-restore-") ? [join(name, "gatehouse.db")] : [];
  });
  return newestFirst(names.map((name) => join(dataFolder, name)));
}

function packedCopies(dataFolder: string): string[] {
  const folder = localFolderOf(dataFolder);
  return newestFirst(namesIn(folder).flatMap((name) => (timeOf(name) === null ? [] : [join(folder, name)])));
}

/** The newest copy that has the owner's account and can be read without a passphrase; null without one. */
async function newestCopy(dataFolder: string, migrationsFolder: string): Promise<EarlierCopy | null> {
  const plain = plainCopies(dataFolder);
  const packed = packedCopies(dataFolder).filter((file) => !isEncrypted(file));
  for (const file of newestFirst([...plain, ...packed]).slice(0, MOST_TRIED)) {
    if (plain.includes(file)) {
      if (hasAccount(file)) return { file, discard: () => {} };
      continue;
    }
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-"));
    const discard = (): void => rmSync(folder, { recursive: true, force: true });
    try {
      await workInThread({ kind: "unpack", file, folder, passphrase: null, migrationsFolder });
      if (hasAccount(join(folder, "gatehouse.db"))) return { file: join(folder, "gatehouse.db"), discard };
    } catch {
      // A damaged backup: the one before it may be sound.
    }
    discard();
  }
  return null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function newestFirst(files: readonly string[]): string[] {
  return files
    .flatMap((file) => {
      const found = existsSync(file) ? statSync(file) : null;
      return found?.isFile() === true ? [{ file, at: found.mtimeMs }] : [];
    })
    .sort((a, b) => b.at - a.at)
    .map(({ file }) => file);
}
