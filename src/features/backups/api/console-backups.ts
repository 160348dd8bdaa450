import { Type } from "typebox";
import { answer, Done, IdParams, password, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text, words } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** Bytes of each piece of an upload except the last. */
export const UPLOAD_PIECE_BYTES = 4 * 1024 * 1024;

const UploadId = Type.String({
  minLength: 20,
  maxLength: 64,
  pattern: "^[0-9A-Za-z]+$",
  description: "Anyone who knows it may add to the upload.",
});

const Backup = Type.Object(
  {
    id: integerId(),
    at: dateTime(),
    reason: oneOf(["schedule", "person", "command"]),
    destination: Type.String({ description: "As in the setting backups.destinations; `local` is the data folder." }),
    file: nullable(Type.String({ description: "Path on the hub; null when it could not be written." })),
    bytes: nullable(Type.Integer({ minimum: 0 })),
    sha256: nullable(Type.String()),
    encrypted: Type.Boolean({ description: "A passphrase is needed to restore it." }),
    version: Type.String({ description: "Gatehouse that wrote it." }),
    present: Type.Boolean({ description: "The file is there now; false while its stick or share is away." }),
    problem: nullable(Type.String({ description: "Why it failed; null when it was written and checked." })),
    words: words(),
  },
  { title: "Backup" },
);

const BackupDestination = Type.Object(
  {
    name: Type.String({ description: "As in the setting backups.destinations, or `local`." }),
    kind: oneOf(["local", "folder", "mount", "usb"]),
    path: nullable(Type.String({ description: "Null while it is away." })),
    ready: Type.Boolean(),
    freeBytes: nullable(Type.Integer({ minimum: 0 })),
    text: Type.String({ description: "How it is, in plain words." }),
    words: words(),
  },
  { title: "BackupDestination" },
);

const Rehearsal = Type.Object(
  {
    at: dateTime(),
    backupId: nullable(integerId()),
    ok: Type.Boolean(),
    text: Type.String({ description: "What was restored and checked, or what went wrong." }),
    words: words(),
    tookMs: Type.Integer({ minimum: 0 }),
  },
  { title: "BackupRehearsal" },
);

const RestorePlan = Type.Object(
  {
    at: dateTime({ description: "When the backup was made." }),
    version: Type.String({ description: "Gatehouse that wrote it." }),
    restarts: Type.Boolean({ description: "The hub restarts by itself now; false: start it again by hand." }),
  },
  { title: "RestorePlan" },
);

const Upload = Type.Object(
  {
    id: UploadId,
    kind: oneOf(["backup", "update"]),
    bytes: Type.Integer({ minimum: 0, description: "Declared size." }),
    received: Type.Integer({ minimum: 0, description: "Offset of the next piece." }),
    pieceBytes: Type.Integer({ minimum: 1, description: "Largest piece." }),
  },
  { title: "Upload" },
);

const passphrase = Type.Optional(nullable(password("Needed for an encrypted backup.")));

/** Why a backup cannot be restored, besides a lack of room. */
const FILE_PROBLEMS = ["wrong_passphrase", "wrong_file", "damaged_file", "newer_file", "unreadable_file"] as const;

const LastRestore = Type.Object(
  {
    at: dateTime(),
    sessions: Type.Integer({ minimum: 0, description: "Sessions that ended." }),
    ended: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: "What the backup brought back and was revoked since: how many ended again, by kind.",
    }),
    list: Type.Array(Type.Object({ kind: Type.String({ description: "An open list." }), name: Type.String() }), {
      description: "What that is, up to 100.",
    }),
    keptPasswords: Type.Boolean({
      description: "People have the passwords and second factors from before the restore; else the backup's.",
    }),
  },
  { title: "LastRestore" },
);

