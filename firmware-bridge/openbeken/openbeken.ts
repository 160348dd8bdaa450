/**
 * OpenBeken (BK7231, BL602 and related chips, common in plugs sold in India): channels, meters and lamps under the
 * device's configured name, in addition to Tasmota's topics, which it also speaks.
 *
 * In: `<name>/connected`, `<name>/mac`, `<name>/<channel>/get`, `tele/<name>/…`. Out: effects and
 * `<name>/<channel>/set`. A name becomes a device once it has published its hardware address. Source:
 * https://github.com/openshwprojects/OpenBK7231T_App/blob/main/docs/mqttTopics.md. Must never know: the hub's devices,
 * the broker, other families.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { hexOfRgb, reciprocalMegakelvin, rgbOfHex } from "../colours.ts";
import type { Adapter, BridgeMessage, DeviceTopics, Effect, Family, SetupStep, SetupValues } from "../family.ts";
import { hardwareAddress, numberOf, payloadObject, payloadText, rounded, textOf, textsOf } from "../json-values.ts";
import { translate } from "./commands.ts";
import { type Named, newNamed, powerOf, schemaOf, typeOf } from "./named.ts";

const MOST_NAMES = 1_000;
const MOST_CHANNELS = 32;
/** Minimum time between two requests for the channel values of one name. */
const ASK_GAP_MS = 60_000;

/** Topics of measured values, with the hub's word. */
const MEASURED: Readonly<Record<string, string>> = {
  voltage: "voltage",
  current: "amps",
  power: "watts",
  frequency: "frequency",
  power_factor: "powerFactor",
};
const COUNTED: Readonly<Record<string, string>> = { energycounter: "kwh" };

/** The family. */
export const openbeken: Family = {
  name: "openbeken",
  label: "OpenBeken",
  source: "https://github.com/openshwprojects/OpenBK7231T_App/blob/main/docs/mqttTopics.md",
  prefix: null,
  filters: () => [
    "+/connected",
    "+/mac",
    "+/ip",
    "+/rssi",
    "+/build",
    "+/host",
    "+/+/get",
    "tele/+/STATE",
    "tele/+/SENSOR",
    "stat/+/RESULT",
  ],
  open: () => new OpenBeken(),
  setup,
};

