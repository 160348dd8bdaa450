/**
 * The border between the bridge's core and one firmware family. A family is a pure codec: messages, commands and the
 * passing of time go in, {@link Effect}s come out. It knows topics and payloads of its firmware and nothing else: no
 * broker, no clock, no storage, no other family. The core (bridge.ts) carries the effects out.
 *
 * Words that every family uses for the same thing, so that the console, automations and apps need no family:
 * - `power` of a device with one output; `power1`, `power2` … of one with several (channel 1, 2 …); booleans
 * - `brightness` 0–100; `color` "#rrggbb"; `colorTemperature` in kelvin; `white` 0–100; `effect` text
 * - `speed` a whole number, 0 = off; `position` 0–100, 100 = open; `tilt` 0–100; `moving` "opening" | "closing" |
 *   "stopped"
 * - `locked`; `contact` (true = closed); `motion`, `occupancy`, `leak`, `smoke`, `gas`, `vibration`, `tamper`; booleans
 * - `temperature` °C, `humidity` %, `pressure` hPa, `illuminance` lx, `co2` ppm, `pm25` µg/m³, `battery` %, `signal` %
 *   or dBm as `rssi`
 * - `watts`, `voltage`, `amps`, `powerFactor` 0–1, `frequency` Hz, `voltAmps`, `vars`; phases and channels end in a
 *   number or letter: `watts2`, `wattsA`
 * - `target` and `mode` of a thermostat; `action` of a button ("single", "double", "long" …)
 * Values a firmware has beyond these keep its own name in camelCase. A family need not look whether a battery, a
 * brightness or a position is between 0 and 100: the core leaves out what is not (ranges.ts).
 */
import type { JsonObject } from "../src/core/kernel/json-object.ts";

/** A message from a device's side. */
export interface BridgeMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** It was retained and is replayed: it reports a state, not that something happened now. */
  readonly retained: boolean;
  /** Receipt, epoch milliseconds. */
  readonly at: number;
}

/** A device as its family knows it. Sent again whenever something about it changes; equal ones cost nothing. */
export interface BridgedDevice {
  /** Stable and unique in the family: MAC or IEEE address in lower case, never a topic or a name. `[a-z0-9_-]{1,48}` */
  readonly key: string;
  readonly name: string;
  /** A product type of the hub (src/features/devices/rules/device-types.ts) where one fits. */
  readonly type: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  /** Telemetry values it sends, in the words above. */
  readonly metrics: readonly string[];
  /** JSON schema of the commands {@link Adapter.command} translates for it; its `properties` become controls. */
  readonly commands: JsonObject | null;
  /**
   * Hardware addresses (12 hex digits or IEEE, lower case) by which another family's view of the same device is
   * recognised.
   */
  readonly hardware: readonly string[];
  /** Seconds between reports of a device that sleeps; null for one that is always online. */
  readonly reportSeconds: number | null;
  /** Its address on the LAN, for the setup page; null when unknown. */
  readonly address: string | null;
  /** Room that its maker or its owner assigned there. */
  readonly room: string | null;
  /** What {@link Adapter.restore} needs after a restart, ≤ 16 KiB: topics, announced capabilities. */
  readonly memo: JsonObject;
}

/** A message to be sent. Never retained: a retained command is carried out again at every reconnect. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  /** Default 1, which commands need: 0 may lose them. */
  readonly qos?: 0 | 1;
}

/** A plate that another box has read. */
export interface BridgedPlate {
  readonly text: string;
  /** 0–1. */
  readonly confidence: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** That box's event for the same vehicle: later readings with it belong to one pass. */
  readonly eventId: string;
}

