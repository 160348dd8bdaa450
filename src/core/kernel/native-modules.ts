/**
 * The parts of the program that are compiled for a machine. A hub lacks one after an interrupted installation, or on a
 * card with a bad block: without the database module the hub cannot run; without any other it still opens the gate.
 * Each is loaded where it is needed and not before. A truncated binary must never be loaded: the system kills the
 * process with SIGBUS, again at every start.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Modules the hub can serve without, with the packages that contain their binaries: pictures, inference, systemd's
 * socket.
 */
const PACKAGES = {
  sharp: ["sharp", "@img"],
  "onnxruntime-node": ["onnxruntime-node"],
  "unix-dgram": ["unix-dgram"],
} as const;
/** A compiled part of the program that a hub can do without. */
export type NativeModule = keyof typeof PACKAGES;
const NAMES = ["sharp", "onnxruntime-node", "unix-dgram"] as const;

/** Packages bring binaries for other systems too, which nothing loads here. */
const BINARY = /^(?!.*musl).*\.(node|so(\.[\d.]+)?)$/;
/** Processors as ELF files name them. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183, arm: 40 };
const ELF = 0x464c457f;
const HEAD_BYTES = 64;
const SIXTY_FOUR_BITS = 2;

/** This process's findings: why each module is unusable, null if it is usable. */
const known = new Map<NativeModule, string | null>();

/** Why a module cannot be loaded (`missing`, or the file that was cut off); null if it can, as far as its files show. */
export function moduleTrouble(name: NativeModule): string | null {
  const trouble = known.get(name);
  if (trouble !== undefined) return trouble;
  const found = troubleOf(name, PACKAGES[name]);
  known.set(name, found);
  return found;
}

/** Notes that a module exists, looks complete and still cannot be loaded. */
export function noteModuleTrouble(name: NativeModule, reason: string): void {
  known.set(name, reason);
}

/** @throws Error if the module cannot be loaded, instead of the end of the process */
export function expectModule(name: NativeModule): void {
  const trouble = moduleTrouble(name);
  if (trouble !== null) throw new Error(`${name} cannot be loaded (${trouble})`);
}

/** Those that cannot be loaded. */
export function brokenModules(): readonly NativeModule[] {
  return NAMES.filter((name) => moduleTrouble(name) !== null);
}

/** Why the database's module cannot be loaded; null if it can, as far as its files show. */
export function databaseModuleTrouble(): string | null {
  return troubleOf("better-sqlite3", ["better-sqlite3"]);
}

function troubleOf(name: string, packages: readonly string[]): string | null {
  try {
    const [root = ""] = createRequire(import.meta.url)
      .resolve(name)
      .split(join("node_modules", name));
    for (const one of packages) {
      const folder = join(root, "node_modules", one);
      for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }))
        if (BINARY.test(file) && isCutOff(join(folder, file))) return `${join(one, file)} is not whole`;
    }
    return null;
  } catch {
    return "missing";
  }
}

/**
 * An ELF file ends with its section table, and its header gives that table's offset. The loader refuses anything that
 * is not ELF.
 */
function isCutOff(file: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, "r");
  try {
    if (readSync(descriptor, head, 0, HEAD_BYTES, 0) < HEAD_BYTES || head.readUInt32LE(0) !== ELF) return false;
    if (head.readUInt16LE(18) !== MACHINES[process.arch]) return false;
  } finally {
    closeSync(descriptor);
  }
  const end =
    head[4] === SIXTY_FOUR_BITS
      ? Number(head.readBigUInt64LE(40)) + head.readUInt16LE(58) * head.readUInt16LE(60)
      : head.readUInt32LE(32) + head.readUInt16LE(46) * head.readUInt16LE(48);
  return statSync(file).size < end;
}
