/**
 * Decodes discovery messages: single components and bundles of a device, with every short form expanded, so that only
 * this file knows the variants. Source: https://www.home-assistant.io/integrations/mqtt/#discovery-messages.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { deviceKey, hardwareAddress, jsonOf, member, textOf, textsOf } from "../json-values.ts";
import { withBaseTopic, writtenOut } from "./abbreviations.ts";

/** The device to which announced components belong. */
export interface AnnouncedDevice {
  readonly key: string;
  readonly name: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly room: string | null;
  readonly hardware: readonly string[];
  /** Address in its configuration URL; null if there is none. */
  readonly address: string | null;
}

/** A component with every key written out. */
export interface AnnouncedComponent {
  /** `sensor`, `light` … */
  readonly platform: string;
  /** Its name on the wire: `object_id`, or its key in a bundle. */
  readonly id: string;
  readonly config: JsonObject;
}

/** The content of a discovery message. */
export type Announcement =
  | {
      readonly says: "present";
      readonly device: AnnouncedDevice;
      readonly origin: string | null;
      readonly isBundle: boolean;
      readonly components: readonly AnnouncedComponent[];
    }
  | { readonly says: "gone" }
  /** The device's components come in a bundle now: its single messages are no longer a removal. */
  | { readonly says: "migrates" }
  | { readonly says: "nothing"; readonly reason: string };

/** The position of a discovery message: its component, or `device` for a bundle. */
export interface DiscoveryTopic {
  readonly platform: string;
  readonly node: string | null;
  readonly object: string;
}

const MOST_COMPONENTS = 200;
/**
 * Maximum characters of a fully expanded message. A bundle states its base topic and the members shared by all its
 * components only once.
 */
const MOST_WRITTEN_OUT = 256 * 1024;
const ID = /^[a-zA-Z0-9_-]{1,128}$/;

/** The parts of `<prefix>/<component>/[<node>/]<object>/config`; null for any other topic. */
export function discoveryTopic(topic: string, prefix: string): DiscoveryTopic | null {
  if (!topic.startsWith(`${prefix}/`) || !topic.endsWith("/config")) return null;
  const levels = topic.slice(prefix.length + 1, -"/config".length).split("/");
  const [platform = "", second = "", third] = levels;
  if (levels.length < 2 || levels.length > 3 || !/^[a-z_]{1,32}$/.test(platform)) return null;
  return third === undefined ? { platform, node: null, object: second } : { platform, node: second, object: third };
}

/** Reads a discovery message; `payload` null means one that is too large. Never throws. */
export function announcement(topic: DiscoveryTopic, payload: string | null): Announcement {
  if (payload === null) return { says: "nothing", reason: "the discovery message is too large" };
  if (payload.trim() === "") return { says: "gone" };
  if (![topic.node ?? "x", topic.object].every((id) => ID.test(id)))
    return { says: "nothing", reason: "an id in the topic has other characters than letters, digits, _ and -" };
  const parsed = jsonOf(payload);
  if (!isJsonObject(parsed))
    return { says: "nothing", reason: "the discovery message is no JSON object, or nests too deeply" };
  const message = writtenOut(parsed);
  if (message.migrate_discovery === true) return { says: "migrates" };
  const isBundle = topic.platform === "device";
  const device = deviceOf(member(message, "device"), topic);
  if (device === null)
    return {
      says: "nothing",
      reason: isBundle
        ? "a device bundle must say identifiers or connections of its device"
        : "the device has neither identifiers nor connections",
    };
  const origin = textOf(member(member(message, "origin"), "name"), 64);
  if (isBundle) return bundle(message, device, origin);
  const config = withBaseTopic(message);
  if (JSON.stringify(config).length > MOST_WRITTEN_OUT) return TOO_LONG;
  return {
    says: "present",
    device,
    origin,
    isBundle,
    components: [{ platform: topic.platform, id: topic.object, config }],
  };
}

const TOO_LONG: Announcement = {
  says: "nothing",
  reason: "the discovery message becomes too long with its short forms written out",
};
const NOT_INHERITED: ReadonlySet<string> = new Set(["device", "origin", "components", "platform", "unique_id", "name"]);

function bundle(message: JsonObject, device: AnnouncedDevice, origin: string | null): Announcement {
  const { components } = message;
  if (!isJsonObject(components)) return { says: "nothing", reason: "a device bundle must list its components" };
  const shared = Object.fromEntries(Object.entries(message).filter(([key]) => !NOT_INHERITED.has(key)));
  const present: AnnouncedComponent[] = [];
  let written = 0;
  for (const [id, value] of Object.entries(components).slice(0, MOST_COMPONENTS)) {
    if (!isJsonObject(value) || id === "__proto__") continue;
    const own = writtenOut(value);
    const platform = own.platform;
    if (typeof platform !== "string") continue;
    if (Object.keys(own).length < 2) continue;
    const config = withBaseTopic({ ...shared, ...own });
    written += JSON.stringify(config).length;
    if (written > MOST_WRITTEN_OUT) return TOO_LONG;
    present.push({ platform, id, config });
  }
  return { says: "present", device, origin, isBundle: true, components: present };
}

/** A single component without a device block is a device of its own: `unique_id` identifies it, else its topic. */
function deviceOf(block: unknown, topic: DiscoveryTopic): AnnouncedDevice | null {
  if (!isJsonObject(block)) {
    if (topic.platform === "device") return null;
    return { ...NOBODY, key: deviceKey(topic.node ?? topic.object) ?? "unnamed" };
  }
  const identifiers = identifiersOf(block.identifiers);
  const connections = Array.isArray(block.connections)
    ? block.connections.filter((pair): pair is unknown[] => Array.isArray(pair))
    : [];
  const addresses = connections.flatMap(([, value]) => hardwareAddress(value) ?? []);
  const first = identifiers[0] ?? textOf(connections[0]?.[1], 200);
  if (first === null || first === undefined) return null;
  const key = deviceKey(first);
  if (key === null) return null;
  return {
    key,
    name: textOf(scalar(block.name)),
    manufacturer: textOf(scalar(block.manufacturer)),
    model: textOf(scalar(block.model)) ?? textOf(scalar(block.model_id)),
    firmware: textOf(scalar(block.sw_version)),
    room: textOf(scalar(block.suggested_area), 80),
    hardware: [...new Set([...addresses, ...identifiers.flatMap(addressIn)])].slice(0, 4),
    address: addressOf(block.configuration_url),
  };
}

const NOBODY = {
  name: null,
  manufacturer: null,
  model: null,
  firmware: null,
  room: null,
  hardware: [],
  address: null,
} as const;

/** Numbers are tolerated where texts should be, as Home Assistant does. */
function scalar(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function identifiersOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return textsOf(list.map(scalar))
    .filter((id) => id.length > 0 && id.length <= 200)
    .slice(0, 8);
}

/** A MAC or IEEE address that is a whole identifier, or its end after `_` or `-`. */
function addressIn(identifier: string): string[] {
  const address = hardwareAddress(identifier) ?? hardwareAddress(identifier.split(/[_-]/).at(-1));
  return address === null ? [] : [address];
}

function addressOf(url: unknown): string | null {
  const host = typeof url === "string" ? /^https?:\/\/([A-Za-z0-9.-]{1,100})/.exec(url)?.[1] : undefined;
  return host ?? null;
}
