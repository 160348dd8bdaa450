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
  type PastPass,
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
import type { HouseholdPorts, PastSamples, PreparedPasses, SimulatedSite } from "./ports.ts";
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

/** What is known before a household is made. */
interface Plan {
  readonly past: Past;
  /** Comings and goings of its cars, oldest first. */
  readonly passes: readonly PastPass[];
  /** Null: they are stored already. */
  readonly prepared: PreparedPasses | null;
}

/** What is made once, in this order: rules exist for the passages, and nothing that could trigger on the past does. */
const STEPS: readonly (readonly [name: string, make: (options: FurnishOptions, plan: Plan) => void])[] = [
  ["rules", makeRules],
  ["feed", makeFeed],
  ["passages", makePassages],
  ["read", makeRead],
  ["scenes", makeScenes],
  ["presence", makePresence],
];
/** Made after them, once the house can be looked at. */
const SAMPLES = "samples";

/**
 * Creates what a household lacks: devices each time, history, rules, scenes and automations once. All of it is one write
 * job, and the samples another: a stop in between leaves nothing half made. A part that cannot be created (a limit, an
 * existing rule) is logged and left out. `connect` gets the passwords of devices created now; it comes before the
 * samples, which take longest.
 */
export async function furnish(
  options: FurnishOptions,
  connect: (passwords: ReadonlyMap<string, string>) => Promise<void> = async () => {},
): Promise<void> {
  const { site, database, ports, isStopping } = options;
  const made = new Set(new HubTable(database).get(`${markOf(site.siteId)}.made`)?.split(","));
  const missing = STEPS.filter(([name]) => !made.has(name));
  const isComplete = missing.length === 0 && DEVICES.every(({ key }) => ports.findDevice(idOf(options.prefix, key)));
  const passwords = isComplete ? new Map<string, string>() : await makeHouse(options, missing, made);
  if (isStopping()) return;
  await connect(passwords);
  if (isStopping() || made.has(SAMPLES)) return;
  const samples = samplesOf(options, pastOf(options));
  await database.write(() => {
    addSamples(options, samples);
    mark(options, made.add(SAMPLES));
  }, "large");
}

async function makeHouse(
  options: FurnishOptions,
  missing: typeof STEPS,
  made: Set<string>,
): Promise<Map<string, string>> {
  const { ports } = options;
  await ports.beforeMaking();
  let prepared: PreparedPasses | null = null;
  const past = pastOf(options);
  const passes = withStranger(withLastArrival(pastPasses(past), past.to), past.to);
  try {
    if (missing.some(([name]) => name === "passages")) prepared = await preparePasses(options, passes);
    if (options.isStopping()) throw new Error("the hub stops");
    return await ports.inOneJob(() => {
      const passwords = makeDevices(options);
      for (const [name, make] of missing) {
        make(options, { past, passes, prepared });
        made.add(name);
      }
      mark(options, made);
      return passwords;
    });
  } catch (error) {
    await prepared?.discard();
    if (options.isStopping()) return new Map(); // the next start makes it
    throw error;
  }
}

/** Inside a job: notes what has been made. */
function mark({ site, database, clock }: FurnishOptions, made: ReadonlySet<string>): void {
  const marks = new HubTable(database);
  marks.set(`${markOf(site.siteId)}.made`, [...made].join(","));
  marks.set(markOf(site.siteId), String(clock.now()));
}

/** Key in `hub` of the instant until which a household's past has been written. */
export function markOf(siteId: number): string {
  return `sandbox.${siteId}`;
}

