import { isJsonObject } from "../../core/kernel/json-object.ts";
import type { Decision } from "../../core/plates/decide.ts";
import { isEstateName } from "./config.ts";
import type { EstateReadRow } from "./tables/estate-read.ts";

/**
 * The content of a read's message: the row without the members that its subject carries, and without those private to
 * this hub.
 */
type WireRead = Omit<EstateReadRow, "hub" | "token" | "localId" | "sent">;

const DECISIONS: ReadonlySet<unknown> = new Set<Decision>(["allow", "deny", "watch", "unknown"]);
/**
 * Bytes of the longest message. Stored messages are limited to this by the servers; transient ones may be a megabyte
 * long, and reading a few of those would block everything else.
 */
export const LONGEST_MESSAGE = 16 * 1024;
const LONGEST_PLATE = 32;
const LONGEST_TEXT = 200;

/** A read in the form in which it is sent. */
export function encodeRead({
  uid,
  version,
  kind,
  part,
  plate,
  formatted,
  deviceId,
  camera,
  direction,
  opensVisit,
  decision,
  confidence,
  label,
  at,
  lastAt,
}: EstateReadRow): string {
  const read: WireRead = {
    uid,
    version,
    kind,
    part,
    plate,
    formatted,
    deviceId,
    camera,
    direction,
    opensVisit,
    decision,
    confidence,
    label,
    at,
    lastAt,
  };
  return JSON.stringify(read);
}

/** Another hub's read; null for any other message, which is ignored. */
export function decodeRead(data: Uint8Array): WireRead | null {
  const read = objectOf(data);
  if (read === null) return null;
  const {
    uid,
    version,
    kind,
    part,
    plate,
    formatted,
    deviceId,
    camera,
    direction,
    opensVisit,
    decision,
    confidence,
    label,
    at,
    lastAt,
  } = read;
  if (
    !isCount(uid) ||
    !isCount(version) ||
    !isTime(at) ||
    !isTime(lastAt) ||
    !isBit(kind) ||
    !isBit(opensVisit) ||
    !isEstateName(part)
  )
    return null;
  if (!isText(plate, LONGEST_PLATE) || plate === "" || !isText(formatted, 2 * LONGEST_PLATE)) return null;
  if (!isText(deviceId, LONGEST_TEXT) || !isText(camera, LONGEST_TEXT) || !isText(label, LONGEST_TEXT)) return null;
  if (direction !== null && direction !== "in" && direction !== "out") return null;
  if (!isDecision(decision) || !isCount(confidence) || confidence > 100) return null;
  return {
    uid,
    version,
    kind,
    part,
    plate,
    formatted,
    deviceId,
    camera,
    direction,
    opensVisit,
    decision,
    confidence,
    label,
    at,
    lastAt,
  };
}

/** The object in a message; null if it has none, or is longer than any of an estate. */
export function objectOf(data: Uint8Array): Record<string, unknown> | null {
  if (data.length > LONGEST_MESSAGE) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(data));
    return isJsonObject(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Whether `value` is a whole number of at least 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The last moment that has a date: a list with a later one cannot be shown at all. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** Whether `value` is a moment, epoch milliseconds. */
export function isTime(value: unknown): value is number {
  return isCount(value) && value <= LAST_MOMENT;
}

/** Whether `value` is a text of at most `longest` characters. */
export function isText(value: unknown, longest: number): value is string {
  return typeof value === "string" && value.length <= longest;
}

function isBit(value: unknown): value is 0 | 1 {
  return value === 0 || value === 1;
}

function isDecision(value: unknown): value is Decision {
  return DECISIONS.has(value);
}
