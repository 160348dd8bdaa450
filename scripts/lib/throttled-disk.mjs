// @ts-check
/**
 * An ext4, mounted as the image mounts its own, on a disk with limited bytes per second: qemu-storage-daemon's
 * throttle under a FUSE export and a loop device. Plain Node; root, qemu-system-common (qemu-storage-daemon), /dev/fuse.
 */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportDisk, loopDevice, makeExt4, mountLoop } from "./exported-disk.mjs";

/** As the image mounts its own. */
const MOUNTED = "noatime,lazytime";

/**
 * Makes the disk and mounts it. `fill` gets the mounted folder before the limit applies.
 * @param {{ megabytes: number, bytesPerSecond: number, fill?: (folder: string) => Promise<void> | void }} wishes
 */
export async function throttledDisk({ megabytes, bytesPerSecond, fill = () => {} }) {
  const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-throttled-"));
  const [image, exported, mountPoint] = [join(folder, "disk.img"), join(folder, "export.img"), join(folder, "disk")];
  for (const file of [image, exported]) writeFileSync(file, "");
  truncateSync(image, megabytes << 20);
  mkdirSync(mountPoint);
  makeExt4(image);
  const unmountFast = mountLoop(loopDevice(image), mountPoint, MOUNTED);
  try {
    await fill(mountPoint);
  } finally {
    unmountFast();
  }
  const end = await exportDisk({
    folder,
    exported,
    node: "throttled",
    args: [
      ...["--object", `throttle-group,id=slow,x-bps-total=${bytesPerSecond}`],
      ...["--blockdev", `driver=file,node-name=disk,filename=${image}`],
      ...["--blockdev", "driver=throttle,node-name=throttled,throttle-group=slow,file=disk"],
    ],
  });
  const unmount = mountLoop(loopDevice(exported, true), mountPoint, MOUNTED);
  return {
    folder: mountPoint,
    remove: async () => {
      unmount();
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
