/**
 * Decodes what firmware sends: bytes to text and JSON within limits, values of any spelling to numbers, booleans and
 * texts, names to keys. Pure functions shared by all families; none of them throws on any input.
 */
import { isJsonObject, type JsonObject } from "../src/core/kernel/json-object.ts";

/** Most bytes of a message that reports state or a value. */
const MESSAGE_BYTES = 64 * 1024;
/** Most bytes of a message that lists everything a gateway knows, such as Zigbee2MQTT's `bridge/devices`. */
export const INVENTORY_BYTES = 4 * 1024 * 1024;
/** Maximum nesting of JSON that is parsed. */
export const MESSAGE_DEPTH = 12;

const DECODER = new TextDecoder("utf-8", { fatal: false });

/** The payload as text; null if it is larger than `limit` bytes. Bytes that are not UTF-8 become U+FFFD. */
export function payloadText(payload: Uint8Array, limit = MESSAGE_BYTES): string | null {
  return payload.byteLength > limit ? null : DECODER.decode(payload);
}

/** The payload as a JSON object; null if it is anything else, is larger than `limit` bytes or nests too deeply. */
export function payloadObject(payload: Uint8Array, limit = MESSAGE_BYTES): JsonObject | null {
  const text = payloadText(payload, limit);
  const value = text === null ? null : jsonOf(text);
  return isJsonObject(value) ? value : null;
}

/** Text as JSON; undefined if it is not or nests deeper than `depth`. Text that nests too deeply is never parsed. */
export function jsonOf(text: string, depth = MESSAGE_DEPTH): unknown {
  if (nestsDeeper(text, depth)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** An own member of an object; undefined for everything else, so that no prototype is ever reached. */
export function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as JsonObject)[key]
    : undefined; // an object: checked
}

/** The objects of a list; empty for anything but a list. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The texts of a list, or a single text as a list of one. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}

const NUMBER = /^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?\s*$/i;

/** Nothing that devices measure is larger; conversions of it stay finite. */
const LARGEST = 1e21;

/**
 * A finite number up to 10^21, also in a text. Null for NaN, `unknown`, `unavailable`, empty text and everything else.
 */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Math.abs(value) <= LARGEST ? value : null;
  if (typeof value !== "string" || value.length > 64 || !NUMBER.test(value)) return null;
  const number = Number(value);
  return Math.abs(number) <= LARGEST ? number : null;
}

const TRUE_WORDS: ReadonlySet<string> = new Set(["on", "true", "1", "yes", "online"]);
const FALSE_WORDS: ReadonlySet<string> = new Set(["off", "false", "0", "no", "offline"]);

/** A boolean from the usual spellings (`ON`, `true`, 1, `online` …); null for anything else. */
export function booleanOf(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (value === 1) return true;
  if (value === 0) return false;
  if (typeof value !== "string" || value.length > 16) return null;
  const word = value.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : null;
}

/**
 * A text of at most `longest` characters without control characters and outer spaces; null if nothing is left or it is
 * not a text.
 */
export function textOf(value: unknown, longest = 120): string | null {
  if (typeof value !== "string") return null;
  const clean = [...value.slice(0, longest * 4)]
    .filter((character) => !isControl(character))
    .slice(0, longest)
    .join("")
    .trim();
  return clean === "" ? null : clean;
}

function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000);
}

const FORBIDDEN_WORDS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * A firmware's name of a value in the hub's form: `device_temperature`, `Device temperature` → `deviceTemperature`. At
 * most 32 characters, the first a letter; null if nothing is left.
 */
export function camelCase(name: string): string | null {
  const parts = name
    .slice(0, 120)
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "");
  const word = parts
    .map((part, index) => (index === 0 ? lowerFirst(part) : part.charAt(0).toUpperCase() + lowerRest(part)))
    .join("")
    .replace(/^\d/, "n$&") // names of metrics begin with a letter
    .slice(0, 32);
  return word === "" || FORBIDDEN_WORDS.has(word) ? null : word;
}

/** `PM25` → `pm25`, `linkQuality` stays. */
function lowerFirst(part: string): string {
  return part === part.toUpperCase() ? part.toLowerCase() : part.charAt(0).toLowerCase() + part.slice(1);
}

function lowerRest(part: string): string {
  return part === part.toUpperCase() ? part.slice(1).toLowerCase() : part.slice(1);
}

/**
 * A device's key from its firmware's unique id: lower case, `[a-z0-9_-]{1,48}`. Two names never share a key by
 * accident: if characters had to go, a hash of the whole name is added. Null for an empty name.
 */
export function deviceKey(name: string): string | null {
  if (name === "") return null;
  const lower = name.toLowerCase();
  if (/^[a-z0-9_-]{1,48}$/.test(lower)) return lower;
  const start = lower.slice(0, 400).replaceAll(/[^a-z0-9_-]+/g, "-"); // far more than is kept of it
  const plain = start.replaceAll(/^-+|-+$/g, "");
  return `${plain.slice(0, 38)}${plain === "" ? "" : "-"}${nameHash(lower)}`;
}

/** FNV-1a, 32 bits, 8 hex digits: distinguishes names, protects nothing. */
export function nameHash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
}

/** A MAC (12 hex digits) or IEEE address (16) in lower case without separators and `0x`; null for anything else. */
export function hardwareAddress(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 32) return null;
  const digits = value
    .toLowerCase()
    .replace(/^0x/, "")
    .replaceAll(/[:\-.]/g, "");
  return /^([0-9a-f]{12}|[0-9a-f]{16})$/.test(digits) && !/^0+$/.test(digits) ? digits : null;
}

/** `value` clamped between two limits. */
export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Rounded to `digits` decimal places. */
export function rounded(value: number, digits = 0): number {
  if (Math.abs(value) > 1e15) return value; // scaled up it could be infinite
  const factor = 10 ** digits;
  const result = Math.round(value * factor) / factor;
  return Object.is(result, -0) ? 0 : result;
}

/**
 * Converts a number from one scale to another, such as 0–254 to 0–100; rounded to whole numbers, bounded. A brightness
 * above 0 stays above 0.
 */
export function rescale(value: number, from: number, to: number): number {
  if (!(from > 0)) return 0;
  const moved = clamp(Math.round((value / from) * to), 0, to);
  return value > 0 && moved === 0 ? 1 : moved;
}
