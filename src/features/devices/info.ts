import { isJsonObject, type JsonObject, sameJson } from "../../core/kernel/json-object.ts";
import type { Device } from "./device.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "./rules/device-state.ts";
import { isPersonsWord } from "./rules/device-types.ts";
import type { DeviceInfoRow } from "./tables/device.ts";

/**
 * What a device reports about itself, on `info` and in a status object. No member can be trusted to have the right
 * type.
 */
export interface DeviceInfo {
  readonly type?: unknown;
  readonly firmware?: unknown;
  readonly model?: unknown;
  readonly manufacturer?: unknown;
  /** Names of the telemetry values it sends. */
  readonly metrics?: unknown;
  /** JSON schema of the commands it takes. */
  readonly commands?: unknown;
  /** Seconds between two reports of a sleeping device; 0 for one that no longer sleeps. */
  readonly interval?: unknown;
}

/** The members of a device that `info` decides. */
export type InfoFields = Pick<
  Device,
  "type" | "firmware" | "model" | "manufacturer" | "metrics" | "commandSchema" | "reportIntervalMs"
>;

const MAX_METRICS = 64;
const MAX_SCHEMA_CHARACTERS = 16 * 1024;
const MAX_INTERVAL_S = 31 * 86_400;

/** The device's members as `info` changes them; null when it changes none. */
export function changedInfo(
  device: InfoFields & Pick<Device, "id">,
  info: DeviceInfo,
): { fields: InfoFields; row: DeviceInfoRow } | null {
  const before: InfoFields = pick(device);
  const fields: InfoFields = {
    type: typeOf(info.type, before.type),
    firmware: line(info.firmware) ?? before.firmware,
    model: line(info.model) ?? before.model,
    manufacturer: line(info.manufacturer) ?? before.manufacturer,
    metrics: metricNames(info.metrics) ?? before.metrics,
    commandSchema: schema(info.commands) ?? before.commandSchema,
    reportIntervalMs: intervalMs(info.interval, before.reportIntervalMs),
  };
  if (sameJson(before, fields)) return null;
  const row: DeviceInfoRow = {
    id: device.id,
    type: fields.type,
    firmware: fields.firmware,
    model: fields.model,
    manufacturer: fields.manufacturer,
    metrics: JSON.stringify(fields.metrics),
    commandSchema: fields.commandSchema === null ? null : JSON.stringify(fields.commandSchema),
    reportIntervalMs: fields.reportIntervalMs,
  };
  return { fields, row };
}

function pick(device: InfoFields): InfoFields {
  const { type, firmware, model, manufacturer, metrics, commandSchema, reportIntervalMs } = device;
  return { type, firmware, model, manufacturer, metrics, commandSchema, reportIntervalMs };
}

/** The type as the device reports it, where a device may choose it. */
function typeOf(value: unknown, before: string): string {
  const type = matching(value, /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/);
  return type === null || isPersonsWord(type) || isPersonsWord(before) ? before : type;
}

function matching(value: unknown, pattern: RegExp): string | null {
  return typeof value === "string" && pattern.test(value) ? value : null;
}

/** One printable line of at most 120 characters. */
function line(value: unknown): string | null {
  const text = typeof value === "string" ? value.trim() : "";
  return text.length > 0 && text.length <= 120 && !/\p{Cc}/u.test(text) ? text : null;
}

function metricNames(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > MAX_METRICS) return null;
  const names = value.filter((name): name is string => matching(name, /^[A-Za-z][A-Za-z0-9_]{0,31}$/) !== null);
  return [...new Set(names)];
}

function schema(value: unknown): JsonObject | null {
  if (!isJsonObject(value) || isDeeperThan(value, MAX_JSON_DEPTH)) return null;
  return JSON.stringify(value).length <= MAX_SCHEMA_CHARACTERS ? value : null;
}

function intervalMs(value: unknown, before: number | null): number | null {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0 || value > MAX_INTERVAL_S) return before;
  return value === 0 ? null : Math.round(value * 1000);
}
