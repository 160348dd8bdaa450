import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgedDevice, BridgeMessage, Effect } from "../family.ts";
import { hardwareAddress, member, numberOf, textOf, textsOf } from "../json-values.ts";
import { isEmpty, type Values, valuesOf } from "./values.ts";

const MAX_TAGS = 500;
/** A tracker is away if no gateway has received it for this long: the firmware's own default (presenceawaytimer). */
const TRACKER_WINDOW_MS = 120_000;
/** Sensors report as seldom as every ten minutes. */
const SENSOR_WINDOW_MS = 3_600_000;
/** Unchanged values are reported again after this long; two gateways deliver the same advertisement. */
const REPEAT_MS = 60_000;
/** Kinds of advertisement whose address changes every few minutes. */
const PASSERS_BY: ReadonlySet<string> = new Set(["GAEN", "MS-CDP", "APPLE", "APPLEDEVICE", "APPLEWATCH", "RMAC"]);

interface Sighting {
  readonly rssi: number;
  readonly at: number;
}

/** A Bluetooth device, as seen by one gateway or several. */
interface Tag {
  readonly key: string;
  name: string | null;
  brand: string | null;
  model: string | null;
  /** Whether it measures something; otherwise it only shows that it is there. */
  measures: boolean;
  online: boolean | null;
  readonly sightings: Map<string, Sighting>;
  readonly metrics: Set<string>;
  lastValues: string;
  lastAt: number;
  lastGateway: string | null;
}

/** Bluetooth devices behind gateways: one device each, however many gateways receive it. */
export class Tags {
  readonly #tags = new Map<string, Tag>();
  /** Since when the hub has been listening. */
  #since: number | null = null;

  /** The hub starts to listen. */
  listening(at: number): void {
    this.#since ??= at;
  }

