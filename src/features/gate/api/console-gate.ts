import { Type } from "typebox";
import { answer, DeviceIdParams, Done, IdParams, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, limit, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { MOST_WINDOWS } from "../../../core/plates/decide.ts";
import { OPENING_REASONS, OPENING_RESULTS } from "../../../core/plates/opening.ts";
import { GateChoices } from "../resources/gate-choices.ts";
import { GateReadInFull } from "../resources/gate-read.ts";
import { PlateRuleWindow } from "../resources/plate-rule.ts";

/** Who opened a gate or lock, and the outcome. */
const Opening = Type.Object(
  {
    id: integerId(),
    deviceId: Type.String({ description: "The gate or lock." }),
    readId: nullable(integerId(), { description: "The plate read that it was for." }),
    by: Type.Object(
      {
        kind: oneOf(["person", "key", "automation", "scene", "plate", "device", "hub"], {
          description: "`device`: at the gate itself, by a button on the wall, a remote control or by hand.",
        }),
        name: nullable(Type.String(), {
          description: "Of the person, the key, the rule or the scene; of a plate the label of its rule, or the plate.",
        }),
      },
      { title: "Opener" },
    ),
    result: oneOf(OPENING_RESULTS),
    reason: nullable(oneOf(OPENING_REASONS)),
    at: dateTime(),
    settledAt: nullable(dateTime()),
  },
  { title: "Opening" },
);

/** `GET /api/openings`. */
export const listOpenings = defineRoute({
  method: "GET",
  path: "/api/openings",
  operationId: "listOpenings",
  tag: "Plates",
  summary: "List who opened gates and locks",
  access: person,
  proof: "none",
  query: Type.Object({ deviceId: Type.Optional(Type.String({ minLength: 1 })), limit: limit(200, 50) }),
  responses: { 200: { description: "Newest first.", schema: answer("openings", Type.Array(Opening), "OpeningList") } },
});

/** Id of a read; 0: before the first one. */
const readMark = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const SeenReads = Type.Object(
  {
    upToId: nullable(readMark, {
      description: "The newest read that the person has seen; null for somebody who has never looked.",
    }),
  },
  { title: "SeenReads" },
);

/** `GET /api/seen-reads`. */
export const getSeenReads = defineRoute({
  method: "GET",
  path: "/api/seen-reads",
  operationId: "getSeenReads",
  tag: "Plates",
  summary: "Show up to which read the person has seen them",
  access: person,
  proof: "none",
  responses: { 200: { description: "The mark.", schema: answer("seen", SeenReads, "SeenReadsAnswer") } },
});

/** `POST /api/seen-reads`. */
export const markReadsSeen = defineRoute({
  method: "POST",
  path: "/api/seen-reads",
  operationId: "markReadsSeen",
  tag: "Plates",
  summary: "Note that the person has seen all reads up to one",
  description: "The mark is the person's, on whatever device. It never goes back, and never beyond the newest read.",
  access: person,
  proof: "none",
  body: Type.Object({ upToId: readMark }, { ...closed, title: "SeenReadsInput" }),
  responses: { 200: { description: "The mark.", schema: answer("seen", SeenReads, "SeenReadsAnswer") } },
});

const GateContact = Type.Object(
  {
    deviceId: nullable(Type.String(), { description: "The contact sensor; null: the gate itself says how it stands." }),
  },
  { title: "GateContact" },
);

/** `GET /api/gates/{id}/contact`. */
export const getGateContact = defineRoute({
  method: "GET",
  path: "/api/gates/{id}/contact",
  operationId: "getGateContact",
  tag: "Plates",
  summary: "Show the contact sensor of a gate or lock",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  responses: { 200: { description: "The sensor.", schema: answer("contact", GateContact, "GateContactAnswer") } },
  problems: ["device_not_found", "conflict"],
});

/** `PUT /api/gates/{id}/contact`. */
export const putGateContact = defineRoute({
  method: "PUT",
  path: "/api/gates/{id}/contact",
  operationId: "putGateContact",
  tag: "Plates",
  summary: "Name the contact sensor of a gate or lock",
  description: "Its state (`contact`, `open` or `door`) then says whether the gate opened, instead of the gate's own.",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  body: Type.Object(
    { deviceId: nullable(Type.String({ minLength: 1, maxLength: 64 })) },
    { ...closed, title: "GateContactInput" },
  ),
  responses: { 200: { description: "The sensor.", schema: answer("contact", GateContact, "GateContactAnswer") } },
  problems: ["device_not_found", "unknown_device", "conflict"],
});

/** `GET /api/gate-choices`. */
export const getGateChoices = defineRoute({
  method: "GET",
  path: "/api/gate-choices",
  operationId: "getGateChoices",
  tag: "Plates",
  summary: "Show what listed plates earn, and what confirms",
  access: session,
  proof: "none",
  responses: { 200: { description: "The choices.", schema: answer("choices", GateChoices, "GateChoicesAnswer") } },
});

/** `PUT /api/gate-choices`. */
export const putGateChoices = defineRoute({
  method: "PUT",
  path: "/api/gate-choices",
  operationId: "putGateChoices",
  tag: "Plates",
  summary: "Choose what listed plates earn, and what confirms",
  access: session,
  proof: "none",
  body: GateChoices,
  responses: { 200: { description: "The choices.", schema: answer("choices", GateChoices, "GateChoicesAnswer") } },
  problems: ["unknown_device", "limit_reached"],
});

/** `GET /api/plates/{id}`. */
export const getRead = defineRoute({
  method: "GET",
  path: "/api/plates/{id}",
  operationId: "getPlateRead",
  tag: "Plates",
  summary: "Read one plate sighting",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The read.", schema: answer("plate", GateReadInFull, "GateReadInFullAnswer") } },
  problems: ["plate_read_not_found"],
});

const bounds = {
  label: Type.String({ description: "Whose pass it is." }),
  validFrom: nullable(dateTime()),
  validTo: dateTime(),
  windows: Type.Array(PlateRuleWindow, {
    description: "Times of the week, by the clock of the household. Empty: at all times.",
  }),
  formatted: nullable(Type.String(), { description: "The plate; null until the guest has told it." }),
  triesLeft: Type.Integer({ minimum: 0, description: "How often the guest may still tell a plate by the link." }),
};

/** A pass as the host sees it. */
const GuestPass = Type.Object(
  {
    id: integerId(),
    ruleId: nullable(integerId(), {
      description:
        "The plate rule that lets the guest in. Null until the plate is known, and once somebody else has edited that rule: then the pass has ended.",
    }),
    ...bounds,
    plate: nullable(Type.String()),
    deviceId: nullable(Type.String(), { description: "A camera; null for every camera." }),
    ended: Type.Boolean(),
    createdAt: dateTime(),
    openedAt: nullable(dateTime(), { description: "When the link was first opened." }),
  },
  { title: "GuestPass" },
);

/** A pass as its guest sees it: what the link shows, and no more. */
const GuestView = Type.Object(
  {
    household: Type.String(),
    gates: Type.Array(Type.String(), { description: "Names of the gates." }),
    ...bounds,
    timeZone: Type.String(),
    holdsNow: Type.Boolean({ description: "Whether the gate would open for the plate now." }),
  },
  { title: "GuestView" },
);

const token = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "What stands behind the `#` of the link." });
const madeLink = Type.String({ description: "What the link holds behind its `#`; told this once." });

