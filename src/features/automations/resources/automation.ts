/**
 * The automation resource: what callers write (`AutomationInput`, partial on PATCH) and what they read (`Automation`).
 * Unions are discriminated by `type`. Conditions and sequences nest, so two schemas refer to themselves by title:
 * `{ $ref: "AutomationCondition" }` and `{ $ref: "AutomationAction" }` stand for the schemas of that name in
 * {@link AUTOMATION_DEFINITIONS}. A validator registers those under their names; the OpenAPI writer prefixes
 * `#/components/schemas/`. The handler's types are those of the rules (`features/automations/rules/rule.ts`).
 */
import { type TSchema, Type } from "typebox";
import { nullable, text } from "../../../core/api/fields.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";
import type { Action, Condition, MessagePicture, Mode, RunResult, SimpleTrigger, Trigger } from "../rules/rule.ts";
import { comparison, LEVEL_KINDS, oneWord, TRUTH, unionByType, variant } from "./automation-union.ts";

/** Local clock time, 00:00 to 23:59. */
const clockTime = Type.String({
  pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  description: "Local clock time HH:MM, 00:00 to 23:59.",
  examples: ["07:00"],
});
const days = Type.Array(Type.Integer({ minimum: 0, maximum: 7 }), {
  maxItems: 14,
  description: "ISO weekdays: 1 = Monday … 7 = Sunday; 0 is accepted as Sunday too. Empty or absent means every day.",
  examples: [[1, 2, 3, 4, 5]],
});
const deviceId = Type.String({
  minLength: 1,
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  description: "A device of the calling account.",
});
const field = Type.String({
  minLength: 1,
  maxLength: 120,
  description: "A key of the device's state; `a.b` reaches into a nested object.",
});
const person = Type.Integer({ minimum: 1, description: "A person of the household." });
/** Whom a message is for. */
const RECEIVER = "^(owners|person:[1-9][0-9]{0,9})$";
const COUNT_OPERATORS = ["eq", "ne", "gt", "gte", "lt", "lte"] as const;

/** Seconds that a delay, a hold time or a cooldown may last: one year. */
const LONGEST_WAIT_SECONDS = 31_536_000;

const conditionReference = Type.Unsafe<Condition>({ $ref: "AutomationCondition" });
const actionReference = Type.Unsafe<Action>({ $ref: "AutomationAction" });
const wait = (description: string): TSchema => Type.Number({ minimum: 0, maximum: LONGEST_WAIT_SECONDS, description });

