import { HOUSE_MODES } from "../../../core/api/house.ts";
import type { BlockType, Member } from "./block-editor.tsx";

const device: Member = { key: "deviceId", kind: "device", label: "block.device" };
const days: Member = { key: "days", kind: "days", label: "block.days" };
const state: readonly Member[] = [
  device,
  { key: "field", kind: "field", label: "block.field" },
  { key: "op", kind: "op", label: "block.op" },
  { key: "value", kind: "value", label: "block.value" },
];

const person: Member = { key: "person", kind: "person", label: "block.person", optional: true };
const MODES: NonNullable<Member["choices"]> = HOUSE_MODES.map((mode) => [mode, `houseMode.${mode}`] as const);

/** The triggers of a rule. */
export const TRIGGERS: readonly BlockType[] = [
  {
    type: "time",
    label: "trigger.time",
    members: [{ key: "at", kind: "time", label: "block.at" }, days],
    fresh: { at: "07:00", days: [] },
  },
  {
    type: "sun",
    label: "trigger.sun",
    members: [
      {
        key: "event",
        kind: "choice",
        label: "block.event",
        choices: [
          ["sunrise", "sun.sunrise"],
          ["sunset", "sun.sunset"],
        ],
      },
      { key: "offsetMinutes", kind: "offset", label: "block.offset" },
      days,
    ],
    fresh: { event: "sunset", offsetMinutes: 0, days: [] },
  },
  {
    type: "state",
    label: "trigger.state",
    members: [...state, { key: "forSeconds", kind: "duration", label: "block.forSeconds", optional: true }],
    fresh: { deviceId: "", field: "power", op: "truthy" },
  },
  {
    type: "any_state",
    label: "trigger.any_state",
    members: [
      { key: "deviceType", kind: "deviceType", label: "tap.whichDevices", optional: true },
      ...state.filter(({ kind }) => kind !== "device"),
      { key: "forSeconds", kind: "duration", label: "block.forSeconds", optional: true },
    ],
    fresh: { field: "battery", op: "lt", value: 20 },
  },
  {
    type: "device",
    label: "trigger.device",
    members: [
      device,
      {
        key: "event",
        kind: "choice",
        label: "block.event",
        choices: [
          ["online", "device.online"],
          ["offline", "device.offline"],
        ],
      },
    ],
    fresh: { deviceId: "", event: "offline" },
  },
  {
    type: "plate",
    label: "trigger.plate",
    members: [
      { key: "deviceId", kind: "camera", label: "rules.camera", optional: true },
      { key: "plate", kind: "text", label: "read.plate", optional: true },
      {
        key: "decision",
        kind: "choice",
        label: "block.decision",
        optional: true,
        choices: [
          ["allow", "decision.allow"],
          ["deny", "decision.deny"],
          ["watch", "decision.watch"],
          ["unknown", "decision.unknown"],
        ],
      },
      {
        key: "direction",
        kind: "choice",
        label: "block.direction",
        optional: true,
        choices: [
          ["in", "read.in"],
          ["out", "read.out"],
        ],
      },
    ],
    fresh: { decision: "allow" },
  },
  {
    type: "occupancy",
    label: "trigger.occupancy",
    members: [
      { key: "op", kind: "countOp", label: "block.op" },
      { key: "value", kind: "value", label: "block.value" },
    ],
    fresh: { op: "gte", value: 1 },
  },
  {
    type: "house",
    label: "trigger.house",
    members: [{ key: "becomes", kind: "choice", label: "block.mode", choices: MODES }],
    fresh: { becomes: "away" },
  },
  {
    type: "presence",
    label: "trigger.presence",
    members: [
      person,
      {
        key: "event",
        kind: "choice",
        label: "block.event",
        choices: [
          ["arrives", "presence.arrives"],
          ["leaves", "presence.leaves"],
        ],
      },
    ],
    fresh: { event: "leaves" },
  },
  {
    type: "event",
    label: "trigger.event",
    members: [device, { key: "kind", kind: "text", label: "block.kind" }],
    fresh: { deviceId: "", kind: "" },
  },
  {
    type: "interval",
    label: "trigger.interval",
    members: [{ key: "everySeconds", kind: "duration", label: "block.everySeconds" }],
    fresh: { everySeconds: 600 },
  },
];

/** The conditions of a rule; the list itself edits groups. */
export const CONDITIONS: readonly BlockType[] = [
  { type: "state", label: "condition.state", members: state, fresh: { deviceId: "", field: "power", op: "truthy" } },
  {
    type: "time",
    label: "condition.time",
    members: [{ key: "from", kind: "time", label: "block.from" }, { key: "to", kind: "time", label: "block.to" }, days],
    fresh: { from: "22:00", to: "06:00" },
  },
  { type: "days", label: "condition.days", members: [days], fresh: { days: [6, 7] } },
  {
    type: "sun",
    label: "condition.sun",
    members: [
      {
        key: "is",
        kind: "choice",
        label: "block.sunIs",
        choices: [
          ["up", "sun.up"],
          ["down", "sun.down"],
        ],
      },
    ],
    fresh: { is: "down" },
  },
  {
    type: "occupancy",
    label: "condition.occupancy",
    members: [
      { key: "op", kind: "countOp", label: "block.op" },
      { key: "value", kind: "value", label: "block.value" },
    ],
    fresh: { op: "eq", value: 0 },
  },
  {
    type: "house",
    label: "condition.house",
    members: [{ key: "is", kind: "choice", label: "block.mode", choices: MODES }],
    fresh: { is: "night" },
  },
  {
    type: "presence",
    label: "condition.presence",
    members: [
      person,
      {
        key: "is",
        kind: "choice",
        label: "block.event",
        choices: [
          ["home", "presence.isHome"],
          ["away", "presence.isAway"],
        ],
      },
    ],
    fresh: { is: "home" },
  },
  { type: "any", label: "condition.any", members: [], fresh: { conditions: [] } },
  { type: "all", label: "condition.all", members: [], fresh: { conditions: [] } },
  { type: "not", label: "condition.not", members: [], fresh: { condition: { type: "sun", is: "up" } } },
];

/** The actions of a rule. */
export const ACTIONS: readonly BlockType[] = [
  {
    type: "command",
    label: "do.command",
    members: [device, { key: "command", kind: "command", label: "block.command" }],
    fresh: { deviceId: "", command: { power: true } },
  },
  {
    type: "notify",
    label: "do.notify",
    members: [
      { key: "title", kind: "message", label: "block.title" },
      { key: "to", kind: "whom", label: "tap.whom" },
      { key: "picture", kind: "picture", label: "tap.withPicture" },
    ],
    fresh: { title: "", body: "" },
  },
  {
    type: "scene",
    label: "do.scene",
    members: [{ key: "sceneId", kind: "scene", label: "block.scene" }],
    fresh: { sceneId: 0 },
  },
  {
    type: "house",
    label: "do.house",
    members: [{ key: "mode", kind: "choice", label: "block.mode", choices: MODES }],
    fresh: { mode: "away" },
  },
  {
    type: "delay",
    label: "do.delay",
    members: [{ key: "seconds", kind: "duration", label: "block.seconds" }],
    fresh: { seconds: 60 },
  },
  { type: "sequence", label: "do.sequence", members: [], fresh: { actions: [] } },
];