/** `GET /api/backups`. */
export const listBackups = defineRoute({
  method: "GET",
  path: "/api/backups",
  operationId: "listBackups",
  tag: "Backups",
  summary: "Backups, where they go, and how the last rehearsal went",
  description: "When they are made, how many are kept and where they go are settings (`backups.*`).",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "Newest first, failed ones included.",
      schema: Type.Object(
        {
          backups: Type.Array(Backup),
          destinations: Type.Array(BackupDestination),
          nextAt: nullable(
            dateTime({ description: "Null while scheduled backups are off, or the time is not known." }),
          ),
          hasPassphrase: Type.Boolean({ description: "New backups are encrypted." }),
          rehearsal: nullable(Rehearsal),
          lastRestore: nullable(LastRestore, { description: "Null if this hub was never restored." }),
          running: Type.Boolean({ description: "One is being written now." }),
        },
        { title: "BackupList" },
      ),
    },
  },
});

/** `POST /api/backups`. */
export const makeBackup = defineRoute({
  method: "POST",
  path: "/api/backups",
  operationId: "makeBackup",
  tag: "Backups",
  summary: "Make a backup now",
  description:
    "Writes to one destination, or to every ready one. Answers once each was written, read back and checked.",
  access: session,
  proof: "none",
  body: Type.Object({ destination: Type.Optional(text(400)) }, { ...closed, title: "BackupNow" }),
  responses: {
    201: {
      description: "One line for each destination.",
      schema: answer("backups", Type.Array(Backup), "BackupsMade"),
    },
  },
  problems: ["conflict", "not_found"],
});

/** `GET /api/backups/{id}/file`. */
export const downloadBackup = defineRoute({
  method: "GET",
  path: "/api/backups/{id}/file",
  operationId: "downloadBackup",
  tag: "Backups",
  summary: "Download a backup",
  description:
    "An encrypted one opens with the hub, and with the program age. An unencrypted one holds every secret of the hub.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: { 200: { description: "The file.", contentType: "application/octet-stream" } },
  problems: ["not_found"],
});

/** `DELETE /api/backups/{id}`. */
export const deleteBackup = defineRoute({
  method: "DELETE",
  path: "/api/backups/{id}",
  operationId: "deleteBackup",
  tag: "Backups",
  summary: "Delete a backup",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: { 200: { description: "The file and its line are gone.", schema: Done } },
  problems: ["not_found", "conflict"],
});

/** `PUT /api/backups/passphrase`. */
export const setBackupPassphrase = defineRoute({
  method: "PUT",
  path: "/api/backups/passphrase",
  operationId: "setBackupPassphrase",
  tag: "Backups",
  summary: "Encrypt new backups with a passphrase, or no longer",
  description:
    "The hub keeps it to encrypt by itself. Backups made before stay as they are. Nobody can open a backup whose passphrase is lost.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { passphrase: nullable(password("At least 12 characters; null switches encryption off.")) },
    { ...closed, title: "BackupPassphrase" },
  ),
  responses: { 200: { description: "Kept.", schema: Done } },
  problems: ["weak_password"],
});

/** `POST /api/backups/rehearse`. */
export const rehearseRestore = defineRoute({
  method: "POST",
  path: "/api/backups/rehearse",
  operationId: "rehearseRestore",
  tag: "Backups",
  summary: "Restore the newest backup into a folder aside and check it",
  description: "Done by itself once a week. Nothing of the running hub is touched.",
  access: session,
  proof: "none",
  body: Type.Object({}, { ...closed, title: "RehearseNow" }),
  responses: { 200: { description: "How it went.", schema: answer("rehearsal", Rehearsal, "RehearsalAnswer") } },
  problems: ["conflict"],
});

/** `POST /api/backups/{id}/restore`. */
export const restoreBackup = defineRoute({
  method: "POST",
  path: "/api/backups/{id}/restore",
  operationId: "restoreBackup",
  tag: "Backups",
  summary: "Go back to a backup",
  description:
    "Checks the backup, puts it into a new folder, and restarts: the switch is made before the hub opens anything. What was there is kept aside. A backup of a newer Gatehouse is refused.",
  access: session,
  proof: "fresh",
  params: IdParams,
  body: Type.Object({ passphrase }, { ...closed, title: "RestoreInput" }),
  responses: {
    202: {
      description: "The hub goes down and comes back with it.",
      schema: answer("restore", RestorePlan, "RestoreAnswer"),
    },
  },
  problems: ["not_found", "conflict", ...FILE_PROBLEMS],
});

