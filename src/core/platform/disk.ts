import { readFileSync, statfsSync } from "node:fs";

const PAGE_BYTES = 4096;

/** Space on the file system that holds `folder`, in bytes. */
export interface DiskSpace {
  readonly totalBytes: number;
  /** Bytes available to an unprivileged process. */
  readonly freeBytes: number;
}

/** Reads statfs(2). @throws Error when the folder does not exist. */
export function diskSpace(folder: string): DiskSpace {
  const facts = statfsSync(folder);
  return { totalBytes: facts.blocks * facts.bsize, freeBytes: facts.bavail * facts.bsize };
}

/**
 * Bytes this process has caused to be written to storage since its start (proc_pid_io(5) `write_bytes`); null if the
 * kernel does not report it.
 */
export function bytesWritten(): number | null {
  try {
    const match = /^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"));
    return match ? Number(match[1]) : null;
  } catch {
    return null;
  }
}

/** Memory of this process that is in RAM, in bytes (proc_pid_statm(5)); null if the kernel does not report it. */
export function residentBytes(): number | null {
  try {
    return Number(readFileSync("/proc/self/statm", "utf8").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return null;
  }
}

/** Bytes of memory that the process can still have, by the machine's and its own limit. */
export function availableBytes(): number {
  return process.availableMemory();
}