const SIMPLE_TRIGGERS: readonly TSchema[] = [
  variant(
    "TimeTrigger",
    "time",
    { at: clockTime, days: Type.Optional(days) },
    "At a local clock time of the site. A time that daylight saving skips runs at the first instant after the gap; a time that comes twice runs once, the first time.",
  ),
  variant(
    "SunTrigger",
    "sun",
    {
      event: oneWord(["sunrise", "sunset"], "Which end of the day."),
      offsetMinutes: Type.Optional(
        Type.Integer({
          minimum: -720,
          maximum: 720,
          description: "Minutes after (before, when negative) the event; 0 by default.",
        }),
      ),
      days: Type.Optional(days),
    },
    "At sunrise or sunset of the site's coordinates. On a day without that event (polar day or night) it does not run.",
  ),
  variant(
    "IntervalTrigger",
    "interval",
    {
      everySeconds: Type.Integer({ minimum: 1, maximum: LONGEST_WAIT_SECONDS, description: "Seconds between runs." }),
    },
    "Again and again, counted from when the rule was made or enabled. After a restart the count goes on; missed turns are not made up for.",
  ),
  comparison("StateTrigger", "state", {
    members: {
      deviceId,
      field,
      forSeconds: Type.Optional(
        wait("Only when it has held this long without a break; survives a restart of the hub."),
      ),
    },
    kinds: [
      {
        ...TRUTH,
        words: ["truthy", "falsy", "changed"],
        description: "Counts as true or as false, or has changed; takes no `value`.",
      },
      ...LEVEL_KINDS,
    ],
    description:
      "A value of a device's state starts to satisfy a comparison (false → true, not on every message); `changed` fires on every change of the value. The first value after a start of the hub is no change.",
  }),
  variant(
    "DeviceTrigger",
    "device",
    { deviceId, event: oneWord(["online", "offline"], "What happened.") },
    "A device goes online or offline.",
  ),
  variant(
    "PlateTrigger",
    "plate",
    {
      deviceId: Type.Optional(deviceId),
      plate: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 20,
          description: "A number plate; spacing, dashes and case do not matter.",
        }),
      ),
      decision: Type.Optional(oneWord(["allow", "deny", "watch", "unknown"], "Only passes with this decision.")),
      direction: Type.Optional(oneWord(["in", "out"], "Only passes in this direction.")),
    },
    "A vehicle passes a camera. Every filter that is given must match; it fires once per pass.",
  ),
  comparison("OccupancyTrigger", "occupancy", {
    members: {},
    kinds: [
      { name: "Change", words: ["changed"], value: null, description: "Fires on every change; takes no `value`." },
      {
        name: "Count",
        words: COUNT_OPERATORS,
        value: Type.Integer({ minimum: 0, description: "Vehicles inside." }),
        description: "Fires when it starts to hold.",
      },
    ],
    description: "The number of vehicles inside starts to satisfy a comparison.",
  }),
  variant(
    "EventTrigger",
    "event",
    { deviceId, kind: Type.String({ minLength: 1, maxLength: 80, description: "The kind that the device sends." }) },
    "A device reports an event.",
  ),
  variant(
    "HouseTrigger",
    "house",
    { becomes: oneWord(HOUSE_MODES, "The mode.") },
    "An addition beyond the contract: the house is set to this mode, having had another.",
  ),
  variant(
    "PresenceTrigger",
    "presence",
    { event: oneWord(["arrives", "leaves"], "What happens."), person: Type.Optional(person) },
    "An addition beyond the contract: a person comes home or leaves; without `person` the first one comes home, or the last one leaves. What is first known of somebody is no change.",
  ),
  comparison("AnyStateTrigger", "any_state", {
    members: {
      field,
      deviceType: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "Only devices of this product type." }),
      ),
      forSeconds: Type.Optional(
        wait("Only when it has held this long at one device without a break; survives a restart of the hub."),
      ),
    },
    kinds: [{ ...TRUTH, words: ["truthy", "falsy"] }, ...LEVEL_KINDS],
    description:
      "An addition beyond the contract: a value of any device of the household starts to satisfy a comparison: a battery below 20 %, whichever it is. Devices that are added later count too.",
  }),
];

/** A rule's trigger. */
const AutomationTrigger = unionByType<Trigger>(
  "AutomationTrigger",
  [
    ...SIMPLE_TRIGGERS,
    variant(
      "AnyTrigger",
      "any",
      {
        triggers: Type.Array(
          unionByType<SimpleTrigger>("AutomationSimpleTrigger", SIMPLE_TRIGGERS, "One of several triggers."),
          { minItems: 1, maxItems: 10 },
        ),
      },
      "An addition beyond the contract: whichever of these triggers comes first.",
    ),
  ],
  "What makes the rule run. An unknown type is refused.",
);

