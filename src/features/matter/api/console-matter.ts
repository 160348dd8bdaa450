import { Type } from "typebox";
import { answer, IdParams, session } from "../../../core/api/console-common.ts";
import { dateTime, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const Shown = Type.Object(
  {
    subject: Type.String({ description: "`device:ID` or `scene:ID`." }),
    name: Type.String(),
    room: nullable(Type.String()),
    type: Type.String({ description: "Type of the device; `scene` for a scene." }),
    shown: Type.Boolean({ description: "Whether homes that have joined see it." }),
    guarded: Type.Boolean({ description: "It lets people in or guards the house; hidden until an owner shows it." }),
    refusal: nullable(oneOf(["nothing", "opens"]), {
      description:
        "Why it cannot be shown: Matter has no word for what it does, or it is a scene that opens something. Null where it can.",
    }),
    kinds: Type.Array(Type.String(), { description: "What Matter sees, such as `plug` or `temperature`." }),
  },
  { title: "MatterShown" },
);

const Matter = Type.Object(
  {
    enabled: Type.Boolean(),
    restored: Type.Boolean({
      description: "Its keys came with a backup; it rests until an owner says that no other box uses them.",
    }),
    changeable: Type.Boolean({ description: "False where the environment or the command line holds the setting." }),
    process: Type.Object({
      state: oneOf(["off", "starting", "running", "waiting", "stopping"], {
        description: "waiting: it ended, and is started again after a pause.",
      }),
      since: dateTime(),
      megabytes: nullable(Type.Integer({ minimum: 0 }), { description: "Memory that the system holds for it." }),
      restarts: Type.Integer({ minimum: 0 }),
      reason: nullable(Type.String(), { description: "Why it ended last." }),
    }),
    network: Type.Object({
      ipv6: Type.Boolean({
        description: "Whether an interface has an IPv6 address: phones find and reach Matter devices by IPv6 only.",
      }),
      addresses: Type.Array(Type.String()),
      port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 }), { description: "UDP." }),
    }),
    window: nullable(
      Type.Object({
        until: dateTime(),
        qr: Type.String({ description: "Text of the QR code." }),
        code: Type.String({ description: "Eleven digits, for those who cannot scan." }),
      }),
      { description: "Null while nobody can join." },
    ),
    fabrics: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), joinedAt: dateTime() }), {
      description: "Homes that have joined.",
    }),
    pin: oneOf(["unset", "set", "not_asked"], { description: "unset: nothing that lets people in can be shown yet." }),
    shown: Type.Array(Shown),
    most: Type.Integer({ description: "Endpoints that a bridge holds." }),
  },
  { title: "Matter" },
);

const answers = { 200: { description: "As it is now.", schema: answer("matter", Matter, "MatterAnswer") } };

/** `GET /api/matter`. */
export const getMatter = defineRoute({
  method: "GET",
  path: "/api/matter",
  operationId: "getMatter",
  tag: "Matter",
  summary: "Matter: who has joined, what they see, how its process is",
  description: "The bridge to Apple Home, Google Home, Alexa and other homes that speak Matter.",
  access: session,
  proof: "none",
  responses: answers,
});

/** `PUT /api/matter`. */
export const switchMatter = defineRoute({
  method: "PUT",
  path: "/api/matter",
  operationId: "switchMatter",
  tag: "Matter",
  summary: "Switch Matter on or off",
  description: "Takes effect at once. Who has joined stays joined while it is off.",
  access: session,
  proof: "fresh",
  body: Type.Object({ enabled: Type.Boolean() }, { title: "MatterSwitch" }),
  responses: answers,
  problems: ["conflict"],
});

/** `POST /api/matter/takeover`. */
export const takeOverMatter = defineRoute({
  method: "POST",
  path: "/api/matter/takeover",
  operationId: "takeOverMatter",
  tag: "Matter",
  summary: "Use the keys that came with a backup",
  description:
    "After a restore on another box Matter rests: two hubs with the same keys disturb each other. This request states that the other one is off for good.",
  access: session,
  proof: "fresh",
  responses: answers,
});

/** `POST /api/matter/window`. */
export const openMatterWindow = defineRoute({
  method: "POST",
  path: "/api/matter/window",
  operationId: "openMatterWindow",
  tag: "Matter",
  summary: "Let one more home join for some minutes",
  description: "With a new code each time. It closes when somebody has joined, or when its time is over.",
  access: session,
  proof: "fresh",
  body: Type.Object({ minutes: Type.Integer({ minimum: 3, maximum: 15 }) }, { title: "MatterWindow" }),
  responses: answers,
  problems: ["matter_unavailable"],
});

/** `DELETE /api/matter/window`. */
export const closeMatterWindow = defineRoute({
  method: "DELETE",
  path: "/api/matter/window",
  operationId: "closeMatterWindow",
  tag: "Matter",
  summary: "Let nobody join any more",
  description: "The code of the window is void.",
  access: session,
  proof: "none",
  responses: answers,
  problems: ["matter_unavailable"],
});

/** `PUT /api/matter/shown`. */
export const showToMatter = defineRoute({
  method: "PUT",
  path: "/api/matter/shown",
  operationId: "showToMatter",
  tag: "Matter",
  summary: "Show a device or scene to the homes that have joined, or hide it",
  description:
    "Nobody pairs again. To show what lets people in or guards the house needs a fresh proof, and the choice whether opening asks for a PIN.",
  access: session,
  proof: { when: "something is shown", needed: ({ shown }) => shown },
  body: Type.Object(
    { subject: Type.String({ minLength: 1, maxLength: 200 }), shown: Type.Boolean() },
    { title: "MatterChoice" },
  ),
  responses: answers,
  problems: ["not_found", "conflict"],
});

/** `PUT /api/matter/pin`. */
export const setMatterPin = defineRoute({
  method: "PUT",
  path: "/api/matter/pin",
  operationId: "setMatterPin",
  tag: "Matter",
  summary: "Set the PIN that opening by Matter asks for",
  description: "Four to eight digits; null: none is asked for, and every home that has joined opens what is shown.",
  access: session,
  proof: "fresh",
  body: Type.Object({ pin: nullable(Type.String({ maxLength: 20 })) }, { title: "MatterPin" }),
  responses: answers,
  problems: ["conflict"],
});

/** `DELETE /api/matter/fabrics/{id}`. */
export const removeMatterFabric = defineRoute({
  method: "DELETE",
  path: "/api/matter/fabrics/{id}",
  operationId: "removeMatterFabric",
  tag: "Matter",
  summary: "Have a home leave",
  description:
    "It sees and does nothing here any more. In its app the devices are shown as not answering until they are removed there.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: answers,
  problems: ["not_found", "matter_unavailable"],
});
