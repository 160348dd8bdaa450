/** One endpoint of a device as plain data, and what the bridge sees of a device and a scene. */

import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { Capabilities } from "../../devices/rules/device-types.ts";
import type { BridgedEndpoint, EndpointAction, EndpointKind, EndpointValues } from "./calls.ts";

/** A device as the bridge sees it. */
export interface BridgeableDevice {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly room: string | null;
  readonly online: boolean;
  readonly model: string | null;
  readonly manufacturer: string | null;
  readonly state: JsonObject;
  readonly metrics: readonly string[];
  /** A camera of the household opens it. */
  readonly opensForPlates: boolean;
  readonly capabilities: Pick<Capabilities, "controls">;
}

/** A scene as the bridge sees it. */
export interface BridgeableScene {
  readonly id: number;
  readonly name: string;
  readonly actions: readonly { readonly deviceId: string; readonly command: JsonObject }[];
  /** What it also sets the house to; null: nothing. */
  readonly houseMode: string | null;
}

/** One endpoint of a device: its part, and how it is read and commanded. */
export interface Part {
  /** Stable within the device: `power2`, `temperature`. */
  readonly part: string;
  readonly kind: EndpointKind;
  /** Follows the device's name if it has several parts; empty for the main one. */
  readonly suffix: string;
  readonly features: BridgedEndpoint["features"];
  read(state: JsonObject): EndpointValues;
  /** The command for an order; null if the part takes no such order. */
  command(action: EndpointAction, state: JsonObject): JsonObject | null;
}

/** The features of an endpoint that can do nothing beyond its kind. */
export const PLAIN: BridgedEndpoint["features"] = {
  speeds: 1,
  heats: false,
  cools: false,
  regulates: false,
  leastTarget: 5,
  mostTarget: 35,
  leastKelvin: 2_200,
  mostKelvin: 6_500,
  stops: false,
  meters: false,
  pin: false,
  momentary: false,
};

/** The commands that a device accepts. */
export type Controls = BridgeableDevice["capabilities"]["controls"];
/** A control of one kind. */
export type Control<Kind extends Controls[number]["kind"]> = Extract<Controls[number], { readonly kind: Kind }>;

/** The controls of a kind. */
export function ofKind<Kind extends Controls[number]["kind"]>(controls: Controls, kind: Kind): Control<Kind>[] {
  return controls.filter((control): control is Control<Kind> => control.kind === kind);
}

/** The range of a field of the state; null if there is none. */
export function rangeOf(controls: Controls, field: string): Control<"range"> | null {
  return ofKind(controls, "range").find((control) => control.field === field) ?? null;
}

/** How a state reads as values. */
export type Read = (state: JsonObject) => EndpointValues;
/** The command that an order means; null for none. */
export type Command = (action: EndpointAction, state: JsonObject) => JsonObject | null;
