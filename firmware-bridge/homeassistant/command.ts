/** Commands for a discovered device: the hub's words for its components, and its own names with a text for them. */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import type { Outgoing, Translation } from "../family.ts";
import type { Component } from "./component.ts";
import type { DiscoveredDevice } from "./device.ts";

/** Translates a command. */
export function translate(device: DiscoveredDevice, command: JsonObject): Translation {
  const own = ownVocabulary(device, command);
  if (own !== null) return own;
  const { outputs } = device.plan;
  const parted =
    outputs.length === 0
      ? { outputs: new Map<number, boolean>(), channel: null, rest: command }
      : switching(command, outputs.length);
  if ("unsupported" in parted) return parted;
  const wanted = new Map<Component, JsonObject>();
  const want = (component: Component, word: string, value: unknown): void => {
    wanted.set(component, { ...wanted.get(component), [word]: value });
  };
  for (const [number, on] of parted.outputs) {
    const output = outputs[number - 1];
    if (output) want(output, "power", on);
  }
  const channel = parted.channel === null ? undefined : outputs[parted.channel - 1];
  const left: [string, unknown][] = [];
  for (const [key, value] of Object.entries(parted.rest)) {
    if (channel && takes(channel, key)) want(channel, key, value);
    else {
      const takers = device.plan.takersOf(key);
      const meant =
        key === "scene"
          ? takers.filter(({ component }) => !("unsupported" in component.command({ scene: value })))
          : takers;
      if (meant.length === 0) left.push([key, value]);
      for (const { component, word } of meant) want(component, word, value);
    }
  }
  for (const [key, value] of left) {
    // Members that only modify (a transition, a code) go with the rest of the command.
    const meant = [...wanted.keys()].filter((component) => takes(component, key));
    if (meant.length === 0) return { unsupported: `the device knows no ${key.slice(0, 40)}` };
    for (const component of meant) want(component, key, value);
  }
  return together(device, wanted);
}

function takes(component: Component, word: string): boolean {
  return Object.hasOwn(component.takes, word) || component.alsoTakes.includes(word);
}

function together(device: DiscoveredDevice, wanted: ReadonlyMap<Component, JsonObject>): Translation {
  if (wanted.size === 0) return { unsupported: "the command says nothing that the device knows" };
  const publish: Outgoing[] = [];
  const expects: JsonObject = {};
  for (const [component, values] of wanted) {
    const carried = component.command(values);
    if ("unsupported" in carried) return carried;
    publish.push(...carried.publish);
    for (const [word, value] of Object.entries(carried.expects ?? {}))
      expects[device.plan.nameOf(component, word)] = value;
  }
  return { publish, expects: Object.keys(expects).length > 0 ? expects : null };
}

/**
 * `{"<its id>": "<payload>"}` or `{"switch/<its id>": "<payload>"}` goes to the component's command topic unchanged.
 */
function ownVocabulary(device: DiscoveredDevice, command: JsonObject): Translation | null {
  const [[key, value] = ["", null], ...more] = Object.entries(command);
  if (more.length > 0 || (typeof value !== "string" && !(typeof value === "object" && value !== null))) return null;
  const held = device.components.find(
    ({ component: { platform, id, rawTopic } }) =>
      rawTopic !== null && (key === `${platform}/${id}` || (key === id && device.plan.takersOf(key).length === 0)),
  );
  const topic = held?.component.rawTopic ?? null;
  return topic === null
    ? null
    : { publish: [{ topic, payload: typeof value === "string" ? value : JSON.stringify(value) }], expects: null };
}
