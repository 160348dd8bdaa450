/**
 * OpenMQTTGateway and Theengs Gateway: everything below `home/` (or the configured base). Gateways are devices with
 * their relays, codes and meters; what they receive by Bluetooth and radio becomes separate devices. Messages in,
 * effects out; must never know their transport.
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
import { hardwareAddress, member, payloadObject, payloadText, textOf } from "../json-values.ts";
import { Gateway, gatewayKey } from "./gateway.ts";
import { RadioSensors } from "./radio.ts";
import { Tags } from "./tags.ts";

const MAX_GATEWAYS = 50;
/** A gateway that has not described itself by then never does: the software one on a PC. */
const SYSTEM_WAIT_MS = 30_000;
const ASK_AGAIN_MS = 60_000;
const NAME = /^[^/+#]{1,64}$/;

/** Levels below a gateway with a meaning. */
const TOPIC_SOURCES = [
  "BTtoMQTT",
  "RTL_433toMQTT",
  "433toMQTT",
  "RF2toMQTT",
  "PilighttoMQTT",
  "SRFBtoMQTT",
  "IRtoMQTT",
  "ONOFFtoMQTT",
  "CSE7766toMQTT",
  "CLIMAtoMQTT",
  "SYStoMQTT",
] as const;
type TopicSource = (typeof TOPIC_SOURCES)[number];

/** A gateway that has not described itself yet. */
interface UnknownDevice {
  since: number;
  online: boolean | null;
}

/** The adapter of {@link openmqttgateway}. */
class OpenMqttGatewayAdapter implements Adapter {
  readonly #base: string;
  readonly #gateways = new Map<string, Gateway>();
  readonly #unknownDevices = new Map<string, UnknownDevice>();
  readonly #tags = new Tags();
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #radio = new RadioSensors();

  constructor(base: string) {
    this.#base = base;
  }

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices) {
      const kind = member(memo, "kind");
      const name = member(memo, "name");
      if (kind === "tag") this.#tags.restore(key, memo);
      else if (kind === "radio") this.#radio.restore(key, memo);
      else if (
        kind === "gateway" &&
        typeof name === "string" &&
        NAME.test(name) &&
        this.#gateways.size < MAX_GATEWAYS
      ) {
        const gateway = new Gateway({ key, name, base: this.#base });
        gateway.restore(memo);
        this.#gateways.set(name, gateway);
      }
    }
  }

  connected(at: number): readonly Effect[] {
    this.#tags.listening(at);
    // This comes whenever some client connects.
    if (at - this.#askedAt < ASK_AGAIN_MS) return [];
    this.#askedAt = at;
    return [...this.#gateways.keys()].map((name) => this.#askStatus(name));
  }

  message(message: BridgeMessage): readonly Effect[] {
    const { topic, payload } = message;
    if (payload.byteLength === 0 || !topic.startsWith(`${this.#base}/`)) return [];
    const [name = "", word = "", ...rest] = topic.slice(this.#base.length + 1).split("/");
    if (!NAME.test(name) || word === "commands") return [];
    if (word === "LWT" && rest.length === 0) return this.#presence(name, message);
    const source = TOPIC_SOURCES.find((candidate) => candidate === word);
    if (source === undefined) return [];
    const body = payloadObject(payload);
    if (body === null) return [{ do: "problem", topic, reason: "the message is no JSON object" }];
    if (source === "BTtoMQTT") return this.#tags.heard(name, body, message);
    if (source === "RTL_433toMQTT") return this.#radio.heard(body, message);
    return this.#gateway(name, source, body, message);
  }

  passed(at: number): readonly Effect[] {
    const effects: Effect[] = this.#tags.passed(at);
    for (const [name, unknown] of this.#unknownDevices) {
      if (at - unknown.since < SYSTEM_WAIT_MS) continue;
      this.#unknownDevices.delete(name);
      const gateway = this.#make(name, null);
      if (gateway === null) continue;
      effects.push({ do: "device", device: gateway.describe() });
      if (unknown.online !== null) effects.push(...this.#available(gateway, unknown.online));
    }
    return effects;
  }

  command(key: string, command: JsonObject): Translation {
    const gateway = [...this.#gateways.values()].find((candidate) => candidate.key === key);
    return gateway === undefined ? { unsupported: "the device only sends" } : gateway.translate(command);
  }

  forget(key: string): void {
    for (const [name, gateway] of this.#gateways) if (gateway.key === key) this.#gateways.delete(name);
    this.#tags.forget(key);
    this.#radio.forget(key);
  }

  topics(key: string): DeviceTopics | null {
    const gateway = [...this.#gateways.values()].find((candidate) => candidate.key === key);
    return gateway === undefined ? null : { name: gateway.name, says: [], takes: [] };
  }

  #askStatus(name: string): Effect {
    return {
      do: "publish",
      message: { topic: `${this.#base}/${name}/commands/MQTTtoSYS/config`, payload: JSON.stringify({ cmd: "status" }) },
    };
  }

  #make(name: string, mac: string | null): Gateway | null {
    const key = gatewayKey(name, mac);
    if (key === null || this.#gateways.size >= MAX_GATEWAYS) return null;
    const gateway = new Gateway({ key, name, base: this.#base });
    this.#gateways.set(name, gateway);
    return gateway;
  }

  #presence(name: string, message: BridgeMessage): readonly Effect[] {
    const text = payloadText(message.payload)?.trim();
    if (text !== "online" && text !== "offline")
      return [{ do: "problem", topic: message.topic, reason: "LWT is online or offline" }];
    const gateway = this.#gateways.get(name);
    if (gateway === undefined) return this.#fromUnknown(name, text === "online", message.at);
    return this.#available(gateway, text === "online");
  }

  #fromUnknown(name: string, online: boolean | null, at: number): readonly Effect[] {
    const known = this.#unknownDevices.get(name);
    if (known !== undefined) {
      known.online = online ?? known.online;
      return [];
    }
    if (this.#unknownDevices.size >= MAX_GATEWAYS) return [];
    this.#unknownDevices.set(name, { since: at, online });
    return online === false ? [] : [this.#askStatus(name)];
  }

  #available(gateway: Gateway, online: boolean): Effect[] {
    if (gateway.online === online) return [];
    gateway.online = online;
    return [{ do: "availability", key: gateway.key, online }];
  }

  #gateway(
    name: string,
    source: Exclude<TopicSource, "BTtoMQTT" | "RTL_433toMQTT">,
    body: JsonObject,
    message: BridgeMessage,
  ): readonly Effect[] {
    const known = this.#gateways.get(name);
    const gateway = known ?? (source === "SYStoMQTT" ? this.#make(name, hardwareAddress(member(body, "mac"))) : null);
    if (gateway === null) return this.#fromUnknown(name, message.retained ? null : true, message.at);
    const effects: Effect[] = source === "SYStoMQTT" ? gateway.system(body) : [];
    const online = this.#unknownDevices.get(name)?.online ?? null;
    this.#unknownDevices.delete(name);
    if (!message.retained) effects.push(...this.#available(gateway, true));
    else if (known === undefined && online !== null) effects.push(...this.#available(gateway, online));
    if (source === "ONOFFtoMQTT") effects.push(...gateway.relay(body, message));
    else if (source === "CSE7766toMQTT" || source === "CLIMAtoMQTT") effects.push(...gateway.measured(body));
    else if (source === "IRtoMQTT") effects.push(...gateway.code("ir", body, message));
    else if (source !== "SYStoMQTT") effects.push(...gateway.code("rf", pilight(source, body), message));
    return effects;
  }
}

/** Pilight decodes a code into members: `{"protocol":"arctech_switch","message":{"id":1,"unit":0,"state":"up"}}`. */
function pilight(source: TopicSource, body: JsonObject): JsonObject {
  const inner = member(body, "message");
  if (source !== "PilighttoMQTT" || !isJsonObject(inner)) return body;
  const parts = ["id", "unit", "systemcode", "unitcode", "state"].flatMap((name) => {
    const value = member(inner, name);
    return typeof value === "number" || (typeof value === "string" && /^[a-z0-9]{1,12}$/i.test(value))
      ? [String(value)]
      : [];
  });
  return {
    value: [textOf(member(body, "protocol"), 20) ?? "pilight", ...parts].join("."),
    protocol: member(body, "protocol"),
  };
}

function setup({ host, port, username, password, topic }: SetupValues): readonly SetupStep[] {
  return [
    {
      title: "In the gateway's web page (or its setup network): MQTT.",
      kind: "form",
      text: `MQTT server: ${host}\nMQTT port: ${port}\nMQTT username: ${username}\nMQTT password: ${password}\nMQTT base topic: home/\nGateway name: ${topic}`,
    },
    {
      title: "Theengs Gateway on a computer:",
      kind: "command",
      text: `TheengsGateway -H ${host} -P ${port} -u '${username}' -p '${password}' -pt home/${topic}/BTtoMQTT -Lt home/${topic}/LWT`,
    },
  ];
}

/** OpenMQTTGateway and Theengs Gateway. */
export const openmqttgateway: Family = {
  name: "openmqttgateway",
  label: "OpenMQTTGateway and Theengs",
  source: "https://docs.openmqttgateway.com/use/gateway.html",
  filters: (prefix) => {
    const base = prefix ?? "home";
    return [`${base}/+/LWT`, ...TOPIC_SOURCES.map((source) => `${base}/+/${source}/#`)];
  },
  prefix: "home",
  open: ({ prefix }) => new OpenMqttGatewayAdapter(prefix ?? "home"),
  setup,
};
