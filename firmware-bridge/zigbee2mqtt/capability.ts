/**
 * One value of a Zigbee device: its key in Zigbee2MQTT's JSON, the hub's word, and the conversion in both directions.
 */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";

/** `action`: something pressed. `counter`: Wh, running. */
export type CapabilityKind = "state" | "metric" | "counter" | "action";

/** A value that a device exposes. */
export interface Capability {
  /** Key in the state's JSON. */
  readonly property: string;
  /** The hub's word without a channel's number. */
  readonly base: string;
  /** The hub's word. */
  readonly word: string;
  readonly kind: CapabilityKind;
  /** Converts a received value to the hub's; undefined if it carries none. */
  readonly read: (value: unknown) => unknown;
  /** Converts a value for sending; undefined if the device cannot take it. Null: it takes none. */
  readonly write: ((value: unknown) => unknown) | null;
  /** The device can be asked for it. */
  readonly canAsk: boolean;
  /** JSON schema of its commands. */
  readonly schema: JsonObject | null;
}

/** One value as Zigbee2MQTT describes it: an entry of `exposes` or of its `features`. */
export interface Exposed {
  readonly type: string;
  readonly name: string;
  readonly property: string;
  readonly endpoint: string | null;
  readonly unit: string | null;
  readonly least: number | null;
  readonly most: number | null;
  readonly step: number | null;
  readonly values: readonly string[];
  readonly on: unknown;
  readonly off: unknown;
  /** Bit 1 published, 2 settable, 4 gettable. */
  readonly access: number;
}

/** The bits of {@link Exposed.access} that count here. */
export const ACCESS = { settable: 2, gettable: 4 } as const;

/** A capability that is reported and cannot be set. */
export function told(
  exposed: Exposed,
  word: string,
  kind: CapabilityKind,
  read: (value: unknown) => unknown,
): Capability {
  return {
    property: exposed.property,
    base: word,
    word,
    kind,
    read,
    write: null,
    canAsk: (exposed.access & ACCESS.gettable) !== 0,
    schema: null,
  };
}

/** A capability that can be set as well, if the device declares it. */
export function settable(
  exposed: Exposed,
  parts: { word: string; read: (value: unknown) => unknown; write: (value: unknown) => unknown; schema: JsonObject },
): Capability {
  const canSet = (exposed.access & ACCESS.settable) !== 0;
  const plain = told(exposed, parts.word, "state", parts.read);
  return canSet ? { ...plain, write: parts.write, schema: parts.schema } : plain;
}