/** `GET /api/passes`. */
export const listPasses = defineRoute({
  method: "GET",
  path: "/api/passes",
  operationId: "listGuestPasses",
  tag: "Plates",
  summary: "List guest passes",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "The newest first; an ended one for a week.",
      schema: answer("passes", Type.Array(GuestPass), "GuestPassList"),
    },
  },
});

/** `POST /api/passes`. */
export const createPass = defineRoute({
  method: "POST",
  path: "/api/passes",
  operationId: "createGuestPass",
  tag: "Plates",
  summary: "Give a guest a pass",
  description:
    "An allow rule with an end, and a link for the guest. The link opens nothing: it shows the pass, and takes the plate where `guestMayTellPlate` says so.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    {
      label: text(80),
      plate: Type.Optional(nullable(text(32), { description: "Null or absent: the guest tells it by the link." })),
      deviceId: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 64 }))),
      validFrom: Type.Optional(nullable(dateTime())),
      validTo: dateTime({ description: "Within a year." }),
      windows: Type.Optional(Type.Array(PlateRuleWindow, { maxItems: MOST_WINDOWS })),
      guestMayTellPlate: Type.Optional(
        Type.Boolean({ description: "Three times at most; true where no plate is given." }),
      ),
    },
    { ...closed, title: "GuestPassInput" },
  ),
  responses: {
    201: {
      description: "The pass with its link.",
      schema: Type.Object({ pass: GuestPass, token: madeLink }, { title: "MadeGuestPass" }),
    },
  },
  problems: ["invalid_plate", "unknown_device", "limit_reached", "plate_already_listed", "estate_unreachable"],
});

/** `POST /api/passes/{id}/link`. */
export const renewPassLink = defineRoute({
  method: "POST",
  path: "/api/passes/{id}/link",
  operationId: "renewGuestPassLink",
  tag: "Plates",
  summary: "Make a new link for a pass",
  description: "The link before it ends.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: {
    200: { description: "The new link.", schema: Type.Object({ token: madeLink }, { title: "GuestPassLink" }) },
  },
  problems: ["not_found", "conflict"],
});

/** `DELETE /api/passes/{id}`. */
export const revokePass = defineRoute({
  method: "DELETE",
  path: "/api/passes/{id}",
  operationId: "revokeGuestPass",
  tag: "Plates",
  summary: "Take a pass back",
  description: "Its link goes at once, and its rule unless somebody has edited it.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Done.", schema: Done } },
  problems: ["not_found"],
});

/** `POST /api/guest/look`. */
export const lookAtPass = defineRoute({
  method: "POST",
  path: "/api/guest/look",
  operationId: "lookAtGuestPass",
  tag: "Plates",
  summary: "Show a guest the pass behind a link",
  access: { kind: "public" },
  body: Type.Object({ token }, { ...closed, title: "GuestLink" }),
  responses: { 200: { description: "The pass.", schema: answer("pass", GuestView, "GuestViewAnswer") } },
  problems: ["not_found"],
});

/** `POST /api/guest/plate`. */
export const tellPlate = defineRoute({
  method: "POST",
  path: "/api/guest/plate",
  operationId: "tellGuestPlate",
  tag: "Plates",
  summary: "Tell the plate that a guest comes with",
  description:
    "Within the bounds of the pass, and as often as it allows; refused plates count too. The host hears of it.",
  access: { kind: "public" },
  body: Type.Object({ token, plate: text(32) }, { ...closed, title: "GuestPlate" }),
  responses: { 200: { description: "The pass.", schema: answer("pass", GuestView, "GuestViewAnswer") } },
  problems: ["not_found", "conflict", "invalid_plate"],
});
