import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Effect } from "../family.ts";
import { camelCase, member, numberOf, objectsOf } from "../json-values.ts";
import { meaningOf } from "./bthome.ts";
import { type Learned, type Part, partOf, partsOf, type Tag } from "./learned.ts";
import { actionOf, type Gathered, nothing, read, readBox, readTotals } from "./readings.ts";

/** After this long without a notification, `status/…` topics are the only source of values. */
const NOTIFIED_MS = 600_000;
const MAX_COMPONENTS = 256;
const ALARMS: Readonly<Record<string, string>> = {
  leak: "Water leak",
  smoke: "Smoke",
  overpower: "Switched off: too much power drawn",
  overtemp: "Switched off: too hot",
  overvoltage: "Switched off: voltage too high",
  undervoltage: "Voltage too low",
  overcurrent: "Switched off: too much current drawn",
};

/** Turns statuses and events of devices into effects. */
export class StatusDecoder {
  /** Bluetooth devices that have been reported to the hub. */
  readonly #tagsReported = new Set<string>();

  /** The hub removed a Bluetooth device: it is reported again when it speaks. */
  forgetTag(address: string): void {
    this.#tagsReported.delete(address);
  }

  /**
   * Takes a status, full or a change of one; every component in it exists. `repeats`: notifications report the same if
   * they are on.
   */
  status(device: Learned, status: JsonObject, how: { readonly at: number; readonly repeats: boolean }): Effect[] {
    const before = JSON.stringify([device.address, device.wakeSeconds, device.positioned]);
    const names = outputNames(device);
    let isNew = device.shows(partsOf(status));
    const gone = names.filter((name) => !outputNames(device).includes(name));
    const into = nothing();
    for (const name of gone) into.state[name] = null;
    const tagged: Effect[] = [];
    for (const [name, value] of Object.entries(status).slice(0, MAX_COMPONENTS)) {
      const part = partOf(name);
      if (part !== null) read(device, part, value, into);
      else if (!readTotals(device, name, value, into) && !readBox(device, name, value, into))
        tagged.push(...this.#tag(device, name, value));
    }
    for (const metric of [...Object.keys(into.data), ...into.counters.keys()]) {
      if (device.metrics.has(metric) || device.metrics.size >= 128) continue;
      device.metrics.add(metric);
      isNew = true;
    }
    if (isNew || before !== JSON.stringify([device.address, device.wakeSeconds, device.positioned]))
      tagged.unshift({ do: "device", device: device.describe() });
    const isRepeated = how.repeats && how.at - device.notifiedAt < NOTIFIED_MS;
    return [...tagged, ...reported(device, into, isRepeated)];
  }

  /** Events: buttons, and reports of scripts and updates. */
  events(device: Learned, params: JsonObject): Effect[] {
    return objectsOf(member(params, "events"))
      .slice(0, 32)
      .flatMap((event) => this.#event(device, event));
  }

  #event(device: Learned, event: JsonObject): Effect[] {
    const component = member(event, "component");
    const name = member(event, "event");
    if (typeof component !== "string" || typeof name !== "string") return [];
    const action = actionOf(name);
    const part = partOf(component);
    if (part?.kind === "input" && action !== null) {
      device.shows([part]);
      return pressed(device.key, device.word("button", part), device.word("action", part), action);
    }
    const [, digits] = /^bthomedevice:(\d{1,4})$/.exec(component) ?? [];
    const tag = digits === undefined ? undefined : device.tags.get(Number(digits));
    if (tag !== undefined && action !== null) {
      const index = numberOf(member(event, "idx")) ?? 0;
      const suffix = index > 0 && index < 16 ? String(index + 1) : "";
      return [...this.#introduce(device, tag), ...pressed(tag.address, `button${suffix}`, `action${suffix}`, action)];
    }
    if (/^script:\d{1,4}$/.test(component)) {
      const word = camelCase(name);
      return word === null
        ? []
        : [{ do: "event", key: device.key, kind: `script.${word}`, title: `Script: ${word}`, body: "" }];
    }
    if (name === "ota_success")
      return [{ do: "event", key: device.key, kind: "updated", title: "Firmware updated", body: "" }];
    return [];
  }

  #tag(device: Learned, name: string, value: unknown): Effect[] {
    const [, kind, digits] = /^(bthomedevice|bthomesensor):(\d{1,4})$/.exec(name) ?? [];
    if (kind === undefined || digits === undefined || !isJsonObject(value)) return [];
    if (kind === "bthomesensor") return this.#tagValue(device, Number(digits), value);
    const tag = device.tags.get(Number(digits));
    if (tag === undefined) return [];
    const data: Record<string, number> = {};
    const [rssi, battery] = [numberOf(member(value, "rssi")), numberOf(member(value, "battery"))];
    if (rssi !== null && rssi < 0) data.rssi = rssi;
    if (battery !== null) data.battery = battery;
    return this.#tagData(device, tag, data);
  }

  #tagValue(device: Learned, id: number, value: JsonObject): Effect[] {
    const tag = device.tagOfSensor(id);
    const meaning = tag === null ? null : meaningOf(tag, id, member(value, "value"));
    if (tag === null || meaning === null) return [];
    if (typeof meaning.value === "number") return this.#tagData(device, tag, { [meaning.word]: meaning.value });
    return [
      ...this.#introduce(device, tag),
      { do: "state", key: tag.address, patch: { [meaning.word]: meaning.value } },
    ];
  }

  #tagData(device: Learned, tag: Tag, data: Readonly<Record<string, number>>): Effect[] {
    const names = Object.keys(data);
    if (names.length === 0) return [];
    const isNew = names.some((name) => !tag.metrics.has(name));
    for (const name of names) tag.metrics.add(name);
    return [...this.#introduce(device, tag, isNew), { do: "telemetry", key: tag.address, data, at: null }];
  }

  #introduce(device: Learned, tag: Tag, again = false): Effect[] {
    const known = this.#tagsReported.has(tag.address);
    if (known && !again) return [];
    this.#tagsReported.add(tag.address);
    const effects: Effect[] = [{ do: "device", device: device.describeTag(tag) }];
    return known ? effects : [...effects, { do: "availability", key: tag.address, online: true }];
  }
}

function reported(device: Learned, into: Gathered, isRepeated: boolean): Effect[] {
  const { key } = device;
  const effects: Effect[] = [];
  if (Object.keys(into.state).length > 0) effects.push({ do: "state", key, patch: into.state });
  if (!isRepeated && Object.keys(into.data).length > 0)
    effects.push({ do: "telemetry", key, data: into.data, at: null });
  if (!isRepeated)
    for (const [metric, wattHours] of into.counters)
      effects.push({ do: "counter", key, metric, wattHours, epoch: null });
  for (const [kind, on] of into.alarms) {
    if (!on) device.alarms.delete(kind);
    else if (!device.alarms.has(kind)) {
      device.alarms.add(kind);
      effects.push({ do: "event", key, kind, title: ALARMS[kind] ?? kind, body: "" });
    }
  }
  return effects;
}

function pressed(key: string, button: string, action: string, pressedHow: string): Effect[] {
  return [
    { do: "state", key, patch: { [action]: pressedHow } },
    {
      do: "event",
      key,
      kind: `${button}.${pressedHow}`,
      title: `${button.replace(/^button/, "Button ").trim()}: ${pressedHow}`,
      body: "",
    },
  ];
}

/** Names of the state's switching values, which change when a second output appears. */
function outputNames(device: Learned): string[] {
  return device.outputs.map((part: Part) => device.outputWord("power", part));
}
