/**
 * The topics a credential may publish and receive: the only such table, family by family. Everything is derived from
 * the families for which the owner accepted a credential and from the devices that it announced; nothing from an MQTT
 * client id, and only listed topics are allowed. topic-ownership.ts decides which of several credentials a topic
 * belongs to.
 */
import type { DeviceTopics, TopicAccess } from "./family.ts";

/** Rights of one make. All are MQTT topic filters. */
export interface FamilyRights {
  /**
   * The messages by which a device makes itself known. A client that waits to be accepted may publish these and
   * receives nothing.
   */
  readonly announces: readonly string[];
  /**
   * What else an accepted client may publish before its device is known: the first messages of its make. Never topics
   * that another client holds.
   */
  readonly begins: readonly string[];
  /**
   * The hub's questions to all devices of the make, or to an unknown one. An accepted client receives these and never
   * publishes them, except for announcements and exact names in `begins`.
   */
  readonly hears: readonly string[];
  /**
   * Topics held by one of its devices: `publish` is from the device, `subscribe` from the hub to it; a topic in both
   * belongs to the hub unless `publish` names it exactly.
   */
  device(topics: DeviceTopics): TopicAccess;
  /** All its devices of one credential hold the same: the branch of their gateway. */
  readonly isGateway?: boolean;
}

/** The base topics in use, by family. */
export type Prefixes = ReadonlyMap<string, string | null>;

/** Most levels of a Zigbee2MQTT name with slashes. */
const MOST_LEVELS = 8;

/** `{base}/+/set`, `{base}/+/+/set` …, each also with one level after it. */
function deep(base: string, words: readonly string[]): string[] {
  const names = Array.from({ length: MOST_LEVELS }, (_, level) => base + "/+".repeat(level + 1));
  return words.flatMap((word) => names.flatMap((name) => [`${name}/${word}`, `${name}/${word}/+`]));
}

