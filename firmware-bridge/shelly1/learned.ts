import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgedDevice } from "../family.ts";
import { member, numberOf, textOf, textsOf } from "../json-values.ts";
import { type Model, modelInMode, modelOf, type PartKind } from "./models.ts";

const KINDS: readonly PartKind[] = ["relay", "roller", "light", "color", "white", "emeter", "input", "thermostat"];
const OUTPUTS: readonly PartKind[] = ["relay", "light", "color", "white"];
const MOST_PARTS = 8;
/** The factory id of a device: model and the end of its MAC. */
const FACTORY_ID = /^shelly[a-z0-9-]*-[0-9a-f]{6,12}$/i;

/** What is known about one device. */
export class Learned {
  /** MAC, 12 hex digits. */
  readonly key: string;
  /** Its level in topics; its owner can change it. */
  id: string;
  model: string | null = null;
  mode: string | null = null;
  firmware: string | null = null;
  address: string | null = null;
  /** False once a roller reported that it does not know its position. */
  calibrated = true;
  /** Null until it is known in this run. */
  online: boolean | null = null;
  /** Until then a first count of presses is from the past. */
  quietUntil = 0;
  readonly parts = new Map<PartKind, number>();
  readonly metrics = new Set<string>();
  /** Last counts of presses by input. */
  readonly presses = new Map<number, number>();
  /** Inputs whose presses come as `input_event`. */
  readonly counted = new Set<number>();
  /** Alarms that are on. */
  readonly alarms = new Set<string>();
  /** Last watts per phase of a three-phase meter. */
  readonly phases: (number | null)[] = [null, null, null];

  constructor(key: string, id: string) {
    this.key = key;
    this.id = id;
  }

  /** Its row in the table of models. */
  get row(): Model {
    return modelOf(this.model);
  }

  /** It sleeps most of the time. */
  get sleeps(): boolean {
    return this.row.reportSeconds !== undefined;
  }

  /** Number of parts of a kind. */
  count(kind: PartKind): number {
    return this.parts.get(kind) ?? 0;
  }

  /** The kind of part that switches, and how many there are; null for devices without outputs. */
  get outputs(): { readonly kind: PartKind; readonly count: number } | null {
    const kind = OUTPUTS.find((candidate) => this.count(candidate) > 0);
    return kind === undefined ? null : { kind, count: this.count(kind) };
  }

  /** `power` for the only part of its kind, `power2` for the second of several. */
  word(word: string, kind: PartKind, index: number): string {
    return this.count(kind) > 1 ? `${word}${index + 1}` : word;
  }

  /** Takes an announcement. Returns whether the parts have changed. */
  announced(value: JsonObject): boolean {
    const before = JSON.stringify([...this.parts]);
    this.model = textOf(member(value, "model"), 40) ?? this.model;
    this.mode = textOf(member(value, "mode"), 16) ?? this.mode;
    this.firmware = textOf(member(value, "fw_ver"), 80) ?? this.firmware;
    this.address = addressOf(member(value, "ip")) ?? this.address;
    if (this.model !== null && modelOf(this.model).label !== "Shelly") {
      this.parts.clear();
      const { parts } = modelInMode(this.model, this.mode);
      for (const kind of KINDS) if (parts[kind] !== undefined) this.parts.set(kind, parts[kind]);
    }
    return before !== JSON.stringify([...this.parts]);
  }

  /** Notes that a topic named a part. Returns whether it is new. */
  shows(kind: PartKind, index: number): boolean {
    if (index >= MOST_PARTS || index < this.count(kind)) return false;
    this.parts.set(kind, index + 1);
    return true;
  }

  /** The device as the hub knows it. */
  describe(): BridgedDevice {
    const { label, reportSeconds } = this.row;
    return {
      key: this.key,
      name: FACTORY_ID.test(this.id) ? `${label} ${this.key.slice(-4).toUpperCase()}` : (textOf(this.id, 80) ?? label),
      type: this.#type(),
      manufacturer: "Shelly",
      model: label === "Shelly" ? this.model : label,
      firmware: this.firmware,
      metrics: [...this.metrics].sort(),
      commands: this.#commands(),
      hardware: [this.key],
      reportSeconds: reportSeconds ?? null,
      address: this.address,
      room: null,
      memo: {
        id: this.id,
        model: this.model,
        mode: this.mode,
        firmware: this.firmware,
        address: this.address,
        calibrated: this.calibrated,
        parts: Object.fromEntries(this.parts),
        metrics: [...this.metrics].sort(),
      },
    };
  }

  /** Restores what {@link describe} noted before a restart; null if the memo is not one. */
  static restored(key: string, memo: unknown): Learned | null {
    const id = member(memo, "id");
    if (typeof id !== "string" || id === "") return null;
    const learned = new Learned(key, id);
    learned.model = textOf(member(memo, "model"), 40);
    learned.mode = textOf(member(memo, "mode"), 16);
    learned.firmware = textOf(member(memo, "firmware"), 80);
    learned.address = addressOf(member(memo, "address"));
    learned.calibrated = member(memo, "calibrated") !== false;
    const parts = member(memo, "parts");
    for (const kind of KINDS) {
      const count = isJsonObject(parts) ? numberOf(member(parts, kind)) : null;
      if (count !== null && count >= 1 && count <= MOST_PARTS) learned.parts.set(kind, Math.floor(count));
    }
    for (const metric of textsOf(member(memo, "metrics")).slice(0, 64)) learned.metrics.add(metric);
    return learned;
  }

  #type(): string {
    if (this.model !== null && modelOf(this.model).label !== "Shelly") return modelInMode(this.model, this.mode).type;
    if (this.count("roller") > 0) return "cover";
    if (this.count("emeter") > 0) return "energy-meter";
    const outputs = this.outputs;
    if (outputs === null) return "sensor";
    if (outputs.kind === "relay") return outputs.count > 1 ? "home-hub" : "switch";
    return outputs.kind === "light" ? "dimmer" : "light";
  }

  #commands(): JsonObject | null {
    const properties: JsonObject = {};
    const outputs = this.outputs;
    if (outputs !== null) {
      for (let index = 0; index < outputs.count; index++) {
        properties[this.word("power", outputs.kind, index)] = { type: "boolean" };
        if (outputs.kind !== "relay")
          properties[this.word("brightness", outputs.kind, index)] = { type: "integer", minimum: 0, maximum: 100 };
      }
      if (outputs.kind === "color") {
        properties.color = { type: "string", pattern: "^#[0-9a-fA-F]{6}$" };
        if (this.row.kelvin === undefined) properties.white = { type: "integer", minimum: 0, maximum: 100 };
      }
      if (this.row.kelvin !== undefined)
        properties.colorTemperature = { type: "integer", minimum: this.row.kelvin[0], maximum: this.row.kelvin[1] };
    }
    if (this.count("roller") > 0) {
      properties.position = { type: "integer", minimum: 0, maximum: 100 };
      properties.open = { type: "boolean" };
      properties.stop = { const: true };
    }
    if (this.count("thermostat") > 0) {
      properties.target = { type: "number", minimum: 4, maximum: 31, multipleOf: 0.5 };
      properties.valve = { type: "integer", minimum: 0, maximum: 100 };
    }
    return Object.keys(properties).length === 0 ? null : { type: "object", properties };
  }
}

function addressOf(value: unknown): string | null {
  return typeof value === "string" && /^[0-9a-fA-F.:]{3,45}$/.test(value) ? value : null;
}
