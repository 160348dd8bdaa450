/**
 * The native device protocol (docs/spec/domain.md §2): payload bytes in; a call of one handler out, or the reason why
 * the message is refused. It does not know what the handlers do.
 */
import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject } from "../kernel/json-object.ts";
import type { NativeTopic } from "./authorise.ts";

/** How a message of a device arrived. */
export interface Receipt {
  /** MQTT packet identifier; null for QoS 0. */
  readonly messageId: number | null;
  /** The sender marked it as possibly sent before (DUP). */
  readonly duplicate: boolean;
  /** When it arrived, epoch ms. */
  readonly at: number;
  /** The connection it came on, one object per connection; absent for wills of an earlier run. */
  readonly connection?: { readonly mayRepeat: boolean } | undefined;
}

/** One telemetry sample; `at` is the device's own time (epoch ms), null when it sent none. */
export interface NativeSample {
  readonly at: number | null;
  readonly data: JsonObject;
  /** The data's own JSON text, if the message is nothing else and has no whitespace. */
  readonly text?: string | undefined;
}

/** Payload of `status`. `interval` is the longest time between two messages of a sleeping device, seconds. */
export interface NativeStatus {
  readonly status: "online" | "offline";
  readonly firmware?: string;
  readonly interval?: number;
}

/** Payload of `event`. */
export interface NativeEvent {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
}

/** Payload of `capture/…/done`. */
export interface NativeCaptureDone {
  readonly trigger: string;
  /** Frames that the camera reports having sent; null if it reports none. */
  readonly frames: number | null;
  /** The camera's own time, epoch ms; null when it sent none. */
  readonly at: number | null;
  readonly direction: "in" | "out" | null;
}

/** Why a device is no longer connected (docs/spec/interface.md §30). */
export type DisconnectReason = "disconnect" | "keepalive" | "will" | "revoked";

/**
 * Where messages of devices go. Each promise resolves once what the message changes is on disk; the PUBACK waits for
 * it. A Problem `storage_full` or `unavailable` means "not stored, send it again"; any other failure refuses the
 * message.
 */
export interface NativeHandlers {
  status(deviceId: string, status: NativeStatus): Promise<void>;
  info(deviceId: string, info: JsonObject): Promise<void>;
  state(deviceId: string, patch: JsonObject): Promise<void>;
  telemetry(deviceId: string, samples: readonly NativeSample[], receipt: Receipt): Promise<void>;
  event(deviceId: string, event: NativeEvent, receipt: Receipt): Promise<void>;
  /** The memory of `jpeg` is the handler's. */
  frame(deviceId: string, captureId: string, n: number, jpeg: Buffer): Promise<void>;
  captureDone(deviceId: string, captureId: string, done: NativeCaptureDone): Promise<void>;
  /** The device's first connection is there. */
  connected(deviceId: string): void;
  /** The device's last connection has ended. */
  disconnected(deviceId: string, reason: DisconnectReason): void;
}

/** A message that the protocol does not allow; `reason` is counted and shown to the owner. */
export class RefusedPayload extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

const MAX_SAMPLES = 1_000;
const MAX_DEPTH = 16;
const MAX_INTERVAL_SECONDS = 31 * 86_400;
const KIND = /^[A-Za-z0-9_.:-]{1,64}$/;
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
/** Whitespace that JSON allows between its parts; within a text it is always escaped, except for the space. */
const WHITESPACE = /[\t\n\r ]/;
const REPLACEMENT = "\ufffd";
/** Epoch seconds stay below this until the year 5138, epoch milliseconds are above it since March 1973. */
const MILLISECONDS_FROM = 100_000_000_000;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** A message whose topic was allowed. */
export interface NativeMessage extends Receipt {
  readonly payload: Buffer;
  /** The payload in memory of its own. */
  ownPayload(): Buffer;
  /** The payload as UTF-8; invalid bytes are replaced. */
  text(): string;
}

/**
 * Checks the payload and calls the topic's handler at once; the promise is the handler's.
 * @throws RefusedPayload (before any handler is called) when the payload is not what the topic takes.
 */
export function dispatch(topic: NativeTopic, message: NativeMessage, handlers: NativeHandlers): Promise<void> {
  const { name, deviceId, captureId } = topic;
  switch (name) {
    case "telemetry":
      return handlers.telemetry(deviceId, samplesIn(checkedText(message.text(), message)), message);
    case "state":
      return handlers.state(deviceId, parseObject(message.payload));
    case "status":
      return handlers.status(deviceId, parseStatus(message.payload));
    case "info":
      return handlers.info(deviceId, parseObject(message.payload));
    case "event":
      return handlers.event(deviceId, parseEvent(message.payload), message);
    case "frame":
      return handlers.frame(deviceId, captureId ?? "", topic.frame ?? 0, parseJpeg(message.ownPayload()));
    case "captureDone":
      return handlers.captureDone(deviceId, captureId ?? "", parseCaptureDone(message.payload));
    case "command":
      throw new RefusedPayload("unknown_topic", "only the hub publishes commands");
  }
}

/** `online` or `offline` as bare text, or `{"status", "firmware"?, "interval"?}`. */
export function parseStatus(payload: Buffer): NativeStatus {
  const text = payload.length <= 16 ? payload.toString("utf8").trim() : "";
  if (text === "online" || text === "offline") return { status: text };
  const value = parseJson(payload);
  if (value === "online" || value === "offline") return { status: value };
  if (!isJsonObject(value)) throw invalid("status must be online, offline or an object");
  const { status, firmware, interval } = value;
  if (status !== "online" && status !== "offline") throw invalid("status must be online or offline");
  return {
    status,
    ...(firmware === undefined || firmware === null ? {} : { firmware: boundedText(firmware, "firmware", 64) }),
    ...(interval === undefined || interval === null
      ? {}
      : { interval: positive(interval, "interval", MAX_INTERVAL_SECONDS) }),
  };
}

