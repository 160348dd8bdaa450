import type { FeedKind } from "../../core/api/feed-kinds.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Direction } from "../../core/plates/reading.ts";
import type { FeedText } from "../../core/text/keys.ts";
import {
  baseWatts,
  CLIMATE_KWH,
  climateWatts,
  FAN_KWH,
  fanIsOn,
  fanWatts,
  METER_KWH,
  outdoorHumidity,
  outdoorTemperature,
  PLUG_KWH,
  PUMP_KWH,
  PUMP_WATTS,
  plugIsOn,
  plugWatts,
  pumpIsOn,
} from "./daily-shapes.ts";
import { EVENING_RULE, EVENING_SCENE, NIGHT_SCENE, SCENES, STRANGER, VEHICLES } from "./household.ts";
import { hourIn, localDays } from "./local-time.ts";
import { noisy, rounded } from "./model.ts";

/** A span of the past to be made up. */
export interface Past {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly timeZone: string;
  /** 0 to 1. */
  readonly random: () => number;
  /** A span between two lives of the devices: their counters continue from where they were and are not part of it. */
  readonly isBetween?: boolean;
}

/** A car at the gate in the made-up past: on its way in or out, or (null) only standing there. */
export interface PastPass {
  readonly plate: string;
  readonly direction: Direction | null;
  readonly at: number;
}

const DAY_MS = 86_400_000;
/** Where the counters of the living devices begin, kWh. */
const COUNTERS = { plug: PLUG_KWH, meter: METER_KWH, thermostat: CLIMATE_KWH, switch: PUMP_KWH, fan: FAN_KWH } as const;
/** A device that counts what it uses, by its key. */
type Counted = keyof typeof COUNTERS;
const COUNTED = Object.keys(COUNTERS) as Counted[]; // the keys of a constant

/** Samples by device key, oldest first. */
type Samples = Map<string, { at: number; data: JsonObject }[]>;

/** Degrees by which a day is warmer than usual: no two days use the same. */
function warmthOf(at: number): number {
  return 2 * Math.sin(Math.floor(at / DAY_MS) * 1.9);
}

/** What each device draws at a local hour, watts. The house's meter measures more than the others together. */
function drawnAt(at: number, hour: number, random: () => number): Record<Counted, number> {
  const plug = plugIsOn(hour) ? plugWatts(random) : 0;
  const thermostat = climateWatts(outdoorTemperature(hour, random) + warmthOf(at), random);
  const pump = pumpIsOn(hour) ? rounded(noisy(PUMP_WATTS, 0.03, random)) : 0;
  const fan = fanIsOn(hour) ? rounded(noisy(fanWatts(2), 0.04, random)) : 0;
  const meter = rounded(baseWatts(hour, random) * (1 + warmthOf(at) / 20) + plug + thermostat + pump + fan);
  return { plug, meter, thermostat, switch: pump, fan };
}

/** Samples of the devices that measure, by device key, one every `stepMs`, oldest first. */
export function pastSamples(past: Past, stepMs: number): Samples {
  const { from, to, random } = past;
  const hourAt = hourIn(past.timeZone);
  const samples: Samples = new Map([...COUNTED, "sensor"].map((key) => [key, []]));
  const counted = { plug: 0, meter: 0, thermostat: 0, switch: 0, fan: 0 };
  for (let at = Math.ceil(from / stepMs) * stepMs; at < to; at += stepMs) {
    const hour = hourAt(at);
    const outside = outdoorTemperature(hour, random);
    const watts = drawnAt(at, hour, random);
    const more: Partial<Record<Counted, JsonObject>> = {
      plug: { voltage: rounded(229 + random() * 4) },
      meter: { voltage: rounded(229 + random() * 4) },
      thermostat: { temperature: rounded(23 + (outside - 26) * 0.12 + (random() - 0.5) * 0.2), target: 23 },
    };
    for (const key of COUNTED) {
      counted[key] += (watts[key] * stepMs) / 3_600_000_000;
      samples.get(key)?.push({ at, data: { ...more[key], watts: watts[key], kwh: counted[key] } });
    }
    samples
      .get("sensor")
      ?.push({ at, data: { temperature: outside, humidity: outdoorHumidity(hour, random), battery: 91 } });
  }
  // The living devices continue from where the past ends.
  for (const key of COUNTED)
    for (const { data } of samples.get(key) ?? []) {
      if (past.isBetween) delete data.kwh;
      else data.kwh = rounded(COUNTERS[key] - counted[key] + Number(data.kwh), 3);
    }
  return samples;
}

/**
 * Readings of the counters from before the samples of a past, by device key, one every `stepMs` from `since` (epoch
 * ms), so that there is a month to compare with.
 */
