import type { JobRunner } from "../../core/jobs/jobs.ts";
import type { Service, StopStage } from "../../core/kernel/service.ts";
import type { Reserve } from "../../core/storage/reserve.ts";
import type { HubParts } from "./parts.ts";
import type { WebParts } from "./web.ts";

/** The parts that run, with those that only a whole hub has. */
interface RunningParts extends HubParts {
  readonly web: WebParts;
}

/** Parts that only the hub itself uses. */
export interface OwnParts {
  readonly reserve: Reserve;
  /** Whether the database still knows the hub's owner. */
  readonly owner: Service;
  /** After an upgrade, before anything can open a gate. */
  readonly openingConfidence: Service;
  readonly jobs: JobRunner;
  readonly firstUse: Service;
}

/** Every running part, in flow order: consumers of data come after those who store it. */
export function startOrder(
  hub: RunningParts,
  { reserve, owner, openingConfidence, jobs, firstUse }: OwnParts,
): Service[] {
  const { registry, state, presence, commands } = hub.devices;
  const { registry: hooks, outbox, deliverer } = hub.webhooks;
  return [
    hub.database,
    owner,
    reserve,
    openingConfidence,
    hub.trust,
    hub.access.revocations, // before anything is loaded that it ends
    hub.access.keys,
    hub.access.watch,
    hooks,
    outbox,
    registry,
    state,
    presence,
    commands,
    hub.series.memory,
    hub.telemetry,
    hub.plates.openings,
    hub.plates.questions,
    hub.plates.following,
    hub.plates.cameras, // seals passwords before the cameras are asked for their sources
    ...hub.recognition.services,
    hub.automations,
    hub.bridge.clients,
    hub.bridge.core,
    hub.access.grants, // before anybody is let in
    hub.broker,
    hub.bridge.presence,
    ...hub.outside.services,
    ...hub.estate.services,
    ...hub.series.services,
    deliverer,
    hub.notifications.deliverer,
    jobs,
    hub.web.server,
    ...(hub.sntp === null ? [] : [hub.sntp]),
    ...hub.box.services,
    ...hub.matter.services,
    hub.sandbox.sandbox,
    hub.sandbox.demo,
    firstUse,
  ];
}

/** The order in which the hub stops: intake, then what is under way, then the outbox, then the database. */
export function stopStages(hub: RunningParts, { jobs, firstUse }: OwnParts): StopStage[] {
  const { registry, state, presence, commands } = hub.devices;
  const { registry: hooks, outbox, deliverer } = hub.webhooks;
  const stage = (name: string, limitMs: number, ...services: Service[]): StopStage => ({ name, limitMs, services });
  return [
    // drawing the first picture loads a library
    stage("simulation", 5_000, firstUse, hub.sandbox.demo, hub.sandbox.sandbox),
    stage(
      "intake",
      6_000, // longer than requests under way may take
      ...hub.matter.services,
      ...hub.box.services,
      ...(hub.sntp === null ? [] : [hub.sntp]),
      hub.automations,
      hub.web.server,
      ...hub.outside.services,
      ...hub.estate.services,
      ...hub.series.services,
      hub.bridge.presence,
      hub.broker,
      jobs,
    ),
    stage(
      "drain",
      4_000,
      ...hub.recognition.services,
      hub.bridge.core,
      hub.bridge.clients,
      hub.telemetry,
      commands,
      state,
      presence,
    ),
    stage(
      "outbox",
      2_000,
      hub.plates.questions,
      hub.plates.following,
      hub.plates.openings,
      deliverer,
      hub.notifications.deliverer,
      outbox,
      hooks,
    ),
    stage("storage", 5_000, registry, hub.access.keys, hub.trust, hub.database),
  ];
}
