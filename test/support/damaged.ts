/**
 * The messages of recorded conversations with one value changed: what each change changes in what a family makes of the
 * message. One value for each place of a kind of message; a name in a topic or a number in a list makes no new kind.
 */
import type { Adapter, Effect, Family } from "../../firmware-bridge/family.js";
import type { JsonObject } from "../../src/contract/facts.js";
import { type Conversation, payloadText, REPLAY_START } from "./conversation.js";
import { stepper } from "./in-full.js";

type Path = readonly string[];

/** What each changed value of a family's conversations comes to; values that change nothing are left out. */
export function damaged(family: Family, conversations: readonly Conversation[]): Record<string, string> {
  const found: Record<string, string> = {};
  const seen = new Set<string>();
  for (const conversation of conversations) {
    const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
    adapter.restore([]);
    const step = stepper(adapter);
    for (const one of conversation.steps) {
      step(one);
      if (!("message" in one)) continue;
      const usual = new Set(step(one).flatMap(written)); // the second time: nothing of it is new
      const { topic, payload } = one.message;
      const whole = objectOf(payload);
      for (const path of whole === null ? [[]] : placesOf(whole)) {
        const kind = `${whole === null ? topic : ""} ${path.map((name) => (/^\d+$/.test(name) ? "#" : name)).join(".")}`;
        if (seen.has(kind)) continue;
        seen.add(kind);
        const changes = changesOf(adapter, { topic, payload, whole, path, usual });
        if (changes !== "") found[`${topic} ${path.join(".")}`.trim()] = changes;
      }
    }
  }
  return found;
}

function changesOf(
  adapter: Adapter,
  message: { topic: string; payload: unknown; whole: object | null; path: Path; usual: ReadonlySet<string> },
): string {
  const { topic, payload, whole, path, usual } = message;
  const say = (text: string) =>
    adapter.message({ topic, payload: Buffer.from(text), retained: false, at: REPLAY_START }).flatMap(written);
  return othersOf(whole === null ? payload : at(whole, path))
    .flatMap((value) => {
      const now = say(payloadText(whole === null ? value : changed(whole, path, value)));
      say(payloadText(payload));
      const more = now.filter((one) => !usual.has(one));
      const names = new Set(now.map(nameOf));
      const less = [...usual].map(nameOf).filter((name) => !names.has(name));
      if (more.length + less.length === 0) return [];
      return [`${JSON.stringify(value) ?? "none"}: ${[...more, ...less.map((name) => `no ${name}`)].join("; ")}`];
    })
    .join(" | ");
}

/** An effect in short, member by member: what it is about, and its value. */
function written(effect: Effect): string[] {
  const members = (what: string, of: object) =>
    Object.entries(of).map(([name, value]) => `${what}${name} = ${JSON.stringify(value)}`);
  if (effect.do === "state") return members("", effect.patch);
  if (effect.do === "telemetry") return members("", effect.data);
  if (effect.do === "device") {
    const { key, name, type, model, metrics } = effect.device;
    return [`device ${key} = ${type}, ${name}, ${model}, ${metrics.join(" ")}`];
  }
  if (effect.do === "counter") return [`${effect.metric} = ${effect.wattHours} Wh of ${effect.epoch}`];
  if (effect.do === "problem") return [`problem = ${effect.reason}`];
  if (effect.do === "event") return [`event = ${effect.kind}`];
  if (effect.do === "recall") return [`recall = ${effect.filters.join(" ")}`];
  if (effect.do === "publish") return [`publish ${effect.message.topic} = ${effect.message.payload}`];
  return members(`${effect.do} `, { ...effect, do: undefined }).filter((text) => !text.endsWith("undefined"));
}

function nameOf(text: string): string {
  return text.split(" = ", 1).join("");
}

/** Values of the same and of other types in a value's place; undefined: it is not there. */
function othersOf(value: unknown): unknown[] {
  if (typeof value === "number") return [undefined, -1, 0, 1, 100, 101, 1e9, "x"];
  if (typeof value === "boolean") return [undefined, !value, "x"];
  if (typeof value !== "string") return [undefined, "x"];
  const number = Number(value);
  return value.trim() !== "" && Number.isFinite(number)
    ? ["", "-1", "0", "100", "101", "x"]
    : ["", "x", 1, `${value}x`];
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
  return Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...path, name]));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, name) => (inner as JsonObject)[name], value); // the path is its own
}

function changed(whole: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const copy = Array.isArray(whole) ? [...whole] : { ...(whole as JsonObject) }; // the path leads through objects and lists
  Reflect.set(copy, name, changed(Reflect.get(copy, name), rest, value));
  return copy;
}
