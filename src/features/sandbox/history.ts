import type { FeedKind } from "../../core/api/feed-kinds.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Direction } from "../../core/plates/reading.ts";
import type { FeedText } from "../../core/text/keys.ts";
import {
  baseWatts,
  METER_KWH,
  outdoorHumidity,
  outdoorTemperature,
  PLUG_KWH,
  plugIsOn,
  plugWatts,
} from "./daily-shapes.ts";
import { EVENING_RULE, EVENING_SCENE, NIGHT_SCENE, SCENES, VEHICLES } from "./household.ts";
import { hourIn, localDays } from "./local-time.ts";
import { rounded } from "./model.ts";

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

/** Samples of the devices that measure, by device key, one every `stepMs`, oldest first. */
export function pastSamples(past: Past, stepMs: number): Map<string, { at: number; data: JsonObject }[]> {
  const { from, to, random } = past;
  const hourAt = hourIn(past.timeZone);
  const samples = new Map<string, { at: number; data: JsonObject }[]>([
    ["plug", []],
    ["meter", []],
    ["sensor", []],
    ["thermostat", []],
  ]);
  const counted = { plug: 0, meter: 0 };
  for (let at = Math.ceil(from / stepMs) * stepMs; at < to; at += stepMs) {
    const hour = hourAt(at);
    const plug = plugIsOn(hour) ? plugWatts(random) : 0;
    const watts = rounded(baseWatts(hour, random) + plug);
    counted.plug += (plug * stepMs) / 3_600_000_000;
    counted.meter += (watts * stepMs) / 3_600_000_000;
    const outside = outdoorTemperature(hour, random);
    samples.get("plug")?.push({ at, data: { watts: plug, voltage: rounded(229 + random() * 4), kwh: counted.plug } });
    samples.get("meter")?.push({ at, data: { watts, voltage: rounded(229 + random() * 4), kwh: counted.meter } });
    samples
      .get("sensor")
      ?.push({ at, data: { temperature: outside, humidity: outdoorHumidity(hour, random), battery: 91 } });
    samples
      .get("thermostat")
      ?.push({ at, data: { temperature: rounded(23 + (outside - 26) * 0.12 + (random() - 0.5) * 0.2), target: 23 } });
  }
  // The living devices continue from where the past ends.
  for (const [key, total] of [
    ["plug", PLUG_KWH],
    ["meter", METER_KWH],
  ] as const) {
    for (const { data } of samples.get(key) ?? []) {
      if (past.isBetween) delete data.kwh;
      else data.kwh = rounded(total - counted[key] + Number(data.kwh), 3);
    }
  }
  return samples;
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
