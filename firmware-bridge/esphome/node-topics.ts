/**
 * Topics of nodes that announce nothing: what a topic's form reveals about a component. Source:
 * https://esphome.io/components/mqtt and https://github.com/esphome/esphome/tree/dev/esphome/components/mqtt.
 */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";

/** `<node>/<component>/<object>/[<part>/]state`. */
export interface NodeTopic {
  readonly node: string;
  readonly component: string;
  readonly object: string;
}

const COMPONENTS: ReadonlySet<string> = new Set([
  "binary_sensor",
  "sensor",
  "switch",
  "light",
  "fan",
  "cover",
  "climate",
  "number",
  "select",
  "button",
  "lock",
  "text",
  "valve",
  "alarm_control_panel",
]);

/** The parts of a node's state topic; null for any other topic. */
export function nodeTopic(topic: string): NodeTopic | null {
  const levels = topic.split("/");
  if (levels.at(-1) !== "state" || levels.length < 4 || levels.length > 8) return null;
  const index = levels.findIndex((level, position) => position > 0 && COMPONENTS.has(level));
  const [component, object] = [levels[index], levels[index + 1]];
  if (index === -1 || component === undefined || object === undefined || object === "" || object === "state")
    return null;
  return { node: levels.slice(0, index).join("/"), component, object };
}

/** The base of a node's topic, whether of a value or of a command; null for a topic of another form. */
export function nodeBase(topic: string): string | null {
  const levels = topic.split("/");
  const index = levels.findIndex((level, position) => position > 0 && COMPONENTS.has(level));
  if (index !== -1 && levels.length > index + 1) return levels.slice(0, index).join("/");
  return levels.length > 1 && levels.at(-1) === "status" ? levels.slice(0, -1).join("/") : null;
}

/** The most frequent text of a list; null for an empty one. A node may name a topic that is not below its base. */
export function mostOften(texts: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}

/**
 * An announcement with as much as the topic reveals; null if that is too little: ranges and choices cannot be guessed.
 */
export function synthetic({ node, component, object }: NodeTopic): JsonObject | null {
  if (["number", "select", "climate", "alarm_control_panel", "text"].includes(component)) return null;
  const base = `${node}/${component}/${object}`;
  const config: JsonObject = {
    name: object.replaceAll("_", " "),
    state_topic: `${base}/state`,
    availability_topic: `${node}/status`,
  };
  if (component === "sensor" || component === "binary_sensor") return config;
  config.command_topic = `${base}/command`;
  if (component === "light") return { ...config, schema: "json", brightness: true };
  if (component === "cover" || component === "valve")
    return { ...config, position_topic: `${base}/position/state`, set_position_topic: `${base}/position/command` };
  return config;
}
