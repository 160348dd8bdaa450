/**
 * Shelly of the second, third and fourth generation: JSON-RPC over MQTT. The base of a device's topics is learned from
 * its messages (`<p>/online`, `<p>/announce`, `<p>/events/rpc`); its components, names and full status are requested,
 * then its changes are followed. Messages in, effects out; must never know what carries them.
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
import { hardwareAddress, member, payloadObject, payloadText } from "../json-values.ts";
import { translate } from "./commands.ts";
import { Learned } from "./learned.ts";
import { HUB, methodOf, request } from "./rpc.ts";
import { StatusDecoder } from "./status-decoder.ts";

const MAX_DEVICES = 1_000;
const MAX_UNKNOWN_DEVICES = 200;
const ASK_AGAIN_MS = 60_000;
/** A connection shows by more than one message. */
const RECONNECT_MS = 3_000;
const ABSENT_MS = 120_000;
/** The components of a device that does not answer RPC are learned from its changes after this many questions. */
const QUESTIONS = 2;
const DEVICE_ID = /^[a-z0-9]{3,32}-([0-9a-f]{12})$/;
const SUFFIXES = ["online", "events/rpc", "status/+", "announce"];

/** The adapter of {@link shelly2}. */
class Shelly2Adapter implements Adapter {
  readonly #byKey = new Map<string, Learned>();
  readonly #byPrefix = new Map<string, Learned>();
  readonly #byDeviceId = new Map<string, Learned>();
  /** Bases of topics whose device is not known yet, with the time at which it was asked. */
  readonly #unknownDevices = new Map<string, number>();
  readonly #questions = new Map<string, number>();
  readonly #statusDecoder = new StatusDecoder();
  #connectedAt: number | null = null;

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices.slice(0, MAX_DEVICES)) {
      const device = Learned.restored(key, memo);
      if (device !== null) this.#keep(device);
    }
  }

  connected(at: number): readonly Effect[] {
    this.#connectedAt ??= at;
    // Present devices report by themselves; this is sent whenever a client connects.
    return [...this.#byKey.values()].filter(({ online }) => online !== true).flatMap((device) => this.#ask(device, at));
  }

  message(message: BridgeMessage): readonly Effect[] {
    const { topic } = message;
    if (message.payload.byteLength === 0) return [];
    if (topic === `${HUB}/rpc`) return this.#answer(message);
    const [, prefix = "", suffix = ""] =
      /^(.+?)\/(online|announce|events\/rpc|status\/[a-z0-9]{1,16}(?::\d{1,4})?)$/.exec(topic) ?? [];
    if (prefix === "" || prefix === HUB) return [];
    if (suffix === "online") return this.#presence(prefix, message);
    const body = payloadObject(message.payload);
    if (suffix === "announce") return this.#announced(prefix, body, message);
    if (suffix === "events/rpc") return this.#notified(prefix, body, message);
    const device = this.#byPrefix.get(prefix);
    // Other firmware has topics of this shape too: nothing is reported about topics that no device of the family has.
    if (device === undefined) return [];
    if (body === null) return [{ do: "problem", topic, reason: "the status is not a JSON object" }];
    return this.#through(
      device,
      message,
      this.#statusDecoder.status(device, { [suffix.slice(7)]: body }, { at: message.at, repeats: true }),
    );
  }

  passed(at: number): readonly Effect[] {
    if (this.#connectedAt === null || at < this.#connectedAt + ABSENT_MS) return [];
    this.#connectedAt = null;
    const absent = [...this.#byKey.values()].filter((device) => device.online === null && device.wakeSeconds === null);
    for (const device of absent) device.online = false;
    return absent.map(({ key }) => ({ do: "availability", key, online: false }));
  }

  command(key: string, command: JsonObject): Translation {
    const device = this.#byKey.get(key);
    return device === undefined ? { unsupported: "the device takes no commands" } : translate(device, command);
  }

  forget(key: string): void {
    const device = this.#byKey.get(key);
    if (device === undefined) {
      for (const gateway of this.#byKey.values())
        for (const tag of gateway.tags.values()) if (tag.address === key) this.#statusDecoder.forgetTag(key);
      return;
    }
    this.#byKey.delete(key);
    this.#byPrefix.delete(device.prefix);
    this.#byDeviceId.delete(device.deviceId);
  }

  topics(key: string): DeviceTopics | null {
    const name = this.#byKey.get(key)?.prefix;
    return name === undefined ? null : { name, says: [], takes: [] };
  }

  #keep(device: Learned): void {
    this.#byKey.set(device.key, device);
    this.#byPrefix.set(device.prefix, device);
    this.#byDeviceId.set(device.deviceId, device);
  }

  #ask(device: Learned, at: number, afterMs = ASK_AGAIN_MS): Effect[] {
    if (at - device.askedAt < afterMs) return [];
    device.askedAt = at;
    this.#questions.set(device.key, (this.#questions.get(device.key) ?? 0) + 1);
    const { prefix } = device;
    return [
      request(prefix, "Shelly.GetDeviceInfo", { ident: true }),
      request(prefix, "Shelly.GetConfig"),
      request(prefix, "Shelly.GetStatus"),
      { topic: `${prefix}/command`, payload: "status_update" },
    ].map((message) => ({ do: "publish", message }));
  }

  /** Asks the device below `prefix` for its identity. */
  #fromUnknown(prefix: string, at: number): Effect[] {
    const askedAt = this.#unknownDevices.get(prefix);
    if (askedAt !== undefined && at - askedAt < ASK_AGAIN_MS) return [];
    const oldest =
      this.#unknownDevices.size >= MAX_UNKNOWN_DEVICES
        ? this.#unknownDevices.keys().next()
        : { done: true as const, value: undefined };
    if (!oldest.done) this.#unknownDevices.delete(oldest.value);
    this.#unknownDevices.set(prefix, at);
    return [{ do: "publish", message: { topic: `${prefix}/command`, payload: "announce" } }];
  }

  #presence(prefix: string, message: BridgeMessage): readonly Effect[] {
    const text = message.payload.byteLength <= 8 ? payloadText(message.payload)?.trim() : "";
    const device = this.#byPrefix.get(prefix);
    if (device === undefined) return text === "true" && !message.retained ? this.#fromUnknown(prefix, message.at) : [];
    // It has just connected and missed earlier questions.
    if (text === "true")
      return this.#through(device, message, message.retained ? [] : this.#ask(device, message.at, RECONNECT_MS));
    if (text !== "false") return [{ do: "problem", topic: message.topic, reason: "online is true or false" }];
    // A battery device reports this whenever it goes back to sleep.
    if (device.wakeSeconds !== null || device.online === false || !device.told) return [];
    device.online = false;
    return [{ do: "availability", key: device.key, online: false }];
  }

  #announced(prefix: string, info: JsonObject | null, message: BridgeMessage): readonly Effect[] {
    const key = hardwareAddress(member(info, "mac"));
    const deviceId = member(info, "id");
    const gen = member(info, "gen");
    // Gen1 has announcements too; they name no generation.
    if (info === null || key === null || typeof gen !== "number" || gen < 2) return [];
    if (typeof deviceId !== "string" || !DEVICE_ID.test(deviceId))
      return [{ do: "problem", topic: message.topic, reason: "the announcement names no id" }];
    const device = this.#learned(key, deviceId, prefix);
    if (device === null) return [{ do: "problem", topic: message.topic, reason: "too many devices" }];
    device.introduced(info);
    return this.#through(device, message, [
      { do: "device", device: device.describe() },
      ...this.#ask(device, message.at),
    ]);
  }

  /** The device with a MAC, at these topics from now on; null if there are too many. */
  #learned(key: string, deviceId: string, prefix: string): Learned | null {
    const known = this.#byKey.get(key);
    if (known === undefined && this.#byKey.size >= MAX_DEVICES) return null;
    const device = known ?? new Learned(key, deviceId, prefix);
    if (device.prefix !== prefix) {
      this.#byPrefix.delete(device.prefix);
      device.prefix = prefix;
    }
    if (device.deviceId !== deviceId) {
      this.#byDeviceId.delete(device.deviceId);
      device.deviceId = deviceId;
    }
    this.#unknownDevices.delete(prefix);
    this.#keep(device);
    return device;
  }

  #notified(prefix: string, body: JsonObject | null, message: BridgeMessage): readonly Effect[] {
    const src = member(body, "src");
    const key = typeof src === "string" ? (DEVICE_ID.exec(src)?.[1] ?? null) : null;
    const params = member(body, "params");
    const method = member(body, "method");
    if (typeof src !== "string" || key === null || !isJsonObject(params) || typeof method !== "string") {
      return [
        { do: "problem", topic: message.topic, reason: "the notification names no sender, method and parameters" },
      ];
    }
    const device = this.#learned(key, src, prefix);
    if (device === null) return [{ do: "problem", topic: message.topic, reason: "too many devices" }];
    device.notifiedAt = message.at;
    const effects = this.#notification(device, method, params, message);
    if (!device.complete || device.model === null) effects.push(...this.#ask(device, message.at));
    return this.#through(device, message, effects);
  }

  #notification(device: Learned, method: string, params: JsonObject, message: BridgeMessage): Effect[] {
    if (method === "NotifyEvent") return this.#events(device, params, message);
    if (method !== "NotifyStatus" && method !== "NotifyFullStatus") {
      return [{ do: "problem", topic: message.topic, reason: `"${method.slice(0, 40)}" is no notification` }];
    }
    // One that does not answer questions shows its components by its changes.
    device.complete ||=
      method === "NotifyFullStatus" || device.locked || (this.#questions.get(device.key) ?? 0) >= QUESTIONS;
    return device.complete ? this.#statusDecoder.status(device, params, { at: message.at, repeats: false }) : [];
  }

  #events(device: Learned, params: JsonObject, message: BridgeMessage): Effect[] {
    if (message.retained) return [];
    const effects = this.#statusDecoder.events(device, params);
    const events = member(params, "events");
    const renamed = Array.isArray(events) && events.some((event) => member(event, "event") === "config_changed");
    return renamed ? [...effects, { do: "publish", message: request(device.prefix, "Shelly.GetConfig") }] : effects;
  }

  #answer(message: BridgeMessage): readonly Effect[] {
    const body = payloadObject(message.payload);
    const src = member(body, "src");
    const device = typeof src === "string" ? this.#byDeviceId.get(src) : undefined;
    const method = methodOf(member(body, "id"));
    if (device === undefined || method === null) {
      return body === null ? [{ do: "problem", topic: message.topic, reason: "the answer is no JSON object" }] : [];
    }
    const error = member(body, "error");
    if (isJsonObject(error)) return this.#through(device, message, this.#failed(device, method, error));
    const result = member(body, "result");
    if (!isJsonObject(result)) return this.#through(device, message, []); // null: done
    return this.#through(device, message, this.#answered(device, method, result, message.at));
  }

  #answered(device: Learned, method: string, result: JsonObject, at: number): Effect[] {
    if (method === "Shelly.GetStatus") {
      device.complete = true;
      return this.#statusDecoder.status(device, result, { at, repeats: false });
    }
    if (method === "Shelly.GetDeviceInfo") device.introduced(result);
    else if (method === "Shelly.GetConfig") device.configured(result);
    else return [];
    return [{ do: "device", device: device.describe() }];
  }

  #failed(device: Learned, method: string, error: JsonObject): Effect[] {
    const code = member(error, "code");
    const text = member(error, "message");
    const topic = `${device.prefix}/rpc`;
    if (code !== 401)
      return [
        { do: "problem", topic, reason: `${method}: ${typeof text === "string" ? text.slice(0, 120) : "refused"}` },
      ];
    if (device.locked) return [];
    device.locked = true;
    const reason = `${method}: its RPC is protected by a password; it can only be switched`;
    return [
      { do: "device", device: device.describe() },
      { do: "problem", topic, reason },
    ];
  }

  /** Lets effects through once enough is known about the device for it to be one of the hub's; questions always. */
  #through(device: Learned, message: BridgeMessage, effects: readonly Effect[]): Effect[] {
    if (device.told) return [...this.#alive(device, message), ...effects];
    if (!device.complete) return effects.filter((effect) => effect.do === "publish" || effect.do === "problem");
    device.told = true;
    const others = effects.filter((effect) => effect.do !== "device" || effect.device.key !== device.key);
    return [{ do: "device", device: device.describe() }, ...this.#alive(device, message), ...others];
  }

  #alive(device: Learned, message: BridgeMessage): Effect[] {
    if (message.retained || device.online === true) return [];
    device.online = true;
    return [{ do: "availability", key: device.key, online: true }];
  }
}

