/**
 * Zigbee2MQTT: every Zigbee device and group of a gateway, and the gateway itself. `bridge/devices` lists what a device
 * can do; its state is on a topic with its friendly name, which may contain slashes and may change. Messages in,
 * effects out; must never know their transport. Source:
 * https://www.zigbee2mqtt.io/guide/usage/mqtt_topics_and_messages.html.
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
import {
  hardwareAddress,
  INVENTORY_BYTES,
  jsonOf,
  member,
  numberOf,
  objectsOf,
  payloadText,
  textOf,
} from "../json-values.ts";
import { knownOf, sharedCapabilities } from "./exposes.ts";
import { Gateway } from "./gateway.ts";
import { Member, type MemberInfo } from "./member.ts";

const BASE = "zigbee2mqtt";
const MAX_MEMBERS = 2_000;
/** `exposes` nest deeper than other messages, and `bridge/info` contains a JSON schema. */
const INVENTORY_DEPTH = 40;
/** Most bytes of exposes in a memo: below the core's 16 KiB. */
const MEMO_BYTES = 14_000;
/** If there are more new devices than this, everything is recalled at once. */
const RECALLED_ONE_BY_ONE = 50;

/** The adapter of {@link zigbee2mqtt}. */
class Zigbee2MqttAdapter implements Adapter {
  readonly #base: string;
  readonly #gateway: Gateway;
  readonly #byKey = new Map<string, Member>();
  readonly #byName = new Map<string, Member>();
  /** The list of groups, for when its members become known. */
  #groups: readonly JsonObject[] = [];