/** A condition for a triggered rule to run. */
const AutomationCondition = unionByType<Condition>(
  "AutomationCondition",
  [
    comparison("StateCondition", "state", {
      members: { deviceId, field },
      kinds: [{ ...TRUTH, words: ["truthy", "falsy"] }, ...LEVEL_KINDS],
      description: "A value of a device's state satisfies a comparison now.",
    }),
    variant(
      "TimeCondition",
      "time",
      { from: clockTime, to: clockTime, days: Type.Optional(days) },
      "Local time is at or after `from` and before `to`; over midnight when `to` is not after `from`. `days` name the day on which the window opened.",
    ),
    variant("DaysCondition", "days", { days }, "Today is one of these days."),
    variant(
      "SunCondition",
      "sun",
      { is: oneWord(["up", "down"], "Above or below the horizon.") },
      "The sun is up or down at the site.",
    ),
    variant(
      "OccupancyCondition",
      "occupancy",
      { op: oneWord(COUNT_OPERATORS, "The comparison."), value: Type.Integer({ minimum: 0 }) },
      "The number of vehicles inside satisfies a comparison.",
    ),
    variant(
      "HouseCondition",
      "house",
      { is: oneWord(HOUSE_MODES, "The mode.") },
      "An addition beyond the contract: the house is set to this mode.",
    ),
    variant(
      "PresenceCondition",
      "presence",
      { is: oneWord(["home", "away"], "Where."), person: Type.Optional(person) },
      "An addition beyond the contract: a person is home or away; without `person` somebody is home, or nobody is. It does not hold where nothing is known.",
    ),
    variant(
      "AllCondition",
      "all",
      { conditions: Type.Array(conditionReference, { maxItems: 50 }) },
      "All of them hold; true when there are none.",
    ),
    variant(
      "AnyCondition",
      "any",
      { conditions: Type.Array(conditionReference, { maxItems: 50 }) },
      "At least one of them holds; false when there are none.",
    ),
    variant("NotCondition", "not", { condition: conditionReference }, "It does not hold."),
  ],
  "What must hold for the rule to run. Groups nest up to eight deep.",
);

/** An action of a rule. */
const AutomationAction = unionByType<Action>(
  "AutomationAction",
  [
    variant(
      "CommandAction",
      "command",
      {
        deviceId,
        command: Type.Object(
          {},
          {
            additionalProperties: true,
            description: "Any JSON object, forwarded unchanged, as for the command endpoint.",
          },
        ),
      },
      "Sends a command to a device.",
    ),
    variant(
      "NotifyAction",
      "notify",
      {
        title: text(120),
        body: Type.String({ maxLength: 2000 }),
        to: Type.Optional(
          Type.Array(Type.String({ pattern: RECEIVER, examples: ["owners", "person:2"] }), {
            minItems: 1,
            maxItems: 20,
            description:
              "An addition beyond the contract: whom it is for, `owners` or `person:ID`. Everybody in the household unless given. Besides them, only the owners find it in the activity feed.",
          }),
        ),
        picture: Type.Optional(
          unionByType<MessagePicture>(
            "AutomationPicture",
            [
              variant("ReadPicture", "read", {}, "Of the plate read that set the rule off."),
              variant("CameraPicture", "camera", { deviceId }, "What a camera shows at that moment."),
            ],
            "An addition beyond the contract: the picture that it carries. Needs the scope plates:read.",
          ),
        ),
      },
      "Puts a message into the activity feed, and, unless it is for some persons only, on the notification receiver of the LAN when one is configured.",
    ),
    variant(
      "ActivateSceneAction",
      "scene",
      { sceneId: Type.Integer({ minimum: 1 }) },
      "Activates a scene of the account.",
    ),
    variant(
      "SetHouseAction",
      "house",
      { mode: oneWord(HOUSE_MODES, "The mode.") },
      "An addition beyond the contract: sets the house to a mode.",
    ),
    variant(
      "DelayAction",
      "delay",
      { seconds: wait("How long to wait; survives a restart of the hub.") },
      "Waits. What follows in the sequence goes on afterwards.",
    ),
    variant(
      "SequenceAction",
      "sequence",
      { actions: Type.Array(actionReference, { minItems: 1, maxItems: 50 }) },
      "Several actions in order.",
    ),
    variant(
      "EitherAction",
      "either",
      { do: actionReference, otherwise: actionReference },
      "An addition beyond the contract, as a rule's whole action: `do` where the conditions hold, else `otherwise`.",
    ),
  ],
  "What the rule does. Sequences nest up to eight deep.",
);

/** The schemas that refer to themselves, by the name used in their references. */
export const AUTOMATION_DEFINITIONS = { AutomationCondition, AutomationAction } as const;

