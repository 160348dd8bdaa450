/**
 * Tasmota: native discovery, relays, lamps, shutters, fans, meters, sensors, buttons and switches.
 *
 * In: `tasmota/discovery/…` and the topics that each device announced there. Out: effects and `cmnd/…` messages.
 * Sources: https://tasmota.github.io/docs/MQTT, https://tasmota.github.io/docs/Commands,
 * https://tasmota.github.io/docs/JSON-Status-Responses, and xdrv_12_discovery.ino in https://github.com/arendst/Tasmota.
 * Must never know: the hub's devices, the broker, other families.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type {
  Adapter,
  BridgedDevice,
  BridgeMessage,
  DeviceTopics,
  Effect,
  Family,
  SetupStep,
  SetupValues,
} from "../family.ts";
import { jsonOf, member, payloadObject, payloadText, textOf } from "../json-values.ts";
import { type Announcement, powerField, readAnnouncement } from "./announcement.ts";
import { type DeviceNow, translate } from "./commands.ts";
import { readSensors, type SensorMap } from "./sensors.ts";
import { readState, SCHEMES, switchField } from "./state.ts";

const DISCOVERY = /^tasmota\/discovery\/([0-9A-Fa-f]{12})\/(config|sensors)$/;
/** How long a device of this make may take to answer; it is asked again only after that. */
const ASK_GAP_MS = 60_000;
/** A device that sleeps between reports does not declare for how long; an hour is usual. */
const SLEEP_SECONDS = 3_600;
const MOST_DEVICES = 2_000;
/**
 * A motion detector reports motion and nothing after that; it is off again after this time
 * (https://github.com/emontnemery/hatasmota, switch modes 13 and 14).
 */
const MOTION_MS = 1_000;

interface Known {
  announcement: Announcement;
  /** As reported since its announcement. */
  firmware: string | null;
  address: string | null;
  readonly sensors: SensorMap;
  readonly metrics: Set<string>;
  hasMeter: boolean;
  /** Epoch ms; 0: never. */
  askedAt: number;
  /** Its last reported state, for commands that depend on it. */
  readonly now: DeviceNow;
  /** When the motion detector of an input is off again, epoch ms, by its number. */
  readonly motionUntil: Map<number, number>;
}

/** The family. */
export const tasmota: Family = {
  name: "tasmota",
  label: "Tasmota",
  source: "https://tasmota.github.io/docs/MQTT/",
  prefix: null,
  // The owner chooses FullTopic: messages on topics of no known device are dropped at once.
  filters: () => ["tasmota/discovery/+/+", "#"],
  open: () => new Tasmota(),
  setup,
};

