// @ts-check
/**
 * A board in an emulator: QEMU's `virt` machine with the card as its disk. This does the board firmware's work:
 * `autoboot.txt` on partition 1 names the boot partition, from which kernel, initrd and command line are read. A
 * restart of the guest goes through that again. Nothing outside can be reached from the guest; ports are forwarded to
 * this machine's loopback address only.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../lib/free-port.mjs";

const SECTOR = 512;
/** A process for each connection; QEMU's own forwarding keeps one for all of them. */
const PIPE = join(import.meta.dirname, "pipe.mjs");
const MEMORY_MB = 1024;
/**
 * Added to the card's own command line: the serial console, and no mitigations for processor flaws that an emulated
 * processor does not have. With them, each system call flushes the emulator's address cache, and a start takes several
 * times as long.
 */
const EMULATED = "console=ttyAMA0 nokaslr mitigations=off";
/** On a machine with less than two processors to spare, one is faster: two wait for each other. */
const PROCESSORS = process.env.GATEHOUSE_EMULATED_CPUS ?? "2";
/** A small screen: 80 columns of the kernel's own font. */
const SCREEN = { width: 640, height: 480 };

/** Partitions of a card image: number to start and size in bytes. @param {string} image */
function partitions(image) {
  /** @type {{ partitiontable: { partitions: { node: string, start: number, size: number }[] } }} */
  const { partitiontable } = JSON.parse(
    execFileSync("sfdisk", ["--json", image], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  return new Map(
    partitiontable.partitions.map(({ node, start, size }) => [
      Number(/(\d+)$/.exec(node)?.[1]),
      { start: start * SECTOR, bytes: size * SECTOR },
    ]),
  );
}

/**
 * Where a partition of a card image is. @param {string} image @param {number} number @throws Error where there is none
 */
export function partitionOf(image, number) {
  const found = partitions(image).get(number);
  if (found === undefined) throw new Error(`${image} has no partition ${number}`);
  return found;
}

/**
 * A file on a FAT partition of a card image; null if it does not exist.
 * @param {string} image
 * @param {number} partition
 * @param {string} name
 */
export function readFat(image, partition, name) {
  const { start } = partitionOf(image, partition);
  try {
    return execFileSync("mcopy", ["-n", "-i", `${image}@@${start}`, `::${name}`, "-"], {
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return null;
  }
}

/**
 * Puts a file onto a FAT partition of a card image that no guest uses.
 * @param {string} image
 * @param {number} partition
 * @param {string} name
 * @param {string | Buffer} content
 */
export function writeFat(image, partition, name, content) {
  const { start } = partitionOf(image, partition);
  execFileSync("mcopy", ["-o", "-i", `${image}@@${start}`, "-", `::${name}`], {
    input: content,
    stdio: ["pipe", "ignore", "ignore"],
  });
}

/** Names on a FAT partition. @param {string} image @param {number} partition */
export function listFat(image, partition) {
  const { start } = partitionOf(image, partition);
  return execFileSync("mdir", ["-b", "-i", `${image}@@${start}`, "::"], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/^::\//, ""));
}

/** The boot partition that the firmware would take: 2 or 3. @param {string} image */
function bootPartition(image) {
  const text = readFat(image, 1, "autoboot.txt")?.toString() ?? "";
  return Number(/\[all\][^[]*boot_partition=(\d)/.exec(text)?.[1] ?? 2);
}

/** A board with a card. Ports of the guest 80, 443, 1883 and 22 are found under `port(…)`. */
export class Board {
  #image;
  #folder;
  /** @type {Map<number, number>} */
  #ports = new Map();
  /** @type {import("node:child_process").ChildProcess | null} */
  #process = null;
  /** @type {Promise<void> | null} */
  #exit = null;
  #boots = 0;
  #log = "";
  #control;
  #neighbours;

  /**
   * @param {{ image: string, folder: string, neighbours?: { address: string, port: number, here: number }[] }} options
   *   `neighbours`: what the guest finds in its network: a port of an address there, served by a port of this machine
   */
  constructor({ image, folder, neighbours = [] }) {
    this.#image = image;
    this.#neighbours = neighbours;
    this.#folder = folder;
    this.#control = join(folder, "control");
    mkdirSync(folder, { recursive: true });
  }

  get boots() {
    return this.#boots;
  }

  /** The output of the serial console so far. */
  get log() {
    return this.#log;
  }

  /** @param {number} guest */
  port(guest) {
    return this.#ports.get(guest);
  }

  /** Switches the board on; it starts again by itself when the guest asks for it. */
  async powerOn() {
    if (this.#ports.size === 0) for (const guest of [80, 443, 1883, 22]) this.#ports.set(guest, await freePort());
    this.#start();
  }

  #start() {
    this.#boots += 1;
    const partition = bootPartition(this.#image);
    const files = { kernel: "kernel8.img", initrd: "initrd.img" };
    for (const [kind, name] of Object.entries(files)) {
      const content = readFat(this.#image, partition, name);
      if (content === null) throw new Error(`boot partition ${partition} has no ${name}`);
      writeFileSync(join(this.#folder, kind), content);
    }
    const commandLine = (readFat(this.#image, partition, "cmdline.txt") ?? "")
      .toString()
      .trim()
      .replace("console=ttyS1,115200", "console=ttyAMA0");
    const forwards = [...this.#ports].map(([guest, host]) => `hostfwd=tcp:127.0.0.1:${host}-:${guest}`).join(",");
    const neighbours = this.#neighbours.map(
      ({ address, port, here }) => `guestfwd=tcp:${address}:${port}-cmd:${process.execPath} ${PIPE} ${here}`,
    );
    this.#note(`--- boot ${this.#boots} from partition ${partition}\n`);
    rmSync(this.#control, { force: true });
    const machine = [
      "-M",
      "virt",
      "-cpu",
      "cortex-a72",
      "-smp",
      PROCESSORS,
      "-m",
      String(MEMORY_MB),
      "-accel",
      "tcg,thread=multi",
      "-no-reboot",
    ];
    const outside = [
      "-display",
      "none",
      "-monitor",
      "none",
      "-serial",
      "stdio",
      "-qmp",
      `unix:${this.#control},server=on,wait=off`,
    ];
    const screen = ["-device", `virtio-gpu-pci,xres=${SCREEN.width},yres=${SCREEN.height}`];
    const start = [
      "-kernel",
      join(this.#folder, "kernel"),
      "-initrd",
      join(this.#folder, "initrd"),
      "-append",
      `${commandLine} ${EMULATED}`,
    ];
    const devices = [
      "-drive",
      `file=${this.#image},if=none,id=card,format=raw,cache=writeback`,
      "-device",
      "virtio-blk-pci,drive=card",
    ];
    const sticks = ["-device", "qemu-xhci"];
    const network = [
      "-netdev",
      `user,id=lan,restrict=on,${[forwards, ...neighbours].join(",")}`,
      "-device",
      "virtio-net-pci,netdev=lan,romfile=",
    ];
    const child = spawn(
      "nice",
      [
        "-n",
        process.env.GATEHOUSE_NICE ?? "10",
        "qemu-system-aarch64",
        ...machine,
        ...outside,
        ...screen,
        ...start,
        ...devices,
        ...sticks,
        ...network,
        "-device",
        "virtio-rng-pci",
      ],
      { stdio: ["pipe", "pipe", "pipe"] },
    );
    this.#process = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
        this.#note(String(chunk));
      });
    }
    this.#exit = new Promise((resolve) => {
      child.on("exit", () => {
        if (this.#process !== child) return resolve(); // switched off
        this.#process = null;
        if (/reboot: Restarting system|Rebooting in \d+ sec|reboot: machine restart/.test(output.slice(-4_000))) {
          this.#start();
          void this.#exit?.then(resolve);
        } else resolve();
      });
    });
  }

  /** @param {string} text */
  #note(text) {
    this.#log += text;
    appendFileSync(join(this.#folder, "console.log"), text);
  }

  /** Pulls the plug. */
  async cut() {
    const child = this.#process;
    this.#process = null;
    if (child === null) return;
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }

  /** What is on the screen now, as a PNG. @param {string} file */
  screen(file) {
    return this.#tell("screendump", { filename: file, format: "png" });
  }

  /** Plugs a USB stick in whose content is the file `image`. @param {{ image: string, name: string }} stick */
  async plugIn({ image, name }) {
    await this.#tell("blockdev-add", {
      driver: "raw",
      "node-name": `${name}-disk`,
      file: { driver: "file", filename: image },
    });
    await this.#tell("device_add", { driver: "usb-storage", id: name, drive: `${name}-disk`, removable: true });
  }

  /** Pulls it out, without asking. @param {string} name */
  pullOut(name) {
    return this.#tell("device_del", { id: name });
  }

  /** One command of QEMU's machine protocol. @param {string} execute @param {object} args */
  async #tell(execute, args) {
    const socket = createConnection(this.#control);
    try {
      let output = "";
      /** @type {Promise<void>} */
      const answered = new Promise((resolve, reject) => {
        socket.on("error", reject);
        socket.on("close", () => reject(new Error("the emulator has ended")));
        socket.on("data", (chunk) => {
          output += chunk;
          if (/"id": ?"asked"/.test(output)) resolve();
        });
      });
      socket.write(JSON.stringify({ execute: "qmp_capabilities" }));
      socket.write(JSON.stringify({ execute, arguments: args, id: "asked" }));
      await answered;
      if (/"error"/.test(output)) throw new Error(`${execute}: ${output.slice(-300)}`);
    } finally {
      socket.destroy();
    }
  }

  /** Waits until the guest has switched itself off. */
  off() {
    return this.#exit;
  }

  get running() {
    return this.#process !== null;
  }

  /**
   * Waits for a text on the serial console after position `from`; resolves with the position behind it.
   * @param {RegExp} pattern
   */
  async says(pattern, { from = 0, limitMs = 300_000 } = {}) {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const match = pattern.exec(this.#log.slice(from));
      if (match !== null) return from + match.index + match[0].length;
      if (performance.now() > deadline)
        throw new Error(
          `the console did not say ${pattern} in ${limitMs / 1000} s; its end:\n${this.#log.slice(-2_000)}`,
        );
      await pause(200);
    }
  }

  /** Waits until the hub answers on its web port; resolves with the seconds that took. */
  async served({ limitMs = 400_000 } = {}) {
    const started = performance.now();
    while (performance.now() - started < limitMs) {
      try {
        const { status } = await fetch(`http://127.0.0.1:${this.port(80)}/v1`, {
          signal: AbortSignal.timeout(20_000),
          headers: { host: "gatehouse.local" },
        });
        if (status < 500) return (performance.now() - started) / 1000;
      } catch {
        // not yet
      }
      await pause(500);
    }
    throw new Error(`the hub did not answer in ${limitMs / 1000} s; the console's end:\n${this.#log.slice(-3_000)}`);
  }
}