const inputMembers = {
  name: text(120),
  enabled: Type.Boolean({ description: "Whether it runs; true unless given." }),
  trigger: AutomationTrigger,
  conditions: Type.Array(conditionReference, {
    maxItems: 50,
    description: "All must hold at the moment of the trigger; none unless given.",
  }),
  action: AutomationAction,
  mode: Type.Unsafe<Mode>({
    type: "string",
    enum: ["single", "restart", "queued", "parallel"],
    description:
      "When it triggers while a run still waits in a delay: single (unless given) ignores it, restart begins anew, queued runs it afterwards (at most 10 wait), parallel runs beside it (at most 10).",
  }),
  cooldownSeconds: Type.Integer({
    minimum: 0,
    maximum: LONGEST_WAIT_SECONDS,
    description: "Least time between two runs; 0 unless given.",
  }),
};

/** Body of POST /v1/automations. */
export const AutomationInput = Type.Object(
  {
    name: inputMembers.name,
    enabled: Type.Optional(inputMembers.enabled),
    trigger: inputMembers.trigger,
    conditions: Type.Optional(inputMembers.conditions),
    action: inputMembers.action,
    mode: Type.Optional(inputMembers.mode),
    cooldownSeconds: Type.Optional(inputMembers.cooldownSeconds),
  },
  { title: "AutomationInput", additionalProperties: false },
);

const ignored = Type.Optional(Type.Unknown({ readOnly: true, description: "Taken from an answer: ignored." }));

/**
 * Members of a rule that only the hub writes. A change may carry them, so that a rule that was read can be sent back.
 */
export const READ_ONLY_MEMBERS = [
  "id",
  "lastTriggeredAt",
  "lastResult",
  "createdAt",
  "updatedAt",
  "author",
  "etag",
] as const;

/**
 * Body of PATCH /v1/automations/{id}: at least one member that can be changed; each replaces the stored one whole, and
 * the result is checked as a whole.
 */
export const AutomationPatch = Type.Object(
  {
    name: Type.Optional(text(120)),
    enabled: Type.Optional(Type.Boolean()),
    trigger: Type.Optional(inputMembers.trigger),
    conditions: Type.Optional(Type.Array(conditionReference, { maxItems: 50 })),
    action: Type.Optional(inputMembers.action),
    mode: Type.Optional(Type.Unsafe<Mode>({ type: "string", enum: ["single", "restart", "queued", "parallel"] })),
    cooldownSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_WAIT_SECONDS })),
    ...Object.fromEntries(READ_ONLY_MEMBERS.map((member) => [member, ignored])),
  },
  { title: "AutomationPatch", minProperties: 1, additionalProperties: false },
);

const dateTimeOrNull = Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time" });

/** A rule as the API returns it; every member is always there. */
export const Automation = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    enabled: Type.Boolean(),
    trigger: inputMembers.trigger,
    conditions: Type.Array(conditionReference),
    action: inputMembers.action,
    mode: Type.Unsafe<Mode>({ type: "string", enum: ["single", "restart", "queued", "parallel"] }),
    cooldownSeconds: Type.Integer(),
    lastTriggeredAt: Type.Unsafe<string | null>({ ...dateTimeOrNull, description: "When it last began to run." }),
    lastResult: Type.Unsafe<RunResult | null>({
      type: ["string", "null"],
      enum: ["ok", "failed", "stopped", "paused", null],
      description:
        "How its last run ended; paused: the hub switched it off because it ran more than 60 times in a minute.",
    }),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
    etag: Type.String({
      description:
        "For `If-Match`, with its quotes: names what can be edited in the rule. A run of the rule does not change it.",
      examples: ['"0kYz1n0pWcT7sQ"'],
    }),
    author: Type.Optional(
      nullable(
        Type.Object(
          {
            keyId: Type.Integer(),
            name: Type.String(),
            mayRun: Type.Boolean({ description: "While it may not, the rule does not run." }),
          },
          {
            title: "AutomationAuthor",
            description: "The key that wrote a rule, and whether it may do all that the rule does.",
          },
        ),
        { description: "The key that wrote it. Null: the household itself. For signed-in owners only." },
      ),
    ),
  },
  { title: "Automation" },
);
