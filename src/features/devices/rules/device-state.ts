/**
 * Device state as a pure value: the merge of JSON messages (RFC 7396), the resulting changes, and the limits that keep
 * one device from filling the hub. Must never know clocks, storage, or a message's origin.
 */

import { isJsonObject, type JsonObject, sameJson } from "../../../core/kernel/json-object.ts";

/** Deepest nesting of a state message or a command; bounds every recursion over them. */
export const MAX_JSON_DEPTH = 16;
/** Most bytes of JSON one device's merged state may take. */
const MAX_STATE_BYTES = 32 * 1024;
/** Most keys at the top of one device's merged state. */
const MAX_STATE_KEYS = 512;

/** The result of merging one message. `state` is the very same object when nothing changed. */
export interface MergeResult {
  readonly state: JsonObject;
  /** Top-level keys whose value changed, in the order of the new state, removed ones last. */
  readonly changed: readonly string[];
}

/**
 * Whether `value` nests objects and arrays deeper than `limit`; `{}` has depth 1. Never recurses deeper than the limit.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, limit - 1));
}

/**
 * JSON Merge Patch, RFC 7396 §2. Neither argument is changed. The key `__proto__` is left out wherever an object is
 * merged: it could only be meant to reach the prototype of the object that holds it. The caller bounds the depth of
 * both ({@link isDeeperThan}).
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = {};
  if (isJsonObject(target)) for (const key of Object.keys(target)) if (key !== "__proto__") result[key] = target[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key === "__proto__") continue;
    if (value === null) delete result[key];
    else result[key] = mergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value);
  }
  return result;
}

/** Merges one message into a state and returns the top-level keys that changed. */
export function mergeState(state: JsonObject, message: JsonObject): MergeResult {
  const merged = mergePatch(state, message) as JsonObject; // a patch that is an object gives an object (RFC 7396 §2)
  const changed = changedKeys(state, merged);
  return changed.length === 0 ? { state, changed } : { state: merged, changed };
}

/** Top-level keys in which two states differ. */
export function changedKeys(before: JsonObject, after: JsonObject): string[] {
  const changed = Object.keys(after).filter((key) => !Object.hasOwn(before, key) || !sameJson(before[key], after[key]));
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) changed.push(key);
  return changed;
}

/** The values that `keys` had in `state`; null for those it did not have. */
export function valuesOf(state: JsonObject, keys: readonly string[]): JsonObject {
  const values: JsonObject = {};
  for (const key of keys) values[key] = Object.hasOwn(state, key) ? state[key] : null;
  return values;
}

/** `state` with `values` in place of its own, each as a whole; null: without that key. Undoes {@link valuesOf}. */
export function withValues(state: JsonObject, values: JsonObject): JsonObject {
  const replaced: JsonObject = { ...state, ...values };
  for (const key of Object.keys(values)) if (values[key] === null) delete replaced[key];
  return replaced;
}

/** Why a state is too large to be kept, and the limit. */
interface StateRefusal {
  readonly code: "refusal.state.tooManyKeys" | "refusal.state.tooLarge";
  readonly limit: number;
}

/** Why a state is too large to be kept; null when it is not. `json` is its serialised form. */
export function stateTooLarge(state: JsonObject, json: string): StateRefusal | null {
  if (Object.keys(state).length > MAX_STATE_KEYS) return { code: "refusal.state.tooManyKeys", limit: MAX_STATE_KEYS };
  if (Buffer.byteLength(json) > MAX_STATE_BYTES) return { code: "refusal.state.tooLarge", limit: MAX_STATE_BYTES };
  return null;
}
