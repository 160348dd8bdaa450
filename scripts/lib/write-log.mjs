/**
 * A disk that remembers every write and flush, and the disks that a power cut could have left.
 *
 * The log is dm-log-writes' format, written by qemu-storage-daemon's `blklogwrites` under a FUSE export, a loop device and
 * ext4: what the program's own fsync calls did is in it, in order. A crash state is everything up to the last flush, then
 * each later write kept or lost at random, and the last one kept torn.
 */
import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const SECTOR = 512;
const MAGIC = 0x6a736677736872n;
const FLAG = { flush: 1n, fua: 2n, discard: 4n, mark: 8n };

/** A mounted ext4 whose every write is logged. */
export class LoggedDisk {
  #folder;
  #daemon = null;
  #loop = null;
  #logFile;

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

  /** Bytes of the log so far: a moment in the disk's life. */
  position() {
    const descriptor = openSync(this.#logFile, "r");
    const { size } = fstatSync(descriptor);
    closeSync(descriptor);
    return size;
  }

  async start(megabytes) {
    const [image, exported] = [join(this.#folder, "disk.img"), join(this.#folder, "export.img")];
    for (const file of [image, this.#logFile, exported]) writeFileSync(file, "");
    truncateSync(image, megabytes << 20);
    const node = (options) => [
      "--blockdev",
      Object.entries(options)
        .map(([key, value]) => `${key}=${value}`)
        .join(","),
    ];
    this.#daemon = spawn(
      "qemu-storage-daemon",
      [
        ...node({ driver: "file", "node-name": "disk", filename: image }),
        ...node({ driver: "file", "node-name": "log", filename: this.#logFile }),
        ...node({ driver: "blklogwrites", "node-name": "logged", file: "disk", log: "log", "log-sector-size": SECTOR }),
        "--export",
        `type=fuse,id=export,node-name=logged,mountpoint=${exported},writable=on`,
        "--pidfile",
        join(this.#folder, "daemon.pid"),
      ],
      { stdio: ["ignore", "inherit", "inherit"] },
    );
    const deadline = performance.now() + 20_000;
    while (!existsSync(join(this.#folder, "daemon.pid"))) {
      if (performance.now() > deadline || this.#daemon.exitCode !== null) throw new Error("qemu-storage-daemon did not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // With direct I/O the mount fails: the export answers in other pieces than ext4 asks for.
    this.#loop = execFileSync("losetup", ["--direct-io=off", "-f", "--show", exported], { encoding: "utf8" }).trim();
    execFileSync("mke2fs", ["-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", this.#loop]);
    execFileSync("mkdir", ["-p", this.mountPoint]);
    execFileSync("mount", ["-o", "noatime", this.#loop, this.mountPoint]);
    execFileSync("sync", ["-f", this.mountPoint]);
  }

  /** Nobody uses the mount any more: the log is complete after this. */
  async stop() {
    execFileSync("umount", [this.mountPoint]);
    execFileSync("losetup", ["-d", this.#loop]);
    await new Promise((resolve) => {
      this.#daemon.on("exit", resolve);
      this.#daemon.kill("SIGTERM");
    });
  }
}

/** The entries of a log in order: where each one's data stands, what it writes, and whether it is a flush. */
export function readLog(file) {
  const descriptor = openSync(file, "r");
  const { size } = fstatSync(descriptor);
  const head = Buffer.alloc(SECTOR);
  readSync(descriptor, head, 0, SECTOR, 0);
  if (head.readBigUInt64LE(0) !== MAGIC) throw new Error(`${file} is no write log`);
  const entries = [];
  for (let at = SECTOR; at + SECTOR <= size; ) {
    readSync(descriptor, head, 0, SECTOR, at);
    const [sector, sectors, flags, length] = [0, 8, 16, 24].map((offset) => head.readBigUInt64LE(offset));
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

/** Disks as a power cut would leave them; cut points must not go back. */
export class CrashStates {
  #log;
  #entries;
  #base;
  #baseFile;
  #flushed = 0;

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
    let lastFlush = this.#flushed;
    for (let i = this.#flushed; i < cut; i++) if (this.#entries[i].flushes) lastFlush = i + 1;
    for (; this.#flushed < lastFlush; this.#flushed++) this.#apply(this.#base, this.#entries[this.#flushed], Infinity);
    execFileSync("cp", ["--sparse=always", this.#baseFile, target]);
    const descriptor = openSync(target, "r+");
    let [kept, lost] = [0, 0];
    for (let i = lastFlush; i < cut; i++) {
      const entry = this.#entries[i];
      if (entry.bytes === 0) continue;
      const torn = i === cut - 1 ? Math.floor(random() * (entry.bytes / SECTOR + 1)) * SECTOR : Infinity;
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

  #apply(descriptor, entry, limit) {
    const bytes = Math.min(entry.bytes, limit);
    if (bytes === 0) return;
    const data = Buffer.alloc(bytes);
    readSync(this.#log, data, 0, bytes, entry.data);
    writeSync(descriptor, data, 0, bytes, entry.offset);
  }
}