export function earlierReadings(past: Past, samples: Samples, since: number, stepMs: number): Samples {
  const { from, random } = past;
  const hourAt = hourIn(past.timeZone);
  const readings: Samples = new Map(COUNTED.map((key) => [key, []]));
  const kwh = new Map(COUNTED.map((key) => [key, Number(samples.get(key)?.[0]?.data.kwh ?? COUNTERS[key])]));
  for (let at = Math.ceil(from / stepMs) * stepMs - stepMs; at >= since; at -= stepMs) {
    const watts = drawnAt(at, hourAt(at), random);
    for (const key of COUNTED) {
      const reading = (kwh.get(key) ?? 0) - (watts[key] * stepMs) / 3_600_000_000;
      kwh.set(key, reading);
      readings.get(key)?.push({ at, data: { kwh: rounded(Math.max(0, reading), 3) } });
    }
  }
  for (const list of readings.values()) list.reverse();
  return readings;
}

/** Between two cars the gate opens, lets one through and closes, ms. */
const BETWEEN_CARS_MS = 3 * 60_000;

/**
 * The comings and goings of the household's cars, oldest first. A car comes in, leaves, and only then comes again; one
 * that no rule lets in stands at the gate and is not seen again that day.
 */
export function pastPasses(past: Past): PastPass[] {
  const { from, to, random } = past;
  const dayCount = Math.ceil((to - from) / 86_400_000) + 1;
  const passes = localDays(to, past.timeZone, dayCount).flatMap(({ midnight, weekday }) =>
    VEHICLES.filter((vehicle) => vehicle.days.includes(weekday) && random() < vehicle.chance).flatMap(
      ({ plate, stays, rule }) =>
        stays.flatMap(([inHour, outHour]): PastPass[] => {
          const late = random() * 0.3;
          const at = Math.round(midnight + (inHour + late) * 3_600_000);
          if (rule === null) return [{ plate, direction: null, at }];
          if (rule.kind === "deny") return [{ plate, direction: "in", at }];
          return [
            { plate, direction: "in", at },
            { plate, direction: "out", at: Math.round(midnight + (outHour + late + random() * 0.2) * 3_600_000) },
          ];
        }),
    ),
  );
  const inside = new Set<string>();
  let free = from;
  return passes
    .sort((a, b) => a.at - b.at)
    .flatMap((pass) => {
      if (pass.at < from || (pass.direction === "out" && !inside.delete(pass.plate))) return []; // it came before the past began
      if (pass.direction === "in") inside.add(pass.plate);
      const at = Math.max(pass.at, free);
      free = at + BETWEEN_CARS_MS;
      return [{ ...pass, at }];
    })
    .filter(({ at }) => at < to);
}

/** How long before its end the past has its last arrival, ms. */
const JUST_BEFORE_MS = 12 * 60_000;

/**
 * Passes with one more: a car of the household comes home as the past ends at `to` (epoch ms). It is the first thing
 * that somebody sees of the house.
 */
export function withLastArrival(passes: readonly PastPass[], to: number): readonly PastPass[] {
  const at = to - JUST_BEFORE_MS;
  const earlier = passes.filter((pass) => pass.at <= at - BETWEEN_CARS_MS);
  const isOut = (plate: string): boolean => earlier.findLast((pass) => pass.plate === plate)?.direction !== "in";
  const car = VEHICLES.find(({ plate, rule }) => rule?.kind === "allow" && isOut(plate));
  return car === undefined ? earlier : [...earlier, { plate: car.plate, direction: "in", at }];
}

/** About how long before its end the past has a car that nobody knows, ms. */
const STRANGER_BEFORE_MS = 40 * 60_000;

/** Passes with one more: a car that is on no list stands at the gate, within the hour before the past ends at `to`. */
export function withStranger(passes: readonly PastPass[], to: number): readonly PastPass[] {
  const isFree = (at: number): boolean => passes.every((pass) => Math.abs(pass.at - at) >= BETWEEN_CARS_MS);
  let at = to - STRANGER_BEFORE_MS;
  while (!isFree(at)) at -= 60_000;
  return [...passes, { plate: STRANGER, direction: null, at }].sort((one, other) => one.at - other.at);
}

/** How long the gate of the past once stood open, ms. */
export const HELD_OPEN_MS = 11 * 60_000;
/** How long it has to be free after that car, ms. */
const HELD_FREE_MS = HELD_OPEN_MS + BETWEEN_CARS_MS;

/** The pass after which something held the gate open: the last before the newest third with no car soon after it. */
export function heldOpen(passes: readonly PastPass[]): PastPass | undefined {
  const earlier = passes.slice(0, Math.floor((passes.length * 2) / 3));
  return earlier.findLast(
    (pass, index) => isLetIn(pass) && (passes[index + 1]?.at ?? Number.POSITIVE_INFINITY) - pass.at > HELD_FREE_MS,
  );
}

function isLetIn({ plate }: PastPass): boolean {
  return VEHICLES.find((vehicle) => vehicle.plate === plate)?.rule?.kind === "allow";
}

/** How often something that cannot be read is seen at the gate: mud, glare, a cat. */
const UNREADABLE_EVERY = 11;
/** How long after a car that is, ms. */
const AFTER_A_CAR_MS = 75_000;

