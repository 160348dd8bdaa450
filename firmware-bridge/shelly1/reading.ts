import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { clamp, numberOf } from "../json-values.ts";
import type { Learned } from "./learned.ts";
import type { PartKind } from "./models.ts";

/** The content of one message. */
export interface Reading {
  readonly state?: JsonObject;
  readonly data?: Readonly<Record<string, number>>;
  readonly counter?: { readonly metric: string; readonly wattHours: number };
  /** A press of a button: number from 1, 0 for the only one. */
  readonly press?: { readonly input: number; readonly action: string };
  /** Something people want to know at once; reported once until it is over. */
  readonly alarm?: { readonly kind: string; readonly title: string; readonly on: boolean };
}

/** The circumstances of a message. */
interface Circumstances {
  readonly index: number;
  readonly text: string;
  readonly retained: boolean;
  readonly at: number;
}

/** Null: the payload is not of the topic's form. */
export type Read = (device: Learned, message: Circumstances) => Reading | null;

/** How a topic is read. */
export interface Row {
  /** The part that the topic's index counts. */
  readonly part?: PartKind;
  readonly read: Read;
}

/** Percent of a JSON member; null for any other value. */
export function percent(value: unknown): number | null {
  const number = numberOf(value);
  return number === null ? null : clamp(Math.round(number), 0, 100);
}
