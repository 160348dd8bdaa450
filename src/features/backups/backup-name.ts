/** How the files of backups are named: `gatehouse-YYYYMMDD-HHMMSS.db.gz`, in UTC, followed by `.age` if encrypted. */
import { isoTime } from "../../core/kernel/clock.ts";

/** The prefix of all backups' names. */
export const BACKUP_PREFIX = "gatehouse-";
const ENCRYPTED = ".age";
const NAME = /^gatehouse-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.db\.gz(?:\.age)?$/;

/** The name of a backup made at `at` (epoch ms). */
export function fileName(at: number, encrypted: boolean): string {
  return `${BACKUP_PREFIX}${isoTime(at).replace(/[-:]/g, "").replace("T", "-").slice(0, 15)}.db.gz${encrypted ? ENCRYPTED : ""}`;
}

/** Whether a backup of this name is encrypted. */
export function isEncrypted(name: string): boolean {
  return name.endsWith(ENCRYPTED);
}

/** When the backup of that name was made, epoch ms; null for other files. */
export function timeOf(name: string): number | null {
  const parts = NAME.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
