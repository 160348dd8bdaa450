/**
 * The messages and commands of recorded conversations with one value changed: how each change alters a family's
 * effects. One value for each place of a kind of message; a name in a topic or a number in a list makes no new kind.
 */
import type { Adapter, Effect, Family } from "../../firmware-bridge/family.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { type Conversation, payloadText, REPLAY_START } from "./conversation.ts";
import { short, singles, stepper, translated } from "./in-full.ts";

type Path = readonly string[];

/** Longer than any accepted name, text or topic. */
const LONG = "y".repeat(700);
/** More than any accepted list of names, values or parts. */
const MANY = 210;
/** The number of values tried for each control after a change to a device's description. */
const FEW = 3;

/** The effect of each changed value of a family's conversations; values that change nothing are left out. */
export function damaged(family: Family, conversations: readonly Conversation[]): Record<string, string> {
  const found: Record<string, string> = {};
  const seen = new Set<string>();
  const isNew = (kind: string): boolean => !seen.has(kind) && Boolean(seen.add(kind));
  for (const conversation of conversations) {
    const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
    adapter.restore([]);
    const step = stepper(adapter);
    for (const one of conversation.steps) {
      step(one);
      if ("message" in one) Object.assign(found, ofMessage(family, adapter, one.message, isNew));
      else if ("command" in one) Object.assign(found, ofCommand(adapter, one.command, conversation.name, isNew));
    }
  }
  return found;
}

function ofMessage(
  family: Family,
  adapter: Adapter,
  { topic, payload }: { readonly topic: string; readonly payload: unknown },
  isNew: (kind: string) => boolean,
): Record<string, string> {
  const say = (text: string) =>
    adapter
      .message({ topic, payload: Buffer.from(text), retained: false, at: REPLAY_START })
      .flatMap((effect) => written(adapter, effect));
  const usual = new Set(say(payloadText(payload))); // the second time: nothing of it is new
  const whole = objectOf(payload);
  const found: Record<string, string> = {};
  for (const path of whole === null ? [[]] : placesOf(whole)) {
    if (!isNew(`${whole === null ? topic : kindOf(family, topic)} ${numberless(path)}`)) continue;
    const others = othersOf(whole === null ? payload : at(whole, path));
    const changes = others.flatMap((value) => {
      if (whole === null && value === undefined) return [];
      const now = say(payloadText(whole === null ? value : changed(whole, path, value)));
      if (now.some((one) => one.startsWith("device ") || one.startsWith("gone "))) say(payloadText(payload));
      const more = now.filter((one) => !usual.has(one));
      const names = new Set(now.map(nameOf));
      const less = [...new Set([...usual].map(nameOf))].filter((name) => !names.has(name));
      if (more.length + less.length === 0) return [];
      return [`${shown(value)}: ${short([...more, ...less.map((name) => `no ${name}`)].join("; "))}`];
    });
    if (changes.length > 0) found[`${topic} ${path.join(".")}`.trim()] = changes.join(" | ");
  }
  return found;
}

/** Each component of Home Assistant's discovery has members of its own. */
function kindOf({ name }: Family, topic: string): string {
  return name === "homeassistant" && topic.endsWith("/config") ? (topic.split("/")[1] ?? "") : "";
}

function ofCommand(
  adapter: Adapter,
  { key, command }: { readonly key: string; readonly command: JsonObject },
  conversation: string,
  isNew: (kind: string) => boolean,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of placesOf(command)) {
    if (!isNew(`${conversation} ${Object.keys(command).join()} ${path.join(".")}`)) continue;
    const changes = othersOf(at(command, path)).map(
      (value) => `${shown(value)}: ${short(translated(adapter, key, changed(command, path, value) as JsonObject))}`, // of an object
    );
    found[`${conversation}, ${key} ${short(JSON.stringify(command))}, ${path.join(".")}`] = changes.join(" | ");
  }
  return found;
}

