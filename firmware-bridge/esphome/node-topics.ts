/** Topics of nodes that announce nothing: what their form tells of a component. Source: home-hubs §5.5, "Payloads". */
import type { JsonObject } from "../../src/contract/facts.js";

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
  if (index === -1 || component === undefined || object === undefined || object === "" || object === "state") return null;
  return { node: levels.slice(0, index).join("/"), component, object };
}

/** An announcement that says as much as the topic does; null where that is too little: ranges and choices cannot be guessed. */
export function synthetic({ node, component, object }: NodeTopic): JsonObject | null {
  if (["number", "select", "climate", "alarm_control_panel", "text"].includes(component)) return null;
  const base = `${node}/${component}/${object}`;
  const config: JsonObject = { name: object.replaceAll("_", " "), state_topic: `${base}/state`, availability_topic: `${node}/status` };
  if (component === "sensor" || component === "binary_sensor") return config;
  config.command_topic = `${base}/command`;
  if (component === "light") return { ...config, schema: "json", brightness: true };
  if (component === "cover" || component === "valve")
    return { ...config, position_topic: `${base}/position/state`, set_position_topic: `${base}/position/command` };
  return config;
}