class OpenBeken implements Adapter {
  readonly #names = new Map<string, Named>();
  readonly #keys = new Map<string, string>();

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices) {
      const name = textOf(memo.name, 64);
      if (name === null) continue;
      const named = newNamed(name);
      for (const channel of textsOf(memo.channels)) named.channels.add(channel);
      for (const channel of textsOf(memo.levels)) named.levels.add(channel);
      for (const metric of Array.isArray(memo.metrics) ? memo.metrics : [])
        if (typeof metric === "string") named.metrics.add(metric);
      for (const lamp of Array.isArray(memo.lamp) ? memo.lamp : []) if (typeof lamp === "string") named.lamp.add(lamp);
      Object.assign(named, { key, isOurs: true, address: textOf(memo.address, 45), build: textOf(memo.build) });
      this.#names.set(name, named);
      this.#keys.set(key, name);
    }
  }

  connected(at: number): readonly Effect[] {
    return [...this.#names.values()].flatMap((named) => (named.key === null ? [] : this.#ask(named, at)));
  }

  message(message: BridgeMessage): readonly Effect[] {
    const levels = message.topic.split("/");
    const [first = "", second = "", third] = levels;
    if (third === "get") return this.#value(first, second, message);
    if (first === "tele" || first === "stat") return this.#tasmotaStyle(second, third ?? "", message);
    return this.#about(first, second, message);
  }

  command(key: string, command: JsonObject): ReturnType<Adapter["command"]> {
    const named = this.#names.get(this.#keys.get(key) ?? "");
    return named === undefined ? { unsupported: "it has not announced itself" } : translate(named, command);
  }

  forget(key: string): void {
    const name = this.#keys.get(key);
    this.#keys.delete(key);
    if (name !== undefined) this.#names.delete(name);
  }

  topics(key: string): DeviceTopics | null {
    const name = this.#keys.get(key);
    return name === undefined ? null : { name, says: [], takes: [] };
  }

  /** `<name>/connected`, `<name>/mac` and its other messages about itself. */
  #about(name: string, what: string, { payload, at, retained }: BridgeMessage): readonly Effect[] {
    const text = textOf(payloadText(payload), 200);
    if (text === null) return [];
    const isOwnMark =
      what === "connected"
        ? text === "online" || text === "offline"
        : what === "build" && /openb|bk7|bl602|build on/i.test(text);
    const named = this.#named(name, isOwnMark || what === "mac");
    if (named === null) return [];
    if (isOwnMark) named.isOurs = true;
    if (what === "connected" && isOwnMark) {
      named.online = text === "online";
      if (named.key === null) return [];
      const presence: Effect = { do: "availability", key: named.key, online: named.online };
      return named.online && !retained ? [presence, ...this.#ask(named, at, true)] : [presence];
    }
    if (what === "mac") return this.#addressed(name, named, text, at);
    if (what === "ip" && named.address !== text) named.address = text;
    else if (what === "build" && named.build !== text) named.build = text;
    else if (what === "rssi" && named.key !== null) {
      const rssi = numberOf(text);
      return rssi === null ? [] : [{ do: "telemetry", key: named.key, data: { rssi }, at: null }];
    } else return [];
    return this.#device(named);
  }

  /** A name has reported its hardware address: from now on it is a device. */
  #addressed(name: string, named: Named, text: string, at: number): readonly Effect[] {
    const key = hardwareAddress(text);
    if (key === null || key.length !== 12 || !named.isOurs) return [];
    if (named.key === key) return [];
    const before = this.#keys.get(key);
    if (before !== undefined && before !== name) this.#names.delete(before); // it has a new name
    named.key = key;
    this.#keys.set(key, name);
    const effects: Effect[] = [...this.#device(named), { do: "recall", filters: [`${name}/#`] }];
    if (named.online !== null) effects.push({ do: "availability", key, online: named.online });
    return [...effects, ...this.#ask(named, at, true)];
  }

  /** `<name>/<what>/get`. */
  #value(name: string, what: string, { payload }: BridgeMessage): readonly Effect[] {
    const text = payloadText(payload)?.trim() ?? "";
    if (text === "") return []; // a request for the value
    const named = this.#named(name, false);
    if (named === null) return [];
    const number = numberOf(text);
    const word = Object.hasOwn(MEASURED, what) ? MEASURED[what] : undefined;
    const metric = Object.hasOwn(COUNTED, what) ? COUNTED[what] : undefined;
    if (word !== undefined && number !== null) return this.#measured(named, { [word]: number });
    if (metric !== undefined && number !== null) return this.#counted(named, metric, number);
    if (what.startsWith("led_")) return this.#lamp(named, what, text);
    if (!/^\d{1,2}$/.test(what) || number === null) return [];
    const isNew = !named.channels.has(what);
    if (isNew && named.channels.size >= MOST_CHANNELS) return [];
    const isLevel = number !== 0 && number !== 1 && !named.levels.has(what);
    // Switches behind one that turns out to be none move up.
    const before = isLevel ? powerOf(named).map(([field]) => [field, null] as const) : [];
    named.channels.add(what);
    named.values.set(what, number);
    if (isLevel) named.levels.add(what);
    if (named.key === null) return [];
    const patch = Object.fromEntries([...before, ...powerOf(named)]);
    return [...(isNew || isLevel ? this.#device(named) : []), { do: "state", key: named.key, patch }];
  }

  #lamp(named: Named, what: string, text: string): readonly Effect[] {
    const patch: JsonObject = {};
    const number = numberOf(text);
    const rgb = rgbOfHex(text);
    if (what === "led_enableAll" && number !== null) patch.power = number !== 0;
    else if (what === "led_dimmer" && number !== null) patch.brightness = number;
    else if (what === "led_basecolor_rgb" && rgb !== null) patch.color = hexOfRgb(rgb);
    else if (what === "led_temperature" && number !== null) patch.colorTemperature = reciprocalMegakelvin(number);
    else return [];
    const isNew = !named.lamp.has(what);
    named.lamp.add(what);
    if (named.key === null) return [];
    return [...(isNew ? this.#device(named) : []), { do: "state", key: named.key, patch }];
  }

  /** The topics of Tasmota that this firmware also speaks; only for names that are known to be its own. */
  #tasmotaStyle(name: string, what: string, { payload }: BridgeMessage): readonly Effect[] {
    const named = this.#names.get(name);
    const value = payloadObject(payload);
    if (named === undefined || named.key === null || value === null) return [];
    if (what !== "SENSOR") {
      const lamp = ["led_enableAll", "led_dimmer"].map((word) => named.lamp.has(word));
      const level = numberOf(value.Dimmer);
      return lamp[1] && level !== null ? [{ do: "state", key: named.key, patch: { brightness: level } }] : [];
    }
    const { ENERGY: energy } = value;
    if (!isJsonObject(energy)) return [];
    const data: Record<string, number> = {};
    for (const [field, word] of [
      ["Power", "watts"],
      ["Voltage", "voltage"],
      ["Current", "amps"],
      ["Factor", "powerFactor"],
      ["Frequency", "frequency"],
    ] as const) {
      const number = numberOf(energy[field]);
      if (number !== null) data[word] = number;
    }
    const total = numberOf(energy.ConsumptionTotal);
    return [...this.#measured(named, data), ...(total === null ? [] : this.#counted(named, "kwh", total))];
  }

  #measured(named: Named, data: Record<string, number>): Effect[] {
    const isNew = Object.keys(data).some((metric) => !named.metrics.has(metric));
    for (const metric of Object.keys(data)) named.metrics.add(metric);
    if (named.key === null || Object.keys(data).length === 0) return [];
    return [...(isNew ? this.#device(named) : []), { do: "telemetry", key: named.key, data, at: null }];
  }

  #counted(named: Named, metric: string, wattHours: number): Effect[] {
    const isNew = !named.metrics.has(metric);
    named.metrics.add(metric);
    if (named.key === null) return [];
    return [
      ...(isNew ? this.#device(named) : []),
      { do: "counter", key: named.key, metric, wattHours: rounded(wattHours, 3), epoch: null },
    ];
  }

  /** The name's record; a new one only for messages that no other firmware sends. */
  #named(name: string, mayBegin: boolean): Named | null {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (!mayBegin || name === "" || name.length > 64 || this.#names.size >= MOST_NAMES) return null;
    const named = newNamed(name);
    this.#names.set(name, named);
    return named;
  }

  /** An empty message to a channel's topic makes the device report it. */
  #ask(named: Named, at: number, now = false): Effect[] {
    if (!now && at - named.askedAt < ASK_GAP_MS) return [];
    named.askedAt = at;
    const topics = [...named.channels].map((channel) => `${named.name}/${channel}/get`);
    return topics.map((topic) => ({ do: "publish", message: { topic, payload: "" } }));
  }

  #device(named: Named): Effect[] {
    const { key, name, metrics, channels, levels, lamp, address, build } = named;
    if (key === null) return [];
    return [
      {
        do: "device",
        device: {
          key,
          name,
          type: typeOf(named),
          manufacturer: "OpenBeken",
          model: null,
          firmware: build,
          metrics: [...metrics, "rssi"],
          commands: schemaOf(named),
          hardware: [key],
          reportSeconds: null,
          address,
          room: null,
          memo: {
            name,
            channels: [...channels],
            levels: [...levels],
            metrics: [...metrics],
            lamp: [...lamp],
            address,
            build,
          },
        },
      },
    ];
  }
}

function setup({ host, port, username, password, topic }: SetupValues): readonly SetupStep[] {
  const values = [
    `Host: ${host}`,
    `Port: ${port}`,
    `Client Topic: ${topic}`,
    "Group Topic: bekens",
    `User: ${username}`,
    `Password: ${password}`,
  ];
  return [
    {
      title: "In the device's web page, open Config, Configure MQTT, and enter:",
      kind: "form",
      text: values.join("\n"),
    },
    {
      title:
        "Then Config, General flags: switch on flag 2 (broadcast every minute), so that it tells its hardware address",
      kind: "form",
      text: "Flag 2: on",
    },
  ];
}
