import { basename } from "node:path";
import { type BoundRoute, bind, bindOpen, type RequestFacts } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { storedWords } from "../../../core/storage/stored-json.ts";
import type { Recorded } from "../../../core/text/render.ts";
import type { AccessFeature } from "../../access/feature.ts";
import { sourceOf } from "../../access/routes/console-session.ts";
import {
  deleteBackup,
  downloadBackup,
  getUpload,
  listBackups,
  makeBackup,
  openFirstRunUpload,
  openUpload,
  rehearseRestore,
  restoreBackup,
  restoreFirstRun,
  restoreUpload,
  sendUploadPiece,
  setBackupPassphrase,
  UPLOAD_PIECE_BYTES,
} from "../api/console-backups.ts";
import type { Backups, RestorePlan } from "../backups.ts";
import type { BackupRow, RehearsalRow } from "../tables/backup.ts";
import type { Upload, Uploads } from "../uploads.ts";

/** What the pages of backups work with. */
interface Uses {
  readonly backups: Backups;
  readonly uploads: Uploads;
  readonly access: AccessFeature;
}

/** Backups, their restore, and the uploads of backups and updates. */
export function backupRoutes(service: Uses): BoundRoute[] {
  return [...keepingRoutes(service), ...restoreRoutes(service), ...uploadRoutes(service)];
}

function keepingRoutes({ backups, access: { revocations, note, audited } }: Uses): BoundRoute[] {
  const present = (row: BackupRow) => shownBackup({ ...row, present: row.file !== null });
  return [
    bind(listBackups, async () => {
      const rehearsal = backups.lastRehearsal();
      const restored = revocations.lastRestore();
      const [listed, destinations] = await Promise.all([backups.list(), backups.destinations()]);
      return {
        status: 200,
        body: {
          backups: listed.map(shownBackup),
          destinations,
          nextAt: isoTimeOrNull(backups.nextAt()),
          hasPassphrase: backups.hasPassphrase,
          rehearsal: rehearsal === null ? null : shownRehearsal(rehearsal),
          lastRestore:
            restored === null
              ? null
              : {
                  ...restored,
                  at: isoTime(restored.at),
                  ended: { ...restored.ended },
                  list: [...(restored.list ?? [])],
                },
          running: backups.running,
        },
      };
    }),
    bind(makeBackup, async ({ caller, body }) => {
      const rows = await backups.make(body.destination ?? null, "person");
      await note(caller, "backup.made", rows.map(({ destination }) => destination).join(", "));
      return { status: 201, body: { backups: rows.map(present) } };
    }),
    bind(downloadBackup, async ({ caller, params }) => {
      const { file, bytes } = await backups.file(params.id);
      await note(caller, "backup.downloaded", basename(file));
      const headers = {
        "Content-Disposition": `attachment; filename="${basename(file)}"`,
        "Cache-Control": "private, no-store",
      };
      return { status: 200, file: { path: file, bytes: bytes ?? 0 }, contentType: "application/octet-stream", headers };
    }),
    bind(deleteBackup, async ({ caller, params }) => {
      const { destination, at } = await backups.remove(params.id);
      await note(caller, "backup.deleted", `${destination} ${isoTime(at)}`);
      return { status: 200, body: { done: true } };
    }),
    bind(setBackupPassphrase, async ({ caller, body }) => {
      await audited.job(caller, (note) => {
        backups.putPassphrase(body.passphrase);
        note(body.passphrase === null ? "backup.passphrase_removed" : "backup.passphrase_set", "backups");
      });
      return { status: 200, body: { done: true } };
    }),
    bind(rehearseRestore, async () => ({ status: 200, body: { rehearsal: shownRehearsal(await backups.rehearse()) } })),
  ];
}

function restoreRoutes({ backups, uploads, access: { claim, note } }: Uses): BoundRoute[] {
  const planned = ({ manifest, restarts }: RestorePlan) => ({
    status: 202 as const,
    body: { restore: { at: manifest.at, version: manifest.version, restarts } },
  });
  const fromUpload = async (id: string, passphrase: string | null): Promise<RestorePlan> => {
    const plan = await backups.restore(uploads.finished(id, "backup"), passphrase);
    uploads.discard(id);
    return plan;
  };
  return [
    bind(restoreBackup, async ({ caller, params, body }) => {
      const { file } = await backups.file(params.id);
      await note(caller, "backup.restored", basename(file));
      return planned(await backups.restore(file, body.passphrase ?? null));
    }),
    bind(restoreUpload, async ({ caller, body }) => {
      await note(caller, "backup.restored", "upload");
      return planned(await fromUpload(body.uploadId, body.passphrase ?? null));
    }),
    bindOpen(restoreFirstRun, async ({ body, facts }) => {
      claim.check(body.code, from(facts));
      return planned(await fromUpload(body.uploadId, body.passphrase ?? null));
    }),
  ];
}

function uploadRoutes({ uploads, access: { claim } }: Uses): BoundRoute[] {
  const shown = <Status extends number>(status: Status, upload: Upload) => ({
    status,
    body: { upload: { ...upload, pieceBytes: UPLOAD_PIECE_BYTES } },
  });
  return [
    bind(openUpload, ({ body }) => shown(201, uploads.open(body.kind, body.bytes))),
    bindOpen(openFirstRunUpload, ({ body, facts }) => {
      claim.check(body.code, from(facts));
      return shown(201, uploads.open("backup", body.bytes));
    }),
    bindOpen(
      sendUploadPiece,
      async ({ params, query, bytes }) => shown(200, await uploads.add(params.id, query.offset ?? 0, bytes)),
      ({ params, query, bodyBytes }) => uploads.checkPiece(params.id, query.offset ?? 0, bodyBytes ?? 0),
    ),
    bindOpen(getUpload, ({ params }) => shown(200, uploads.get(params.id))),
  ];
}

function from(facts: RequestFacts): { address: string } {
  return { address: sourceOf(facts).address };
}

function shownBackup({
  id,
  at,
  reason,
  destination,
  file,
  bytes,
  sha256,
  encrypted,
  version,
  present,
  problem,
  words,
}: BackupRow & { present: boolean }) {
  return {
    id,
    at: isoTime(at),
    reason,
    destination,
    file,
    bytes,
    sha256,
    encrypted: encrypted === 1,
    version,
    present,
    problem,
    ...shownWords(words),
  };
}

function shownRehearsal({ at, backupId, ok, text, words, tookMs }: RehearsalRow) {
  return { at: isoTime(at), backupId, ok: ok === 1, text, ...shownWords(words), tookMs };
}

function shownWords(stored: string | null): { words?: Recorded } {
  const words = storedWords(stored);
  return words === null ? {} : { words };
}
