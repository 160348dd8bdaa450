/**
 * A simulated device: a state, its reaction to a command, and its behaviour over time. Models are plain values without
 * clock or network; `device-simulator.ts` brings them to life, in the hub's own process or behind real MQTT clients.
 */

import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Trigger } from "../../core/plates/reading.ts";

/** A model's view of the world around it. */
export interface World {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Local time of day in hours, 0 to 24. */
  readonly hour: number;
  /** Counts ticks since the engine's start; telemetry goes out on every sixth. */
  readonly tick: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Watts that the other devices of the household draw together. */
  readonly load: () => number;
}

/** A device's reaction. */
export interface Reaction {
  /** Merged into the state and reported. */
  readonly patch?: JsonObject;
  readonly telemetry?: JsonObject;
  readonly event?: { readonly kind: string; readonly title: string; readonly body: string };
  /** The camera takes a picture. */
  readonly picture?: Trigger;
  /** A later reaction by itself. */
  readonly later?: { readonly afterMs: number; readonly react: (world: World) => Reaction };
}

/** One simulated device. `state` is what it has reported; the engine merges patches into it. */
export interface Model {
  readonly state: JsonObject;
  command(command: JsonObject, world: World): Reaction;
  tick(world: World): Reaction;
}

/** Ticks between two telemetry samples. */
const TICKS_PER_SAMPLE = 6;

/** Whether this is a tick on which telemetry goes out. */
export function isSampleTick(world: World): boolean {
  return world.tick % TICKS_PER_SAMPLE === 0;
}

/** `value` rounded to `digits` decimals, as meters do. */
export function rounded(value: number, digits = 1): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

/** `value` with random noise of at most ± `share` of it. */
export function noisy(value: number, share: number, random: () => number): number {
  return value * (1 + (random() * 2 - 1) * share);
}

/** The boolean member `key` of a command; null when it is absent or no boolean. */
export function booleanIn(command: JsonObject, key: string): boolean | null {
  const value = command[key];
  return typeof value === "boolean" ? value : null;
}

/** The finite number under `key`, kept within bounds; null when there is none. */
export function numberIn(command: JsonObject, key: string, bounds: { min: number; max: number }): number | null {
  const value = command[key];
  return typeof value === "number" && Number.isFinite(value) ? Math.min(bounds.max, Math.max(bounds.min, value)) : null;
}

/**
 * A model with a meter: it reports the watts that its state draws, and counts them. `kwh`: the counter's first reading.
 * Only a real change of the watts is state; their noise is telemetry.
 */
export function metered(inner: Model, watts: (state: JsonObject) => number, kwh: number): Model {
  const { state } = inner;
  if (typeof state.watts !== "number") state.watts = watts(state);
  if (typeof state.kwh !== "number") state.kwh = kwh;
  let countedAt: number | null = null;
  let counted = Number(state.kwh);
  const count = ({ at }: World): number => {
    counted += (Number(state.watts) * (countedAt === null ? 0 : Math.max(0, at - countedAt))) / 3_600_000_000;
    countedAt = at;
    return rounded(counted, 3);
  };
  const withMeter = (reaction: Reaction, world: World, isSample: boolean): Reaction => {
    const now = watts({ ...state, ...reaction.patch });
    const isChanged = now !== state.watts;
    if (!isChanged && !isSample) return reaction;
    const reading = count(world);
    const telemetry = { ...reaction.telemetry, watts: rounded(noisy(now, 0.03, world.random)), kwh: reading };
    return { ...reaction, telemetry, ...(isChanged ? { patch: { ...reaction.patch, watts: now, kwh: reading } } : {}) };
  };
  return {
    state,
    command: (command, world) => withMeter(inner.command(command, world), world, false),
    tick: (world) => withMeter(inner.tick(world), world, isSampleTick(world)),
  };
}