  constructor(base: string) {
    this.#base = base;
    this.#gateway = new Gateway(base);
  }

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices.slice(0, MAX_MEMBERS)) {
      if (memo.gateway === true) this.#gateway.restore(memo);
      const friendlyName = textOf(memo.friendlyName, 200);
      if (friendlyName === null) continue;
      const info: MemberInfo = {
        key,
        friendlyName,
        manufacturer: null,
        model: null,
        firmware: null,
        hardware: [],
        isBattery: memo.isBattery === true,
        scenes: new Map(),
        memo,
      };
      this.#keep(new Member(info, knownOf(memo.exposes)));
    }
  }

  connected(): readonly Effect[] {
    return []; // everything worth requesting is retained
  }

  message(message: BridgeMessage): readonly Effect[] {
    const { topic, retained } = message;
    if (!topic.startsWith(`${this.#base}/`)) return [];
    const rest = topic.slice(this.#base.length + 1);
    if (rest === "bridge/devices") return this.#devices(message);
    if (rest === "bridge/groups") return this.#grouped(message);
    if (rest.startsWith("bridge/"))
      return this.#bridge(rest.slice("bridge/".length), { topic, retained, payload: message.payload });
    return this.#spoke(rest, message);
  }

  command(key: string, command: JsonObject): Translation {
    if (key === this.#gateway.key) return this.#gateway.command(command);
    const one = this.#byKey.get(key);
    if (one === undefined) return { unsupported: "the device is not known yet" };
    const translation = one.command(command, `${this.#base}/${one.info.friendlyName}/set`);
    const { members } = one.info;
    return "unsupported" in translation || members === undefined ? translation : { ...translation, others: members };
  }

  forget(key: string): void {
    if (key === this.#gateway.key) this.#gateway.forget();
    const one = this.#byKey.get(key);
    this.#byKey.delete(key);
    if (one) this.#byName.delete(one.info.friendlyName);
  }

  topics(key: string): DeviceTopics | null {
    // Devices behind the gateway have no topics besides the gateway's.
    return key === this.#gateway.key || this.#byKey.has(key) ? { name: "", says: [], takes: [] } : null;
  }

  #bridge(
    rest: string,
    { topic, retained, payload }: { topic: string; retained: boolean; payload: Uint8Array },
  ): readonly Effect[] {
    const text = payloadText(payload, INVENTORY_BYTES);
    if (text === null) return [];
    const effects = this.#gateway.told(rest, { json: jsonOf(text, INVENTORY_DEPTH), text, retained, topic });
    if (rest !== "state") return effects;
    return [...effects, ...[...this.#byKey.values()].flatMap((one) => one.presence(this.#gateway.online, false))];
  }

  /** `bridge/devices`: everything in the network. A missing device has been removed. */
  #devices({ topic, payload }: BridgeMessage): readonly Effect[] {
    const list = listOf(payload);
    if (list === null)
      return [{ do: "problem", topic, reason: "the list of devices is no JSON list, or is too large" }];
    const effects: Effect[] = [];
    const fresh: Member[] = [];
    const present = new Set<string>();
    for (const entry of list) {
      if (entry.type === "Coordinator") effects.push(...this.#gateway.coordinator(entry.ieee_address));
      const info = entry.type === "Coordinator" ? null : infoOf(entry);
      if (info === null) continue;
      present.add(info.key);
      effects.push(...this.#take(info, member(entry.definition, "exposes"), fresh));
    }
    for (const one of [...this.#byKey.values()])
      if (!isGroup(one) && !present.has(one.info.key)) effects.push(...this.#gone(one));
    effects.push(...this.#regroup(fresh));
    return [...effects, ...this.#recall(fresh)];
  }

  #take(info: MemberInfo, exposes: unknown, fresh: Member[]): Effect[] {
    const known = this.#byKey.get(info.key);
    if (known === undefined && this.#byKey.size >= MAX_MEMBERS) return [];
    const one = known ?? new Member(info, knownOf(exposes));
    if (known === undefined || known.info.friendlyName !== info.friendlyName) fresh.push(one);
    if (known) {
      this.#byName.delete(known.info.friendlyName);
      one.info = info;
      one.known = knownOf(exposes);
    }
    this.#keep(one);
    return [{ do: "device", device: one.description() }, ...one.presence(this.#gateway.online, false)];
  }

  #keep(one: Member): void {
    this.#byKey.set(one.info.key, one);
    this.#byName.set(one.info.friendlyName, one);
  }

  #gone(one: Member): Effect[] {
    this.#byKey.delete(one.info.key);
    if (this.#byName.get(one.info.friendlyName) === one) this.#byName.delete(one.info.friendlyName);
    return [{ do: "gone", key: one.info.key }];
  }

  #grouped({ topic, payload }: BridgeMessage): readonly Effect[] {
    const list = listOf(payload);
    if (list === null) return [{ do: "problem", topic, reason: "the list of groups is no JSON list, or is too large" }];
    this.#groups = list.slice(0, MAX_MEMBERS);
    const fresh: Member[] = [];
    const present = new Set(this.#groups.map((group) => groupKey(group)));
    const gone = [...this.#byKey.values()]
      .filter((one) => isGroup(one) && !present.has(one.info.key))
      .flatMap((one) => this.#gone(one));
    return [...gone, ...this.#regroup(fresh), ...this.#recall(fresh)];
  }

  /** Updates groups whose members have something in common to do. */
  #regroup(fresh: Member[]): Effect[] {
    return this.#groups.flatMap((group): Effect[] => {
      const [key, friendlyName] = [groupKey(group), textOf(group.friendly_name, 200)];
      if (key === null || friendlyName === null) return [];
      const members = objectsOf(group.members)
        .slice(0, MAX_MEMBERS)
        .flatMap((entry) => this.#byKey.get(keyOf(entry.ieee_address) ?? "") ?? []);
      const keys = [...new Set(members.map((one) => one.info.key))];
      const capabilities = sharedCapabilities(members.map((one) => one.known.capabilities));
      if (capabilities.length === 0) return [];
      const has = (base: string): boolean => capabilities.some((capability) => capability.base === base);
      const type =
        has("position") || has("moving") ? "cover" : has("brightness") ? "dimmer" : has("locked") ? "lock" : "switch";
      const info: MemberInfo = {
        key,
        friendlyName,
        manufacturer: null,
        model: "Zigbee group",
        firmware: null,
        hardware: [],
        isBattery: false,
        scenes: scenesOf(group.scenes),
        members: keys,
        memo: { friendlyName, group: true },
      };
      const known = this.#byKey.get(key);
      const one = known ?? new Member(info, { capabilities, type, outputs: has("power") ? 1 : 0 });
      if (known === undefined || known.info.friendlyName !== friendlyName) fresh.push(one);
      if (known) this.#byName.delete(known.info.friendlyName);
      one.info = info;
      one.known = { capabilities, type, outputs: has("power") ? 1 : 0 };
      this.#keep(one);
      return [{ do: "device", device: one.description() }, ...one.presence(this.#gateway.online, false)];
    });
  }

  /** States may arrive before the list that names their devices. */
  #recall(fresh: readonly Member[]): Effect[] {
    if (fresh.length === 0) return [];
    const one = fresh
      .slice(0, RECALLED_ONE_BY_ONE)
      .flatMap(({ info }) => [`${this.#base}/${info.friendlyName}`, `${this.#base}/${info.friendlyName}/availability`]);
    const depth = Math.max(...fresh.map(({ info }) => info.friendlyName.split("/").length));
    const levels = Array.from(
      { length: Math.min(8, depth + 1) },
      (_, index) => `${this.#base}${"/+".repeat(index + 1)}`,
    );
    return [
      {
        do: "recall",
        filters: (fresh.length <= RECALLED_ONE_BY_ONE ? one : levels).filter(
          (filter) => !/[#+].*[^+/]|#/.test(filter.slice(this.#base.length)),
        ),
      },
    ];
  }

  /** A topic of a device: its name may contain slashes, so the longest matching name is meant. */
  #spoke(rest: string, message: BridgeMessage): readonly Effect[] {
    const exact = this.#byName.get(rest);
    if (exact) return this.#state(exact, message);
    for (let end = rest.lastIndexOf("/"); end > 0; end = rest.lastIndexOf("/", end - 1)) {
      const one = this.#byName.get(rest.slice(0, end));
      if (one) return this.#below(one, rest.slice(end + 1), message);
    }
    return [];
  }

  #state(one: Member, { topic, payload, retained, at }: BridgeMessage): readonly Effect[] {
    const text = payloadText(payload);
    if (text === null || text === "") return [];
    const json = jsonOf(text);
    if (!isJsonObject(json))
      return [
        {
          do: "problem",
          topic,
          reason:
            "the state is no JSON object (Zigbee2MQTT's setting `advanced.output` must be json or attribute_and_json)",
        },
      ];
    return [...one.presence(this.#gateway.online, !retained), ...one.told(json, { at, retained })];
  }

  #below(one: Member, part: string, message: BridgeMessage): readonly Effect[] {
    const text = payloadText(message.payload)?.trim() ?? "";
    if (part.startsWith("set") || part.startsWith("get") || text === "") return [];
    if (part === "availability") {
      const status = textOf(member(jsonOf(text), "state") ?? text, 16);
      if (status !== "online" && status !== "offline") return [];
      one.available = status === "online";
      return one.presence(this.#gateway.online, false);
    }
    if (part === "action") return one.pressed(text, message);
    if (part.includes("/")) return [];
    const value = jsonOf(text) ?? text; // a single attribute, where the owner chose that form
    return [...one.presence(this.#gateway.online, !message.retained), ...one.told({ [part]: value }, message)];
  }
}

function listOf(payload: Uint8Array): JsonObject[] | null {
  const text = payloadText(payload, INVENTORY_BYTES);
  const value = text === null ? undefined : jsonOf(text, INVENTORY_DEPTH);
  return Array.isArray(value) ? objectsOf(value) : null;
}

function keyOf(address: unknown): string | null {
  const digits = hardwareAddress(address);
  return digits === null ? null : `0x${digits}`;
}

function groupKey(group: JsonObject): string | null {
  const id = numberOf(group.id);
  return id === null || !Number.isInteger(id) || id < 0 || id > 65_535 ? null : `group-${id}`;
}

function isGroup(one: Member): boolean {
  return one.info.key.startsWith("group-");
}

/** What a list entry contains about a device; null if it is disabled, or its interview is not over. */
function infoOf(entry: JsonObject): MemberInfo | null {
  const key = keyOf(entry.ieee_address);
  const friendlyName = textOf(entry.friendly_name, 200);
  const isReady =
    isJsonObject(entry.definition) || entry.interview_completed === true || entry.interview_state === "SUCCESSFUL";
  if (key === null || friendlyName === null || entry.disabled === true || !isReady) return null;
  const { definition } = entry;
  const isBattery = entry.power_source === "Battery";
  const exposes = member(definition, "exposes");
  const memo: JsonObject = {
    friendlyName,
    isBattery,
    ...(JSON.stringify(exposes ?? []).length <= MEMO_BYTES ? { exposes: exposes ?? [] } : {}),
  };
  const scenes = isJsonObject(entry.endpoints)
    ? Object.values(entry.endpoints).flatMap((endpoint) => objectsOf(member(endpoint, "scenes")))
    : [];
  return {
    key,
    friendlyName,
    manufacturer: textOf(member(definition, "vendor")) ?? textOf(entry.manufacturer),
    model: textOf(member(definition, "model")) ?? textOf(entry.model_id),
    firmware: textOf(entry.software_build_id),
    hardware: [key.slice(2)],
    isBattery,
    scenes: scenesOf([...objectsOf(entry.scenes), ...scenes]),
    memo,
  };
}

function scenesOf(value: unknown): ReadonlyMap<string, number> {
  const pairs = objectsOf(value).flatMap((scene) => {
    const [id, name] = [numberOf(scene.id), textOf(scene.name)];
    return id === null || name === null ? [] : [[name, id] as const];
  });
  return new Map(pairs.slice(0, 32));
}

/** The family. */
export const zigbee2mqtt: Family = {
  name: "zigbee2mqtt",
  label: "Zigbee2MQTT",
  source: "https://www.zigbee2mqtt.io/guide/usage/mqtt_topics_and_messages.html",
  prefix: BASE,
  filters: (prefix) => [`${prefix ?? BASE}/#`],
  large: (prefix) => [`${prefix ?? BASE}/bridge/#`],
  open: ({ prefix }) => new Zigbee2MqttAdapter(prefix ?? BASE),
  setup,
};

function setup({ host, port, username, password }: SetupValues): SetupStep[] {
  const lines = [
    "mqtt:",
    `  base_topic: ${BASE}`,
    `  server: mqtt://${host}:${port}`,
    `  user: ${username}`,
    `  password: ${password}`,
    "  version: 4",
    "availability:",
    "  enabled: true",
  ];
  return [{ title: "In configuration.yaml of Zigbee2MQTT; then restart it", kind: "file", text: lines.join("\n") }];
}