function setup({ host, port, username, password, topic }: SetupValues): readonly SetupStep[] {
  const config = {
    enable: true,
    server: `${host}:${port}`,
    user: username,
    pass: password,
    topic_prefix: topic,
    rpc_ntf: true,
    status_ntf: true,
    enable_rpc: true,
    enable_control: true,
  };
  return [
    {
      title: "Open this page with the device's own address.",
      kind: "url",
      text: `http://DEVICE-ADDRESS/rpc/Mqtt.SetConfig?config=${encodeURIComponent(JSON.stringify(config))}`,
    },
    { title: "Then restart it.", kind: "url", text: "http://DEVICE-ADDRESS/rpc/Shelly.Reboot" },
    {
      title: "Or fill in its web page: Settings → MQTT.",
      kind: "form",
      text: `Enable: yes\nServer: ${host}:${port}\nUsername: ${username}\nPassword: ${password}\nMQTT prefix: ${topic}\nEnable "MQTT Control", "RPC over MQTT", "RPC status notifications" and "Generic status update"`,
    },
  ];
}

/** Shelly Gen2, Gen3 and Gen4. */
export const shelly2: Family = {
  name: "shelly2",
  label: "Shelly (Plus, Pro, Gen3, Gen4)",
  source: "https://shelly-api-docs.shelly.cloud/gen2/ComponentsAndServices/Mqtt",
  filters: () => [...SUFFIXES.flatMap((suffix) => [`+/${suffix}`, `+/+/${suffix}`]), `${HUB}/rpc`],
  prefix: null,
  open: () => new Shelly2Adapter(),
  setup,
};
