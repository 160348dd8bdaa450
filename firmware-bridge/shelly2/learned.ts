import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgedDevice } from "../family.ts";
import { member, numberOf, objectsOf, textOf, textsOf } from "../json-values.ts";
import { labelOf } from "./labels.ts";

/** Kinds of components that the hub knows; each device has some of each, with ids of its own choosing. */
const KINDS = [
  "switch",
  "light",
  "cct",
  "rgb",
  "rgbw",
  "cover",
  "pm1",
  "em",
  "em1",
  "input",
  "temperature",
  "humidity",
  "illuminance",
  "voltmeter",
  "flood",
  "smoke",
  "devicepower",
] as const;

/** Name of a kind of component. */
export type Kind = (typeof KINDS)[number];

const OUTPUTS: readonly Kind[] = ["switch", "light", "cct", "rgb", "rgbw"];
const METERED: readonly Kind[] = [...OUTPUTS, "cover", "pm1"];
const MOST_PARTS = 32;
const MOST_TAGS = 64;

/** One component. */
export interface Part {
  readonly kind: Kind;
  readonly id: number;
}

/** A Bluetooth device behind a gateway: which component reports which of its values. */
export interface Tag {
  /** MAC, 12 hex digits. */
  readonly address: string;
  name: string | null;
  /** Values by id of their `bthomesensor`. */
  readonly sensors: Map<number, { readonly object: number; readonly index: number }>;
  readonly metrics: Set<string>;
}

/** What is known about one device. */
export class Learned {
  /** MAC, 12 hex digits. */
  readonly key: string;
  /** Its name in RPC (`src`), model and MAC. */
  deviceId: string;
  /** Base of its topics; its owner can change it, with slashes in it. */
  prefix: string;
  name: string | null = null;
  model: string | null = null;
  app: string | null = null;
  firmware: string | null = null;
  address: string | null = null;
  /** Seconds between its reports if it sleeps. */
  wakeSeconds: number | null = null;
  /**
   * Its RPC asks for a password, although over MQTT it should not
   * (https://shelly-api-docs.shelly.cloud/gen2/General/Authentication): only the plain command topics are
   * left.
   */
  locked = false;
  /** Position of covers is known. */
  positioned = true;
  /** Null until it is known in this run. */
  online: boolean | null = null;
  askedAt = Number.NEGATIVE_INFINITY;
  /** When it last reported something by `events/rpc`: then `status/…` repeats the same. */
  notifiedAt = Number.NEGATIVE_INFINITY;
  /** Its components are known from a full status; before that it is not a device of the hub. */
  complete = false;
  /** The hub knows it. */
  told = false;
  readonly metrics = new Set<string>();
  readonly alarms = new Set<string>();
  /** Bluetooth devices by id of their `bthomedevice`. */
  readonly tags = new Map<number, Tag>();
  readonly #parts = new Map<Kind, number[]>();

  constructor(key: string, deviceId: string, prefix: string) {
    this.key = key;
    this.deviceId = deviceId;
    this.prefix = prefix;
  }

  /** Ids of the components of a kind, ascending. */
  ids(kind: Kind): readonly number[] {
    return this.#parts.get(kind) ?? [];
  }

  /** Everything that switches, in the order of its channels. */
  get outputs(): readonly Part[] {
    return OUTPUTS.flatMap((kind) => this.ids(kind).map((id) => ({ kind, id })));
  }

