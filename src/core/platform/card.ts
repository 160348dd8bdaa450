import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The storage below a folder, as Linux describes it. */
export interface Card {
  /** Whole device, such as `mmcblk0`. */
  readonly device: string;
  /** Partition, such as `mmcblk0p3`; the device itself if there is none. */
  readonly partition: string;
  readonly bytes: number;
}

/** A card's own health report; null where it does not report. */
export interface CardCondition {
  /** Errors that the file system has met. */
  readonly fileSystemErrors: number | null;
  /** Requests that the device has failed. */
  readonly deviceErrors: number | null;
  /**
   * Share of its life that an eMMC has used up, in tenths: 1 to 10, 11 = more than it was made for (EXT_CSD 268 and 269
   * of https://www.jedec.org/standards-documents/docs/jesd84-b51).
   */
  readonly lifeTenths: number | null;
  /** Spare blocks of an eMMC: 1 normal, 2 low, 3 urgent (EXT_CSD 267). */
  readonly spare: number | null;
}

const SECTOR_BYTES = 512;
/** Field "sectors written" of /sys/block/…/stat, counted from 0 (https://docs.kernel.org/block/stat.html). */
const SECTORS_WRITTEN = 6;

/** The block device below a folder; null on a network share, in a container, or with an unusual stack. */
export function cardOf(folder: string, sys = "/sys"): Card | null {
  try {
    const { dev } = statSync(folder);
    const [major, minor] = [((dev >> 8) & 0xfff) | ((dev / 2 ** 32) & ~0xfff), (dev & 0xff) | ((dev >> 12) & 0xfff00)];
    const place = realpathSync(join(sys, "dev/block", `${major}:${minor}`));
    const isPartition = existsSync(join(place, "partition"));
    const device = isPartition ? basename(dirname(place)) : basename(place);
    return {
      device,
      partition: basename(place),
      bytes: Number(readFileSync(join(sys, "block", device, "size"), "utf8")) * SECTOR_BYTES,
    };
  } catch {
    return null;
  }
}

/** Bytes written to a whole device since the machine started, by all processes; null if unknown. */
export function deviceBytesWritten({ device }: Card, sys = "/sys"): number | null {
  const fields = readOrNull(join(sys, "block", device, "stat"))
    ?.trim()
    .split(/\s+/);
  const sectors = Number(fields?.[SECTORS_WRITTEN]);
  return Number.isFinite(sectors) ? sectors * SECTOR_BYTES : null;
}

/** The health reported by the card and its file system. */
export function cardCondition({ device, partition }: Card, sys = "/sys"): CardCondition {
  const life =
    readOrNull(join(sys, "block", device, "device/life_time"))
      ?.trim()
      .split(/\s+/)
      .map(Number) ?? [];
  const fileSystem = readOrNull(join(sys, "fs/ext4", partition, "errors_count"));
  const errors = readOrNull(join(sys, "block", device, "device/ioerr_cnt"));
  const spare = readOrNull(join(sys, "block", device, "device/pre_eol_info"));
  return {
    fileSystemErrors: fileSystem === null ? null : Number(fileSystem),
    deviceErrors: errors === null ? null : Number(errors),
    lifeTenths: life.length === 0 ? null : Math.max(...life),
    spare: spare === null ? null : Number(spare),
  };
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
