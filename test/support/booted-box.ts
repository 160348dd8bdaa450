import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { eventually } from "./hub-process.ts";

/** This machine's own system in a container, booted by systemd; nothing in it affects the machine. */
export interface BootedBox {
  /** A path of the container, seen from here. */
  path(inside: string): string;
  /** Runs a shell command in the container. */
  run(command: string): { status: number | null; out: string };
}

/** Options of {@link bootBox}. */
export interface BoxWishes {
  /** Read-only views of folders and files of this machine: what, and where in the container. */
  readonly views: Readonly<Record<string, string>>;
  /** Puts files into the container before it boots. */
  readonly prepare: (path: (inside: string) => string) => void;
  /** The unit that systemd brings up; nothing else installed here is started. */
  readonly target: string;
}

/** Room for the container's writes. */
const WRITABLE = "512m";
const ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" };

/** Boots a container that ends with the test; returns the reason if this machine or user cannot. */
export async function bootBox(t: Test, { views, prepare, target }: BoxWishes): Promise<BootedBox | string> {
  if (process.getuid?.() !== 0) return "only root may boot a container";
  if (!existsSync("/usr/bin/systemd-nspawn")) return "systemd-container is not installed";
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-box-"));
  const path = (inside: string): string => join(folder, "root", inside);
  t.teardown(() => {
    spawnSync("umount", ["-l", path("")]);
    spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${WRITABLE}`, "tmpfs", folder], { stdio: "pipe" });
    for (const name of ["upper", "work", "root"]) mkdirSync(join(folder, name));
    const layers = `lowerdir=/,upperdir=${join(folder, "upper")},workdir=${join(folder, "work")}`;
    execFileSync("mount", ["-t", "overlay", "-o", layers, "overlay", path("")], { stdio: "pipe" });
  } catch (error) {
    return `no copy of this system can be mounted: ${String(error)}`;
  }
  writeFileSync(path("etc/machine-id"), "");
  rmSync(path("etc/fstab"), { force: true });
  prepare(path);
  const nspawn = [
    "systemd-nspawn",
    "--quiet",
    "--register=no",
    "--keep-unit",
    "--private-network",
    "--resolv-conf=off",
    "--timezone=off",
    "--console=pipe",
  ];
  const binds = Object.entries(views).map(([what, where]) => `--bind-ro=${what}:${where}`);
  const words = [...nspawn, ...binds, "-D", path(""), "-b", `systemd.unit=${target}`]
    .map((word) => `'${word}'`)
    .join(" ");
  const script = `umount -R /sys/fs/cgroup 2> /dev/null; mount -t cgroup2 cgroup2 /sys/fs/cgroup; exec ${words}`;
  const child = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", script], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...ENV, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1", SYSTEMD_NSPAWN_LOCK: "0" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  let leader: number | null = null;
  t.teardown(() => end(child, leader));
  leader = await eventually(() => {
    if (child.exitCode !== null) return -1;
    return leaderOf(child.pid ?? 0) ?? undefined;
  }, 60_000);
  if (leader === -1) return `the container does not boot: ${output.slice(-400)}`;
  const run = (command: string): { status: number | null; out: string } => {
    const { status, stdout, stderr } = spawnSync(
      "/usr/bin/nsenter",
      ["-t", String(leader), "-a", "sh", "-c", command],
      { encoding: "utf8", env: ENV },
    );
    return { status, out: `${stdout}${stderr}`.trim() };
  };
  return { path, run };
}

/** systemd as the first process of its own PID name space, below `pid`. */
function leaderOf(pid: number): number | null {
  const children = `/proc/${pid}/task/${pid}/children`;
  for (const child of existsSync(children)
    ? readFileSync(children, "utf8").split(" ").filter(Boolean).map(Number)
    : []) {
    try {
      const isFirst = /^NSpid:.*\s1$/m.test(readFileSync(`/proc/${child}/status`, "utf8"));
      const found =
        isFirst && readFileSync(`/proc/${child}/comm`, "utf8").startsWith("systemd") ? child : leaderOf(child);
      if (found !== null) return found;
    } catch {
      // It ended meanwhile.
    }
  }
  return null;
}

async function end(child: ChildProcess, leader: number | null): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  if (leader !== null && leader > 0) spawnSync("kill", ["-s", "RTMIN+4", String(leader)]);
  else child.kill("SIGKILL");
  const late = setTimeout(() => {
    if (leader !== null && leader > 0) spawnSync("kill", ["-s", "KILL", String(leader)]);
  }, 30_000);
  await gone;
  clearTimeout(late);
}
