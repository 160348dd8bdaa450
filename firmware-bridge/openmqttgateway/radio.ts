import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgedDevice, BridgeMessage, Effect } from "../family.ts";
import { deviceKey, member, numberOf, textOf, textsOf } from "../json-values.ts";
import { isEmpty, valuesOf } from "./values.ts";

const MAX_SENSORS = 200;
/** A transmitter repeats each message, and several gateways receive it. */
const ECHO_MS = 2_000;
/** A sensor received twice within this time is not on a passing car. */
const HEARD_BEFORE_MS = 3_600_000;

interface Sensor {
  readonly key: string;
  readonly model: string;
  readonly id: string;
  readonly metrics: Set<string>;
  lastValues: string;
  lastAt: number;
  isAnnounced: boolean;
}

/** Sensors that send by radio and are decoded by rtl_433: weather, doors, smoke, meters. */
export class RadioSensors {
  readonly #sensors = new Map<string, Sensor>();

  /** Restores a device from before a restart. */
  restore(key: string, memo: JsonObject): void {
    const model = textOf(member(memo, "model"), 60);
    const id = textOf(member(memo, "id"), 40);
    if (model === null || id === null || this.#sensors.size >= MAX_SENSORS) return;
    const metrics = new Set(textsOf(member(memo, "metrics")).slice(0, 64));
    this.#sensors.set(key, {
      key,
      model,
      id,
      metrics,
      lastValues: "",
      lastAt: Number.NEGATIVE_INFINITY,
      isAnnounced: true,
    });
  }

  /** The hub removed it. */
  forget(key: string): void {
    this.#sensors.delete(key);
  }

  /** Takes a decoded message. A sensor becomes a device on its second message: passing cars have sensors too. */
  heard(body: JsonObject, message: BridgeMessage): Effect[] {
    const model = textOf(member(body, "model"), 60);
    const id = idOf(body);
    const key = model === null || id === null ? null : deviceKey(`rtl-${model}-${id}`);
    if (model === null || id === null || key === null)
      return [{ do: "problem", topic: message.topic, reason: "the message names no model and id" }];
    const values = valuesOf(body);
    const button = buttonOf(body);
    if (isEmpty(values) && button === null) return [];
    let sensor = this.#sensors.get(key);
    if (sensor === undefined) {
      this.#makeRoom(message.at);
      if (this.#sensors.size >= MAX_SENSORS)
        return [{ do: "problem", topic: message.topic, reason: "too many radio sensors" }];
      sensor = {
        key,
        model,
        id,
        metrics: new Set(),
        lastValues: "",
        lastAt: Number.NEGATIVE_INFINITY,
        isAnnounced: false,
      };
      this.#sensors.set(key, sensor);
    }
    const content = JSON.stringify([values, button]);
    const isEcho = message.at - sensor.lastAt < ECHO_MS && content === sensor.lastValues;
    const isFirst = sensor.lastAt === Number.NEGATIVE_INFINITY;
    if (isEcho) return [];
    sensor.lastValues = content;
    sensor.lastAt = message.at;
    if (!sensor.isAnnounced && isFirst) return [];
    const before = sensor.metrics.size;
    for (const name of [...Object.keys(values.data), ...Object.keys(values.totals)])
      if (sensor.metrics.size < 64) sensor.metrics.add(name);
    const effects: Effect[] = [];
    if (!sensor.isAnnounced || sensor.metrics.size > before) effects.push({ do: "device", device: describe(sensor) });
    sensor.isAnnounced = true;
    if (!message.retained) effects.push({ do: "availability", key, online: true });
    if (Object.keys(values.state).length > 0) effects.push({ do: "state", key, patch: values.state });
    if (Object.keys(values.data).length > 0) effects.push({ do: "telemetry", key, data: values.data, at: null });
    for (const [metric, wattHours] of Object.entries(values.totals))
      effects.push({ do: "counter", key, metric, wattHours, epoch: null });
    if (button !== null && !message.retained)
      effects.push({ do: "event", key, kind: `button.${button}`, title: `Button ${button}`, body: "" });
    return effects;
  }

  /** Drops sensors received only once, long ago. */
  #makeRoom(at: number): void {
    if (this.#sensors.size < MAX_SENSORS) return;
    for (const [key, sensor] of this.#sensors)
      if (!sensor.isAnnounced && sensor.lastAt < at - HEARD_BEFORE_MS) this.#sensors.delete(key);
  }
}

/** Channel and id distinguish sensors of one model. */
function idOf(body: JsonObject): string | null {
  const parts = ["subtype", "channel", "id"].flatMap((name) => {
    const value = member(body, name);
    const text = typeof value === "number" && Number.isFinite(value) ? String(value) : textOf(value, 24);
    return text === null ? [] : [text];
  });
  return parts.length === 0 ? null : parts.join("-");
}

function buttonOf(body: JsonObject): string | null {
  const value = member(body, "button") ?? member(body, "button_code");
  const text = numberOf(value) === null ? textOf(value, 16) : String(numberOf(value));
  return text !== null && /^[A-Za-z0-9_.-]{1,16}$/.test(text) ? text : null;
}

function describe(sensor: Sensor): BridgedDevice {
  const { key, model, id } = sensor;
  return {
    key,
    name: `${model} ${id}`,
    type: "sensor",
    manufacturer: null,
    model,
    firmware: null,
    metrics: [...sensor.metrics].sort(),
    commands: null,
    hardware: [],
    reportSeconds: 3_600, // they send only, and some seldom
    address: null,
    room: null,
    memo: { kind: "radio", model, id, metrics: [...sensor.metrics].sort() },
  };
}
