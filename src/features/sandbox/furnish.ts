import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";
import type { GateCamera, SeenPassage } from "./gate-camera.ts";
import {
  earlierReadings,
  lastRun,
  type Past,
  type PastItem,
  pastFeed,
  pastNews,
  pastPasses,
  pastSamples,
  unreadViews,
  withLastArrival,
  withStranger,
} from "./history.ts";
import { automationsOf, DEVICES, EVENING_RULE, idOf, OWNERS_CAR, SCENES, VEHICLES } from "./household.ts";
import { pastStates } from "./past-states.ts";
import type { HouseholdPorts, SimulatedSite } from "./ports.ts";
import { inWordsOf } from "./words.ts";

/** What {@link furnish} needs. */
export interface FurnishOptions {
  readonly site: SimulatedSite;
  /** Prefix of the device ids. */
  readonly prefix: string;
  /** Whether the devices live in the hub's own process and have no password. */
  readonly inProcess: boolean;
  readonly ports: HouseholdPorts;
  readonly camera: GateCamera;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  /** True once the hub stops: the rest is made at the next start. */
  readonly isStopping: () => boolean;
  readonly history: {
    readonly lengthMs: number;
    readonly stepMs: number;
    /** How many of the newest passages get a picture. */
    readonly pictures: number;
    /** How far back the counters of energy have hourly readings; absent: no further than everything else. */
    readonly countersMs?: number;
  };
}

/** Most samples of one message (docs/spec/domain.md §2). */
const SAMPLES_PER_MESSAGE = 1_000;
/** Time between two readings of a counter from before the samples. */
const READINGS_STEP_MS = 3_600_000;

/**
 * One-time steps in this order: history before scenes, so that rules exist for the passages and nothing triggers on the
 * past.
 */
const STEPS: readonly (readonly [name: string, make: (options: FurnishOptions) => Promise<void>])[] = [
  ["rules", makeRules],
  ["feed", makeFeed],
  ["passages", makePassages],
  ["read", makeRead],
  ["samples", makeSamples],
  ["scenes", makeScenes],
  ["presence", makePresence],
];

/**
 * Creates what a household lacks: devices each time, history, rules, scenes and automations once. `connect` gets the
 * passwords of devices created now, before the rest is made: nobody sees a house of devices that are not there. A part
 * that cannot be created (a limit, an existing rule) is logged and left out.
 */
export async function furnish(
  options: FurnishOptions,
  connect: (passwords: ReadonlyMap<string, string>) => Promise<void> = async () => {},
): Promise<void> {
  const { site, database, clock } = options;
  const passwords = await makeDevices(options);
  if (options.isStopping()) return;
  await connect(passwords);
  const marks = new HubTable(database);
  const mark = markOf(site.siteId);
  const made = new Set(marks.get(`${mark}.made`)?.split(","));
  for (const [name, make] of STEPS) {
    if (made.has(name)) continue;
    if (options.isStopping()) return;
    await make(options);
    if (options.isStopping()) return;
    made.add(name);
    const [done, until] = [[...made].join(","), String(clock.now())];
    await database.write(() => {
      marks.set(`${mark}.made`, done);
      marks.set(mark, until);
    });
  }
}

/** Key in `hub` of the instant until which a household's past has been written. */
export function markOf(siteId: number): string {
  return `sandbox.${siteId}`;
}

async function makeDevices({
  site,
  prefix,
  inProcess,
  ports,
  logger,
  isStopping,
}: FurnishOptions): Promise<Map<string, string>> {
  const passwords = new Map<string, string>();
  for (const { key, name, type, room } of DEVICES) {
    const id = idOf(prefix, key);
    if (ports.findDevice(id) !== null || isStopping()) continue;
    await attempt(logger, `device ${id}`, async () => {
      const made = await ports.createDevice(site.siteId, {
        id,
        name: inWordsOf(site.language, name),
        type,
        room: inWordsOf(site.language, room),
        simulated: inProcess,
        ...(inProcess ? { password: null } : {}),
      });
      if (made.password !== null) passwords.set(id, made.password);
      if (!inProcess) ports.expectDevice(id);
    });
  }
  return passwords;
}

async function makeRules({ site, prefix, ports, logger }: FurnishOptions): Promise<void> {
  const gate = { deviceId: idOf(prefix, "gate"), command: { open: true } };
  await attempt(logger, "the gate camera", () => ports.setCamera(site.siteId, idOf(prefix, "camera"), gate));
  for (const { plate, rule } of VEHICLES) {
    if (rule === null) continue;
    const label = inWordsOf(site.language, rule.label);
    await attempt(logger, `the rule for ${plate}`, () => ports.createPlateRule(site.siteId, { plate, ...rule, label }));
  }
}

async function makeScenes(options: FurnishOptions): Promise<void> {
  const { site, prefix, ports, logger } = options;
  const past = pastOf(options);
  const say = wordsOf(options);
  for (const { name, icon, actions, houseMode } of SCENES) {
    const commands = actions.map(([key, command]) => ({ deviceId: idOf(prefix, key), command }));
    const scene = { name: say(name), icon, actions: commands, ...(houseMode === undefined ? {} : { houseMode }) };
    await attempt(logger, `scene ${name}`, () => ports.createScene(site.siteId, scene, lastRun(past, name)));
  }
  for (const body of automationsOf(prefix, say)) {
    const name = String(body.name);
    const ranAt = name === say(EVENING_RULE) ? lastRun(past, EVENING_RULE) : null;
    await attempt(logger, `automation ${name}`, () => ports.createAutomation(site.siteId, body, ranAt));
  }
}