/** When the camera of a past saw something that it could not read, beside these passes; the last one ends the past. */
export function unreadViews(passes: readonly PastPass[]): number[] {
  return passes
    .slice(0, -1)
    .filter((_, index) => index % UNREADABLE_EVERY === UNREADABLE_EVERY - 1)
    .map(({ at }) => at + AFTER_A_CAR_MS);
}

/** A day of the past, and when scenes of its evening and of its night ran. */
interface PastDay {
  readonly midnight: number;
  readonly evening: number;
  readonly night: number;
}

/** The days of the past, oldest first. */
export function pastPlan({ from, to, timeZone }: Past): PastDay[] {
  return localDays(to, timeZone, Math.ceil((to - from) / 86_400_000) + 1).map(({ midnight }) => ({
    midnight,
    evening: Math.round(midnight + 18.5 * 3_600_000),
    night: Math.round(midnight + 22.9 * 3_600_000),
  }));
}

/** A feed item, without its household. */
export interface PastItem {
  readonly kind: FeedKind;
  readonly deviceId: string | null;
  readonly text: FeedText;
  readonly at: number;
}

/** When a scene or a rule ran last in the past; null: it did not. */
export function lastRun(past: Past, name: string): number | null {
  const runs = pastPlan(past).map(
    ({ evening, night }): Readonly<Record<string, number>> => ({
      [EVENING_RULE]: evening,
      ...scenesOf(evening, night),
    }),
  );
  return runs.flatMap((day) => day[name] ?? []).findLast((at) => at >= past.from && at < past.to) ?? null;
}

/** When scenes ran on an evening, by their names. */
function scenesOf(evening: number, night: number): Readonly<Record<string, number>> {
  return { [EVENING_SCENE]: evening + 600_000, [NIGHT_SCENE]: night };
}

/** How long before its end the past has an alarm, ms, and how long that lasted. */
const ALARM_BEFORE_MS = 3 * DAY_MS + 5 * 3_600_000;
const ALARM_MS = 4 * 60_000;

/** What was worth a notification in a past with these passes, oldest first; `deviceId` and `say` as for `pastFeed`. */
export function pastNews(
  { to }: Past,
  passes: readonly PastPass[],
  deviceId: (key: string) => string,
  say: (english: string) => string,
): PastItem[] {
  const [began, ended] = [to - ALARM_BEFORE_MS, to - ALARM_BEFORE_MS + ALARM_MS];
  const sentinel = deviceId("sentinel");
  const place = say("Hall sentinel");
  const alarm: PastItem[] = [
    { kind: "device.danger", deviceId: sentinel, text: { code: "danger.alarm", place }, at: began },
    {
      kind: "device.danger_over",
      deviceId: sentinel,
      text: { code: "dangerOver", kind: "alarm", place, at: new Date(ended).toISOString() },
      at: ended,
    },
  ];
  const held = heldOpen(passes);
  if (held === undefined) return alarm;
  const why = { code: "opening.not_moved" } as const;
  const gate: PastItem = {
    kind: "gate.not_closed",
    deviceId: deviceId("gate"),
    text: { code: "gate.not_closed", what: "gate", gate: say("Driveway gate"), kind: "hub", who: "", why },
    at: held.at + 60_000,
  };
  return [...alarm, gate].sort((one, other) => one.at - other.at);
}

/**
 * The feed's items about the past, oldest first; `deviceId` makes a full id of a key, `say` gives the words of the
 * household's language.
 * @param who the person who ran the scenes
 */
export function pastFeed(
  past: Past,
  who: string,
  deviceId: (key: string) => string,
  say: (english: string) => string,
): PastItem[] {
  const { from, to, random } = past;
  const items = pastPlan(past).flatMap(({ midnight, evening, night }) => {
    const scenes = Object.entries(scenesOf(evening, night)).map(([name, at]): PastItem => {
      const sent = SCENES.find((scene) => scene.name === name)?.actions.length ?? 0;
      return { kind: "scene.activated", deviceId: null, text: { code: "scene.run", who, name: say(name), sent }, at };
    });
    const steps = [{ code: "step.command", device: say("Dining lamp") }] as const;
    const fired: PastItem = {
      kind: "automation.fired",
      deviceId: null,
      text: { code: "automation.fired", name: say(EVENING_RULE), n: 1, steps, more: 0 },
      at: evening,
    };
    if (random() > 0.15) return [...scenes, fired];
    const gone = Math.round(midnight + (14 + random() * 0.25) * 3_600_000);
    const fan = (kind: "device.offline" | "device.online", then: number): PastItem => ({
      kind,
      deviceId: deviceId("fan"),
      text: { code: kind, name: say("Bedroom fan") },
      at: then,
    });
    return [...scenes, fired, fan("device.offline", gone), fan("device.online", gone + 240_000)];
  });
  return items.filter((item) => item.at >= from && item.at < to).sort((a, b) => a.at - b.at);
}