  /** Restores a device from before a restart. */
  restore(key: string, memo: JsonObject): void {
    if (this.#tags.size >= MAX_TAGS) return;
    const tag = newTag(key);
    tag.name = textOf(member(memo, "name"), 60);
    tag.brand = textOf(member(memo, "brand"), 40);
    tag.model = textOf(member(memo, "model"), 60);
    tag.measures = member(memo, "measures") === true;
    for (const metric of textsOf(member(memo, "metrics")).slice(0, 64)) tag.metrics.add(metric);
    this.#tags.set(key, tag);
  }

  /** The hub removed it. */
  forget(key: string): void {
    this.#tags.delete(key);
  }

  /** An advertisement received by a gateway. */
  heard(gateway: string, body: JsonObject, message: BridgeMessage): Effect[] {
    const key = hardwareAddress(member(body, "id")) ?? hardwareAddress(message.topic.split("/").at(-1));
    if (key === null) return [{ do: "problem", topic: message.topic, reason: "the message names no address" }];
    const model = textOf(member(body, "model_id"), 40);
    if (model !== null && PASSERS_BY.has(model.toUpperCase())) return [];
    const values = valuesOf(body);
    const known = this.#tags.get(key);
    // Without a model and a value it may be any passer-by's phone.
    if (known === undefined && isEmpty(values) && textOf(member(body, "model"), 60) === null) return [];
    if (known === undefined && this.#tags.size >= MAX_TAGS)
      return [{ do: "problem", topic: message.topic, reason: "too many Bluetooth devices" }];
    const tag = known ?? newTag(key);
    this.#tags.set(key, tag);
    const rssi = numberOf(member(body, "rssi"));
    if (rssi !== null && !message.retained) tag.sightings.set(gateway, { rssi, at: message.at });
    const isNew = learn(tag, body, values) || known === undefined;
    const effects: Effect[] = isNew ? [{ do: "device", device: describe(tag) }] : [];
    if (!message.retained && tag.online !== true) {
      tag.online = true;
      effects.push({ do: "availability", key, online: true });
      if (!tag.measures) effects.push({ do: "state", key, patch: { present: true } });
    }
    return [...effects, ...reported(tag, gateway, values, message)];
  }

  /** Marks devices away that no gateway has received in time. */
  passed(at: number): Effect[] {
    const effects: Effect[] = [];
    for (const tag of this.#tags.values()) {
      const window = tag.measures ? SENSOR_WINDOW_MS : TRACKER_WINDOW_MS;
      for (const [gateway, sighting] of tag.sightings) if (sighting.at <= at - window) tag.sightings.delete(gateway);
      const isSilent =
        tag.online === true || (tag.online === null && this.#since !== null && at >= this.#since + window);
      if (!isSilent || tag.sightings.size > 0) continue;
      tag.online = false;
      tag.lastGateway = null;
      effects.push({ do: "availability", key: tag.key, online: false });
      effects.push({
        do: "state",
        key: tag.key,
        patch: { gateway: null, ...(tag.measures ? {} : { present: false }) },
      });
    }
    return effects;
  }
}

function newTag(key: string): Tag {
  return {
    key,
    name: null,
    brand: null,
    model: null,
    measures: false,
    online: null,
    sightings: new Map(),
    metrics: new Set(["rssi"]),
    lastValues: "",
    lastAt: Number.NEGATIVE_INFINITY,
    lastGateway: null,
  };
}

/** Takes names and metrics. Returns whether some are new. */
function learn(tag: Tag, body: JsonObject, values: Values): boolean {
  const before = JSON.stringify([tag.name, tag.brand, tag.model, tag.measures, tag.metrics.size]);
  tag.name = textOf(member(body, "name"), 60) ?? tag.name;
  tag.brand = textOf(member(body, "brand"), 40) ?? tag.brand;
  tag.model = textOf(member(body, "model"), 60) ?? tag.model;
  const measured = [...Object.keys(values.data), ...Object.keys(values.totals)];
  // Distance and battery are reported by trackers too.
  if (Object.keys(values.state).length > 0 || measured.some((name) => name !== "distance" && name !== "battery"))
    tag.measures = true;
  for (const name of measured) if (tag.metrics.size < 64) tag.metrics.add(name);
  return before !== JSON.stringify([tag.name, tag.brand, tag.model, tag.measures, tag.metrics.size]);
}

function reported(tag: Tag, gateway: string, values: Values, message: BridgeMessage): Effect[] {
  const { key } = tag;
  const strongest = [...tag.sightings].sort(([, a], [, b]) => b.rssi - a.rssi)[0];
  const patch: JsonObject = { ...values.state };
  if (strongest !== undefined && strongest[0] !== tag.lastGateway) {
    [tag.lastGateway] = strongest;
    patch.gateway = tag.lastGateway;
  }
  const effects: Effect[] = Object.keys(patch).length > 0 ? [{ do: "state", key, patch }] : [];
  // Every gateway reports a distance; only that of the nearest counts.
  const isNearest = strongest === undefined || strongest[0] === gateway;
  const { distance, ...rest } = values.data;
  const content = JSON.stringify([rest, values.totals]);
  if (content === tag.lastValues && message.at - tag.lastAt < REPEAT_MS) return effects;
  if (Object.keys(rest).length === 0 && !isNearest) return effects;
  tag.lastValues = content;
  tag.lastAt = message.at;
  const data = {
    ...rest,
    ...(distance !== undefined && isNearest ? { distance } : {}),
    ...(strongest === undefined ? {} : { rssi: strongest[1].rssi }),
  };
  if (Object.keys(data).length > 0) effects.push({ do: "telemetry", key, data, at: null });
  for (const [metric, wattHours] of Object.entries(values.totals))
    effects.push({ do: "counter", key, metric, wattHours, epoch: null });
  return effects;
}

function describe(tag: Tag): BridgedDevice {
  const { key, name, brand, model, measures } = tag;
  return {
    key,
    name: `${name ?? model ?? "Bluetooth device"} ${key.slice(-4).toUpperCase()}`,
    type: "sensor",
    manufacturer: brand,
    model,
    firmware: null,
    metrics: [...tag.metrics].sort(),
    commands: null,
    hardware: [key],
    reportSeconds: null, // absence is determined by the window, not by silence
    address: null,
    room: null,
    memo: { kind: "tag", name, brand, model, measures, metrics: [...tag.metrics].sort() },
  };
}
