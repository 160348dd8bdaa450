/**
 * The retained messages that announce a device to Home Assistant and carry its state. Source:
 * https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload.
 */
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Entity, ReadCommand } from "./entity.ts";

/** The topics of the hub's messages for Home Assistant. */
export interface ExportTopics {
  /** Home Assistant's discovery prefix. */
  readonly discovery: string;
  /** Prefix of all topics of this hub's values and commands; no other hub's. */
  readonly base: string;
  /** Distinguishes this hub from others in ids: letters, digits and `_`. */
  readonly node: string;
}

/** What is announced as a device: one of the household, or the hub itself. */
export interface Announced {
  /** Id of the device; null: the hub itself. */
  readonly id: string | null;
  /** Home Assistant's `device` block, without its identifiers. */
  readonly device: JsonObject;
  readonly entities: readonly Entity[];
  /** Null: it is available whenever the hub is. */
  readonly online: boolean | null;
}

/** Topic of the events of an entity; nothing on it is retained. */
export function eventTopic(topics: ExportTopics, id: string, entity: string): string {
  return `${topics.base}/device/${id}/event/${entity}`;
}

/** Platforms of a device's entities by their ids: the recorded part of an announcement. */
export type Platforms = Readonly<Record<string, string>>;

/** Topic of the hub's own presence. */
export function statusTopic({ base }: ExportTopics): string {
  return `${base}/status`;
}

/** Filter of the command topics. */
export function commandFilter({ base }: ExportTopics): string {
  return `${base}/+/+/set/+/+`;
}

/** Whether a topic on the broker is one of this hub's own. */
export function isOwnTopic({ base, discovery, node }: ExportTopics, topic: string): boolean {
  return (
    topic.startsWith(`${base}/`) ||
    topic === `${discovery}/device/${node}/config` ||
    topic.startsWith(`${discovery}/device/${node}/`)
  );
}

/** The topics of a device: cleared when it is no longer announced. */
export function topicsOf(
  { discovery, base, node }: ExportTopics,
  id: string | null,
): Record<"config" | "state" | "light" | "online", string> {
  const own = id === null ? `${base}/hub/gatehouse` : `${base}/device/${id}`;
  const config = id === null ? `${discovery}/device/${node}/config` : `${discovery}/device/${node}/${id}/config`;
  return { config, state: `${own}/state`, light: `${own}/light`, online: `${own}/online` };
}

/**
 * Every message of a device, by topic. `former`: entities of earlier announcements; missing ones are declared as
 * removed.
 */
export function messagesOf(
  topics: ExportTopics,
  announced: Announced,
  origin: JsonObject,
  former: Platforms,
): Map<string, string> {
  const own = topicsOf(topics, announced.id);
  const identifier = announced.id === null ? topics.node : `${topics.node}_${announced.id}`;
  const gone = Object.entries(former).filter(([id]) => !announced.entities.some((entity) => entity.id === id));
  const components = Object.fromEntries([
    ...announced.entities.map((entity) => [entity.id, component(topics, announced, entity)] as const),
    ...gone.map(([id, platform]) => [id, { platform }] as const),
  ]);
  const config = {
    device: {
      identifiers: [identifier],
      ...announced.device,
      ...(announced.id === null ? {} : { via_device: topics.node }),
    },
    origin,
    availability: [{ topic: statusTopic(topics) }, ...(announced.online === null ? [] : [{ topic: own.online }])],
    availability_mode: "all",
    components,
  };
  const light = announced.entities.find((entity) => entity.light !== null)?.light;
  return new Map([
    [own.config, JSON.stringify(config)],
    ...(announced.online === null ? [] : [[own.online, announced.online ? "online" : "offline"] as const]),
    ...(light ? [[own.light, JSON.stringify(light)] as const] : []),
    [own.state, JSON.stringify(Object.assign({}, ...announced.entities.map(({ values }) => values)))],
  ]);
}

function component(
  topics: ExportTopics,
  announced: Announced,
  { id, platform, config, listens, shows, takes, light }: Entity,
): JsonObject {
  const own = topicsOf(topics, announced.id);
  const commands = own.state.slice(0, -"/state".length);
  return {
    platform,
    unique_id: `${topics.node}:${announced.id ?? ""}:${id}`,
    ...config,
    ...Object.fromEntries(listens.map((name) => [name, own.state])),
    ...(light === null ? {} : { state_topic: own.light }),
    ...(platform === "event" && announced.id !== null ? { state_topic: eventTopic(topics, announced.id, id) } : {}),
    ...Object.fromEntries(Object.entries(shows).map(([name, value]) => [name, `{{ value_json['${value}'] }}`])),
    ...Object.fromEntries(Object.keys(takes).map((name) => [name, `${commands}/set/${id}/${name}`])),
  };
}

/** A command as its topic names it. */
export interface Addressed {
  /** Id of the device; null: the hub itself. */
  readonly id: string | null;
  readonly entity: string;
  readonly takes: string;
}

/** The addressee of a message; null if its topic is not a command topic. */
export function addressed({ base }: ExportTopics, topic: string): Addressed | null {
  if (!topic.startsWith(`${base}/`)) return null;
  const [kind, id = "", set, entity = "", takes = "", ...more] = topic.slice(base.length + 1).split("/");
  if (set !== "set" || more.length > 0) return null;
  if (kind === "hub" && id === "gatehouse") return { id: null, entity, takes };
  return kind === "device" ? { id, entity, takes } : null;
}

/** How an entity reads a payload on one of its topics; null if it takes none there. */
export function commandOf(entities: readonly Entity[], { entity, takes }: Addressed): ReadCommand | null {
  const found = entities.find(({ id }) => id === entity);
  return found !== undefined && Object.hasOwn(found.takes, takes) ? (found.takes[takes] ?? null) : null;
}
