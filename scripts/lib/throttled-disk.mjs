/**
 * An ext4, mounted as the image mounts its own, on a disk that takes only so many bytes a second: qemu-storage-daemon's throttle under a FUSE
 * export and a loop device. Plain Node; root, qemu-utils, /dev/fuse.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 20_000;

/** Makes the disk and mounts it. `fill` gets the mounted folder while it is still as fast as the machine. */
export async function throttledDisk({ megabytes, bytesPerSecond, fill = () => {} }) {
  const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-throttled-"));
  const [image, exported, mountPoint] = ["disk.img", "export.img", "disk"].map((name) => join(folder, name));
  for (const file of [image, exported]) writeFileSync(file, "");
  truncateSync(image, megabytes << 20);
  mkdirSync(mountPoint);
  execFileSync("mke2fs", ["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", image]);
  const mounted = (file, more) => {
    const loop = execFileSync("losetup", [...more, "-f", "--show", file], { encoding: "utf8" }).trim();
    execFileSync("mount", ["-o", "noatime,lazytime", loop, mountPoint]);
    return () => {
      execFileSync("umount", [mountPoint]);
      execFileSync("losetup", ["-d", loop]);
    };
  };
  const unmountFast = mounted(image, []);
  try {
    await fill(mountPoint);
  } finally {
    unmountFast();
  }
  const daemon = spawn(
    "nice", // a disk does not wait for the processor
    [
      ...["-n", "-15", "qemu-storage-daemon"],
      ...["--object", `throttle-group,id=slow,x-bps-total=${bytesPerSecond}`],
      ...["--blockdev", `driver=file,node-name=disk,filename=${image}`],
      ...["--blockdev", "driver=throttle,node-name=throttled,throttle-group=slow,file=disk"],
      ...["--export", `type=fuse,id=export,node-name=throttled,mountpoint=${exported},writable=on`],
      ...["--pidfile", join(folder, "daemon.pid")],
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const exited = new Promise((done) => daemon.on("exit", done));
  const deadline = performance.now() + START_MS;
  while (!existsSync(join(folder, "daemon.pid"))) {
    if (performance.now() > deadline || daemon.exitCode !== null) throw new Error("qemu-storage-daemon did not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  // With direct I/O the mount fails: the export answers in other pieces than ext4 asks for.
  const unmount = mounted(exported, ["--direct-io=off"]);
  return {
    folder: mountPoint,
    remove: async () => {
      unmount();
      daemon.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