/** An effect in short, member by member: its subject and its value. */
export function written(adapter: Adapter, effect: Effect): string[] {
  const members = (what: string, of: object) =>
    Object.entries(of).map(([name, value]) => `${what}${name} = ${short(JSON.stringify(value) ?? "")}`);
  if (effect.do === "state") return members("", effect.patch);
  if (effect.do === "telemetry") return members("", effect.data);
  if (effect.do === "device") {
    const { device } = effect;
    const { key, name, type, model, metrics, manufacturer, firmware, reportSeconds, address, room } = device;
    const parts = [manufacturer, firmware, reportSeconds, address, room, ...device.hardware].map((part) => part ?? "-");
    const takes = members("takes ", Object(device.commands?.properties) as object); // a schema has an object of them
    return [
      `device ${key} = ${short(`${type}, ${name}, ${model}, ${metrics.join(" ")}`)}`,
      `parts = ${short(parts.join(", "))}`,
      ...takes,
      ...singles(device, FEW).map(
        (command) => `${JSON.stringify(command)} = ${short(translated(adapter, key, command))}`,
      ),
    ];
  }
  if (effect.do === "counter") return [`${effect.metric} = ${effect.wattHours} Wh of ${effect.epoch}`];
  if (effect.do === "problem") return [`problem = ${effect.reason}`];
  if (effect.do === "event") return [`event = ${effect.kind}, ${effect.title}`];
  if (effect.do === "recall") return [`recall = ${short(effect.filters.join(" "))}`];
  if (effect.do === "publish") return [`publish ${effect.message.topic} = ${effect.message.payload}`];
  return members(`${effect.do} `, { ...effect, do: undefined }).filter((text) => !text.endsWith(" = "));
}

function shown(value: unknown): string {
  if (value === LONG) return `${LONG.length} letters`;
  if (Array.isArray(value) && value.length === MANY) return `${MANY} entries`;
  return short(JSON.stringify(value) ?? "none");
}

function numberless(path: Path): string {
  return path.map((name) => (/^\d+$/.test(name) ? "#" : name)).join(".");
}

export function nameOf(text: string): string {
  return text.split(" = ", 1).join("");
}

/** Values of the same and of other types in a value's place; undefined: it is missing. */
function othersOf(value: unknown): unknown[] {
  if (typeof value === "number") return [undefined, -1, 0, 0.5, 1, 100, 101, 255, 1e9, "x", "50"];
  if (typeof value === "boolean") return [undefined, !value, "x"];
  if (Array.isArray(value)) return [undefined, [], Array.from({ length: MANY }, (_, index) => other(value[0], index))];
  if (typeof value === "object" && value !== null) return [undefined, {}];
  if (typeof value !== "string") return [undefined, "x"];
  const number = Number(value);
  return value.trim() !== "" && Number.isFinite(number)
    ? ["", "-1", "0", "0.5", "100", "101", "255", "x"]
    : [
        undefined,
        "",
        "x",
        1,
        `${value}x`,
        LONG,
        value === value.toLowerCase() ? value.toUpperCase() : value.toLowerCase(),
      ];
}

/** An entry of a list again, and a different one. */
function other(entry: unknown, index: number): unknown {
  return typeof entry === "string" ? `${entry}${index}` : entry;
}

function objectOf(payload: unknown): object | null {
  try {
    const value: unknown = typeof payload === "string" ? JSON.parse(payload) : payload;
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null || path.length > 6) return [path];
  const inner = Object.entries(value).flatMap(([name, one]) => placesOf(one, [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, name) => (inner as JsonObject)[name], value); // the path is its own
}

function changed(whole: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const copy = Array.isArray(whole) ? [...whole] : { ...(whole as JsonObject) }; // the path leads through objects and lists
  if (rest.length === 0 && value === undefined) Reflect.deleteProperty(copy, name);
  else Reflect.set(copy, name, changed(Reflect.get(copy, name), rest, value));
  return copy;
}
