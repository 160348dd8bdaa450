import type { JsonObject } from "../../../core/kernel/json-object.ts";
import {
  baseWatts,
  CLIMATE_IDLE_WATTS,
  CLIMATE_KWH,
  CLIMATE_WATTS,
  liveliness,
  METER_KWH,
  outdoorHumidity,
  outdoorTemperature,
} from "../daily-shapes.ts";
import {
  booleanIn,
  isSampleTick,
  type Model,
  metered,
  noisy,
  numberIn,
  type Reaction,
  rounded,
  type World,
} from "../model.ts";

const MOTION_MS = 30_000;

/** A sensor in the garden: temperature, humidity, motion; runs on a battery. */
export function sensor(saved: JsonObject): Model {
  const state: JsonObject = { temperature: 24.5, humidity: 58, motion: false, battery: 91, linkquality: 120, ...saved };
  let hasMeasured = false;
  return {
    state,
    command: () => ({}),
    tick(world) {
      const motion = state.motion !== true && world.random() < liveliness(world.hour) * 0.02;
      const ended = { afterMs: MOTION_MS, react: () => ({ patch: { motion: false } }) };
      const moved: Reaction = motion ? { patch: { motion: true }, later: ended } : {};
      if (!isSampleTick(world) && hasMeasured) return moved;
      hasMeasured = true;
      const temperature = outdoorTemperature(world.hour, world.random);
      const humidity = outdoorHumidity(world.hour, world.random);
      const changed =
        Math.abs(temperature - Number(state.temperature)) >= 0.5 || Math.abs(humidity - Number(state.humidity)) >= 3;
      return {
        ...moved,
        patch: { ...moved.patch, ...(changed ? { temperature, humidity } : {}) },
        telemetry: { temperature, humidity, battery: Number(state.battery) },
      };
    },
  };
}

/** A change of what the devices draw that the meter reports at once. */
const JUMP_WATTS = 50;

/** The household's meter: a base load by the hour and what the devices draw. */
export function energyMeter(saved: JsonObject): Model {
  const state: JsonObject = { watts: 320, voltage: 231, kwh: METER_KWH, ...saved };
  let countedAt: number | null = null;
  let counted = Number(state.kwh);
  let toldLoad = 0;
  return {
    state,
    command: () => ({}),
    tick(world) {
      const load = world.load();
      if (!isSampleTick(world) && Math.abs(load - toldLoad) < JUMP_WATTS) return {};
      toldLoad = load;
      const hours = countedAt === null ? 0 : Math.max(0, world.at - countedAt) / 3_600_000;
      countedAt = world.at;
      const watts = rounded(baseWatts(world.hour, world.random) + load);
      counted += (watts * hours) / 1000;
      const values = { watts, voltage: rounded(noisy(231, 0.01, world.random)), kwh: rounded(counted, 3) };
      return { patch: values, telemetry: values };
    },
  };
}

/** Degrees that a heated or cooled room gains per tick, and by which it drifts towards the outside. */
const HEATING_PER_TICK = 0.06;
const DRIFT_PER_TICK = 0.0015;

/** A thermostat with the meter of its air conditioner. */
export function thermostat(saved: JsonObject): Model {
  return metered(
    climate(saved),
    ({ heating, cooling }) => (heating === true || cooling === true ? CLIMATE_WATTS : CLIMATE_IDLE_WATTS),
    CLIMATE_KWH,
  );
}

/** The room drifts towards the outside, heating and cooling pull it to the target. */
function climate(saved: JsonObject): Model {
  const state: JsonObject = {
    target: 23,
    mode: "auto",
    temperature: 23.4,
    heating: false,
    cooling: false,
    rssi: -59,
    ...saved,
  };
  let temperature = Number(state.temperature);
  return {
    state,
    command(command, world) {
      const target = numberIn(command, "target", { min: 5, max: 35 });
      const { mode } = command;
      const patch: JsonObject = {};
      if (target !== null) patch.target = Math.round(target * 2) / 2;
      if (mode === "off" || mode === "heat" || mode === "cool" || mode === "auto") patch.mode = mode;
      return {
        patch: { ...patch, ...demand({ ...state, ...patch }, temperature) },
        telemetry: { temperature: rounded(noisy(temperature, 0, world.random)) },
      };
    },
    tick(world) {
      const pull = (state.heating === true ? HEATING_PER_TICK : 0) - (state.cooling === true ? HEATING_PER_TICK : 0);
      temperature += pull + (outdoorTemperature(world.hour, world.random) - temperature) * DRIFT_PER_TICK;
      const shown = rounded(temperature);
      const wanted = demand(state, temperature);
      const changed =
        Math.abs(shown - Number(state.temperature)) >= 0.2 ||
        wanted.heating !== state.heating ||
        wanted.cooling !== state.cooling;
      const patch = changed ? { temperature: shown, ...wanted } : {};
      return isSampleTick(world)
        ? { patch, telemetry: { temperature: shown, target: Number(state.target) } }
        : { patch };
    },
  };
}

/** Half a degree of slack, so that it does not switch with every breath. */
function demand(state: JsonObject, temperature: number): { heating: boolean; cooling: boolean } {
  const { mode } = state;
  const target = Number(state.target);
  const heats = mode === "heat" || mode === "auto";
  const cools = mode === "cool" || mode === "auto";
  return {
    heating: heats && temperature < target + (state.heating === true ? 0 : -0.5),
    cooling: cools && temperature > target + (state.cooling === true ? 0 : 0.5),
  };
}

/** A camera at the gate: takes a picture on command, and now and then because something moves. */
export function camera(saved: JsonObject): Model {
  const state: JsonObject = { recording: true, motion: false, rssi: -63, ...saved };
  return {
    state,
    command(command) {
      const recording = booleanIn(command, "recording");
      const patch = recording === null ? {} : { recording };
      return booleanIn(command, "capture") === true ? { patch, picture: "manual" } : { patch };
    },
    tick(world) {
      if (state.motion === true || state.recording !== true || world.random() >= liveliness(world.hour) * 0.02)
        return {};
      return {
        patch: { motion: true },
        picture: "motion",
        later: { afterMs: MOTION_MS, react: () => ({ patch: { motion: false } }) },
      };
    },
  };
}

/** A sentinel: when armed, it reports what moves in its room. */
export function sentinel(saved: JsonObject): Model {
  const state: JsonObject = { armed: false, alarm: false, battery: 96, linkquality: 180, ...saved };
  return {
    state,
    command(command) {
      const armed = booleanIn(command, "armed");
      return armed === null ? {} : { patch: { armed, alarm: false } };
    },
    tick(world: World) {
      if (state.armed !== true || state.alarm === true || world.random() >= 0.0005) return {};
      const event = {
        kind: "intrusion",
        title: "Movement while armed",
        body: "The sentinel in the hall saw movement.",
      };
      return { patch: { alarm: true }, event, later: { afterMs: 60_000, react: () => ({ patch: { alarm: false } }) } };
    },
  };
}
