/**
 * Runs discovery in Home Assistant's format: keeps the announced devices, finds the listeners of a topic, returns
 * effects. Shared by every family whose firmware announces itself this way; the family decides which announcements are
 * its own. Must never know what carries its effects.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgeMessage, DeviceTopics, Effect, Translation } from "../family.ts";
import { EvaluationBudget } from "../jinja/evaluation-budget.ts";
import { hardwareAddress, member, payloadText, textOf, textsOf } from "../json-values.ts";
import { translate } from "./command.ts";
import { Received } from "./component.ts";
import { DiscoveredDevice } from "./device.ts";
import {
  type AnnouncedDevice,
  type Announcement,
  announcement,
  type DiscoveryTopic,
  discoveryTopic,
} from "./discovery.ts";

const MAX_DEVICES = 2_000;
const MAX_COMPONENTS = 400;
/**
 * Steps that the templates of all devices may take at once, and per second in the long run. At a start all devices send
 * at once.
 */
const TEMPLATE_STEPS = { most: 60_000, perSecond: 400_000, atFirst: 1_000_000 };

/** An announcement of components. */
export type Present = Extract<Announcement, { says: "present" }>;

/** The devices that discovery announced, with their components' values and commands. */
export class DiscoveryRegistry {
  readonly #options: ConstructorParameters<typeof DiscoveryRegistry>[0];
  readonly #devices = new Map<string, DiscoveredDevice>();
  /** The listeners of a topic. */
  readonly #listeners = new Map<string, Set<DiscoveredDevice>>();
  /** The device whose components a discovery topic brought. */
  readonly #sources = new Map<string, string>();
  readonly #migrating = new Set<string>();
  readonly #budget = new EvaluationBudget(TEMPLATE_STEPS);

  constructor(options: {
    /** Discovery prefix, `homeassistant`. */
    readonly prefix: string;
    /** Whether an announcement is the family's. */
    readonly isOwn: (announced: Present, topic: DiscoveryTopic) => boolean;
    /** Enriches a device with a family's knowledge; modifies the announcement in place. */
    readonly refine?: (announced: Present, topic: DiscoveryTopic) => Present;
  }) {
    this.#options = options;
  }

  device(key: string): DiscoveredDevice | undefined {
    return this.#devices.get(key);
  }

