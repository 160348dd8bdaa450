import { join } from "node:path";
import type { Test } from "tap";
import { type EstateHub, TestEstate } from "./estate-hub.ts";
import { eventually } from "./hub-process.ts";
import { Line } from "./nats.ts";
import { PacedClock } from "./paced-clock.ts";
import { testFolder } from "./test-folder.ts";

/** Two hubs of an estate, the second behind a line that can be cut. */
export interface EstatePair {
  readonly estate: TestEstate;
  readonly line: Line;
  readonly north: EstateHub;
  readonly south: EstateHub;
  readonly folder: string;
}

const PACE = 10;
/**
 * Far more than needed, to allow for a busy machine. Failures are retried after twice the time each time, which on such
 * a machine comes to minutes of the hubs' clocks.
 */
const LIMIT_MS = 90_000;
/** For what hubs find by comparing: they do so every few seconds. */
export const FAST = 50;

/** Clocks of the hubs: during a wait, heartbeats and reconnection delays take a tenth of their time. */
export const clocks = { north: new PacedClock(), south: new PacedClock() };

/** Waits for a condition, with the hubs' clocks at a pace. */
export async function until(isSo: () => boolean | Promise<boolean>, pace = PACE): Promise<void> {
  for (const clock of Object.values(clocks)) clock.pace = pace;
  await eventually(async () => (await isSo()) || undefined, LIMIT_MS);
  for (const clock of Object.values(clocks)) clock.pace = 1;
}

/** Reads of all gates as a hub has them. */
export function readsOf(hub: EstateHub, plate?: string): string[] {
  return hub.estate.view
    .reads({ limit: 200, ...(plate === undefined ? {} : { plate }) })
    .reads.map(({ hub: from, plate: one, at, direction }) => `${from} ${one} ${at} ${direction}`);
}

/** The household of a hub. */
export function siteOf(hub: EstateHub): number {
  return hub.hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
}

/** Plates that have a rule at a hub. */
export function ruled(hub: EstateHub): string[] {
  return hub.hub.gate.rules.list(siteOf(hub)).map(({ plate }) => plate);
}

/** Whether a hub has sent and accepted everything. */
export function isCurrent({ estate }: EstateHub): boolean {
  const { connected, waiting, behind } = estate.health();
  return connected && waiting === 0 && behind === 0 && estate.view.peers().length === 1;
}

/** Opens two hubs; the second one's clock is `aheadMs` ahead. */
export async function openPair(t: Test, aheadMs = 0): Promise<EstatePair> {
  clocks.north.aheadMs = 0;
  clocks.south.aheadMs = aheadMs;
  const folder = testFolder(t, { north: {}, south: {} });
  const estate = await TestEstate.open(t, ["north", "south"]);
  const line = await Line.to(t, estate.server.port);
  const [north, south] = await Promise.all([
    estate.start(t, "north", { folder: join(folder, "north"), role: "manager", clock: clocks.north }),
    estate.start(t, "south", { folder: join(folder, "south"), port: line.port, clock: clocks.south }),
  ]);
  await Promise.all([north, south].map((hub) => until(() => isCurrent(hub))));
  return { estate, line, north, south, folder };
}