function makeDevices({ site, prefix, inProcess, ports, logger }: FurnishOptions): Map<string, string> {
  const passwords = new Map<string, string>();
  for (const { key, name, type, room } of DEVICES) {
    const id = idOf(prefix, key);
    if (ports.findDevice(id) !== null) continue;
    attempt(logger, `device ${id}`, () => {
      const made = ports.makeDevice(site.siteId, {
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

function makeRules({ site, prefix, ports, logger }: FurnishOptions): void {
  const gate = { deviceId: idOf(prefix, "gate"), command: { open: true } };
  attempt(logger, "the gate camera", () => ports.setCamera(site.siteId, idOf(prefix, "camera"), gate));
  for (const { plate, rule } of VEHICLES) {
    if (rule === null) continue;
    const label = inWordsOf(site.language, rule.label);
    attempt(logger, `the rule for ${plate}`, () => ports.makePlateRule(site.siteId, { plate, ...rule, label }));
  }
}

function makeScenes(options: FurnishOptions, { past }: Plan): void {
  const { site, prefix, ports, logger } = options;
  const say = wordsOf(options);
  for (const { name, icon, actions, houseMode } of SCENES) {
    const commands = actions.map(([key, command]) => ({ deviceId: idOf(prefix, key), command }));
    const scene = { name: say(name), icon, actions: commands, ...(houseMode === undefined ? {} : { houseMode }) };
    attempt(logger, `scene ${name}`, () => ports.makeScene(site.siteId, scene, lastRun(past, name)));
  }
  for (const body of automationsOf(prefix, say)) {
    const name = String(body.name);
    const ranAt = name === say(EVENING_RULE) ? lastRun(past, EVENING_RULE) : null;
    attempt(logger, `automation ${name}`, () => ports.makeAutomation(site.siteId, body, ranAt));
  }
}

/** Persons are the same in a simulated household behind keys, where nobody comes and goes. */
function makePresence({ site, inProcess, ports, logger }: FurnishOptions): void {
  if (!inProcess) attempt(logger, "the owner's car", () => ports.knowOwnerByCar(site, OWNERS_CAR));
}

/** The words of the household's language. */
function wordsOf({ site }: Pick<FurnishOptions, "site">): (english: string) => string {
  return (english) => inWordsOf(site.language, english);
}

function pastOf({ site, clock, random, history }: FurnishOptions): Past {
  const now = clock.now();
  return { from: now - history.lengthMs, to: now, timeZone: site.timeZone, random };
}

function makeFeed(options: FurnishOptions, { past }: Plan): void {
  const { site, prefix, ports } = options;
  tell(
    options,
    pastFeed(past, ports.ownerName(site.accountId), (key) => idOf(prefix, key), wordsOf(options)),
  );
}

function tell({ site, ports }: FurnishOptions, items: readonly PastItem[]): void {
  for (const item of items) ports.feed({ siteId: site.siteId, ...item });
}

/** Draws the newest passages and writes their pictures, which have to be on disk before their rows. */
async function preparePasses(options: FurnishOptions, passes: readonly PastPass[]): Promise<PreparedPasses> {
  const { prefix, ports, camera, history } = options;
  const passages = [...passes, ...unreadViews(passes).map((at) => ({ plate: null, direction: null, at }))]
    .sort((one, other) => one.at - other.at)
    .map((pass): SeenPassage => ({ ...pass, trigger: "motion" }));
  const withoutPicture = Math.max(0, passages.length - history.pictures);
  const pictures = await camera.draw(passages.slice(withoutPicture));
  return ports.preparePasses(
    passages.map((passage, index) => ({
      ...camera.sighting(
        idOf(prefix, "camera"),
        passage,
        index < withoutPicture ? [] : pictures.slice(index - withoutPicture, index - withoutPicture + 1),
      ),
      opening: openingOf(options, passage),
    })),
  );
}

function makePassages(options: FurnishOptions, { past, passes, prepared }: Plan): void {
  const { prefix, ports } = options;
  if (!isOf(options, "camera") || prepared === null) return;
  const own = (key: string): string => idOf(prefix, key);
  tell(options, pastNews(past, passes, own, wordsOf(options)));
  ports.addStates(
    pastStates(past, passes, own, wordsOf(options)).filter(
      ({ deviceId }) => ports.findDevice(deviceId)?.siteId === options.site.siteId,
    ),
  );
  prepared.record(own("camera"));
}

/** How much of the past its owner has not looked at yet, ms. */
const UNREAD_MS = 12 * 3_600_000;

/** Nobody reads what happens in a simulated household behind keys. */
function makeRead({ inProcess, ports, site }: FurnishOptions, { past: { from, to } }: Plan): void {
  if (!inProcess) ports.hasRead(site, from, to - UNREAD_MS);
}

/** When the gate opened for a car of the past: a moment after it was seen. */
function openingOf({ prefix, random }: FurnishOptions, { at }: SeenPassage) {
  const toldAt = at + 250 + Math.round(random() * 200);
  return { deviceId: idOf(prefix, "gate"), at: toldAt, settledAt: toldAt + 1_200 + Math.round(random() * 900) };
}

/** What the devices of a household measured in a span of the past, message by message. */
export function samplesOf(
  { prefix, history }: Pick<FurnishOptions, "prefix" | "history">,
  past: Past,
): readonly PastSamples[] {
  const own = pastSamples(past, history.stepMs);
  const earlier =
    history.countersMs === undefined ? [] : earlierReadings(past, own, past.to - history.countersMs, READINGS_STEP_MS);
  return [...earlier, ...own].flatMap(([key, samples]) =>
    Array.from({ length: Math.ceil(samples.length / SAMPLES_PER_MESSAGE) }, (_, part) => ({
      deviceId: idOf(prefix, key),
      samples: samples.slice(part * SAMPLES_PER_MESSAGE, (part + 1) * SAMPLES_PER_MESSAGE),
    })),
  );
}

/** Inside a job: stores them, but none of a real device that has such an id already. */
export function addSamples(
  { site, ports }: Pick<FurnishOptions, "site" | "ports">,
  past: readonly PastSamples[],
): void {
  ports.addSamples(past.filter(({ deviceId }) => ports.findDevice(deviceId)?.siteId === site.siteId));
}

/** A real device may have the id already: it gets no invented data. */
function isOf({ site, prefix, ports }: Pick<FurnishOptions, "site" | "prefix" | "ports">, key: string): boolean {
  return ports.findDevice(idOf(prefix, key))?.siteId === site.siteId;
}

function attempt(logger: Logger, what: string, make: () => unknown): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "unavailable") throw error;
    logger.warn({ what, err: error }, "a part of the simulated household could not be made");
  }
}