/** An action that a family requests. */
export type Effect =
  | { readonly do: "device"; readonly device: BridgedDevice }
  /** The firmware reports that the device no longer exists. */
  | { readonly do: "gone"; readonly key: string }
  /** Current values: merged into the device's state (RFC 7396). For switched and rarely changing values. */
  | { readonly do: "state"; readonly key: string; readonly patch: JsonObject }
  /**
   * Measured numbers; the core mirrors the latest ones into the state at a slow pace. `at` null: the time of receipt.
   */
  | {
      readonly do: "telemetry";
      readonly key: string;
      readonly data: Readonly<Record<string, number>>;
      readonly at: number | null;
    }
  /**
   * A running total of a meter in Wh, as the device counts it; the core handles resets and gaps. `metric` is the name
   * of the resulting total in kWh that never decreases: `kwh`, for further channels or phases `kwh2`, `kwhA`, for
   * energy fed back `kwhExported`. `epoch` changes when the device reports a reset.
   */
  | {
      readonly do: "counter";
      readonly key: string;
      readonly metric: string;
      readonly wattHours: number;
      readonly epoch: string | null;
    }
  | { readonly do: "availability"; readonly key: string; readonly online: boolean }
  /** Something happened: `kind` as automations see it, e.g. "button.double". */
  | { readonly do: "event"; readonly key: string; readonly kind: string; readonly title: string; readonly body: string }
  | { readonly do: "plate"; readonly key: string; readonly plate: BridgedPlate }
  /**
   * Requests the retained messages of these filters again: they arrive with `retained` true once this call has
   * returned. For topics whose meaning was learned after their message came (a discovery names a state topic). The
   * family's own filters need not match them.
   */
  | { readonly do: "recall"; readonly filters: readonly string[] }
  /** `afterMs`: later, at most 60 s; lost in a restart. */
  | { readonly do: "publish"; readonly message: Outgoing; readonly afterMs?: number }
  /** A message that should have meant something and does not; shown in the console with its reason. */
  | { readonly do: "problem"; readonly topic: string; readonly reason: string };

/** A command in the device's words, or the reason for refusal. */
export type Translation =
  | {
      readonly publish: readonly Outgoing[];
      /** State that proves it was done; null if the firmware reports none. */
      readonly expects: JsonObject | null;
      /**
       * It does more than use the device: it may set it up anew, write its flash, have it send something to others, or let
       * others join. So are the firmware's own words, as far as they are not known to do less.
       */
      readonly isUpkeep?: true;
      /** Keys of other devices that carry it out with this one: those of a group. */
      readonly others?: readonly string[];
    }
  | { readonly unsupported: string };

/** One active family. It remembers what it learned; everything it knows came through these calls. */
export interface Adapter {
  /** Restores devices known from before a restart; called once, before anything else. */
  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void;
  /** The hub is on the broker (again): returns what to ask. */
  connected(at: number): readonly Effect[];
  /**
   * Takes a message that matches one of the family's filters. Must survive anything: no exception, no more than linear
   * work.
   */
  message(message: BridgeMessage): readonly Effect[];
  /** Called about every second: values that expire, presence by absence. Most families do not need it. */
  passed?(at: number): readonly Effect[];
  /** Translates a command in the hub's words or in the family's own vocabulary, which passes through unchanged. */
  command(key: string, command: JsonObject): Translation;
  /** The device was removed in the hub: forget it until it announces itself again. */
  forget(key: string): void;
  /**
   * The topics that a device reported; null if the device is unknown, or has none of its own. Facts only: rights.ts
   * determines what follows from them.
   */
  topics(key: string): DeviceTopics | null;
}

/**
 * What a device reported about its topics, for the table of rights (rights.ts). Members that a make does not need are
 * empty.
 */
export interface DeviceTopics {
  /** The part its make builds topics from: a hardware address, an id, a name, a base; empty if there is none. */
  readonly name: string;
  /** Filters of the topics it publishes. */
  readonly says: readonly string[];
  /** Filters of the topics it takes commands on. */
  readonly takes: readonly string[];
}

/** MQTT topic filters. */
export interface TopicAccess {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** How to configure the hub's address in a device of the family. */
export interface SetupStep {
  readonly title: string;
  /**
   * `url`: open it in a browser on the LAN. `command`: paste into the firmware's console. `file`: part of its
   * configuration. `form`: values for its web page.
   */
  readonly kind: "url" | "command" | "file" | "form";
  readonly text: string;
}

/** What {@link Family.setup} fills in. */
export interface SetupValues {
  /** The hub's address, an IP: official builds of several firmwares cannot resolve .local names. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** A topic name for the device, `[a-z0-9_-]+`. */
  readonly topic: string;
}

/** A firmware family. One folder each; listed in families.ts. */
export interface Family {
  /** `[a-z0-9]+`, part of device ids: `{name}-{key}`. */
  readonly name: string;
  /** Its common name. */
  readonly label: string;
  /** Page or file of the protocol's source. */
  readonly source: string;
  /**
   * Topic filters of the messages that {@link Adapter.message} gets. `prefix`: the base topic, if the family lets its
   * owner change it.
   */
  filters(prefix: string | null): readonly string[];
  /** Filters of the topics whose messages may have up to 1 MiB; everything else has at most 64 KiB. Absent: none. */
  large?(prefix: string | null): readonly string[];
  /** The base topic in use unless the owner changed it; null for families without one. */
  readonly prefix: string | null;
  open(options: { readonly prefix: string | null }): Adapter;
  setup(values: SetupValues): readonly SetupStep[];
}