/** Persons are the same in a simulated household behind keys, where nobody comes and goes. */
async function makePresence({ site, inProcess, ports, logger }: FurnishOptions): Promise<void> {
  if (!inProcess) await attempt(logger, "the owner's car", () => ports.knowOwnerByCar(site, OWNERS_CAR));
}

/** The words of the household's language. */
function wordsOf({ site }: Pick<FurnishOptions, "site">): (english: string) => string {
  return (english) => inWordsOf(site.language, english);
}

function pastOf({ site, clock, random, history }: FurnishOptions): Past {
  const now = clock.now();
  return { from: now - history.lengthMs, to: now, timeZone: site.timeZone, random };
}

async function makeSamples(options: FurnishOptions): Promise<void> {
  await writeSamples({ ...options, past: pastOf(options) });
}

async function makeFeed(options: FurnishOptions): Promise<void> {
  const { site, prefix, ports } = options;
  const items = pastFeed(
    pastOf(options),
    ports.ownerName(site.accountId),
    (key) => idOf(prefix, key),
    wordsOf(options),
  );
  await tell(options, items);
}

async function tell({ site, ports, database }: FurnishOptions, items: readonly PastItem[]): Promise<void> {
  await database.write(() => {
    for (const item of items) ports.feed({ siteId: site.siteId, ...item });
  });
}

async function makePassages(options: FurnishOptions): Promise<void> {
  const { site, prefix, ports, camera, logger, history } = options;
  if (!isOf(options, "camera")) return;
  const past = pastOf(options);
  const passes = withStranger(withLastArrival(pastPasses(past), past.to), past.to);
  const own = (key: string): string => idOf(prefix, key);
  await tell(options, pastNews(past, passes, own, wordsOf(options)));
  await options.ports.addStates(
    pastStates(past, passes, own, wordsOf(options)).filter(
      ({ deviceId }) => options.ports.findDevice(deviceId)?.siteId === options.site.siteId,
    ),
  );
  const passages = [...passes, ...unreadViews(passes).map((at) => ({ plate: null, direction: null, at }))]
    .sort((one, other) => one.at - other.at)
    .map((pass): SeenPassage => ({ ...pass, trigger: "motion", isFresh: false }));
  const withoutPicture = Math.max(0, passages.length - history.pictures);
  const pictures = await camera.draw(passages.slice(withoutPicture));
  for (const [index, passage] of passages.entries()) {
    if (options.isStopping()) return;
    const frames = index < withoutPicture ? [] : pictures.slice(index - withoutPicture, index - withoutPicture + 1);
    await attempt(logger, "a passage", async () => {
      const readIds = await camera.report(idOf(prefix, "camera"), passage, frames);
      for (const readId of readIds)
        await ports.openedInThePast({ siteId: site.siteId, ...openingOf(options, passage), readId });
    });
  }
}

/** How much of the past its owner has not looked at yet, ms. */
const UNREAD_MS = 12 * 3_600_000;

/** Nobody reads what happens in a simulated household behind keys. */
async function makeRead(options: FurnishOptions): Promise<void> {
  const { from, to } = pastOf(options);
  if (!options.inProcess) await options.ports.hasRead(options.site, from, to - UNREAD_MS);
}

/** When the gate opened for a car of the past: a moment after it was seen. */
function openingOf({ prefix, random }: FurnishOptions, { at }: SeenPassage) {
  const toldAt = at + 250 + Math.round(random() * 200);
  return { deviceId: idOf(prefix, "gate"), at: toldAt, settledAt: toldAt + 1_200 + Math.round(random() * 900) };
}

/** Writes the samples of a span of the past, message by message, until the hub stops. */
export async function writeSamples(
  options: Pick<FurnishOptions, "site" | "prefix" | "ports" | "logger" | "history" | "isStopping"> & { past: Past },
): Promise<void> {
  const { prefix, ports, logger, history, past, isStopping } = options;
  const own = pastSamples(past, history.stepMs);
  const earlier =
    history.countersMs === undefined ? [] : earlierReadings(past, own, past.to - history.countersMs, READINGS_STEP_MS);
  for (const [key, samples] of [...earlier, ...own]) {
    if (!isOf(options, key)) continue;
    for (let start = 0; start < samples.length; start += SAMPLES_PER_MESSAGE) {
      if (isStopping()) return;
      const part = samples.slice(start, start + SAMPLES_PER_MESSAGE);
      await attempt(logger, `samples of ${key}`, () => ports.ingest(idOf(prefix, key), part));
    }
  }
}

/** A real device may have the id already: it gets no invented data. */
function isOf({ site, prefix, ports }: Pick<FurnishOptions, "site" | "prefix" | "ports">, key: string): boolean {
  return ports.findDevice(idOf(prefix, key))?.siteId === site.siteId;
}

async function attempt(logger: Logger, what: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "unavailable") throw error;
    logger.warn({ what, err: error }, "a part of the simulated household could not be made");
  }
}
