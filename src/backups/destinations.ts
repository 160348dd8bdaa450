import { existsSync, readdirSync, readlinkSync, statfsSync } from "node:fs";
import { basename, join, resolve } from "node:path";

/** Where backups can go; written `folder:/path`, `mount:/path` or `usb:LABEL` in the settings. */
export type DestinationKind = "local" | "folder" | "mount" | "usb";

/** One place for backups as it is now. */
export interface Destination {
  /** As in the settings; `local` is the data folder. */
  readonly name: string;
  readonly kind: DestinationKind;
  /** Folder to write to; null while it is away. */
  readonly path: string | null;
  readonly ready: boolean;
  readonly freeBytes: number | null;
  /** In plain words. */
  readonly text: string;
}

/** Where Linux says what is mounted; tests give files of their own. */
export interface MountFacts {
  /** Text of /proc/self/mountinfo. */
  readonly mountInfo: () => string;
  /** Folder of links from labels to devices. */
  readonly labelFolder: string;
}

const LOCAL = "local";

/** Looks at one destination. Never throws: what is wrong is said in `text`. */
export function lookAt(name: string, localFolder: string, facts: MountFacts): Destination {
  const [, kind = "", rest = ""] = /^(folder|mount|usb):(.+)$/.exec(name) ?? [];
  if (name === LOCAL) return ready(name, "local", localFolder, "On the hub itself: it does not survive the loss of its card.");
  if (kind === "folder")
    return existsSync(rest) ? ready(name, "folder", resolve(rest), "A folder of the hub.") : away(name, "folder", `There is no folder ${rest}.`);
  if (kind === "mount")
    return isMountPoint(rest, facts) ? ready(name, "mount", resolve(rest), "A share.") : away(name, "mount", `Nothing is mounted at ${rest}.`);
  if (kind === "usb") return stick(name, rest, facts);
  return away(name, "folder", "This is no destination: use folder:/path, mount:/path or usb:LABEL.");
}

/** Mount points of sticks and shares under `root`, to look for files on them. */
export function mountedUnder(root: string, facts: MountFacts): string[] {
  return mounts(facts)
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${root}/`));
}

function stick(name: string, label: string, facts: MountFacts): Destination {
  const device = deviceOf(label, facts);
  const mounted = mounts(facts).find(({ source, path }) => (device !== null && basename(source) === device) || path === join("/media/gatehouse", label));
  if (mounted === undefined) return away(name, "usb", device === null ? `No stick named ${label} is plugged in.` : `The stick ${label} is not mounted.`);
  return ready(name, "usb", mounted.path, "A stick.");
}

/** Kernel name of the device with that label. */
function deviceOf(label: string, { labelFolder }: MountFacts): string | null {
  try {
    const entry = readdirSync(labelFolder).find((name) => name.replace(/\\x20/g, " ") === label);
    return entry === undefined ? null : basename(readlinkSync(join(labelFolder, entry)));
  } catch {
    return null;
  }
}

function isMountPoint(path: string, facts: MountFacts): boolean {
  const wanted = resolve(path);
  return mounts(facts).some((mount) => mount.path === wanted);
}

/** proc_pid_mountinfo(5): the fifth field is the mount point, the source stands after the dash. */
function mounts(facts: MountFacts): { readonly path: string; readonly source: string }[] {
  let text: string;
  try {
    text = facts.mountInfo();
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const path = before.split(" ")[4];
    return path === undefined ? [] : [{ path: unescaped(path), source: unescaped(after.split(" ")[1] ?? "") }];
  });
}

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function ready(name: string, kind: DestinationKind, path: string, text: string): Destination {
  return { name, kind, path, ready: true, freeBytes: freeBytes(path), text };
}

function away(name: string, kind: DestinationKind, text: string): Destination {
  return { name, kind, path: null, ready: false, freeBytes: null, text };
}

function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null; // the local folder before the first backup
  }
}
