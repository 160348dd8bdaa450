/**
 * A feature's contributions to the hub. `hub.ts` builds the features in order and collects them: an endpoint, a job, a
 * health check or a figure is added in the feature's folder alone. Its texts, settings and pages are records beside it.
 */
import type { HealthCheck } from "./health/health.ts";
import type { BoundRoute } from "./http/exchange.ts";
import type { Job } from "./jobs/jobs.ts";
import type { AgedHistory } from "./kernel/aged-history.ts";
import type { Service, StopStage } from "./kernel/service.ts";

/** A figure read at the moment of scraping: one value, or one for each value of a label. The name contains the unit. */
export type MetricSource = { readonly name: string; readonly help: string } & (
  | { readonly read: () => number | null; readonly kind?: "counter" }
  | { readonly label: string; readonly readAll: () => Readonly<Record<string, number>> }
);

/** A service with its place in the start and in the stop. */
export interface PlacedService {
  readonly service: Service;
  /**
   * `first`: other features call it while they load; `load`: reads the hub's state, before anybody is admitted;
   * `serve`: accepts clients, or connects to the outside. Within each, in the order of the features.
   */
  readonly start: "first" | "load" | "serve";
  /** Null: has nothing to stop. See {@link STOP_STAGES}. */
  readonly stop: StopName | null;
}

/** See the head of the file. */
export interface Feature {
  readonly services?: readonly PlacedService[];
  /** Operations of the contract and beside it under /v1. */
  readonly api?: readonly BoundRoute[];
  /** Operations of the console. */
  readonly console?: readonly BoundRoute[];
  readonly jobs?: readonly Job[];
  readonly checks?: readonly HealthCheck[];
  readonly metrics?: readonly MetricSource[];
  readonly aged?: readonly AgedHistory[];
}

/**
 * Stages of the stop, in order: simulated households, input, work under way, output, the disk. The limits are what each
 * may take; requests under way get most.
 */
const STOP_STAGES = { simulation: 5_000, intake: 6_000, drain: 4_000, outbox: 2_000, storage: 5_000 } as const;
type StopName = keyof typeof STOP_STAGES;

const STARTS: readonly PlacedService["start"][] = ["first", "load", "serve"];

/** Every service in the order in which they start. */
export function startOrder(features: readonly Feature[]): Service[] {
  const placed = features.flatMap(({ services = [] }) => services);
  return STARTS.flatMap((when) => placed.filter(({ start }) => start === when).map(({ service }) => service));
}

/** The stages in which the services stop. */
export function stopStages(features: readonly Feature[]): StopStage[] {
  const placed = features.flatMap(({ services = [] }) => services);
  return Object.entries(STOP_STAGES).map(([name, limitMs]) => ({
    name,
    limitMs,
    services: placed.filter(({ stop }) => stop === name).map(({ service }) => service),
  }));
}

/** A period job that ignores what its work returns. */
export function job(name: string, periodMs: number, work: () => Promise<unknown>, atStart = true): Job {
  return {
    name,
    periodMs,
    atStart,
    run: async () => {
      await work();
    },
  };
}
