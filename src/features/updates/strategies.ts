import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Detail } from "../../core/text/keys.ts";
import { type Bundle, extractFile } from "./bundle.ts";
import { userVersion } from "./user-version.ts";

/** Runs a command of the system as root. Returns its output. @throws Error with its output when it fails */
export type RunCommand = (command: string, args: readonly string[]) => string;

/** How a new version gets beside the old one and is chosen. */
export interface InstallStrategy {
  readonly kind: "versions" | "slot";
  /** The version that starts now. */
  current(): string;
  /** Places the new version beside the running one; nothing is switched. */
  place(bundle: Bundle): Promise<void>;
  /** Starts the new version instead. `reboots`: the whole host restarts, and the watch continues afterwards. */
  tryIt(version: string): { readonly reboots: boolean };
  /** The new version stays. */
  commit(version: string): void;
  /** Starts an earlier version again; returns what happened to the data, or null if nothing had to be done. */
  goBack(to: string): Detail | null;
}

/** What {@link versionsStrategy} works on; paths are absolute. */
export interface VersionsPlace {
  /** `/opt/gatehouse`. */
  readonly program: string;
  /** `/etc/systemd/system`. */
  readonly units: string;
  readonly dataFolder: string;
  readonly work: string;
  readonly clock: Pick<Clock, "now">;
  readonly run: RunCommand;
}

const SERVICE = "gatehouse.service";
const KEPT_VERSIONS = 3;

/** Versions side by side in /opt/gatehouse/versions, chosen by a link: what install.sh makes. */
export function versionsStrategy(place: VersionsPlace): InstallStrategy {
  const { program, work, run } = place;
  const folderOf = (version: string): string => join(program, "versions", version);
  const current = (): string => basename(readlinkSync(join(program, "current")));
  return {
    kind: "versions",
    current,
    async place(bundle) {
      const { version } = bundle.manifest;
      const [payload, draft] = [join(work, "payload.tar.gz"), `${folderOf(version)}.partial`];
      await extractFile(bundle, "payload.tar.gz", payload);
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true, mode: 0o755 });
      run("tar", ["-xzf", payload, "-C", draft, "--no-same-owner"]);
      run("chmod", ["-R", "u=rwX,go=rX", draft]);
      rmSync(payload);
      for (const needed of ["bin/node", "build/src/main.js", "systemd/gatehouse.service"])
        if (!existsSync(join(draft, needed)))
          throw new Problem("conflict", { code: "conflict.updateLacks", file: needed });
      rmSync(folderOf(version), { recursive: true, force: true });
      renameSync(draft, folderOf(version));
      run("sync", ["-f", program]);
    },
    tryIt(version) {
      choose(place, version);
      run("systemctl", ["restart", "--no-block", SERVICE]);
      return { reboots: false };
    },
    commit(version) {
      const versions = readdirSync(join(program, "versions")).filter((name) => name !== version && name !== current());
      const byAge = versions.sort((a, b) => statSync(folderOf(b)).mtimeMs - statSync(folderOf(a)).mtimeMs);
      for (const old of byAge.slice(KEPT_VERSIONS - 1)) rmSync(folderOf(old), { recursive: true, force: true });
    },
    goBack(to) {
      if (!existsSync(join(folderOf(to), "build/src/main.js")))
        throw new Problem("conflict", { code: "conflict.versionGone", version: to });
      run("systemctl", ["stop", SERVICE]);
      const lost = databaseFor(join(folderOf(to), "src/core/storage/migrations"), place);
      choose(place, to);
      run("systemctl", ["reset-failed", SERVICE]);
      run("systemctl", ["start", "--no-block", SERVICE]);
      return lost;
    },
  };
}

/** Turns the link, and the units to those of the version. */
function choose({ program, units, run }: VersionsPlace, version: string): void {
  const shipped = join(program, "versions", version, "systemd");
  for (const unit of readdirSync(shipped).filter((name) => /\.(service|path|timer)$/.test(name))) {
    copyFileSync(join(shipped, unit), join(units, `${unit}.new`));
    chmodSync(join(units, `${unit}.new`), 0o644);
    renameSync(join(units, `${unit}.new`), join(units, unit));
  }
  const draft = join(program, "current.new");
  rmSync(draft, { force: true });
  symlinkSync(join("versions", version), draft);
  renameSync(draft, join(program, "current"));
  run("sync", ["-f", program]);
  run("systemctl", ["daemon-reload"]);
}

/**
 * Gives an earlier version a database that it can read: if the newer one has changed its schema, the earlier copy
 * replaces it. Files are only renamed, within the hub's own folder: it is not root's, and nothing in it is trusted.
 */
function databaseFor(migrationsFolder: string, { dataFolder, clock }: VersionsPlace): Detail | null {
  const file = join(dataFolder, "gatehouse.db");
  const known = readdirSync(migrationsFolder).filter((name) => name.endsWith(".sql")).length;
  if (!isPlainFile(file) || userVersion(file) <= known) return null;
  const copies = readdirSync(dataFolder)
    .filter((name) => /^gatehouse\.db\.before-v\d+$/.test(name))
    .map((name) => join(dataFolder, name))
    .filter((copy) => isPlainFile(copy) && userVersion(copy) <= known)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
  const [copy] = copies;
  for (const suffix of ["", "-wal", "-shm"])
    if (existsSync(file + suffix)) renameSync(file + suffix, `${file}.after-update-${stamp}${suffix}`);
  if (copy === undefined) return { code: "update.noCopy" };
  const taken = statSync(copy).mtime.toISOString().slice(0, 16).replace("T", " ");
  renameSync(copy, file);
  return { code: "update.databaseBefore", taken, file: `${basename(file)}.after-update-${stamp}` };
}

function isPlainFile(file: string): boolean {
  return existsSync(file) && lstatSync(file).isFile();
}

/** Two systems on a card, chosen by the image's own tool, which also watches the trial and keeps the database. */
export function slotStrategy(place: {
  readonly tool: string;
  readonly work: string;
  readonly version: string;
  readonly run: RunCommand;
}): InstallStrategy {
  const { tool, work, run, version } = place;
  return {
    kind: "slot",
    current: () => version,
    async place(bundle) {
      const [root, boot] = [join(work, "root.img"), join(work, "boot.tar")];
      await extractFile(bundle, "root.img", root);
      await extractFile(bundle, "boot.tar", boot);
      run(tool, ["write", "--root", root, "--boot", boot]);
      rmSync(root);
      rmSync(boot);
    },
    tryIt() {
      run(tool, ["try"]);
      run("systemctl", ["reboot"]);
      return { reboots: true };
    },
    commit: () => void run(tool, ["commit"]),
    goBack() {
      run(tool, ["revert"]);
      run("systemctl", ["reboot"]);
      return null;
    },
  };
}