/** Any JSON object. */
function parseObject(payload: Buffer): JsonObject {
  const value = parseJson(payload);
  if (!isJsonObject(value)) throw invalid("a JSON object is expected");
  return value;
}

/** One object, `{"at", "data"}`, or an array of up to 1,000 of those. */
export function parseSamples(payload: Buffer): NativeSample[] {
  return samplesIn(textOf(payload));
}

function samplesIn(text: string): NativeSample[] {
  const value = parsed(text);
  if (!Array.isArray(value)) return [sample(value, WHITESPACE.test(text) ? undefined : text)];
  if (value.length === 0 || value.length > MAX_SAMPLES) throw invalid(`an array holds 1 to ${MAX_SAMPLES} samples`);
  return value.map((one) => sample(one, undefined));
}

/** `text`: the value's source text, if it may be kept. */
function sample(value: unknown, text: string | undefined): NativeSample {
  if (!isJsonObject(value)) throw invalid("a sample is a JSON object");
  const { at, data } = value;
  // A device may well measure something called "data": only an object of these two keys is a wrapped sample.
  if (!isJsonObject(data) || Object.keys(value).some((key) => key !== "at" && key !== "data"))
    return { at: null, data: value, text };
  return { at: parseTime(at), data, text: undefined };
}

/** `{"kind", "title"?, "body"?}`; the title defaults to the kind. */
export function parseEvent(payload: Buffer): NativeEvent {
  const { kind, title, body } = parseObject(payload);
  if (typeof kind !== "string" || !KIND.test(kind)) throw invalid("kind is 1 to 64 letters, digits, _ . : -");
  return {
    kind,
    title: title === undefined || title === null ? kind : boundedText(title, "title", 200),
    body: body === undefined || body === null ? "" : boundedText(body, "body", 2_000),
  };
}

/** `{"trigger"?, "frames"?, "at"?, "direction"?}`. */
export function parseCaptureDone(payload: Buffer): NativeCaptureDone {
  const { trigger, frames, at, direction } = payload.length === 0 ? {} : parseObject(payload);
  if (direction !== undefined && direction !== null && direction !== "in" && direction !== "out")
    throw invalid("direction is in or out");
  if (frames !== undefined && frames !== null && !Number.isInteger(frames)) throw invalid("frames is a whole number");
  return {
    trigger: trigger === undefined || trigger === null ? "motion" : boundedText(trigger, "trigger", 64),
    frames: frames === undefined || frames === null ? null : positive(frames, "frames", 1_000),
    at: parseTime(at),
    direction: direction ?? null,
  };
}

/**
 * A device's time as epoch milliseconds: ISO 8601 (UTC unless it names an offset), epoch milliseconds or epoch seconds,
 * distinguished by size. Absent or null gives null.
 */
export function parseTime(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) {
    const epochMs = value < MILLISECONDS_FROM ? value * 1_000 : value;
    if (epochMs <= 8.64e15) return Math.round(epochMs); // the range of a Date
  }
  const parts = typeof value === "string" ? ISO_TIME.exec(value) : null;
  if (parts !== null) {
    const text = parts[0].replace(" ", "T").replace(",", ".").toUpperCase();
    const epochMs = Date.parse(parts[3] === undefined ? `${text}Z` : text);
    if (!Number.isNaN(epochMs)) return epochMs;
  }
  throw invalid("at is an ISO 8601 time, epoch milliseconds or epoch seconds");
}

function parseJpeg(payload: Buffer): Buffer {
  if (!payload.subarray(0, 3).equals(JPEG_START)) throw new RefusedPayload("not_a_jpeg", "a frame is a JPEG");
  return payload;
}

function parseJson(payload: Buffer): unknown {
  return parsed(textOf(payload));
}

/** @throws RefusedPayload */
function textOf(payload: Buffer): string {
  return checkedText(payload.toString("utf8"), { payload });
}

/** `text`: the message's payload, decoded. @throws RefusedPayload */
function checkedText(text: string, message: { readonly payload: Buffer }): string {
  // Decoding replaces invalid UTF-8. Check the bytes only if the replacement character occurs, since a device may send
  // it legitimately.
  if (text.includes(REPLACEMENT) && !isUtf8(message.payload))
    throw new RefusedPayload("invalid_json", "the payload is not UTF-8");
  return text;
}

/** @throws RefusedPayload */
function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RefusedPayload("invalid_json", error instanceof Error ? error.message : "not JSON");
  }
  if (tooDeep(value, MAX_DEPTH)) throw invalid(`more than ${MAX_DEPTH} levels deep`);
  return value;
}

function tooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => tooDeep(inner, levels - 1));
  // JSON.parse makes plain objects
  for (const key in value) if (tooDeep((value as JsonObject)[key], levels - 1)) return true;
  return false;
}

function boundedText(value: unknown, name: string, limit: number): string {
  if (typeof value !== "string" || value.length > limit)
    throw invalid(`${name} is a text of up to ${limit} characters`);
  return value;
}

function positive(value: unknown, name: string, limit: number): number {
  if (typeof value !== "number" || !(value >= 0 && value <= limit))
    throw invalid(`${name} is a number from 0 to ${limit}`);
  return value;
}

function invalid(message: string): RefusedPayload {
  return new RefusedPayload("invalid_payload", message);
}
