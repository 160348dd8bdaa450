/**
 * A device that discovery describes, component by component: its values in the hub's words, its commands, its presence.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgedDevice, Effect } from "../family.ts";
import { EvaluationBudget } from "../jinja/evaluation-budget.ts";
import { TemplateSet } from "../jinja/template-set.ts";
import { camelCase, textOf } from "../json-values.ts";
import { Availability } from "./availability.ts";
import type { Component, DecodedValue, Naming, Received, Word } from "./component.ts";
import { buildComponent, isUnseen } from "./components/table.ts";
import { Config } from "./config.ts";
import type { AnnouncedComponent, AnnouncedDevice } from "./discovery.ts";
import { type Plan, planOf } from "./plan.ts";
import { typeOf } from "./product-type.ts";

/** A component with its source. */
export interface Held {
  readonly announced: AnnouncedComponent;
  /** Its discovery topic. */
  readonly source: string;
  readonly component: Component;
  readonly availability: string;
  heardAt: number | null;
  /** Whether its values are too old: reported once. */
  isExpired: boolean;
  /** Epoch ms at which a binary sensor is off again. */
  offAt: number | null;
}

/** Most bytes of a memo: below the core's 16 KiB. */
const MEMO_BYTES = 15_000;
/**
 * Ways in which a device's components may report their availability; every message on one of its topics is checked
 * against each.
 */
const MOST_AVAILABILITIES = 16;
/** A battery device without availability: seconds between reports, for its presence. */
const BATTERY_REPORT_SECONDS = 3600;

/**
 * Settings that hold a component's command topics; `set_position_topic` and `set_fan_speed_topic` do not follow the
 * usual naming.
 */
const COMMAND_KEY = /command_topic$|^set_\w+_topic$/;
/** Steps that the templates of one device may take at once, and per second in the long run. */
const TEMPLATE_STEPS = { most: 20_000, perSecond: 3_000 };

/** State that a {@link DiscoveredDevice} shares with others, or knows from before a restart. */
export interface DeviceSurroundings {
  /** Pays for the templates of all devices. */
  readonly budget: EvaluationBudget;
  /** Marks of templates that were switched off. */
  readonly switchedOff?: readonly string[];
}

/** A device. */
export class DiscoveredDevice {
  readonly key: string;
  info: AnnouncedDevice;
  readonly #templates: TemplateSet;
  readonly #components = new Map<string, Held>();
  readonly #availability = new Map<string, Availability>();
  /** The latest values, by the device's words: for words that get another name. */
  readonly #values = new Map<string, unknown>();
  #plan: Plan | null = null;
  #online: boolean | null = null;

  constructor(info: AnnouncedDevice, { budget, switchedOff = [] }: DeviceSurroundings) {
    this.key = info.key;
    this.info = info;
    this.#templates = new TemplateSet([new EvaluationBudget(TEMPLATE_STEPS), budget], { switchedOff });
  }

