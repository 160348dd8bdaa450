import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";

/** A folder on its own file system with `megabytes`; null if this user may not mount one. It ends with the test. */
export function smallDisk(t: Test, megabytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  t.teardown(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Fills the disk that holds `file` up to about `leaveBytes`. */
export function fillDisk(file: string, leaveBytes: number): void {
  const handle = openSync(file, "w");
  const chunk = Buffer.alloc(65_536, 1);
  const free = (): number => {
    const { bavail, bsize } = statfsSync(file);
    return bavail * bsize;
  };
  try {
    while (free() > leaveBytes)
      writeSync(handle, chunk, 0, Math.min(chunk.length, Math.max(4_096, free() - leaveBytes)));
  } catch {
    // No space left: as full as it gets.
  }
  closeSync(handle);
}
