import { Type } from "typebox";
import { answer, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, freeObject, integerId, nullable, oneOf, words } from "../../../core/api/fields.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Automation } from "../resources/automation.ts";
import type { Action, Condition, LeafCondition } from "../rules/rule.ts";

const OneAutomation = answer("automation", Automation, "AutomationAnswer");
const deviceId = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

const Cause = Type.Object(
  {
    automationId: integerId(),
    name: Type.String(),
    runId: Type.String(),
    opensNothing: Type.Optional(
      Type.Literal(true, { description: "Its run opened nothing; what it leads to does not, either." }),
    ),
  },
  { title: "AutomationCause" },
);

const StepTrace = Type.Object(
  {
    type: oneOf(["command", "notify", "scene", "house", "delay"]),
    what: Type.String({ description: "Device id, scene id, mode, message title or seconds." }),
    result: oneOf(["sent", "failed", "waited", "skipped_late"], {
      description:
        "skipped_late: a gate or a lock is left alone when its command would come more than five seconds late.",
    }),
    error: Type.Optional(Type.String()),
    words: words(),
  },
  { title: "AutomationStep" },
);

const Trace = Type.Object(
  {
    at: dateTime(),
    outcome: oneOf(["ran", "waiting", "not_run", "stopped"]),
    trigger: freeObject({ description: "What set it off, in the trigger's own words." }),
    runId: Type.Optional(Type.String()),
    reason: Type.Optional(
      oneOf(
        [
          "condition",
          "cooldown",
          "busy",
          "queue_full",
          "loop",
          "chain_too_deep",
          "author",
          "rate",
          "missed",
          "hold_ended",
          "restarted",
          "disabled",
          "paused",
        ],
        {
          description: "Why it did not run, or ended early.",
        },
      ),
    ),
    decidedBy: Type.Optional(nullable(freeObject<Condition>(), { description: "The condition that decided." })),
    saw: Type.Optional(Type.Unknown({ description: "The value that decided." })),
    result: Type.Optional(oneOf(["ok", "failed", "stopped", "paused"])),
    steps: Type.Optional(Type.Array(StepTrace)),
    causes: Type.Optional(Type.Array(Cause, { description: "The rules that led here, oldest first." })),
    shortened: Type.Optional(Type.Boolean({ description: "Parts were left out to keep it within 4 KiB." })),
  },
  { title: "AutomationTrace" },
);

/** `GET /api/automations/{id}/traces`. */
export const listTraces = defineRoute({
  method: "GET",
  path: "/api/automations/{id}/traces",
  operationId: "listAutomationTraces",
  tag: "Automations",
  summary: "What a rule did, and what it considered and did not do",
  description: "Newest first, at most 50.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: {
    200: { description: "The traces.", schema: answer("traces", Type.Array(Trace), "AutomationTraceList") },
  },
  problems: ["automation_not_found"],
});

/** `GET /api/automations/next`. */
export const listNextTriggers = defineRoute({
  method: "GET",
  path: "/api/automations/next",
  operationId: "listNextTriggers",
  tag: "Automations",
  summary: "When rules that are started by time come next",
  description: "Of those that are on. Whether a rule then runs is for its conditions, and for its pause.",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "By rule; those that wait for something else are not listed.",
      schema: Type.Object(
        {
          next: Type.Array(Type.Object({ id: integerId(), at: dateTime() }, { title: "NextTrigger" })),
          paused: Type.Array(Type.Object({ id: integerId(), until: dateTime() }, { title: "PausedRule" }), {
            description: "Rules that nothing starts before then.",
          }),
        },
        { ...closed, title: "NextTriggerList" },
      ),
    },
  },
});

