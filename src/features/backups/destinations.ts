import { readdirSync, readlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Detail } from "../../core/text/keys.ts";

/** Where backups can go; written `folder:/path`, `mount:/path` or `usb:LABEL` in the settings. */
type DestinationKind = "local" | "folder" | "mount" | "usb";

/** The present state of one place for backups. */
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
  /** {@link text} as a code with values. */
  readonly words: Detail;
}

/** Where Linux lists what is mounted; tests supply their own files. */
export interface MountFacts {
  /** Text of /proc/self/mountinfo. */
  readonly mountInfo: () => string;
  /** Folder of links from labels to devices. */
  readonly labelFolder: string;
}

/** A destination's location by the system's tables; determined without touching its medium. */
export interface ResolvedDestination {
  readonly name: string;
  readonly kind: DestinationKind;
  /** Its folder, for a stick the top one; null while it is away. */
  readonly root: string | null;
  /** Its description, or why it is away. */
  readonly words: Detail;
  /** Its path or label, for sentences about it; empty where its kind is enough. */
  readonly place: string;
}

const LOCAL = "local";

/**
 * Finds one destination, however slow its medium is: only the kernel's own tables are read. Never throws: problems are
 * in `words`.
 */
export function locate(name: string, localFolder: string, facts: MountFacts): ResolvedDestination {
  const [, kind = "", rest = ""] = /^(folder|mount|usb):(.+)$/.exec(name) ?? [];
  const at = (resolved: Omit<ResolvedDestination, "name" | "place">): ResolvedDestination => ({
    name,
    place: rest,
    ...resolved,
  });
  if (name === LOCAL) return at({ kind: "local", root: localFolder, words: { code: "place.local" } });
  if (kind === "folder") return at({ kind, root: resolve(rest), words: { code: "place.folder" } });
  if (kind === "mount")
    return isMountPoint(rest, facts)
      ? at({ kind, root: resolve(rest), words: { code: "place.share" } })
      : at({ kind, root: null, words: { code: "place.notMounted", folder: rest } });
  if (kind === "usb") return at({ kind, ...stick(rest, facts) });
  return at({ kind: "folder", root: null, words: { code: "place.unknown" } });
}

/** Mount points of sticks and shares under `root`, to look for files on them. */
export function mountedUnder(root: string, facts: MountFacts): string[] {
  return mounts(facts)
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${root}/`));
}

function stick(label: string, facts: MountFacts): Pick<ResolvedDestination, "root" | "words"> {
  const device = deviceOf(label, facts);
  const mounted = mounts(facts).find(
    ({ source, path }) => (device !== null && basename(source) === device) || path === join("/media/gatehouse", label),
  );
  if (mounted !== undefined) return { root: mounted.path, words: { code: "place.stick" } };
  return {
    root: null,
    words: { code: device === null ? "place.noStick" : "place.stickNotMounted", label },
  };
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

/** proc_pid_mountinfo(5): the fifth field is the mount point, the source comes after the dash. */
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
