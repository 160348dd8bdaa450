import { statSync } from "node:fs";

/**
 * Does the work as the user who owns the folder, if root does it: what is written then belongs to the hub, and links
 * that somebody put there lead root nowhere.
 */
export async function asOwnerOf<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (process.geteuid?.() !== 0 || owner === undefined || owner.uid === 0) return work();
  const group = process.getegid?.() ?? 0;
  process.setegid?.(owner.gid);
  process.seteuid?.(owner.uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
  }
}