/** `POST /api/automations/{id}/pause`. */
export const pauseAutomation = defineRoute({
  method: "POST",
  path: "/api/automations/{id}/pause",
  operationId: "pauseAutomation",
  tag: "Automations",
  summary: "Pause a rule until a moment, or end its pause",
  description:
    "Until then nothing starts it; afterwards it is on as before. Runs that have begun go on, those that wait in its queue are left out. Switching it on or off ends the pause.",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    { until: nullable(dateTime(), { description: "In the future, at most a year away. Null ends the pause." }) },
    { ...closed, title: "AutomationPauseInput" },
  ),
  responses: {
    200: {
      description: "Until when it is paused.",
      schema: answer("pausedUntil", nullable(dateTime()), "AutomationPause"),
    },
  },
  problems: ["automation_not_found", "invalid_body", "conflict"],
});

/** `POST /api/automations/{id}/run`. */
export const runAutomation = defineRoute({
  method: "POST",
  path: "/api/automations/{id}/run",
  operationId: "runAutomation",
  tag: "Automations",
  summary: "Run a rule now",
  description:
    "Whatever its trigger and its conditions say, and even when it is switched off. Its mode holds: 409 when a run of it waits and no other is allowed.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: {
    202: {
      description: "It runs, or waits behind the run before it.",
      schema: Type.Object(
        { started: Type.Boolean(), queued: Type.Boolean(), runId: nullable(Type.String()) },
        { ...closed, title: "AutomationRun" },
      ),
    },
  },
  problems: ["automation_not_found", "conflict"],
});

const jsonObject = freeObject();
const SampleEvent = Type.Union(
  [
    Type.Object({ type: Type.Literal("state"), deviceId, previous: jsonObject, state: jsonObject }, closed),
    Type.Object({ type: Type.Literal("device"), deviceId, event: oneOf(["online", "offline"]) }, closed),
    Type.Object(
      {
        type: Type.Literal("plate"),
        deviceId,
        plate: nullable(Type.String({ maxLength: 20 })),
        decision: oneOf(["allow", "deny", "watch", "unknown"]),
        direction: nullable(oneOf(["in", "out"])),
      },
      closed,
    ),
    Type.Object(
      { type: Type.Literal("occupancy"), inside: Type.Integer({ minimum: 0 }), previous: Type.Integer({ minimum: 0 }) },
      closed,
    ),
    Type.Object({ type: Type.Literal("house"), mode: oneOf(HOUSE_MODES) }, closed),
    Type.Object(
      {
        type: Type.Literal("presence"),
        person: integerId(),
        event: oneOf(["arrives", "leaves"]),
        homeBefore: Type.Integer({ minimum: 0, description: "How many are home before." }),
      },
      closed,
    ),
    Type.Object({ type: Type.Literal("event"), deviceId, kind: Type.String({ maxLength: 80 }) }, closed),
  ],
  { description: "What might happen. Absent: the rule's own trigger is taken to have fired." },
);

const DryRun = Type.Object(
  {
    triggers: Type.Boolean({ description: "Whether the sample is what the trigger waits for." }),
    conditionsHold: Type.Boolean(),
    wouldRun: Type.Boolean(),
    conditions: Type.Array(
      Type.Object({
        condition: freeObject<Condition>(),
        holds: Type.Boolean(),
        saw: Type.Unknown({ description: "The value that decided." }),
      }),
    ),
    steps: Type.Array(Type.Object({ step: freeObject<Action>(), note: nullable(Type.String()) })),
    nextRuns: Type.Array(dateTime(), { description: "The next times of a wall-clock trigger." }),
  },
  { title: "AutomationDryRun" },
);

/** `POST /api/automations/{id}/dry-run`. */
export const dryRunAutomation = defineRoute({
  method: "POST",
  path: "/api/automations/{id}/dry-run",
  operationId: "dryRunAutomation",
  tag: "Automations",
  summary: "What a rule would do",
  description: "Plays the rule through with a chosen trigger and moment. Nothing is sent.",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    { sample: Type.Optional(SampleEvent), at: Type.Optional(Type.String({ format: "date-time" })) },
    { ...closed, title: "AutomationDryRunInput" },
  ),
  responses: {
    200: {
      description: "What would happen, with the values that decide.",
      schema: answer("dryRun", DryRun, "AutomationDryRunAnswer"),
    },
  },
  problems: ["automation_not_found"],
});

