import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import type { BridgedDevice, BridgeMessage, Effect, Outgoing, Translation } from "../family.ts";
import { deviceKey, hardwareAddress, member, numberOf, textOf, textsOf } from "../json-values.ts";
import { valuesOf } from "./values.ts";

const MAX_RELAYS = 16;
const ECHO_MS = 1_000;
/** Length of a pulse that a gate opener takes for its button, milliseconds. */
const BUTTON_MS = 500;
const SYSTEM_WORDS: ReadonlySet<string> = new Set(["status", "restart", "erase"]);
/** Which topics take what, by the name under which it may be wrapped. */
const COMMAND_TARGETS: Readonly<Record<string, string>> = {
  onoff: "MQTTtoONOFF",
  rf: "MQTTto433",
  rf2: "MQTTtoRF2",
  pilight: "MQTTtoPilight",
  ir: "MQTTtoIR",
  sys: "MQTTtoSYS/config",
  bt: "MQTTtoBT/config",
};

/** What only switches its own relays, or a television. By radio somebody's gate may be opened, too. */
const USES: readonly string[] = ["MQTTtoONOFF", "MQTTtoIR"];

/** One gateway: its relays, its radio, its meter. */
export class Gateway {
  readonly key: string;
  /** Its level in topics. */
  readonly name: string;
  readonly #base: string;
  online: boolean | null = null;
  #mac: string | null = null;
  #version: string | null = null;
  #environment: string | null = null;
  #address: string | null = null;
  #modules: string[] = [];
  /** GPIOs of its relays, in the order of their channels. */
  #relays: number[] = [];
  readonly #positions = new Map<number, boolean>();
  readonly #metrics = new Set<string>();
  #lastCode = "";
  #lastCodeAt = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly key: string; readonly name: string; readonly base: string }) {
    this.key = options.key;
    this.name = options.name;
    this.#base = options.base;
  }

  /** Takes what {@link describe} noted before a restart. */
  restore(memo: JsonObject): void {
    this.#mac = hardwareAddress(member(memo, "mac"));
    this.#version = textOf(member(memo, "version"), 40);
    this.#environment = textOf(member(memo, "environment"), 60);
    this.#address = addressOf(member(memo, "address"));
    this.#modules = textsOf(member(memo, "modules")).slice(0, 32);
    const relays = member(memo, "relays");
    if (Array.isArray(relays))
      this.#relays = relays.filter((pin): pin is number => Number.isInteger(pin)).slice(0, MAX_RELAYS);
    for (const metric of textsOf(member(memo, "metrics")).slice(0, 64)) this.#metrics.add(metric);
  }

  /** Takes its own description of itself. */
  system(body: JsonObject): Effect[] {
    this.#mac = hardwareAddress(member(body, "mac")) ?? this.#mac;
    this.#version = textOf(member(body, "version"), 40) ?? this.#version;
    this.#environment = textOf(member(body, "env"), 60) ?? this.#environment;
    this.#address = addressOf(member(body, "ip")) ?? this.#address;
    const modules = member(body, "modules");
    if (Array.isArray(modules)) this.#modules = textsOf(modules).slice(0, 32);
    const rssi = numberOf(member(body, "rssi"));
    if (rssi !== null) this.#metrics.add("rssi");
    const effects: Effect[] = [{ do: "device", device: this.describe() }];
    if (rssi !== null && rssi < 0) effects.push({ do: "telemetry", key: this.key, data: { rssi }, at: null });
    return effects;
  }

  /** A relay reports its state. */
  relay(body: JsonObject, message: BridgeMessage): Effect[] {
    const pin = numberOf(member(body, "gpio"));
    const cmd = numberOf(member(body, "cmd"));
    if (pin === null || !Number.isInteger(pin) || pin < 0 || pin > 255 || (cmd !== 0 && cmd !== 1)) {
      return [{ do: "problem", topic: message.topic, reason: "the message names no GPIO and state" }];
    }
    const effects: Effect[] = [];
    if (!this.#relays.includes(pin)) {
      if (this.#relays.length >= MAX_RELAYS)
        return [{ do: "problem", topic: message.topic, reason: "too many relays" }];
      this.#relays.push(pin);
      effects.push({ do: "device", device: this.describe() });
      const [first] = this.#relays;
      // The former `power` is `power1` from now on.
      if (this.#relays.length === 2)
        effects.push({
          do: "state",
          key: this.key,
          patch: { power: null, power1: this.#positions.get(first ?? pin) ?? null },
        });
    }
    this.#positions.set(pin, cmd === 1);
    return [...effects, { do: "state", key: this.key, patch: { [this.#word(pin)]: cmd === 1 } }];
  }

  /** Takes values of sensors and of the meter in the gateway itself. */
  measured(body: JsonObject): Effect[] {
    const { state, data, totals } = valuesOf(body);
    const before = this.#metrics.size;
    for (const name of [...Object.keys(data), ...Object.keys(totals)])
      if (this.#metrics.size < 64) this.#metrics.add(name);
    const effects: Effect[] = this.#metrics.size > before ? [{ do: "device", device: this.describe() }] : [];
    if (Object.keys(state).length > 0) effects.push({ do: "state", key: this.key, patch: state });
    if (Object.keys(data).length > 0) effects.push({ do: "telemetry", key: this.key, data, at: null });
    for (const [metric, wattHours] of Object.entries(totals))
      effects.push({ do: "counter", key: this.key, metric, wattHours, epoch: null });
    return effects;
  }

  /**
   * A code received by radio or infrared: an event that automations can wait for, such as `rf.1315156` or
   * `ir.0x20DF10EF`.
   */
  code(kind: "rf" | "ir", body: JsonObject, message: BridgeMessage): Effect[] {
    const code = codeOf(body);
    if (code === null) return [{ do: "problem", topic: message.topic, reason: "the message names no code" }];
    const event = `${kind}.${code}`;
    const isEcho = event === this.#lastCode && message.at - this.#lastCodeAt < ECHO_MS;
    this.#lastCode = event;
    this.#lastCodeAt = message.at;
    if (isEcho || message.retained || code === "0") return [];
    const protocol = textOf(member(body, "protocol_name"), 20) ?? numberOf(member(body, "protocol"));
    const title = kind === "rf" ? `Radio code ${code}` : `Infrared code ${code}`;
    return [{ do: "event", key: this.key, kind: event, title, body: protocol === null ? "" : `Protocol ${protocol}` }];
  }

  /** What to publish for a command. */
  translate(command: JsonObject): Translation {
    const own = this.#own(command);
    if (own !== null) {
      if ("unsupported" in own) return own;
      const isUse = own.publish.every(({ topic }) => USES.some((target) => topic === this.#to(target, {}).topic));
      return isUse ? own : { ...own, isUpkeep: true };
    }
    const pulse = member(command, "pulse") ?? (member(command, "open") === true ? BUTTON_MS : undefined);
    if (pulse !== undefined) return this.#pulse(command, pulse);
    const wanted = switching(command, this.#relays.length);
    if ("unsupported" in wanted) return wanted;
    const strange = Object.keys(wanted.rest)[0];
    if (strange !== undefined) return { unsupported: `the gateway knows no ${strange}` };
    const outputs = [...wanted.outputs]
      .sort(([a], [b]) => a - b)
      .map(([number, on]) => ({ pin: this.#relays[number - 1] ?? 0, on }));
    if (outputs.length === 0) return { unsupported: "the command switches nothing" };
    return {
      publish: outputs.map(({ pin, on }) => this.#to("MQTTtoONOFF", { gpio: pin, cmd: on ? 1 : 0 })),
      expects: Object.fromEntries(outputs.map(({ pin, on }) => [this.#word(pin), on])),
    };
  }

  /** The device as the hub knows it. */
  describe(): BridgedDevice {
    const relays = this.#relays.length || (this.#modules.includes("ONOFF") ? 1 : 0);
    const meters = this.#metrics.has("watts") || this.#modules.includes("CSE7766");
    return {
      key: this.key,
      name: this.name,
      type:
        relays > 1
          ? "home-hub"
          : relays === 1
            ? meters
              ? "smart-plug"
              : "switch"
            : meters
              ? "energy-meter"
              : "sensor",
      manufacturer: /theengs/i.test(this.#environment ?? this.name) ? "Theengs" : "OpenMQTTGateway",
      model: this.#environment,
      firmware: this.#version,
      metrics: [...this.#metrics].sort(),
      commands: this.#schema(),
      hardware: this.#mac === null ? [] : [this.#mac],
      reportSeconds: null,
      address: this.#address,
      room: null,
      memo: {
        kind: "gateway",
        name: this.name,
        mac: this.#mac,
        version: this.#version,
        environment: this.#environment,
        address: this.#address,
        modules: this.#modules,
        relays: this.#relays,
        metrics: [...this.#metrics].sort(),
      },
    };
  }

  #schema(): JsonObject | null {
    const properties: JsonObject = {};
    for (const pin of this.#relays) properties[this.#word(pin)] = { type: "boolean" };
    if (this.#relays.length > 0)
      properties.pulse = { type: "integer", minimum: 50, maximum: 10_000, title: "Pulse, milliseconds" };
    for (const [target, module] of [
      ["rf", "RF"],
      ["ir", "IR"],
    ] as const) {
      if (this.#modules.some((name) => name.toUpperCase().includes(module))) properties[target] = { type: "object" };
    }
    return Object.keys(properties).length === 0 ? null : { type: "object", properties };
  }

  #word(pin: number): string {
    return this.#relays.length > 1 ? `power${this.#relays.indexOf(pin) + 1}` : "power";
  }

  #to(target: string, body: JsonObject): Outgoing {
    return { topic: `${this.#base}/${this.name}/commands/${target}`, payload: JSON.stringify(body) };
  }

  /**
   * The firmware's own words: bare (https://docs.openmqttgateway.com/use/rf.html), or wrapped by the name of their
   * target. Null: they are the hub's.
   */
  #own(command: JsonObject): Translation | null {
    const names = Object.keys(command);
    const wrapped = names.length === 1 && Object.hasOwn(COMMAND_TARGETS, names[0] ?? "") ? (names[0] ?? "") : null;
    if (wrapped !== null) {
      const body = member(command, wrapped);
      return isJsonObject(body)
        ? { publish: [this.#to(COMMAND_TARGETS[wrapped] ?? "", body)], expects: null }
        : { unsupported: `${wrapped} takes an object` };
    }
    const has = (name: string): boolean => Object.hasOwn(command, name);
    if (has("gpio") && has("cmd"))
      return { publish: [this.#to("MQTTtoONOFF", command)], expects: this.#expected(command) };
    if (has("protocol_name") || has("bits") || has("raw") || has("hex"))
      return { publish: [this.#to("MQTTtoIR", command)], expects: null };
    if (has("message") && has("protocol")) return { publish: [this.#to("MQTTtoPilight", command)], expects: null };
    if (has("value")) return { publish: [this.#to("MQTTto433", command)], expects: null };
    const cmd = member(command, "cmd");
    if (typeof cmd === "string" && SYSTEM_WORDS.has(cmd))
      return { publish: [this.#to("MQTTtoSYS/config", command)], expects: null };
    return null;
  }

  #expected(command: JsonObject): JsonObject | null {
    const pin = numberOf(member(command, "gpio"));
    const cmd = member(command, "cmd");
    return pin !== null && this.#relays.includes(pin) && (cmd === 0 || cmd === 1)
      ? { [this.#word(pin)]: cmd === 1 }
      : null;
  }

  #pulse(command: JsonObject, value: unknown): Translation {
    const strange = Object.keys(command).find((key) => !["pulse", "open", "ch"].includes(key));
    const length = value === true ? BUTTON_MS : numberOf(value);
    const channel = member(command, "ch") ?? 1;
    const pin = typeof channel === "number" ? this.#relays[channel - 1] : undefined;
    if (strange !== undefined) return { unsupported: `the gateway knows no ${strange}` };
    if (pin === undefined) return { unsupported: "the gateway has shown no such relay" };
    if (length === null || length < 50 || length > 10_000)
      return { unsupported: "pulse is a length from 50 to 10000 milliseconds" };
    return {
      publish: [this.#to("MQTTtoONOFF", { gpio: pin, cmd: "high_pulse", pulse_length: Math.round(length) })],
      expects: null,
    };
  }
}

function codeOf(body: JsonObject): string | null {
  const value = member(body, "hex") ?? member(body, "value");
  const text = typeof value === "number" && Number.isFinite(value) ? String(value) : textOf(value, 40);
  return text !== null && /^[A-Za-z0-9_.-]{1,40}$/.test(text) ? text : null;
}

function addressOf(value: unknown): string | null {
  return typeof value === "string" && /^[0-9.]{7,15}$/.test(value) ? value : null;
}

/** The key of a gateway: its MAC if it reports one, otherwise a hash of its name. */
export function gatewayKey(name: string, mac: string | null): string | null {
  return mac ?? deviceKey(`gateway-${name}`);
}
