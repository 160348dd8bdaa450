/**
 * What `GET /v1/stream` sends: its events by name, with the fact that each is made from and the shape of its `data`.
 * The envelope is that of a webhook's delivery.
 */
import { type Static, type TSchema, Type } from "typebox";
import { OPENING_REASONS, OPENING_RESULTS, QUESTION_STATES } from "../plates/opening.ts";
import type { Facts } from "./facts.ts";
import { dateTime, freeObject, integerId, nullable, oneOf } from "./fields.ts";
import { COMMAND_REASONS, COMMAND_STATUSES } from "./resources/command.ts";

/** One kind of event of the stream. */
interface StreamEventSpec {
  /** The facts it is made from; a caller that may receive those receives the event. */
  readonly fact: keyof Facts;
  readonly description: string;
  readonly data: TSchema;
}

const Words = { kind: Type.String(), title: Type.String(), body: Type.String() };

/** Every event of the stream by name. */
const EVENTS = {
  "device.state": {
    fact: "device.changed",
    description: "A device's state has changed.",
    data: Type.Object(
      {
        state: freeObject({ description: "The whole state after the change." }),
        changed: Type.Array(Type.String()),
        previous: freeObject({ description: "What the changed keys held before." }),
        source: oneOf(["device", "api", "console", "scene", "automation"]),
      },
      { title: "StreamedState" },
    ),
  },
  "device.online": {
    fact: "device.presence",
    description: "A device is there, at once: a webhook tells it once the device stays.",
    data: Type.Object({ online: Type.Literal(true) }, { title: "StreamedOnline" }),
  },
  "device.offline": {
    fact: "device.presence",
    description: "A device has gone.",
    data: Type.Object({ online: Type.Literal(false) }, { title: "StreamedOffline" }),
  },
  "device.telemetry": {
    fact: "device.telemetry",
    description: "The newest sample of a message.",
    data: Type.Object({ at: dateTime(), data: freeObject() }, { title: "StreamedSample" }),
  },
  "device.event": {
    fact: "device.event",
    description: "A device said something, such as that its bell was rung.",
    data: Type.Object(Words, { title: "StreamedDeviceEvent" }),
  },
  "device.edited": {
    fact: "device.edited",
    description: "A device was added, removed, or its name, room or favourite mark changed: read it again.",
    data: Type.Object({ what: oneOf(["added", "edited", "removed"]) }, { title: "StreamedEdit" }),
  },
  "command.changed": {
    fact: "command.changed",
    description: "A command was sent, acknowledged, or came to nothing. With `devices:control` alone: one's own.",
    data: Type.Object(
      { commandId: integerId(), status: oneOf(COMMAND_STATUSES), reason: nullable(oneOf(COMMAND_REASONS)) },
      { title: "StreamedCommand" },
    ),
  },
  "plate.read": {
    fact: "read.decided",
    description: "A camera has seen a vehicle. `firstOfPass` is false where a further frame only made a read surer.",
    data: Type.Object(
      {
        readId: integerId(),
        plate: nullable(Type.String()),
        decision: oneOf(["allow", "deny", "watch", "unknown"]),
        direction: nullable(oneOf(["in", "out"])),
        status: oneOf(["recognised", "unrecognised"]),
        firstOfPass: Type.Boolean(),
      },
      { title: "StreamedPlateRead" },
    ),
  },
  "gate.opening": {
    fact: "gate.opening",
    description:
      "A gate or lock was told to open, or opened by itself (`by` is `device`: a button on the wall, a remote control). Told again when more is known of it.",
    data: Type.Object(
      {
        openingId: integerId(),
        readId: nullable(integerId(), { description: "The plate read that it was for." }),
        by: oneOf(["person", "key", "automation", "scene", "plate", "device", "hub"]),
        name: nullable(Type.String(), { description: "Of the person, the key, the rule or the scene." }),
        result: oneOf(OPENING_RESULTS),
        reason: nullable(oneOf(OPENING_REASONS)),
      },
      { title: "StreamedOpening" },
    ),
  },
  "gate.question": {
    fact: "gate.question",
    description:
      "Somebody is asked whether a vehicle may come in (`asked`), or there is an answer. `deviceId` is the camera. Needs `gate:confirm`.",
    data: Type.Object(
      { questionId: Type.String(), readId: integerId(), state: oneOf(QUESTION_STATES) },
      { title: "StreamedGateQuestion" },
    ),
  },
  "visit.changed": {
    fact: "visit.changed",
    description: "A vehicle has come or gone.",
    data: Type.Object(
      { visitId: integerId(), plate: Type.String(), status: Type.String() },
      { title: "StreamedVisit" },
    ),
  },
  "occupancy.changed": {
    fact: "occupancy.changed",
    description: "More or fewer vehicles are on the site.",
    data: Type.Object({ inside: Type.Integer(), previous: Type.Integer() }, { title: "StreamedOccupancy" }),
  },
  "feed.added": {
    fact: "feed.added",
    description: "The activity feed has a new item.",
    data: Type.Object({ itemId: integerId(), ...Words }, { title: "StreamedFeedItem" }),
  },
  "scene.activated": {
    fact: "scene.activated",
    description: "A scene was run.",
    data: Type.Object({ sceneId: integerId(), name: Type.String() }, { title: "StreamedScene" }),
  },
} as const satisfies Readonly<Record<string, StreamEventSpec>>;

/** Name of an event of the stream. */
export type StreamEventName = keyof typeof EVENTS;

/** The events of the stream in the order of the reference. */
export const STREAM_EVENTS: Readonly<Record<StreamEventName, StreamEventSpec>> = EVENTS;

/** Their names. */
export const STREAM_EVENT_NAMES = Object.keys(EVENTS) as readonly StreamEventName[]; // keys of a literal object

/** `data` of an event. */
export type StreamData<Name extends StreamEventName> = Static<(typeof EVENTS)[Name]["data"]>;

/** Why a reader has to load everything again. */
export const GAP_REASONS = ["too_old", "restarted", "unknown_id"] as const;

const envelope = <const Name extends string, Data extends TSchema>(title: string, event: Name, data: Data) =>
  Type.Object(
    {
      id: Type.String({ description: "Position in the stream, as in the `id` line." }),
      event: Type.Literal(event),
      deviceId: nullable(Type.String()),
      data,
      at: dateTime(),
    },
    { title },
  );

/** The two events about the stream itself; no filter leaves them out. */
const STREAM_CONTROL = {
  "stream.ready": envelope(
    "StreamReady",
    "stream.ready",
    Type.Object({ resumed: Type.Boolean() }, { title: "StreamReadyData" }),
  ),
  "stream.gap": envelope(
    "StreamGap",
    "stream.gap",
    Type.Object(
      { reason: oneOf(GAP_REASONS), types: Type.Array(Type.String(), { description: "Events that may be missing." }) },
      { title: "StreamGapData" },
    ),
  ),
} as const;

const titled = (name: string): string =>
  `Stream${name
    .split(".")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")}`;

/** Every event with its envelope, for the description. */
export const STREAM_SCHEMAS: Readonly<Record<string, TSchema>> = {
  ...STREAM_CONTROL,
  ...Object.fromEntries(
    STREAM_EVENT_NAMES.map((name) => [name, envelope(titled(name), name, STREAM_EVENTS[name].data)]),
  ),
};