class Tasmota implements Adapter {
  readonly #devices = new Map<string, Known>();
  /** By topic up to its last level. */
  readonly #topics = new Map<string, { readonly key: string; readonly kind: "result" | "telemetry" }>();
  /** Devices with a motion detector that is on. */
  readonly #moving = new Set<Known>();

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices) {
      const announcement = readAnnouncement(key, memo.config);
      if (typeof announcement === "string") continue;
      const known = this.#learn(announcement);
      for (const [place, metric] of Object.entries(isJsonObject(memo.sensors) ? memo.sensors : {}))
        if (typeof metric === "string") known.sensors[place] = metric;
      for (const metric of Array.isArray(memo.metrics) ? memo.metrics : [])
        if (typeof metric === "string") known.metrics.add(metric);
      known.hasMeter = memo.hasMeter === true;
      known.firmware = textOf(memo.firmware);
      known.address = textOf(memo.address, 45);
    }
  }

  connected(at: number): readonly Effect[] {
    return [...this.#devices.values()].flatMap((known) =>
      at - known.askedAt >= ASK_GAP_MS ? this.#ask(known, at) : [],
    );
  }

  message(message: BridgeMessage): readonly Effect[] {
    const [, mac, part] = DISCOVERY.exec(message.topic) ?? [];
    if (mac !== undefined)
      return part === "config"
        ? this.#config(mac.toLowerCase(), message)
        : this.#sensorList(mac.toLowerCase(), message);
    const slash = message.topic.lastIndexOf("/") + 1;
    const place = this.#topics.get(message.topic.slice(0, slash));
    const known = place === undefined ? undefined : this.#devices.get(place.key);
    if (place === undefined || known === undefined) return [];
    return this.#published(place.key, known, { kind: place.kind, name: message.topic.slice(slash), message });
  }

  passed(at: number): readonly Effect[] {
    const effects: Effect[] = [];
    for (const known of this.#moving) {
      const patch: JsonObject = {};
      for (const [input, until] of known.motionUntil) {
        if (at < until) continue;
        known.motionUntil.delete(input);
        patch[switchField(known.announcement, input)] = false;
      }
      if (known.motionUntil.size === 0) this.#moving.delete(known);
      if (Object.keys(patch).length > 0) effects.push({ do: "state", key: known.announcement.mac, patch });
    }
    return effects;
  }

  command(key: string, command: JsonObject): ReturnType<Adapter["command"]> {
    const known = this.#devices.get(key);
    return known === undefined
      ? { unsupported: "it has not announced itself" }
      : translate(known.announcement, command, known.now);
  }

  forget(key: string): void {
    const known = this.#devices.get(key);
    if (known === undefined) return;
    this.#devices.delete(key);
    this.#moving.delete(known);
    this.#topics.delete(known.announcement.result);
    this.#topics.delete(known.announcement.telemetry);
  }

  topics(key: string): DeviceTopics | null {
    const announcement = this.#devices.get(key)?.announcement;
    if (announcement === undefined) return null;
    const { mac, result, telemetry, command } = announcement;
    return { name: mac.toUpperCase(), says: [`${result}#`, `${telemetry}#`], takes: [`${command}#`] };
  }

  #config(mac: string, { topic, payload }: BridgeMessage): readonly Effect[] {
    if (payload.length === 0) {
      const wasKnown = this.#devices.has(mac);
      this.forget(mac);
      return wasKnown ? [{ do: "gone", key: mac }] : [];
    }
    const announcement = readAnnouncement(mac, payloadObject(payload));
    if (typeof announcement === "string")
      return [{ do: "problem", topic, reason: `The announcement ${announcement}.` }];
    if (!this.#devices.has(mac) && this.#devices.size >= MOST_DEVICES)
      return [{ do: "problem", topic, reason: "There are more devices than the hub can keep." }];
    const known = this.#learn(announcement);
    const { telemetry, result } = announcement;
    return [
      this.#device(known),
      { do: "recall", filters: [`tasmota/discovery/${mac.toUpperCase()}/sensors`, `${telemetry}+`, `${result}+`] },
    ];
  }

  #sensorList(mac: string, { topic, payload, retained }: BridgeMessage): readonly Effect[] {
    const known = this.#devices.get(mac);
    if (known === undefined || payload.length === 0) return [];
    const list = member(payloadObject(payload), "sn");
    if (!isJsonObject(list))
      return [{ do: "problem", topic, reason: "The list of sensors is no JSON object with sn." }];
    return this.#measured(mac, known, list, { isAnnouncement: true, retained });
  }

  #published(
    key: string,
    known: Known,
    arrived: { readonly kind: "result" | "telemetry"; readonly name: string; readonly message: BridgeMessage },
  ): readonly Effect[] {
    const { name, message } = arrived;
    const text = payloadText(message.payload);
    if (text === null) return [];
    if (arrived.kind === "telemetry" && name === "LWT") return this.#presence(key, known, text, message);
    const alarm = /^([A-Z]+)_(LOW|HIGH)$/.exec(name);
    if (arrived.kind === "telemetry" && alarm !== null)
      return text === "ON" ? [happened(key, known, `${alarm[1]}.${alarm[2]}`.toLowerCase())] : [];
    // Plain words, or JSON if answers are named after the command (SetOption4).
    if (/^POWER\d*$/.test(name) && !text.startsWith("{")) return this.#state(key, known, { [name]: text }, message);
    const value = jsonOf(text);
    if (isJsonObject(value))
      return this.#object(key, known, value, { message, isSensor: arrived.kind === "telemetry" && name === "SENSOR" });
    const expected = name === "STATE" || name === "SENSOR" || name === "RESULT";
    return expected && text !== ""
      ? [{ do: "problem", topic: message.topic, reason: "The message is no JSON object." }]
      : [];
  }

  /** STATE, RESULT, SENSOR and the numbered STATUS answers, distinguished by their content. */
  #object(
    key: string,
    known: Known,
    value: JsonObject,
    from: { readonly message: BridgeMessage; readonly isSensor: boolean },
  ): readonly Effect[] {
    const { StatusSNS, StatusSTS, StatusNET, StatusFWR } = value;
    const { message, isSensor } = from;
    const how = { isAnnouncement: false, retained: message.retained };
    if (isJsonObject(StatusSTS)) return this.#state(key, known, StatusSTS, message);
    if (isJsonObject(StatusSNS))
      return [...this.#measured(key, known, StatusSNS, how), ...this.#state(key, known, StatusSNS, message)];
    if (isJsonObject(StatusNET)) return this.#about(known, { address: textOf(StatusNET.IPAddress, 45) });
    if (isJsonObject(StatusFWR))
      return this.#about(known, { firmware: textOf(StatusFWR.Version)?.replace(/\(.*\)$/, "") ?? null });
    if (Object.keys(value).some((name) => /^Status/.test(name))) return [];
    const effects = this.#state(key, known, value, message);
    // A driver may report its sensors by RESULT too; then the time of the measurement is with them.
    const hasSensor = Object.keys(value).some(
      (name) => isJsonObject(value[name]) && !/^(Wifi|Button\d+|Switch\d+|Shutter\d+|Berry|ESP32)$/.test(name),
    );
    return isSensor || (hasSensor && Object.hasOwn(value, "Time"))
      ? [...effects, ...this.#measured(key, known, value, how)]
      : effects;
  }

  #state(key: string, known: Known, value: JsonObject, { at, retained }: BridgeMessage): readonly Effect[] {
    const { announcement, now, metrics, motionUntil } = known;
    const { patch, telemetry, events } = readState(announcement, value);
    Object.assign(now, patch);
    if (typeof patch.speed === "number" && patch.speed > 0) now.lastSpeed = patch.speed;
    for (const [input, meaning] of announcement.switches) {
      if (meaning !== "motion" || patch[switchField(announcement, input)] !== true) continue;
      motionUntil.set(input, at + MOTION_MS);
      this.#moving.add(known);
    }
    const effects: Effect[] = [];
    if (telemetry.battery !== undefined && !retained && !metrics.has("battery")) {
      metrics.add("battery");
      effects.push(this.#device(known));
    }
    if (Object.keys(patch).length > 0) effects.push({ do: "state", key, patch });
    if (Object.keys(telemetry).length > 0) effects.push({ do: "telemetry", key, data: telemetry, at: null });
    for (const { kind, title } of events) effects.push({ do: "event", key, kind, title, body: "" });
    return effects;
  }

  #measured(
    key: string,
    known: Known,
    value: JsonObject,
    from: { readonly isAnnouncement: boolean; readonly retained: boolean },
  ): readonly Effect[] {
    const { telemetry, counters, states, learned } = readSensors(value, known.sensors);
    const effects: Effect[] = [];
    const metrics = [...Object.keys(telemetry), ...counters.map(({ metric }) => metric)];
    const hasMeter = isJsonObject(value.ENERGY) || counters.length > 0;
    const isNew = learned || metrics.some((metric) => !known.metrics.has(metric)) || (hasMeter && !known.hasMeter);
    for (const metric of metrics) known.metrics.add(metric);
    if (hasMeter) known.hasMeter = true;
    if (isNew) effects.push(this.#device(known));
    // The sensor list may have been retained long ago: it shows which sensors exist, not their values.
    if (from.isAnnouncement) return effects;
    if (Object.keys(states).length > 0) effects.push({ do: "state", key, patch: states });
    if (Object.keys(telemetry).length > 0) effects.push({ do: "telemetry", key, data: telemetry, at: null });
    for (const counter of counters) effects.push({ do: "counter", key, ...counter });
    return effects;
  }

  #presence(key: string, known: Known, text: string, { at, retained }: BridgeMessage): readonly Effect[] {
    const { words, sleeps } = known.announcement;
    if (text === words.offline) return sleeps ? [] : [{ do: "availability", key, online: false }];
    if (text !== words.online) return [];
    return [{ do: "availability", key, online: true }, ...(retained ? [] : this.#ask(known, at))];
  }

  #ask(known: Known, at: number): Effect[] {
    const { command } = known.announcement;
    known.askedAt = at;
    const ask = (name: string, payload: string): Effect => ({
      do: "publish",
      message: { topic: `${command}${name}`, payload },
    });
    return [ask("STATE", ""), ask("STATUS", "10")];
  }

  #about(
    known: Known,
    news: { readonly firmware?: string | null; readonly address?: string | null },
  ): readonly Effect[] {
    if ((news.firmware ?? known.firmware) === known.firmware && (news.address ?? known.address) === known.address)
      return [];
    known.firmware = news.firmware ?? known.firmware;
    known.address = news.address ?? known.address;
    return [this.#device(known)];
  }

  #learn(announcement: Announcement): Known {
    const before = this.#devices.get(announcement.mac);
    this.forget(announcement.mac);
    const { firmware, address } = announcement;
    const fresh = {
      sensors: {},
      metrics: new Set<string>(),
      hasMeter: false,
      askedAt: 0,
      now: {},
      motionUntil: new Map<number, number>(),
    };
    const known: Known = { ...(before ?? fresh), announcement, firmware, address };
    this.#devices.set(announcement.mac, known);
    this.#topics.set(announcement.result, { key: announcement.mac, kind: "result" });
    this.#topics.set(announcement.telemetry, { key: announcement.mac, kind: "telemetry" });
    return known;
  }

  #device(known: Known): Effect {
    const { announcement, firmware, address, sensors, metrics, hasMeter } = known;
    const { mac, name, model, sleeps, source } = announcement;
    const device: BridgedDevice = {
      key: mac,
      name,
      type: typeOf(known),
      manufacturer: "Tasmota",
      model,
      firmware,
      metrics: [...new Set([...metrics, ...(announcement.hasBattery ? ["battery"] : []), "signal", "rssi"])],
      commands: schemaOf(announcement),
      hardware: [mac],
      reportSeconds: sleeps ? SLEEP_SECONDS : null,
      address,
      room: null,
      memo: { config: source, sensors: { ...sensors }, metrics: [...metrics], hasMeter, firmware, address },
    };
    return { do: "device", device };
  }
}