  /** Whether any of it is a device to the hub: pictures alone are not. */
  get isSomething(): boolean {
    return [...this.#components.values()].some(({ announced }) => !isUnseen(announced.platform));
  }

  get components(): readonly Held[] {
    return [...this.#components.values()];
  }

  get plan(): Plan {
    this.#plan ??= planOf(this.components.map(({ component }) => component));
    return this.#plan;
  }

  /** Topics that it listens to. */
  get topics(): ReadonlySet<string> {
    const topics = new Set<string>();
    for (const { component } of this.#components.values()) for (const { topic } of component.inputs) topics.add(topic);
    for (const availability of this.#availability.values()) for (const topic of availability.topics) topics.add(topic);
    return topics;
  }

  /** Topics on which it takes commands. */
  get commandTopics(): ReadonlySet<string> {
    const topics = new Set<string>();
    for (const { announced } of this.#components.values()) {
      for (const [key, value] of Object.entries(announced.config))
        if (COMMAND_KEY.test(key) && typeof value === "string") topics.add(value);
    }
    return topics;
  }

  /** Adds a component. Returns what of it cannot be used; null if the hub already knows it exactly so. */
  put(identity: string, source: string, announced: AnnouncedComponent): readonly string[] | null {
    const known = this.#components.get(identity);
    if (known && JSON.stringify(known.announced) === JSON.stringify(announced)) return null;
    const config = new Config(announced.config, this.#templates);
    const naming = namingOf(announced, config, this.info.name);
    const component = buildComponent(naming, config);
    if (component === null) return [`${announced.platform} is a component that the hub does not know`];
    const problems = [...config.problems];
    const availability = Availability.textOf(announced.config);
    if (!this.#availability.has(availability) && this.#availability.size < MOST_AVAILABILITIES) {
      const made = Availability.of(announced.config, this.#templates, problems);
      if (made) this.#availability.set(availability, made);
    }
    this.#components.set(identity, {
      announced,
      source,
      component,
      availability,
      heardAt: null,
      isExpired: false,
      offAt: null,
    });
    this.#plan = null;
    return problems.map((problem) => `${naming.label}: ${problem}`);
  }

  /** Removes components. */
  drop(isMeant: (held: Held, identity: string) => boolean): void {
    for (const [identity, held] of this.#components) if (isMeant(held, identity)) this.#components.delete(identity);
    const needed = new Set(this.components.map(({ availability }) => availability));
    for (const text of this.#availability.keys()) if (!needed.has(text)) this.#availability.delete(text);
    this.#plan = null;
  }

  /** Reports again under new names what was reported under others before. */
  renamed(before: Plan): Effect[] {
    const patch: JsonObject = {};
    const values = new Map(this.#values);
    for (const { component } of this.components) {
      if (!before.knows(component)) continue;
      for (const { name } of component.words) {
        const [old, now] = [before.nameOf(component, name), this.plan.nameOf(component, name)];
        if (old === now || !values.has(old)) continue;
        patch[now] = values.get(old);
        patch[old] ??= null;
        this.#values.set(now, values.get(old));
      }
    }
    return Object.keys(patch).length === 0 ? [] : [{ do: "state", key: this.key, patch }];
  }

  /** Takes a message on one of its topics. */
  hear(topic: string, received: Received, at: number): Effect[] {
    const effects: Effect[] = [];
    this.#templates.refill(at);
    for (const availability of this.#availability.values())
      if (availability.topics.includes(topic)) availability.hear(topic, received);
    const patch: JsonObject = {};
    const data: Record<string, number> = {};
    for (const held of this.#components.values()) {
      for (const { topic: own, read } of held.component.inputs) {
        if (own !== topic) continue;
        const decoded = read(received);
        if (decoded.length > 0) this.#heard(held, at);
        for (const one of decoded) this.#take(held, one, { patch, data, effects, at });
      }
    }
    if (Object.keys(patch).length > 0) effects.unshift({ do: "state", key: this.key, patch });
    if (Object.keys(data).length > 0) effects.push({ do: "telemetry", key: this.key, data, at: null });
    return [...this.#presence(), ...effects];
  }

  #heard(held: Held, at: number): void {
    held.heardAt = at;
    held.isExpired = false;
  }

  #take(
    held: Held,
    decoded: DecodedValue,
    into: { patch: JsonObject; data: Record<string, number>; effects: Effect[]; at: number },
  ): void {
    const { patch, data, effects, at } = into;
    const { component } = held;
    if ("event" in decoded)
      effects.push({ do: "event", key: this.key, kind: decoded.event, title: decoded.title, body: "" });
    else if ("wattHours" in decoded)
      effects.push({
        do: "counter",
        key: this.key,
        metric: this.plan.nameOf(component, decoded.word),
        wattHours: decoded.wattHours,
        epoch: decoded.epoch,
      });
    else {
      const name = this.plan.nameOf(component, decoded.word);
      const kind = component.words.find((word: Word) => word.name === decoded.word)?.kind;
      if (kind === "metric" && typeof decoded.value === "number") data[name] = decoded.value;
      else {
        patch[name] = decoded.value;
        this.#values.set(name, decoded.value);
      }
      if (component.offDelaySeconds !== null && !isJsonObject(decoded.value))
        held.offAt = isOn(held, decoded.value) ? at + component.offDelaySeconds * 1000 : null;
    }
  }

  /** Expires old values, and resets sensors that switch off by themselves. */
  passed(at: number): Effect[] {
    const patch: JsonObject = {};
    let anExpiry = false;
    for (const held of this.#components.values()) {
      const { component } = held;
      const [word] = component.words;
      if (held.offAt !== null && at >= held.offAt && word) {
        held.offAt = null;
        patch[this.plan.nameOf(component, word.name)] = offValue(held);
      }
      if (
        component.expiresSeconds === null ||
        held.heardAt === null ||
        held.isExpired ||
        at < held.heardAt + component.expiresSeconds * 1000
      )
        continue;
      held.isExpired = true;
      anExpiry = true;
      for (const { name } of component.words) patch[this.plan.nameOf(component, name)] = null;
    }
    const effects: Effect[] = Object.keys(patch).length === 0 ? [] : [{ do: "state", key: this.key, patch }];
    return [...effects, ...(anExpiry ? this.#presence() : []), ...this.#templateNews()];
  }

  /** Templates that have given nothing since the last time, because they cost too much. */
  #templateNews(): Effect[] {
    const { hasChanged, reasons } = this.#templates.news();
    const [first] = this.components;
    const problems = reasons.map((reason): Effect => ({ do: "problem", topic: first?.source ?? this.key, reason }));
    return hasChanged ? [{ do: "device", device: this.description() }, ...problems] : problems;
  }

  /** Changes of its presence. Without availability topics it is gone once all its values have expired. */
  #presence(): Effect[] {
    const known = [...this.#availability.values()].flatMap(({ online }) => (online === null ? [] : [online]));
    const expiring = this.components.filter(
      ({ component }) => component.expiresSeconds !== null && component.inputs.length > 0,
    );
    const byAge =
      this.#availability.size === 0 && expiring.length > 0 && expiring.some(({ heardAt }) => heardAt !== null)
        ? expiring.some(({ heardAt, isExpired }) => heardAt !== null && !isExpired)
        : null;
    const online = this.#availability.size > 0 ? (known.length === 0 ? null : known.some(Boolean)) : byAge;
    if (online === null || online === this.#online) return [];
    this.#online = online;
    return [{ do: "availability", key: this.key, online }];
  }

  /** Forgets what was reported, before everything is reported again. */
  reconnected(): void {
    this.#online = null;
  }

  /** The device as the hub shows it. */
  description(): BridgedDevice {
    const { name, manufacturer, model, firmware, hardware, address, room } = this.info;
    const words = this.components.flatMap(({ component }) =>
      component.words.map((word) => ({ kind: word.kind, name: this.plan.nameOf(component, word.name) })),
    );
    const properties: JsonObject = {};
    for (const { component } of this.components) {
      for (const [word, schema] of Object.entries(component.takes))
        properties[this.plan.nameOf(component, word)] = merged(properties[this.plan.nameOf(component, word)], schema);
    }
    const metrics = [...new Set(words.filter(({ kind }) => kind !== "state").map((word) => word.name))].slice(0, 64);
    return {
      key: this.key,
      name: name ?? this.components[0]?.component.label ?? this.key,
      type: typeOf(
        this.components.map(({ component }) => component),
        metrics,
      ),
      manufacturer,
      model,
      firmware,
      metrics,
      commands: Object.keys(properties).length === 0 ? null : { type: "object", properties },
      hardware,
      reportSeconds: this.#reportSeconds(metrics),
      address,
      room,
      memo: this.#memo(),
    };
  }

  #reportSeconds(metrics: readonly string[]): number | null {
    if (this.#availability.size > 0 || !metrics.includes("battery") || this.plan.outputs.length > 0) return null;
    const expiries = this.components.flatMap(({ component }) => component.expiresSeconds ?? []);
    return expiries.length > 0 ? Math.max(...expiries) : BATTERY_REPORT_SECONDS;
  }

  #memo(): JsonObject {
    const { key: _key, ...info } = this.info;
    const { switchedOff } = this.#templates;
    const components: JsonObject[] = [];
    let bytes = JSON.stringify({ info, switchedOff }).length;
    for (const [identity, { announced, source }] of this.#components) {
      const { device: _device, origin: _origin, ...config } = announced.config;
      const entry = { identity, source, platform: announced.platform, id: announced.id, config };
      const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (bytes + size > MEMO_BYTES) continue; // retained discovery brings it again
      bytes += size;
      components.push(entry);
    }
    return switchedOff.length === 0 ? { info, components } : { info, components, switchedOff };
  }
}

function isOn(held: Held, value: unknown): boolean {
  return value !== offValue(held) && value !== null;
}

/** The value of a binary sensor that is off: contacts and locks are true then. */
function offValue({ component }: Held): boolean {
  return ["contact", "locked"].includes(component.words[0]?.name ?? "");
}

/** Two components that share a word offer the choices of both. */
function merged(known: unknown, schema: JsonObject): JsonObject {
  if (!isJsonObject(known) || !Array.isArray(known.enum) || !Array.isArray(schema.enum)) return schema;
  return { ...schema, enum: [...new Set([...known.enum, ...schema.enum])] };
}

function namingOf(announced: AnnouncedComponent, config: Config, deviceName: string | null): Naming {
  const given = textOf(config.raw("name"));
  const stripped =
    given !== null && deviceName !== null && given.toLowerCase().startsWith(`${deviceName.toLowerCase()} `)
      ? given.slice(deviceName.length + 1)
      : given;
  const spoken = stripped ?? config.text("device_class") ?? config.text("object_id") ?? announced.id;
  // A component without a name of its own is what the device is for.
  const label = config.raw("name") === null ? announced.platform.replaceAll("_", " ") : spoken;
  return {
    platform: announced.platform,
    id: announced.id,
    label,
    own: camelCase(spoken) ?? camelCase(announced.id) ?? announced.platform.replaceAll("_", ""),
  };
}
