import type { HealthCheck } from "../../../core/health/health.ts";
import type { DiskSpace } from "../../../core/platform/disk.ts";

const LOW_BYTES = 500 * 1024 * 1024;

/** Whether the data partition has room left. */
export function diskSpaceCheck(space: () => DiskSpace): HealthCheck {
  return {
    code: "disk-space",
    check: () => {
      const { freeBytes, totalBytes } = space();
      const words = { free: gigabytes(freeBytes), total: gigabytes(totalBytes) };
      if (freeBytes < LOW_BYTES)
        return {
          level: "degraded",
          words: { code: "disk.low", ...words },
        };
      return { level: "ok", words: { code: "disk.ok", ...words } };
    },
  };
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