function happened(key: string, { announcement }: Known, kind: string): Effect {
  return { do: "event", key, kind, title: `${announcement.name}: ${kind.replace(".", " ")}`, body: "" };
}

function typeOf({ announcement, hasMeter }: Known): string {
  const { isFan, shutters, outputs, light, hasChannels } = announcement;
  if (isFan) return "fan";
  if (shutters.length > 0) return "cover";
  if (outputs.length > 1 && outputs.some(({ isLight }) => !isLight)) return "home-hub";
  if (light > 0) return hasChannels ? "light" : "dimmer";
  if (outputs.some(({ isLight }) => isLight)) return "light";
  if (outputs.length === 1 && announcement.switchesLamps) return "light";
  if (outputs.length === 1) return hasMeter ? "smart-plug" : "switch";
  return hasMeter ? "energy-meter" : "sensor";
}

/** The hub's words that the device takes, as a JSON schema. */
function schemaOf(announcement: Announcement): JsonObject | null {
  const { outputs, shutters, light, isFan, hasChannels, mired, isSplit, canFade } = announcement;
  const properties: JsonObject = {};
  const level = { type: "integer", minimum: 0, maximum: 100 };
  for (const [position] of outputs.entries())
    properties[isFan && position === 0 ? "light" : powerField(announcement, position)] = { type: "boolean" };
  if (isFan)
    Object.assign(properties, { power: { type: "boolean" }, speed: { type: "integer", minimum: 0, maximum: 3 } });
  if (light > 0 && !hasChannels) properties.brightness = level;
  if (light >= 3 && !hasChannels) properties.color = { type: "string", pattern: "^#[0-9a-fA-F]{6}$" };
  if (light >= 4 && !hasChannels) properties.white = isSplit ? level : { ...level, minimum: 1 };
  if (light === 2 || light === 5)
    properties.colorTemperature = {
      type: "integer",
      minimum: Math.round(1e6 / mired[1]),
      maximum: Math.round(1e6 / mired[0]),
    };
  if (light > 0 && !hasChannels) properties.effect = { enum: [...SCHEMES] };
  if (light > 0 && !hasChannels && canFade) properties.transition = { type: "number", minimum: 0 };
  if (shutters.length > 0)
    Object.assign(properties, { position: level, stop: { const: true }, open: { type: "boolean" } });
  return Object.keys(properties).length === 0 ? null : { type: "object", properties };
}

function setup({ host, port, username, password, topic }: SetupValues): readonly SetupStep[] {
  const line = `Backlog MqttHost ${host}; MqttPort ${port}; MqttUser ${username}; MqttPassword ${password}; Topic ${topic}; SetOption19 0`;
  return [
    { title: "In the device's web page, open Consoles, Console, and paste:", kind: "command", text: line },
    {
      title: "Or open this address, with the device's own in front:",
      kind: "url",
      text: `http://DEVICE/cm?cmnd=${encodeURIComponent(line)}`,
    },
  ];
}
