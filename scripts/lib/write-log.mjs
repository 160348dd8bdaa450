// @ts-check
/**
 * A disk that logs every write and flush, and the disk states that a power cut could have left.
 *
 * The log is dm-log-writes' format, written by qemu-storage-daemon's `blklogwrites` under a FUSE export, a loop device
 * and ext4: it contains the effects of the program's fsync calls, in order. A crash state is everything up to the last
 * flush, then each later write kept or lost at random, and the last one kept torn.
 */
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { exportDisk, loopDevice, makeExt4, mountLoop } from "./exported-disk.mjs";

const SECTOR = 512;
const MAGIC = 0x6a736677736872n;
const FLAG = { flush: 1n, fua: 2n, discard: 4n, mark: 8n };

/** @typedef {{ data: number, end: number, offset: number, bytes: number, flushes: boolean, durable: boolean }} Entry */

/** A mounted ext4 whose every write is logged. */
export class LoggedDisk {
  #folder;
  /** Unmounts it and ends the disk. @type {() => Promise<void>} */
  #end = async () => {};
  #logFile;

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
    this.#logFile = join(folder, "writes.log");
  }

  /** Where the file system is mounted. */
  get mountPoint() {
    return join(this.#folder, "disk");
  }

  get logFile() {
    return this.#logFile;
  }

  /** Bytes of the log so far, as a position in time. */
  position() {
    const descriptor = openSync(this.#logFile, "r");
    const { size } = fstatSync(descriptor);
    closeSync(descriptor);
    return size;
  }

  /** @param {number} megabytes */
  async start(megabytes) {
    const [image, exported] = [join(this.#folder, "disk.img"), join(this.#folder, "export.img")];
    for (const file of [image, this.#logFile, exported]) writeFileSync(file, "");
    truncateSync(image, megabytes << 20);
    /** @param {Record<string, string | number>} options */
    const node = (options) => [
      "--blockdev",
      Object.entries(options)
        .map(([key, value]) => `${key}=${value}`)
        .join(","),
    ];
    const end = await exportDisk({
      folder: this.#folder,
      exported,
      node: "logged",
      args: [
        ...node({ driver: "file", "node-name": "disk", filename: image }),
        ...node({ driver: "file", "node-name": "log", filename: this.#logFile }),
        ...node({ driver: "blklogwrites", "node-name": "logged", file: "disk", log: "log", "log-sector-size": SECTOR }),
      ],
    });
    const loop = loopDevice(exported, true);
    makeExt4(loop);
    mkdirSync(this.mountPoint, { recursive: true });
    const unmount = mountLoop(loop, this.mountPoint);
    execFileSync("sync", ["-f", this.mountPoint]);
    this.#end = () => {
      unmount();
      return end();
    };
  }

  /** Unmounts; afterwards the log is complete. */
  stop() {
    return this.#end();
  }
}

/**
 * The entries of a log in order: the position of its data, its target, and whether it is a flush.
 * @param {string} file
 * @returns {Entry[]}
 */
export function readLog(file) {
  const descriptor = openSync(file, "r");
  const { size } = fstatSync(descriptor);
  const head = Buffer.alloc(SECTOR);
  readSync(descriptor, head, 0, SECTOR, 0);
  if (head.readBigUInt64LE(0) !== MAGIC) throw new Error(`${file} is not a write log`);
  /** @type {Entry[]} */
  const entries = [];
  for (let at = SECTOR; at + SECTOR <= size; ) {
    readSync(descriptor, head, 0, SECTOR, at);
    const [sector = 0n, sectors = 0n, flags = 0n, length = 0n] = [0, 8, 16, 24].map((offset) =>
      head.readBigUInt64LE(offset),
    );
    const hasData = sectors > 0n && (flags & (FLAG.discard | FLAG.mark)) === 0n;
    const end = at + SECTOR + (hasData ? Number(sectors) * SECTOR : (flags & FLAG.mark) !== 0n ? Number(length) : 0);
    if (end > size || (sector === 0n && sectors === 0n && flags === 0n)) break;
    entries.push({
      data: at + SECTOR,
      end,
      offset: Number(sector) * SECTOR,
      bytes: hasData ? Number(sectors) * SECTOR : 0,
      flushes: (flags & FLAG.flush) !== 0n,
      durable: (flags & FLAG.fua) !== 0n,
    });
    at = end;
  }
  closeSync(descriptor);
  return entries;
}

/** Disk states after a power cut; cut points must not go back. */
export class CrashStates {
  #log;
  #entries;
  #base;
  #baseFile;
  #flushed = 0;

  /** @param {{ logFile: string, entries: Entry[], baseFile: string, bytes: number }} log */
  constructor({ logFile, entries, baseFile, bytes }) {
    this.#log = openSync(logFile, "r");
    this.#entries = entries;
    this.#baseFile = baseFile;
    writeFileSync(baseFile, "");
    truncateSync(baseFile, bytes);
    this.#base = openSync(baseFile, "r+");
  }

  /**
   * Writes the state at entry number `cut` to `target`.
   * @param {{ cut: number, target: string, random: () => number }} wishes
   * @returns {{ kept: number, lost: number }} of the writes after the last flush
   */
  write({ cut, target, random }) {
    const lastFlush = Math.max(this.#flushed, this.#entries.slice(0, cut).findLastIndex(({ flushes }) => flushes) + 1);
    for (const entry of this.#entries.slice(this.#flushed, lastFlush)) this.#apply(this.#base, entry, Infinity);
    this.#flushed = lastFlush;
    execFileSync("cp", ["--sparse=always", this.#baseFile, target]);
    const descriptor = openSync(target, "r+");
    let [kept, lost] = [0, 0];
    for (const [index, entry] of this.#entries.slice(lastFlush, cut).entries()) {
      if (entry.bytes === 0) continue;
      const torn =
        lastFlush + index === cut - 1 ? Math.floor(random() * (entry.bytes / SECTOR + 1)) * SECTOR : Infinity;
      if (entry.durable || random() < 0.5) {
        this.#apply(descriptor, entry, entry.durable ? Infinity : torn);
        kept++;
      } else lost++;
    }
    closeSync(descriptor);
    return { kept, lost };
  }

  close() {
    closeSync(this.#log);
    closeSync(this.#base);
  }

  /** @param {number} descriptor @param {Entry} entry @param {number} limit */
  #apply(descriptor, entry, limit) {
    const bytes = Math.min(entry.bytes, limit);
    if (bytes === 0) return;
    const data = Buffer.alloc(bytes);
    readSync(this.#log, data, 0, bytes, entry.data);
    writeSync(descriptor, data, 0, bytes, entry.offset);
  }
}