  /** Whether a topic carries discovery. */
  isDiscovery(topic: string): boolean {
    return discoveryTopic(topic, this.#options.prefix) !== null;
  }

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices.slice(0, MAX_DEVICES)) {
      const info = memo.info;
      if (!isJsonObject(info)) continue;
      const text = (name: string): string | null => textOf(info[name]);
      const known: AnnouncedDevice = {
        key,
        name: text("name"),
        manufacturer: text("manufacturer"),
        model: text("model"),
        firmware: text("firmware"),
        room: text("room"),
        hardware: textsOf(info.hardware).flatMap((address) => hardwareAddress(address) ?? []),
        address: text("address"),
      };
      const device = new DiscoveredDevice(known, { budget: this.#budget, switchedOff: textsOf(memo.switchedOff) });
      for (const entry of Array.isArray(memo.components) ? memo.components : []) {
        const [identity, source, platform, id, config] = ["identity", "source", "platform", "id", "config"].map(
          (name) => member(entry, name),
        );
        if (
          typeof identity !== "string" ||
          typeof source !== "string" ||
          typeof platform !== "string" ||
          typeof id !== "string" ||
          !isJsonObject(config)
        )
          continue;
        device.put(identity, source, { platform, id, config });
        this.#sources.set(source, key);
      }
      if (device.components.length === 0) continue;
      this.#devices.set(key, device);
      this.#listen(device);
    }
  }

  /** Takes an announcement that a family made itself, as if it had come on the topic `source`. */
  adopt(announced: Present, source: string): readonly Effect[] {
    return this.#present(announced, source);
  }

  /** Changes what is known about a device; null if it is unknown. */
  refresh(key: string, change: (info: AnnouncedDevice) => AnnouncedDevice): readonly Effect[] | null {
    const device = this.#devices.get(key);
    if (device === undefined) return null;
    device.info = change(device.info);
    return [{ do: "device", device: device.description() }];
  }

  connected(): void {
    for (const device of this.#devices.values()) device.reconnected();
  }

  message(message: BridgeMessage): readonly Effect[] {
    const topic = discoveryTopic(message.topic, this.#options.prefix);
    if (topic !== null) return this.#announced(message, topic);
    const listeners = this.#listeners.get(message.topic);
    if (listeners === undefined) return [];
    const text = payloadText(message.payload);
    if (text === null) return [];
    const received = new Received(text, message.retained);
    return [...listeners].flatMap((device) => device.hear(message.topic, received, message.at));
  }

  passed(at: number): readonly Effect[] {
    const effects: Effect[] = [];
    this.#budget.settle();
    for (const device of this.#devices.values()) effects.push(...device.passed(at));
    return effects;
  }

  command(key: string, command: JsonObject): Translation {
    const device = this.#devices.get(key);
    return device === undefined
      ? { unsupported: "the device has not announced itself yet" }
      : translate(device, command);
  }

  forget(key: string): void {
    const device = this.#devices.get(key);
    if (device === undefined) return;
    this.#devices.delete(key);
    this.#unlisten(device);
    for (const [source, owner] of this.#sources) if (owner === key) this.#sources.delete(source);
  }

  /** Topics of a device: those on which it announced itself, and those it named. */
  topics(key: string): DeviceTopics | null {
    const device = this.#devices.get(key);
    if (device === undefined) return null;
    const plain = (topics: Iterable<string>): string[] =>
      [...topics].filter((topic) => topic !== "" && !/[+#\0]/.test(topic));
    const sources = device.components.map(({ source }) => source);
    return { name: "", says: [...new Set([...plain(device.topics), ...sources])], takes: plain(device.commandTopics) };
  }

  #announced(message: BridgeMessage, topic: DiscoveryTopic): readonly Effect[] {
    const read = announcement(topic, payloadText(message.payload));
    if (read.says === "nothing") return [{ do: "problem", topic: message.topic, reason: read.reason }];
    if (read.says === "migrates") {
      if (this.#sources.has(message.topic)) this.#migrating.add(message.topic);
      return [];
    }
    if (read.says === "gone") return this.#gone(message.topic);
    if (!this.#options.isOwn(read, topic)) return this.#gone(message.topic);
    return this.#present(this.#options.refine?.(read, topic) ?? read, message.topic);
  }

  #present(announced: Present, source: string): readonly Effect[] {
    const moved = this.#sources.get(source) === announced.device.key ? [] : this.#gone(source);
    const known = this.#devices.get(announced.device.key);
    if (known === undefined && this.#devices.size >= MAX_DEVICES)
      return [
        ...moved,
        { do: "problem", topic: source, reason: `more than ${MAX_DEVICES} devices announce themselves` },
      ];
    const device = known ?? new DiscoveredDevice(announced.device, { budget: this.#budget });
    device.info = fuller(device.info, announced.device);
    const [before, topics] = [device.plan, device.topics];
    this.#unlisten(device);
    const problems = this.#put(device, announced, source);
    if (!device.isSomething) return [...moved, ...problems];
    this.#devices.set(device.key, device);
    this.#sources.set(source, device.key);
    this.#listen(device);
    const fresh = [...device.topics].filter((name) => !topics.has(name));
    const recall: Effect[] = fresh.length === 0 ? [] : [{ do: "recall", filters: fresh }];
    return [
      ...moved,
      { do: "device", device: device.description() },
      ...device.renamed(before),
      ...problems,
      ...recall,
    ];
  }

  #put(device: DiscoveredDevice, announced: Present, source: string): Effect[] {
    const problems: Effect[] = [];
    const identities = new Set<string>();
    for (const component of announced.components) {
      const identity = announced.isBundle ? `${source}#${component.id}` : source;
      identities.add(identity);
      const unique = component.config.unique_id;
      if (typeof unique === "string")
        device.drop(
          (held, other) =>
            other !== identity &&
            held.announced.config.unique_id === unique &&
            held.announced.platform === component.platform &&
            this.#migrating.has(held.source),
        );
      const { device: _device, origin: _origin, ...config } = component.config;
      if (device.components.length >= MAX_COMPONENTS)
        return [
          ...problems,
          { do: "problem", topic: source, reason: `more than ${MAX_COMPONENTS} components of one device` },
        ];
      for (const reason of device.put(identity, source, { ...component, config }) ?? [])
        problems.push({ do: "problem", topic: source, reason });
    }
    device.drop((held, identity) => held.source === source && !identities.has(identity));
    return problems;
  }

  /** Removes what a discovery topic brought. */
  #gone(source: string): Effect[] {
    const key = this.#sources.get(source);
    const device = key === undefined ? undefined : this.#devices.get(key);
    if (device === undefined) return [];
    this.#sources.delete(source);
    if (this.#migrating.delete(source)) return [];
    const before = device.plan;
    this.#unlisten(device);
    device.drop((held) => held.source === source);
    if (device.isSomething) {
      this.#listen(device);
      return [{ do: "device", device: device.description() }, ...device.renamed(before)];
    }
    this.#devices.delete(device.key);
    return [{ do: "gone", key: device.key }];
  }

  #listen(device: DiscoveredDevice): void {
    for (const topic of device.topics) {
      const listeners = this.#listeners.get(topic) ?? new Set();
      this.#listeners.set(topic, listeners.add(device));
    }
  }

  #unlisten(device: DiscoveredDevice): void {
    for (const topic of device.topics) {
      const listeners = this.#listeners.get(topic);
      listeners?.delete(device);
      if (listeners?.size === 0) this.#listeners.delete(topic);
    }
  }
}

/** Some components describe their device only briefly: known members are kept. */
function fuller(known: DiscoveredDevice["info"], fresh: DiscoveredDevice["info"]): DiscoveredDevice["info"] {
  return {
    key: known.key,
    name: fresh.name ?? known.name,
    manufacturer: fresh.manufacturer ?? known.manufacturer,
    model: fresh.model ?? known.model,
    firmware: fresh.firmware ?? known.firmware,
    room: fresh.room ?? known.room,
    hardware: [...new Set([...known.hardware, ...fresh.hardware])].slice(0, 4),
    address: fresh.address ?? known.address,
  };
}
