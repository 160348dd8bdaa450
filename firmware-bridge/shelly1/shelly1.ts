/**
 * Shelly, first generation (ESP8266): everything below `shellies/`. Devices are identified by the MAC in their
 * announcement; earlier messages are kept for a moment and the announcement is requested. Messages in, effects out;
 * must never know their transport.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type {
  Adapter,
  BridgeMessage,
  DeviceTopics,
  Effect,
  Family,
  SetupStep,
  SetupValues,
  Translation,
} from "../family.ts";
import { hardwareAddress, jsonOf, member, payloadText } from "../json-values.ts";
import { translate } from "./commands.ts";
import { Learned } from "./learned.ts";
import { rowOf } from "./readings.ts";

const MAX_DEVICES = 1_000;
const MAX_UNKNOWN_DEVICES = 100;
const KEPT_PER_UNKNOWN_DEVICE = 64;
const KEPT_BYTES = 4_096;
const ASK_AGAIN_MS = 60_000;
/** Presses reported in the moment after an update was asked for are from the past. */
const QUIET_MS = 10_000;
/** Gen1 reports its state every 30 s unless its owner changed that. */
const ABSENT_MS = 120_000;
const ID = /^[^/+#\s]{1,64}$/;

/** A device that has not announced itself yet. */
interface UnknownDevice {
  askedAt: number;
  readonly kept: Map<string, BridgeMessage>;
}

/** The adapter of {@link shelly1}. */
class Shelly1Adapter implements Adapter {
  readonly #byId = new Map<string, Learned>();
  readonly #byKey = new Map<string, Learned>();
  readonly #unknownDevices = new Map<string, UnknownDevice>();
  /** Ids below `shellies/` that belong to devices of later generations. */
  readonly #foreign = new Set<string>();
  #connectedAt: number | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices.slice(0, MAX_DEVICES)) {
      const device = Learned.restored(key, memo);
      if (device !== null) this.#keep(device);
    }
  }

  connected(at: number): readonly Effect[] {
    this.#connectedAt ??= at;
    // This comes whenever some client connects; a Gen1 device announces itself when it does.
    if (at - this.#askedAt < ASK_AGAIN_MS) return [];
    this.#askedAt = at;
    for (const device of this.#byKey.values()) device.quietUntil = at + QUIET_MS;
    return ["announce", "update"].map((payload) => ({
      do: "publish",
      message: { topic: "shellies/command", payload },
    }));
  }

  message(message: BridgeMessage): readonly Effect[] {
    const [root, id = "", ...levels] = message.topic.split("/");
    const rest = levels.join("/");
    if (root !== "shellies" || message.payload.byteLength === 0) return [];
    if (id === "announce" && rest === "") return this.#announced(message, null);
    if (!ID.test(id) || rest === "" || levels.includes("command") || levels.at(-1) === "set") return [];
    if (rest === "announce") return this.#announced(message, id);
    const device = this.#byId.get(id);
    return device === undefined ? this.#fromUnknown(id, rest, message) : this.#received(device, rest, message);
  }

  passed(at: number): readonly Effect[] {
    if (this.#connectedAt === null || at < this.#connectedAt + ABSENT_MS) return [];
    this.#connectedAt = null;
    const absent = [...this.#byKey.values()].filter((device) => device.online === null && !device.sleeps);
    for (const device of absent) device.online = false;
    return absent.map(({ key }) => ({ do: "availability", key, online: false }));
  }

  command(key: string, command: JsonObject): Translation {
    const device = this.#byKey.get(key);
    return device === undefined
      ? { unsupported: "the device has not announced itself yet" }
      : translate(device, command);
  }

  forget(key: string): void {
    const device = this.#byKey.get(key);
    this.#byKey.delete(key);
    if (device !== undefined) this.#byId.delete(device.id);
  }

  topics(key: string): DeviceTopics | null {
    const name = this.#byKey.get(key)?.id;
    return name === undefined ? null : { name, says: [], takes: [] };
  }

  #announced(message: BridgeMessage, id: string | null): readonly Effect[] {
    const text = payloadText(message.payload, KEPT_BYTES);
    const value = text === null ? undefined : jsonOf(text);
    const key = hardwareAddress(member(value, "mac"));
    const name = member(value, "id");
    if (isLater(value) && typeof name === "string") {
      if (id !== null && this.#foreign.size < MAX_UNKNOWN_DEVICES) this.#foreign.add(id);
      return [];
    }
    if (
      !isJsonObject(value) ||
      key === null ||
      typeof name !== "string" ||
      !ID.test(name) ||
      (id !== null && id !== name)
    ) {
      return [{ do: "problem", topic: message.topic, reason: "the announcement names no id and MAC" }];
    }
    return this.#introduced(key, name, value, message);
  }

  /** An announcement, or another message with id and MAC. */
  #introduced(key: string, id: string, value: JsonObject, message: BridgeMessage): Effect[] {
    const known = this.#byKey.get(key);
    if (known === undefined && this.#byKey.size >= MAX_DEVICES)
      return [{ do: "problem", topic: message.topic, reason: "too many devices" }];
    const device = known ?? new Learned(key, id);
    if (device.id !== id) {
      this.#byId.delete(device.id);
      device.id = id;
    }
    const changed = device.announced(value);
    const isBack = device.online !== true && !message.retained;
    this.#keep(device);
    const effects: Effect[] = [{ do: "device", device: device.describe() }, ...this.#alive(device, message)];
    // Its last count of presses will be reported again now.
    if (!device.sleeps) device.quietUntil = Math.max(device.quietUntil, message.at + QUIET_MS);
    if (known === undefined || changed || isBack)
      effects.push({ do: "publish", message: { topic: `shellies/${id}/command`, payload: "update" } });
    const unknown = this.#unknownDevices.get(id);
    this.#unknownDevices.delete(id);
    for (const [rest, kept] of unknown?.kept ?? []) effects.push(...this.#received(device, rest, kept));
    return effects;
  }

  #keep(device: Learned): void {
    this.#byKey.set(device.key, device);
    this.#byId.set(device.id, device);
  }

  #fromUnknown(id: string, rest: string, message: BridgeMessage): readonly Effect[] {
    const text = payloadText(message.payload, KEPT_BYTES);
    const mac = rest === "info" && text !== null ? hardwareAddress(member(jsonOf(text), "mac")) : null;
    if (mac !== null)
      return [
        ...this.#introduced(mac, id, {}, message),
        { do: "publish", message: { topic: `shellies/${id}/command`, payload: "announce" } },
      ];
    if (this.#foreign.has(id)) return [];
    let unknown = this.#unknownDevices.get(id);
    if (unknown === undefined) {
      const oldest =
        this.#unknownDevices.size >= MAX_UNKNOWN_DEVICES
          ? this.#unknownDevices.keys().next()
          : { done: true as const, value: undefined };
      if (!oldest.done) this.#unknownDevices.delete(oldest.value);
      unknown = { askedAt: Number.NEGATIVE_INFINITY, kept: new Map() };
      this.#unknownDevices.set(id, unknown);
    }
    if (rowOf(rest) === null && rest !== "online") return [];
    if (
      message.payload.byteLength <= KEPT_BYTES &&
      (unknown.kept.has(rest) || unknown.kept.size < KEPT_PER_UNKNOWN_DEVICE)
    )
      unknown.kept.set(rest, message);
    if (message.at - unknown.askedAt < ASK_AGAIN_MS) return [];
    unknown.askedAt = message.at;
    return [{ do: "publish", message: { topic: `shellies/${id}/command`, payload: "announce" } }];
  }

  /** A live message proves that the device is there. */
  #alive(device: Learned, message: BridgeMessage): Effect[] {
    if (message.retained || device.online === true) return [];
    device.online = true;
    return [{ do: "availability", key: device.key, online: true }];
  }

  #received(device: Learned, rest: string, message: BridgeMessage): Effect[] {
    const text = payloadText(message.payload)?.trim() ?? null;
    if (text === null) return [{ do: "problem", topic: message.topic, reason: "the message is too long" }];
    if (rest === "online") return this.#presence(device, text, message);
    const found = rowOf(rest);
    if (found === null) return this.#alive(device, message);
    const { row, index } = found;
    const effects = this.#alive(device, message);
    const alone = device.outputs?.count === 1 ? device.outputs.kind : null;
    const { calibrated } = device;
    let isNew = row.part !== undefined && device.shows(row.part, index);
    if (isNew && alone !== null && alone === row.part && device.count(alone) > 1) {
      // The former `power` is `power1` from now on.
      effects.push({ do: "state", key: device.key, patch: { power: null, brightness: null } });
      effects.push({ do: "publish", message: { topic: `shellies/${device.id}/command`, payload: "update" } });
    }
    if (row.part !== undefined && index >= device.count(row.part)) return effects; // an index that no device has
    const reading = row.read(device, { index, text, retained: message.retained, at: message.at });
    if (reading === null)
      return [
        ...effects,
        { do: "problem", topic: message.topic, reason: `"${text.slice(0, 40)}" is no value of this topic` },
      ];
    for (const metric of [...Object.keys(reading.data ?? {}), ...(reading.counter ? [reading.counter.metric] : [])]) {
      if (!device.metrics.has(metric) && device.metrics.size < 64) {
        device.metrics.add(metric);
        isNew = true;
      }
    }
    if (isNew || device.calibrated !== calibrated) effects.push({ do: "device", device: device.describe() });
    const { key } = device;
    if (reading.state && Object.keys(reading.state).length > 0)
      effects.push({ do: "state", key, patch: reading.state });
    if (reading.data && Object.keys(reading.data).length > 0)
      effects.push({ do: "telemetry", key, data: reading.data, at: null });
    if (reading.counter) effects.push({ do: "counter", key, ...reading.counter, epoch: null });
    if (reading.press) effects.push(pressed(key, reading.press));
    if (reading.alarm) effects.push(...this.#alarmed(device, reading.alarm, message));
    return effects;
  }

  #presence(device: Learned, text: string, message: BridgeMessage): Effect[] {
    if (text === "true") return this.#alive(device, message);
    if (text !== "false") return [{ do: "problem", topic: message.topic, reason: "online is true or false" }];
    // A battery device reports this whenever it goes back to sleep.
    if (device.sleeps || device.online === false) return [];
    device.online = false;
    return [{ do: "availability", key: device.key, online: false }];
  }

  #alarmed(
    device: Learned,
    alarm: { readonly kind: string; readonly title: string; readonly on: boolean },
    message: BridgeMessage,
  ): Effect[] {
    if (!alarm.on) {
      device.alarms.delete(alarm.kind);
      return [];
    }
    if (device.alarms.has(alarm.kind)) return [];
    device.alarms.add(alarm.kind);
    return message.retained ? [] : [{ do: "event", key: device.key, kind: alarm.kind, title: alarm.title, body: "" }];
  }
}

/** Later generations name theirs; their owner may have put one below `shellies/`. */
function isLater(announcement: unknown): boolean {
  const gen = member(announcement, "gen");
  return typeof gen === "number" && gen >= 2;
}

function pressed(key: string, press: { readonly input: number; readonly action: string }): Effect {
  const button = press.input === 0 ? "button" : `button${press.input}`;
  const title = press.input === 0 ? `Button: ${press.action}` : `Button ${press.input}: ${press.action}`;
  return { do: "event", key, kind: `${button}.${press.action}`, title, body: "" };
}

function setup({ host, port, username, password }: SetupValues): readonly SetupStep[] {
  const query = new URLSearchParams({
    mqtt_enable: "1",
    mqtt_server: `${host}:${port}`,
    mqtt_user: username,
    mqtt_pass: password,
    mqtt_retain: "0",
  });
  return [
    {
      title: "Open this page with the device's own address; it restarts by itself. Its cloud connection ends.",
      kind: "url",
      text: `http://DEVICE-ADDRESS/settings?${query}`,
    },
    { title: "Restart it if it does not show up within a minute.", kind: "url", text: "http://DEVICE-ADDRESS/reboot" },
    {
      title: "Or fill in its web page: Internet & Security → Advanced → Enable action execution via MQTT.",
      kind: "form",
      text: `Server: ${host}:${port}\nUsername: ${username}\nPassword: ${password}\nClean session: yes\nRetain: no`,
    },
  ];
}

/** Shelly Gen1. */
export const shelly1: Family = {
  name: "shelly1",
  label: "Shelly (first generation)",
  source: "https://shelly-api-docs.shelly.cloud/gen1/",
  filters: () => ["shellies/#"],
  prefix: null,
  open: () => new Shelly1Adapter(),
  setup,
};