/** Discovery in Home Assistant's format: `{prefix}/{component}/[{node}/]{object}/config`. */
function discovery(prefixes: Prefixes): string[] {
  const prefixesUsed = new Set([
    prefixes.get("homeassistant") ?? "homeassistant",
    prefixes.get("esphome") ?? "homeassistant",
  ]);
  return [...prefixesUsed].flatMap((prefix) => [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`]);
}

const births = (prefixes: Prefixes): string[] => [
  ...new Set([`${prefixes.get("homeassistant") ?? "homeassistant"}/status`, "homeassistant/status"]),
];

/** Filters below `name`; none without a name. */
const below = (...names: readonly string[]): string[] => (names.includes("") ? [] : [`${names.join("/")}/#`]);

/** Components of ESPHome whose topics are sufficient without an announcement. */
const NODE_COMPONENTS = ["binary_sensor", "sensor", "switch", "light", "fan", "cover", "button", "lock", "valve"];

type Row = (base: string, prefixes: Prefixes) => FamilyRights;

/** The table. */
const TABLE: Readonly<Record<string, Row>> = {
  tasmota: () => ({
    announces: ["tasmota/discovery/+/config", "tasmota/discovery/+/sensors"],
    begins: [],
    hears: ["cmnd/tasmotas/#"],
    device: ({ name, says, takes }) => ({
      publish: [`tasmota/discovery/${name}/config`, `tasmota/discovery/${name}/sensors`, ...says],
      subscribe: [...takes, `cmnd/DVES_${name.slice(-6)}_fb/#`],
    }),
  }),
  openbeken: () => ({
    announces: ["+/connected", "+/mac", "+/ip", "+/build", "+/host", "+/rssi"],
    begins: ["+/+/get"],
    hears: ["cmnd/bekens/#", "bekens/#"],
    device: ({ name }) => ({
      publish: [name, `tele/${name}`, `stat/${name}`].flatMap((base) => below(base)),
      subscribe: [`${name}/+/set`, `cmnd/${name}/#`],
    }),
  }),
  shelly1: () => ({
    announces: ["shellies/announce", "shellies/+/announce", "shellies/+/info"],
    begins: ["shellies/+/#"],
    hears: [
      "shellies/command",
      "shellies/+/command",
      "shellies/+/+/command",
      "shellies/+/+/+/command",
      "shellies/+/+/+/set",
    ],
    device: ({ name }) => ({
      publish: below("shellies", name),
      subscribe: ["command", "+/command", "+/+/command", "+/+/set"].map((rest) => `shellies/${name}/${rest}`),
    }),
  }),
  shelly2: () => ({
    announces: ["online", "announce", "events/rpc"].flatMap((rest) => [`+/${rest}`, `+/+/${rest}`]),
    begins: ["shelly2hub/rpc", "+/status/+", "+/+/status/+"],
    hears: ["rpc", "command", "command/+"].flatMap((rest) => [`+/${rest}`, `+/+/${rest}`]),
    device: ({ name }) => ({ publish: below(name), subscribe: [`${name}/rpc`, `${name}/command/#`] }),
  }),
  esphome: (_, prefixes) => ({
    announces: ["esphome/discover/+", ...discovery(prefixes)],
    // A node without discovery is recognised by the form of its topics.
    begins: [
      "+/status",
      ...NODE_COMPONENTS.flatMap((component) => [`+/${component}/+/state`, `+/${component}/+/+/state`]),
    ],
    hears: ["esphome/discover", "esphome/ping/+", ...births(prefixes)],
    device: ({ name, says, takes }) => ({
      publish: [...says, ...below(name)],
      subscribe: [...takes, `${name}/+/+/command`, `${name}/+/+/+/command`],
    }),
  }),
  homeassistant: (_, prefixes) => ({
    announces: discovery(prefixes),
    begins: [],
    hears: births(prefixes),
    // The topics it names, and never those below them: a name does not prove that a branch is its own.
    device: ({ says, takes }) => ({ publish: says, subscribe: takes }),
  }),
  zigbee2mqtt: (base) =>
    gateway(base, {
      announces: ["bridge/state", "bridge/info", "bridge/devices", "bridge/groups"],
      takes: [...deep(base, ["set", "get"]), `${base}/bridge/request/#`],
    }),
  openmqttgateway: (base) => ({
    announces: [`${base}/+/LWT`, `${base}/+/SYStoMQTT`],
    begins: [`${base}/+/#`],
    hears: [`${base}/+/commands/#`],
    device: ({ name }) => ({ publish: below(base, name), subscribe: [`${base}/${name}/commands/#`] }),
  }),
  frigate: (base) =>
    gateway(base, {
      announces: ["available", "camera_activity"],
      takes: [...deep(base, ["set"]), `${base}/+/ptz`, `${base}/onConnect`, `${base}/restart`],
    }),
};

/** A program that has a branch to itself: one credential, once it has announced something there. */
function gateway(
  base: string,
  { announces, takes }: { readonly announces: readonly string[]; readonly takes: readonly string[] },
): FamilyRights {
  return {
    announces: announces.map((topic) => `${base}/${topic}`),
    begins: [`${base}/#`],
    hears: takes,
    device: () => ({ publish: [`${base}/#`], subscribe: takes }),
    isGateway: true,
  };
}

const NOTHING: FamilyRights = { announces: [], begins: [], hears: [], device: () => ({ publish: [], subscribe: [] }) };

/** The rights of a family; none for one that is not in the table. */
export function rightsOf(family: string, prefixes: Prefixes): FamilyRights {
  return Object.hasOwn(TABLE, family)
    ? (TABLE[family]?.(prefixes.get(family) ?? family, prefixes) ?? NOTHING)
    : NOTHING;
}

/**
 * Besides the makes for which it was accepted, a credential may describe its devices in Home Assistant's format, as
 * much firmware does. Frigate does not.
 */
export function familiesOf(accepted: readonly string[]): string[] {
  const others = accepted.some((family) => family !== "frigate");
  return [...new Set([...accepted, ...(others ? ["homeassistant"] : [])])];
}

/**
 * The one family that is trusted on number plates. Only an owner can accept a credential for it; no MQTT message can.
 */
export const PLATE_FAMILY = "frigate";

/** A part of the topics that belongs to certain makes. */
export interface Zone {
  readonly base: string;
  readonly families: readonly string[];
  /** Its families hold all of it, not only what is below it. */
  readonly whole?: boolean;
}

/**
 * The parts of the topics that belong to certain makes, with those makes; no other one publishes there, known device or
 * not.
 */
export function zones(prefixes: Prefixes): Zone[] {
  const base = (family: string): string => prefixes.get(family) ?? family;
  const announcing = ["esphome", "homeassistant"];
  return [
    ...["cmnd", "stat", "tele"].map((word) => ({ base: word, families: ["tasmota", "openbeken"] })),
    { base: "tasmota/discovery", families: ["tasmota"] },
    { base: "shellies", families: ["shelly1", "shelly2"] },
    { base: "shelly2hub", families: [] },
    { base: "esphome", families: ["esphome"] },
    { base: "bekens", families: [] },
    { base: base("homeassistant"), families: announcing },
    { base: base("esphome") === "esphome" ? "homeassistant" : base("esphome"), families: announcing },
    ...["zigbee2mqtt", "frigate"].map((family) => ({ base: base(family), families: [family], whole: true })),
  ];
}

/**
 * Why a device of `family` cannot have these topics, regardless of other holders; null if it can. `isOwn`: whether the
 * credential already holds the topic through another view of the same device.
 */
export function unfit(
  family: string,
  { publish, subscribe }: TopicAccess,
  about: { readonly prefixes: Prefixes; readonly native: string; readonly isOwn: (topic: string) => boolean },
): string | null {
  const reserved = zones(about.prefixes);
  for (const filter of [...publish, ...subscribe]) {
    const levels = filter.split("/");
    const wild = levels.findIndex((level) => level === "+" || level === "#");
    const plain = wild === -1 ? levels : levels.slice(0, wild);
    if (plain.length === 0 || plain[0] === "" || filter.startsWith("$"))
      return `"${filter}" would be everybody's topics`;
    if (plain[0] === about.native) return `"${filter}" belongs to the hub's own devices`;
    if (
      plain.length === 1 &&
      wild !== -1 &&
      family !== "openmqttgateway" &&
      plain[0] === (about.prefixes.get("openmqttgateway") ?? "home")
    )
      return `"${filter}" would take in other gateways' topics`;
    for (const zone of reserved) {
      const base = zone.base.split("/");
      const isInside = base.every((level, index) => plain[index] === level);
      const isAround =
        plain.length <= base.length && plain.every((level, index) => base[index] === level) && wild !== -1;
      if (isAround && !(isInside && zone.whole === true && zone.families.includes(family)))
        return `"${filter}" would take in the topics of other devices`;
      if (isInside && !zone.families.includes(family) && !about.isOwn(filter))
        return `"${filter}" belongs to devices of another make`;
    }
  }
  return null;
}