  /** Notes components. Returns whether some are new. */
  shows(parts: readonly Part[]): boolean {
    let isNew = false;
    for (const { kind, id } of parts) {
      const ids = this.#parts.get(kind) ?? [];
      if (ids.includes(id) || ids.length >= MOST_PARTS) continue;
      this.#parts.set(
        kind,
        [...ids, id].sort((a, b) => a - b),
      );
      isNew = true;
    }
    return isNew;
  }

  /** `power` for the only output, `power2` for the second of several. */
  outputWord(word: string, part: Part): string {
    return numbered(word, this.outputs, part);
  }

  /** `watts` for the only meter, `watts2` for the second of several. */
  meterWord(word: string, part: Part): string {
    const meters =
      part.kind === "em1"
        ? this.ids("em1").map((id) => ({ kind: part.kind, id }))
        : METERED.flatMap((kind) => this.ids(kind).map((id) => ({ kind, id })));
    return numbered(word, meters, part);
  }

  /** It is a box with relays or meters: the temperature it reports is its own. */
  get warms(): boolean {
    return [...METERED, "em" as const, "em1" as const].some((kind) => this.ids(kind).length > 0);
  }

  /** A word for a component that is numbered within its kind. */
  word(word: string, part: Part): string {
    return numbered(
      word,
      this.ids(part.kind).map((id) => ({ kind: part.kind, id })),
      part,
    );
  }

  /** Takes the answer to Shelly.GetDeviceInfo, or an announcement: they are the same. */
  introduced(info: JsonObject): void {
    this.name = textOf(member(info, "name"), 80) ?? this.name;
    this.model = textOf(member(info, "model"), 40) ?? this.model;
    this.app = textOf(member(info, "app"), 40) ?? this.app;
    this.firmware = textOf(member(info, "ver"), 60) ?? this.firmware;
  }

  /** Takes the parts of a configuration that name things. */
  configured(config: JsonObject): void {
    this.name = textOf(member(member(member(config, "sys"), "device"), "name"), 80) ?? this.name;
    for (const [name, value] of Object.entries(config)) {
      const [, kind, digits] = /^(bthomedevice|bthomesensor):(\d{1,4})$/.exec(name) ?? [];
      const address = macOf(member(value, "addr"));
      if (digits === undefined || address === null) continue;
      if (kind === "bthomedevice") this.#tag(Number(digits), address).name = textOf(member(value, "name"), 80);
      else this.#sensor(Number(digits), address, value);
    }
  }

  /** The Bluetooth device that a `bthomesensor` belongs to. */
  tagOfSensor(id: number): Tag | null {
    return [...this.tags.values()].find((tag) => tag.sensors.has(id)) ?? null;
  }

  /** The device as the hub knows it. */
  describe(): BridgedDevice {
    const label = labelOf(this.deviceId, this.app);
    return {
      key: this.key,
      name: this.name ?? `${label} ${this.key.slice(-4).toUpperCase()}`,
      type: this.#type(),
      manufacturer: "Shelly",
      model: label,
      firmware: this.firmware,
      metrics: [...this.metrics].sort(),
      commands: this.#commands(),
      hardware: [this.key],
      reportSeconds: this.wakeSeconds,
      address: this.address,
      room: null,
      memo: this.#memo(),
    };
  }

  /** A Bluetooth device behind it. */
  describeTag(tag: Tag): BridgedDevice {
    return {
      key: tag.address,
      name: tag.name ?? `Shelly BLU ${tag.address.slice(-4).toUpperCase()}`,
      type: "sensor",
      manufacturer: "Shelly",
      model: "Shelly BLU",
      firmware: null,
      metrics: [...tag.metrics].sort(),
      commands: null,
      hardware: [tag.address],
      reportSeconds: 86_400, // a button or a door is silent until it is used
      address: null,
      room: null,
      memo: { behind: this.key },
    };
  }

  /** Restores what {@link describe} noted before a restart; null if the memo is not one. */
  static restored(key: string, memo: unknown): Learned | null {
    const deviceId = textOf(member(memo, "deviceId"), 64);
    const prefix = textOf(member(memo, "prefix"), 256);
    if (deviceId === null || prefix === null || /[+#]/.test(prefix)) return null;
    const learned = new Learned(key, deviceId, prefix);
    learned.name = textOf(member(memo, "name"), 80);
    learned.model = textOf(member(memo, "model"), 40);
    learned.app = textOf(member(memo, "app"), 40);
    learned.firmware = textOf(member(memo, "firmware"), 60);
    learned.address = textOf(member(memo, "address"), 15);
    learned.wakeSeconds = numberOf(member(memo, "wakeSeconds"));
    learned.locked = member(memo, "locked") === true;
    learned.positioned = member(memo, "positioned") !== false;
    for (const name of textsOf(member(memo, "parts")).slice(0, 128)) {
      const part = partOf(name);
      if (part !== null) learned.shows([part]);
    }
    learned.told = true;
    for (const metric of textsOf(member(memo, "metrics")).slice(0, 128)) learned.metrics.add(metric);
    for (const tag of objectsOf(member(memo, "tags")).slice(0, MOST_TAGS)) learned.#restoreTag(tag);
    learned.complete = learned.#parts.size > 0 || learned.tags.size > 0; // a gateway has only these
    return learned;
  }

  #tag(id: number, address: string): Tag {
    const known = this.tags.get(id);
    if (known?.address === address) return known;
    const [before, same] = [...this.tags].find(([, one]) => one.address === address) ?? [];
    if (before !== undefined) this.tags.delete(before); // its sensors came first, or it has another number now
    const tag = same ?? { address, name: null, sensors: new Map(), metrics: new Set() };
    if (known !== undefined || this.tags.size < MOST_TAGS) this.tags.set(id, tag);
    return tag;
  }

  #sensor(id: number, address: string, value: unknown): void {
    const tag =
      [...this.tags.values()].find((candidate) => candidate.address === address) ??
      this.#tag(-this.tags.size - 1, address);
    const object = numberOf(member(value, "obj_id"));
    if (object !== null && tag.sensors.size < 32)
      tag.sensors.set(id, { object, index: numberOf(member(value, "idx")) ?? 0 });
  }

  #restoreTag(memo: JsonObject): void {
    const id = numberOf(member(memo, "id"));
    const address = macOf(member(memo, "address"));
    if (id === null || address === null) return;
    const tag = this.#tag(id, address);
    tag.name = textOf(member(memo, "name"), 80);
    for (const sensor of objectsOf(member(memo, "sensors")).slice(0, 32)) {
      const [number, object, index] = ["id", "object", "index"].map((name) => numberOf(member(sensor, name)));
      if (typeof number === "number" && typeof object === "number")
        tag.sensors.set(number, { object, index: index ?? 0 });
    }
    for (const metric of textsOf(member(memo, "metrics")).slice(0, 32)) tag.metrics.add(metric);
  }

  #memo(): JsonObject {
    return {
      deviceId: this.deviceId,
      prefix: this.prefix,
      name: this.name,
      model: this.model,
      app: this.app,
      firmware: this.firmware,
      address: this.address,
      wakeSeconds: this.wakeSeconds,
      locked: this.locked,
      positioned: this.positioned,
      parts: [...this.#parts].flatMap(([kind, ids]) => ids.map((id) => `${kind}:${id}`)),
      metrics: [...this.metrics].sort(),
      tags: [...this.tags].map(([id, tag]) => ({
        id,
        address: tag.address,
        name: tag.name,
        sensors: [...tag.sensors].map(([number, sensor]) => ({ id: number, ...sensor })),
        metrics: [...tag.metrics].sort(),
      })),
    };
  }

  #type(): string {
    if (this.ids("cover").length > 0) return "cover";
    const outputs = this.outputs;
    if (this.ids("em").length > 0 || this.ids("em1").length > 0 || (this.ids("pm1").length > 0 && outputs.length === 0))
      return "energy-meter";
    if (outputs.length > 1 && outputs.every(({ kind }) => kind === "switch")) return "home-hub";
    const [first] = outputs;
    if (first === undefined) return "sensor";
    if (first.kind === "switch") return /plug/i.test(this.deviceId) ? "smart-plug" : "switch";
    return first.kind === "light" && outputs.length === 1 ? "dimmer" : "light";
  }

  #commands(): JsonObject | null {
    const properties: JsonObject = {};
    for (const part of this.outputs) {
      properties[this.outputWord("power", part)] = { type: "boolean" };
      if (part.kind !== "switch")
        properties[this.outputWord("brightness", part)] = { type: "integer", minimum: 0, maximum: 100 };
      if (part.kind === "cct")
        properties[this.outputWord("colorTemperature", part)] = { type: "integer", minimum: 2700, maximum: 6500 };
      if (part.kind === "rgb" || part.kind === "rgbw")
        properties[this.outputWord("color", part)] = { type: "string", pattern: "^#[0-9a-fA-F]{6}$" };
      if (part.kind === "rgbw")
        properties[this.outputWord("white", part)] = { type: "integer", minimum: 0, maximum: 100 };
    }
    if (this.ids("cover").length > 0) {
      properties.open = { type: "boolean" };
      properties.stop = { const: true };
      if (this.positioned) properties.position = { type: "integer", minimum: 0, maximum: 100 };
    }
    return Object.keys(properties).length === 0 ? null : { type: "object", properties };
  }
}

function numbered(word: string, parts: readonly Part[], part: Part): string {
  if (parts.length < 2) return word;
  return `${word}${parts.findIndex(({ kind, id }) => kind === part.kind && id === part.id) + 1}`;
}

/** `switch:0` as a component; null for kinds that the hub does not know. */
export function partOf(name: string): Part | null {
  const [, word, digits] = /^([a-z0-9]{1,16}):(\d{1,4})$/.exec(name) ?? [];
  const kind = KINDS.find((candidate) => candidate === word);
  return kind === undefined || digits === undefined ? null : { kind, id: Number(digits) };
}

/** The parts of a status or configuration. */
export function partsOf(status: unknown): Part[] {
  return isJsonObject(status)
    ? Object.entries(status).flatMap(([name, value]) => (isJsonObject(value) ? (partOf(name) ?? []) : []))
    : [];
}

function macOf(value: unknown): string | null {
  const digits = typeof value === "string" ? value.toLowerCase().replaceAll(":", "") : "";
  return /^[0-9a-f]{12}$/.test(digits) ? digits : null;
}
