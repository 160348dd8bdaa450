import type { JsonObject } from "../../../core/kernel/json-object.ts";
import { FAN_KWH, fanWatts, PLUG_KWH, PUMP_KWH, PUMP_WATTS, plugWatts } from "../daily-shapes.ts";
import { booleanIn, isSampleTick, type Model, metered, noisy, numberIn, rounded, type World } from "../model.ts";

const CHANNELS = ["power", "power2", "power3", "power4"] as const;

/** Scenes that the four-channel hub has built in (`{"scene":"all-on"}`). */
const HUB_SCENES: Readonly<Record<string, readonly [boolean, boolean, boolean, boolean]>> = {
  "all-on": [true, true, true, true],
  "all-off": [false, false, false, false],
  evening: [true, false, true, false],
};

/** Four relays: `{ch, on}`, `{relays: [four booleans]}`, `{power}` for the first, `{scene}` for one of its own. */
export function homeHub(saved: JsonObject): Model {
  const state: JsonObject = { power: true, power2: false, power3: false, power4: false, rssi: -52, ...saved };
  return {
    state,
    command(command) {
      const relays = relaysOf(command);
      if (relays !== null) return { patch: Object.fromEntries(CHANNELS.map((key, index) => [key, relays[index]])) };
      const ch = numberIn(command, "ch", { min: 1, max: 4 });
      const on = booleanIn(command, "on");
      const key = ch === null ? undefined : CHANNELS[Math.round(ch) - 1];
      if (key !== undefined && on !== null) return { patch: { [key]: on } };
      const power = booleanIn(command, "power");
      return power === null ? {} : { patch: { power } };
    },
    tick: (world) =>
      isSampleTick(world)
        ? {
            telemetry: {
              uptime: Math.round(world.at / 1000) % 1_000_000,
              boardTemperature: rounded(noisy(41, 0.03, world.random)),
            },
          }
        : {},
  };
}

function relaysOf(command: JsonObject): readonly boolean[] | null {
  const { relays, scene } = command;
  if (Array.isArray(relays) && relays.length === 4 && relays.every((relay) => typeof relay === "boolean"))
    return relays as boolean[]; // checked here
  return typeof scene === "string" && Object.hasOwn(HUB_SCENES, scene) ? (HUB_SCENES[scene] ?? null) : null;
}

/** A plug with a meter: switched off it draws nothing, switched on what its appliance takes. */
export function smartPlug(saved: JsonObject): Model {
  const state: JsonObject = { power: true, watts: 96, voltage: 230, kwh: PLUG_KWH, rssi: -61, ...saved };
  let countedAt: number | null = null;
  let counted = Number(state.kwh);
  const measured = (world: World, isOn: boolean): { watts: number; voltage: number; kwh: number } => {
    const hours = countedAt === null ? 0 : Math.max(0, world.at - countedAt) / 3_600_000;
    countedAt = world.at;
    counted += (Number(state.watts) * hours) / 1000;
    const kwh = rounded(counted, 3);
    return { watts: isOn ? plugWatts(world.random) : 0, voltage: rounded(noisy(231, 0.01, world.random)), kwh };
  };
  return {
    state,
    command(command, world) {
      const power = booleanIn(command, "power") ?? booleanIn(command, "on");
      if (power === null) return {};
      const values = measured(world, power);
      return { patch: { power, ...values }, telemetry: values };
    },
    tick(world) {
      if (!isSampleTick(world)) return {};
      const values = measured(world, state.power === true);
      // The state follows only real changes: a meter's noise is telemetry.
      return Math.abs(values.watts - Number(state.watts)) > 8
        ? { patch: values, telemetry: values }
        : { telemetry: values };
    },
  };
}

/** A lamp or a relay: on or off. */
export function simpleSwitch(saved: JsonObject): Model {
  return {
    state: { power: false, rssi: -58, ...saved },
    command(command) {
      const power = booleanIn(command, "power") ?? booleanIn(command, "on");
      return power === null ? {} : { patch: { power } };
    },
    tick: () => ({}),
  };
}

/** The relay of the water pump, which measures what the pump draws. */
export function pump(saved: JsonObject): Model {
  return metered(simpleSwitch(saved), ({ power }) => (power === true ? PUMP_WATTS : 0), PUMP_KWH);
}

/** A dimmer: setting a brightness switches it on, brightness 0 switches it off. */
export function dimmer(saved: JsonObject): Model {
  return {
    state: { power: false, brightness: 60, rssi: -64, ...saved },
    command: (command) => ({ patch: level(command, { key: "brightness", max: 100 }) }),
    tick: () => ({}),
  };
}

/** A fan with five speeds and a meter; speed 0 is off. */
export function fan(saved: JsonObject): Model {
  const model: Model = {
    state: { power: true, speed: 2, rssi: -66, ...saved },
    command: (command) => ({ patch: level(command, { key: "speed", max: 5 }) }),
    tick: () => ({}),
  };
  return metered(model, ({ power, speed }) => (power === true ? fanWatts(Number(speed)) : 0), FAN_KWH);
}

function level(command: JsonObject, scale: { key: string; max: number }): JsonObject {
  const power = booleanIn(command, "power");
  const value = numberIn(command, scale.key, { min: 0, max: scale.max });
  if (value === null) return power === null ? {} : { power };
  const whole = Math.round(value);
  return whole === 0 ? { power: false } : { power: power ?? true, [scale.key]: whole };
}
