import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import {
  dryRunAutomation,
  duplicateAutomation,
  exportAutomations,
  importAutomations,
  listNextTriggers,
  listTraces,
  pauseAutomation,
  previewAutomation,
  runAutomation,
} from "../api/console-automations.ts";
import type { Automations } from "../automations.ts";
import type { Preview } from "../preview.ts";
import { authorOf, shownAutomation } from "./automations.ts";

/** What the management of automations asks of the hub. */
export type AutomationManagement = Pick<
  Automations,
  | "traces"
  | "nextTurns"
  | "pauses"
  | "pauseUntil"
  | "runNow"
  | "dryRun"
  | "preview"
  | "duplicate"
  | "exportRules"
  | "importRules"
>;

/** Traces, trial runs, copies, and rules as a document. */
export function automationManagementRoutes(automations: AutomationManagement): BoundRoute[] {
  return [
    bind(listTraces, async ({ caller, params }) => {
      const traces = await automations.traces(caller.siteId, params.id);
      return { status: 200, body: { traces: traces.map((trace) => ({ ...trace, at: isoTime(trace.at) })) } };
    }),
    bind(listNextTriggers, ({ caller }) => ({
      status: 200,
      body: {
        next: automations.nextTurns(caller.siteId).map(({ id, at }) => ({ id, at: isoTime(at) })),
        paused: automations.pauses(caller.siteId).map(({ id, until }) => ({ id, until: isoTime(until) })),
      },
    })),
    bind(pauseAutomation, async ({ caller, params, body }) => {
      const until = body.until === null ? null : Date.parse(body.until);
      await automations.pauseUntil(caller.siteId, params.id, until, authorOf(caller));
      return { status: 200, body: { pausedUntil: isoTimeOrNull(until) } };
    }),
    bind(runAutomation, ({ caller, params }) => {
      const verdict = automations.runNow(caller.siteId, params.id, caller.actor);
      return {
        status: 202,
        body: { started: verdict.started, queued: !verdict.started, runId: verdict.started ? verdict.runId : null },
      };
    }),
    bind(dryRunAutomation, ({ caller, params, body }) => {
      const given = {
        ...(body.sample === undefined ? {} : { sample: body.sample }),
        ...(body.at === undefined ? {} : { at: Date.parse(body.at) }),
      };
      return { status: 200, body: { dryRun: automations.dryRun(caller.siteId, params.id, given) } };
    }),
    bind(previewAutomation, async ({ caller, body }) => ({
      status: 200,
      body: { preview: shownPreview(await automations.preview(caller.siteId, body)) },
    })),
    bind(duplicateAutomation, async ({ caller, params }) => ({
      status: 201,
      body: {
        automation: shownAutomation(await automations.duplicate(caller.siteId, params.id, authorOf(caller)), caller),
      },
    })),
    bind(exportAutomations, ({ caller }) => ({ status: 200, body: automations.exportRules(caller.siteId) })),
    bind(importAutomations, async ({ caller, body }) => ({
      status: 201,
      body: {
        automations: (await automations.importRules(caller.siteId, body, authorOf(caller))).map((rule) =>
          shownAutomation(rule, caller),
        ),
      },
    })),
  ];
}

function shownPreview({ trigger, now, sunrise, sunset, ...preview }: Preview) {
  return {
    ...preview,
    trigger: { ...trigger, next: isoTimeOrNull(trigger.next) },
    now: isoTimeOrNull(now),
    sunrise: isoTimeOrNull(sunrise),
    sunset: isoTimeOrNull(sunset),
  };
}