/** `POST /api/uploads`. */
export const openUpload = defineRoute({
  method: "POST",
  path: "/api/uploads",
  operationId: "openUpload",
  tag: "Backups",
  summary: "Begin to send a backup or an update",
  description:
    "Then send its pieces with `PUT /api/uploads/{id}`, then name it to `POST /api/restore` or `POST /api/updates`. Forgotten after an hour.",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      kind: oneOf(["backup", "update"]),
      bytes: Type.Integer({ minimum: 1, maximum: 4_294_967_296, description: "Size of the whole file." }),
    },
    { ...closed, title: "UploadInput" },
  ),
  responses: { 201: { description: "Where to send the pieces.", schema: answer("upload", Upload, "UploadAnswer") } },
  problems: ["limit_reached", "storage_full"],
});

/** `PUT /api/uploads/{id}`. */
export const sendUploadPiece = defineRoute({
  method: "PUT",
  path: "/api/uploads/{id}",
  operationId: "sendUploadPiece",
  tag: "Backups",
  summary: "Send one piece of a file",
  description:
    "Pieces come in order, at most `pieceBytes` each. A piece at another offset than `received` is refused with 409; ask where it stands with GET.",
  access: { kind: "public" },
  params: Type.Object({ id: UploadId }),
  query: Type.Object({ offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })) }),
  bodyType: "application/octet-stream",
  maxBodyBytes: UPLOAD_PIECE_BYTES,
  responses: { 200: { description: "How far it is.", schema: answer("upload", Upload, "UploadAnswer") } },
  problems: ["not_found", "conflict"],
});

/** `GET /api/uploads/{id}`. */
export const getUpload = defineRoute({
  method: "GET",
  path: "/api/uploads/{id}",
  operationId: "getUpload",
  tag: "Backups",
  summary: "How far an upload is",
  access: { kind: "public" },
  params: Type.Object({ id: UploadId }),
  responses: { 200: { description: "How far it is.", schema: answer("upload", Upload, "UploadAnswer") } },
  problems: ["not_found"],
});

/** `POST /api/restore`. */
export const restoreUpload = defineRoute({
  method: "POST",
  path: "/api/restore",
  operationId: "restoreUpload",
  tag: "Backups",
  summary: "Restore an uploaded backup",
  access: session,
  proof: "fresh",
  body: Type.Object({ uploadId: UploadId, passphrase }, { ...closed, title: "RestoreUpload" }),
  responses: {
    202: {
      description: "The hub goes down and comes back with it.",
      schema: answer("restore", RestorePlan, "RestoreAnswer"),
    },
  },
  problems: ["not_found", "conflict", ...FILE_PROBLEMS],
});

/** `POST /api/claim/uploads`. */
export const openFirstRunUpload = defineRoute({
  method: "POST",
  path: "/api/claim/uploads",
  operationId: "openFirstRunUpload",
  tag: "First run",
  summary: "Begin to send a backup to a hub that nobody owns",
  description: "Guarded by the claim code like `POST /api/claim`.",
  access: { kind: "public" },
  body: Type.Object(
    { code: text(40), bytes: Type.Integer({ minimum: 1, maximum: 4_294_967_296 }) },
    { ...closed, title: "FirstRunUpload" },
  ),
  responses: { 201: { description: "Where to send the pieces.", schema: answer("upload", Upload, "UploadAnswer") } },
  problems: ["conflict", "forbidden", "invalid_code", "limit_reached", "storage_full"],
});

/** `POST /api/claim/restore`. */
export const restoreFirstRun = defineRoute({
  method: "POST",
  path: "/api/claim/restore",
  operationId: "restoreFirstRun",
  tag: "First run",
  summary: "Restore an uploaded backup on a hub that nobody owns",
  description: "The hub then belongs to the owner it had when the backup was made.",
  access: { kind: "public" },
  body: Type.Object({ code: text(40), uploadId: UploadId, passphrase }, { ...closed, title: "FirstRunRestore" }),
  responses: {
    202: {
      description: "The hub goes down and comes back with it.",
      schema: answer("restore", RestorePlan, "RestoreAnswer"),
    },
  },
  problems: ["not_found", "conflict", "forbidden", "invalid_code", ...FILE_PROBLEMS],
});