const judged = {
  holds: nullable(Type.Boolean(), { description: "Null: not whole yet, or nothing that holds at a moment." }),
  saw: Type.Unknown({ description: "The value that it saw, or why it could not be judged; null where there is none." }),
};

const Preview = Type.Object(
  {
    holds: nullable(Type.Boolean(), {
      description: "Whether all conditions hold; null while one of them is not whole.",
    }),
    decidedBy: nullable(freeObject<LeafCondition>(), { description: "The condition that decided it." }),
    saw: judged.saw,
    conditions: Type.Array(
      Type.Object(
        { at: Type.String({ description: "JSON pointer, such as `/conditions/0/conditions/1`." }), ...judged },
        { title: "JudgedCondition" },
      ),
      { description: "Every condition, those within groups too." },
    ),
    trigger: Type.Object(
      { ...judged, next: nullable(dateTime(), { description: "When it comes next by the clock." }) },
      { title: "JudgedTrigger" },
    ),
    now: nullable(dateTime(), { description: "Null while the time is not known." }),
    timeZone: Type.String(),
    sunrise: nullable(dateTime(), {
      description: "Of today. Null where the place is not known, or where there is none.",
    }),
    sunset: nullable(dateTime()),
  },
  { title: "AutomationPreview" },
);

/** `POST /api/automations/preview`. */
export const previewAutomation = defineRoute({
  method: "POST",
  path: "/api/automations/preview",
  operationId: "previewAutomation",
  tag: "Automations",
  summary: "How a rule that is still being written stands now",
  description:
    "Its conditions and its trigger are judged as the engine judges them. What is not whole yet is left out. Nothing is sent or kept.",
  access: session,
  proof: "none",
  body: Type.Object(
    { trigger: Type.Optional(freeObject()), conditions: Type.Optional(Type.Array(freeObject(), { maxItems: 50 })) },
    { ...closed, title: "AutomationDraft" },
  ),
  responses: {
    200: {
      description: "What holds, with the values that decide.",
      schema: answer("preview", Preview, "AutomationPreviewAnswer"),
    },
  },
});

/** `POST /api/automations/{id}/duplicate`. */
export const duplicateAutomation = defineRoute({
  method: "POST",
  path: "/api/automations/{id}/duplicate",
  operationId: "duplicateAutomation",
  tag: "Automations",
  summary: "Copy a rule",
  description: "The copy is switched off.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 201: { description: "The copy.", schema: OneAutomation } },
  problems: ["automation_not_found", "device_not_owned", "unknown_scene", "limit_reached"],
});

const Exported = Type.Object(
  {
    format: Type.Literal("gatehouse-automations"),
    version: Type.Literal(1),
    automations: Type.Array(jsonObject, { maxItems: 500 }),
  },
  { title: "ExportedAutomations" },
);

/** `GET /api/automations/export`. */
export const exportAutomations = defineRoute({
  method: "GET",
  path: "/api/automations/export",
  operationId: "exportAutomations",
  tag: "Automations",
  summary: "All rules as one JSON document",
  access: session,
  proof: "none",
  responses: { 200: { description: "The document; the import takes it.", schema: Exported } },
});

/** `POST /api/automations/import`. */
export const importAutomations = defineRoute({
  method: "POST",
  path: "/api/automations/import",
  operationId: "importAutomations",
  tag: "Automations",
  summary: "Add the rules of an exported document",
  description: "All or none.",
  access: session,
  proof: "none",
  body: freeObject({ description: "A document of the export." }),
  maxBodyBytes: 1_048_576,
  responses: {
    201: { description: "The new rules.", schema: answer("automations", Type.Array(Automation), "AutomationList") },
  },
  problems: ["invalid_body", "device_not_owned", "unknown_scene", "invalid_plate", "limit_reached"],
});
