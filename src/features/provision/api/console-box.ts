import { Type } from "typebox";
import { password } from "../../../core/api/console-common.ts";
import { closed, freeObject } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { ProvisionDocument } from "../resources/provision.ts";

const box = { kind: "box" } as const;

/** `POST /api/box/provision`: what `gatehouse provision` does while the hub runs. */
export const provisionBox = defineRoute({
  method: "POST",
  path: "/api/box/provision",
  operationId: "provisionBox",
  tag: "Box",
  summary: "Apply a set-up document",
  access: box,
  query: Type.Object({
    dryRun: Type.Optional(Type.Boolean({ description: "Everything is checked and nothing kept." })),
    resetOwnerPassword: Type.Optional(
      Type.Boolean({
        description:
          "The document's password becomes the owner's also where they have another: second factor, passkeys and sessions end.",
      }),
    ),
  }),
  body: ProvisionDocument,
  maxBodyBytes: 4_194_304,
  responses: {
    200: {
      description:
        "The document with what was made, and what earlier calls made that nobody has confirmed to have read.",
      schema: Type.Object({ result: freeObject(), earlier: Type.Array(freeObject()) }, { title: "Provisioned" }),
    },
  },
  problems: ["conflict", "weak_password", "limit_reached", "unknown_device", "invalid_plate", "invalid_setting"],
});

/** `POST /api/box/provision/printed`. */
export const provisionPrintedBox = defineRoute({
  method: "POST",
  path: "/api/box/provision/printed",
  operationId: "provisionPrintedBox",
  tag: "Box",
  summary: "Confirm that what was made has been printed; it is not told again",
  access: box,
  responses: {
    200: { description: "Done.", schema: Type.Object({ done: Type.Boolean() }, { title: "ProvisionPrinted" }) },
  },
});

/** `GET /api/box/export`. */
export const exportBox = defineRoute({
  method: "GET",
  path: "/api/box/export",
  operationId: "exportBox",
  tag: "Box",
  summary: "The hub's set-up as a document for provisionBox",
  access: box,
  responses: {
    200: {
      description:
        "The document, without secrets: where one is needed it has a variable. `notes` say what it leaves out.",
      schema: Type.Object({ document: freeObject(), notes: Type.Array(Type.String()) }, { title: "Exported" }),
    },
  },
  problems: ["conflict"],
});

/** `POST /api/box/reset-owner`. */
export const resetOwnerBox = defineRoute({
  method: "POST",
  path: "/api/box/reset-owner",
  operationId: "resetOwnerBox",
  tag: "Box",
  summary: "Set the owner's password; second factor off, all sessions ended",
  access: box,
  body: Type.Object({ email: Type.Optional(Type.String()), password: password() }, { ...closed, title: "ResetOwner" }),
  responses: {
    200: {
      description: "Whose password it is.",
      schema: Type.Object({ email: Type.String() }, { title: "OwnerReset" }),
    },
  },
  problems: ["not_found", "weak_password"],
});

/** `POST /api/box/backup`. */
export const backupBox = defineRoute({
  method: "POST",
  path: "/api/box/backup",
  operationId: "backupBox",
  tag: "Box",
  summary: "Write a backup to a file of the box",
  access: box,
  body: Type.Object(
    { file: Type.String({ minLength: 1, maxLength: 4_096, description: "Absolute path." }) },
    { ...closed, title: "BackupRequest" },
  ),
  responses: { 200: { description: "What was written.", schema: freeObject() } },
  problems: ["conflict"],
});
