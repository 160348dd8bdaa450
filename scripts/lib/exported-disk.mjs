// @ts-check
/**
 * A disk simulated by qemu-storage-daemon: its nodes process the writes, under a FUSE export for a loop device.
 * Plain Node; root, qemu-system-common (qemu-storage-daemon), /dev/fuse.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const START_MS = 20_000;

/**
 * Serves node `node` as the file `exported`; resolves once it can be mounted.
 * @param {{ folder: string, exported: string, node: string, args: string[] }} disk `args`: the nodes, for
 *   qemu-storage-daemon
 * @returns {Promise<() => Promise<void>>} ends it
 */
export async function exportDisk({ folder, exported, node, args }) {
  const pidFile = join(folder, "daemon.pid");
  const daemon = spawn(
    "nice", // a disk does not wait for the processor
    [
      ...["-n", "-15", "qemu-storage-daemon", ...args],
      ...["--export", `type=fuse,id=export,node-name=${node},mountpoint=${exported},writable=on`, "--pidfile", pidFile],
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  /** @type {Promise<void>} */
  const exited = new Promise((done) => daemon.on("exit", () => done()));
  const deadline = performance.now() + START_MS;
  while (!existsSync(pidFile)) {
    if (performance.now() > deadline || daemon.exitCode !== null) throw new Error("qemu-storage-daemon did not start");
    await pause(50);
  }
  return async () => {
    daemon.kill("SIGTERM");
    await exited;
  };
}

/** A loop device of an image. @param {string} file @param {boolean} [exported] it is one of `exportDisk` */
export function loopDevice(file, exported = false) {
  // With direct I/O the mount fails: the export's replies have other sizes than ext4 requests.
  const more = exported ? ["--direct-io=off"] : [];
  return execFileSync("losetup", [...more, "-f", "--show", file], { encoding: "utf8" }).trim();
}

/** Makes an ext4. @param {string} target image or device */
export function makeExt4(target) {
  execFileSync("mke2fs", ["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", target]);
}

/**
 * Mounts a loop device; the returned function removes both.
 * @param {string} loop
 * @param {string} mountPoint
 * @param {string} [options]
 */
export function mountLoop(loop, mountPoint, options = "noatime") {
  execFileSync("mount", ["-o", options, loop, mountPoint]);
  return () => {
    execFileSync("umount", [mountPoint]);
    execFileSync("losetup", ["-d", loop]);
  };
}
