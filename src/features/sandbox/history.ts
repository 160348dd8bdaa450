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
import { EVENING_RULE, EVENING_SCENE, NIGHT_SCENE, SCENES, VEHICLES } from "./household.ts";
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

/** One made-up pass of a car. */
export interface PastPass {
  readonly plate: string;
  readonly direction: Direction;
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

/** The comings and goings of the household's cars, oldest first. */
export function pastPasses(past: Past): PastPass[] {
  const { from, to, random } = past;
  const dayCount = Math.ceil((to - from) / 86_400_000) + 1;
  const passes = localDays(to, past.timeZone, dayCount).flatMap(({ midnight, weekday }) =>
    VEHICLES.filter((vehicle) => vehicle.days.includes(weekday) && random() < vehicle.chance).flatMap(
      ({ plate, stays, rule }) =>
        stays.flatMap(([inHour, outHour]): PastPass[] => {
          const late = random() * 0.3;
          const arrival: PastPass = { plate, direction: "in", at: Math.round(midnight + (inHour + late) * 3_600_000) };
          // A vehicle that was refused does not leave.
          if (rule?.kind === "deny") return [arrival];
          return [
            arrival,
            { plate, direction: "out", at: Math.round(midnight + (outHour + late + random() * 0.2) * 3_600_000) },
          ];
        }),
    ),
  );
  return passes.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
}

/** How long before its end the past has its last arrival, ms. */
const JUST_BEFORE_MS = 12 * 60_000;

/**
 * Passes with one more: a car of the household comes home as the past ends at `to` (epoch ms). It is the first thing
 * that somebody sees of the house.
 */
export function withLastArrival(passes: readonly PastPass[], to: number): readonly PastPass[] {
  const at = to - JUST_BEFORE_MS;
  const earlier = passes.filter((pass) => pass.at < at);
  const isOut = (plate: string): boolean => earlier.findLast((pass) => pass.plate === plate)?.direction !== "in";
  const car = VEHICLES.find(({ plate, rule }) => rule?.kind === "allow" && isOut(plate));
  return car === undefined ? earlier : [...earlier, { plate: car.plate, direction: "in", at }];
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

/**
 * The feed's items about the past, oldest first; `deviceId` makes a full id of a key.
 * @param who the person who ran the scenes
 */
export function pastFeed(past: Past, who: string, deviceId: (key: string) => string): PastItem[] {
  const { from, to, random } = past;
  const items = pastPlan(past).flatMap(({ midnight, evening, night }) => {
    const scenes = Object.entries(scenesOf(evening, night)).map(([name, at]): PastItem => {
      const sent = SCENES.find((scene) => scene.name === name)?.actions.length ?? 0;
      return { kind: "scene.activated", deviceId: null, text: { code: "scene.run", who, name, sent }, at };
    });
    const steps = [{ code: "step.command", device: "Dining lamp" }] as const;
    const fired: PastItem = {
      kind: "automation.fired",
      deviceId: null,
      text: { code: "automation.fired", name: EVENING_RULE, n: 1, steps, more: 0 },
      at: evening,
    };
    if (random() > 0.15) return [...scenes, fired];
    const gone = Math.round(midnight + (14 + random() * 0.25) * 3_600_000);
    const fan = (kind: "device.offline" | "device.online", then: number): PastItem => ({
      kind,
      deviceId: deviceId("fan"),
      text: { code: kind, name: "Bedroom fan" },
      at: then,
    });
    return [...scenes, fired, fan("device.offline", gone), fan("device.online", gone + 240_000)];
  });
  return items.filter((item) => item.at >= from && item.at < to).sort((a, b) => a.at - b.at);
}
