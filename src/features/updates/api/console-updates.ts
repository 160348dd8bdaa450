import { type Static, Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, nullable, oneOf, text, words } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const FoundUpdate = Type.Object(
  {
    file: Type.String({ description: "Path on the hub; give it to `POST /api/updates`." }),
    version: Type.String(),
    bytes: Type.Integer({ minimum: 0 }),
    builtAt: dateTime(),
    fits: Type.Boolean({ description: "Made for this machine, and signed by a key that this hub trusts." }),
    text: Type.String({ description: "What it is, or why it cannot be installed." }),
    words: words(),
  },
  { title: "FoundUpdate" },
);

/** An update that was found in a folder. */
export type FoundUpdate = Static<typeof FoundUpdate>;

const UpdateState = Type.Object(
  {
    phase: oneOf(["none", "waiting", "installing", "trial", "committed", "rolled-back", "failed"], {
      description: "`trial`: the new version runs and becomes permanent once it was healthy for two minutes.",
    }),
    version: nullable(Type.String({ description: "The version that it is about." })),
    from: nullable(Type.String({ description: "The version before." })),
    at: nullable(dateTime()),
    text: Type.String({ description: "In plain words; after a rollback it says what was lost." }),
    words: words(),
  },
  { title: "UpdateState" },
);

const Updates = Type.Object(
  {
    version: Type.String({ description: "What runs now." }),
    managed: Type.Boolean({
      description:
        "False where Gatehouse was not installed by its installer or image: then there is nothing to update.",
    }),
    installed: Type.Array(Type.String(), { description: "Versions that are kept on this box." }),
    canRollBack: Type.Boolean(),
    state: UpdateState,
    found: Type.Array(FoundUpdate, { description: "In the folders and on the sticks of the setting updates.sources." }),
  },
  { title: "Updates" },
);

/** `GET /api/updates`. */
export const getUpdates = defineRoute({
  method: "GET",
  path: "/api/updates",
  operationId: "getUpdates",
  tag: "Updates",
  summary: "What runs, what could, and how the last update went",
  access: session,
  proof: "none",
  responses: { 200: { description: "All of it.", schema: answer("updates", Updates, "UpdatesAnswer") } },
});

/** `POST /api/updates`. */
export const installUpdate = defineRoute({
  method: "POST",
  path: "/api/updates",
  operationId: "installUpdate",
  tag: "Updates",
  summary: "Install an update",
  description:
    "From an upload (`POST /api/uploads`) or a file that was found. Its signature is checked before anything else, and once more by the part of the system that installs it. The hub restarts; unless the new version is healthy for two minutes, the old one comes back.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { uploadId: Type.Optional(text(64)), file: Type.Optional(text(1_000)) },
    { ...closed, minProperties: 1, title: "UpdateInput" },
  ),
  responses: { 202: { description: "It is being installed.", schema: answer("updates", Updates, "UpdatesAnswer") } },
  problems: ["not_found", "conflict", "forbidden", "wrong_file", "damaged_file", "newer_file", "unreadable_file"],
});

/** `POST /api/updates/rollback`. */
export const rollBackUpdate = defineRoute({
  method: "POST",
  path: "/api/updates/rollback",
  operationId: "rollBackUpdate",
  tag: "Updates",
  summary: "Go back to the version before",
  description:
    "Where the newer version changed the database, the copy from before it is used: what was recorded since is kept aside, not shown.",
  access: session,
  proof: "fresh",
  body: Type.Object({}, { ...closed, title: "RollBack" }),
  responses: { 202: { description: "It is being done.", schema: answer("updates", Updates, "UpdatesAnswer") } },
  problems: ["conflict"],
});
