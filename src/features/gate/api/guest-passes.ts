import { Type } from "typebox";
import { answer, Done, gatekeeper, IdParams } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, text } from "../../../core/api/fields.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { MOST_WINDOWS } from "../../../core/plates/decide.ts";

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
    cameAt: nullable(dateTime(), {
      description: "When the plate was last seen since the pass was made; null: not yet, or its read has been deleted.",
    }),
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

/**
 * How far a link reaches by which somebody else may put a plate on the list, where nobody has just proved who they are.
 * What a pass gives beside that, the plate rules give to the same session.
 */
const LINK_WITHOUT_PROOF_MS = 7 * 86_400_000;

/** `GET /api/passes`. */
export const listPasses = defineRoute({
  method: "GET",
  path: "/api/passes",
  operationId: "listGuestPasses",
  tag: "Plates",
  summary: "List guest passes",
  access: gatekeeper,
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
  access: gatekeeper,
  proof: {
    when: "the guest may tell the plate for longer than a week from now",
    needed: ({ plate = null, guestMayTellPlate = plate === null, validTo }, now) =>
      guestMayTellPlate && Date.parse(validTo) > now + LINK_WITHOUT_PROOF_MS,
  },
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
  access: gatekeeper,
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
  access: gatekeeper,
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
