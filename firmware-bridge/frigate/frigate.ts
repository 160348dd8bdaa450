/**
 * Frigate: its cameras as devices, the plates that it reads as plates of the hub. A reading is passed on at once,
 * because a gate waits for it; a better one of the same vehicle follows under the same event. Messages in, effects out;
 * must never know their transport or what is done with a plate. Source: https://docs.frigate.video/integrations/mqtt.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type {
  Adapter,
  BridgeMessage,
  DeviceTopics,
  Effect,
  Family,
  SetupStep,
  SetupValues,
  Translation,
} from "../family.ts";
import {
  camelCase,
  deviceKey,
  member,
  numberOf,
  payloadObject,
  payloadText,
  rounded,
  textOf,
  textsOf,
} from "../json-values.ts";
import { cameraCommand } from "./commands.ts";
import { PlateReadings } from "./plate-readings.ts";
import { SWITCHES } from "./switches.ts";

const PREFIX = "frigate";
const MAX_CAMERAS = 200;
const LARGE_BYTES = 1024 * 1024;
/** Second levels that are not cameras. */
const OWN_TOPICS: ReadonlySet<string> = new Set(
  "available events reviews stats tracked_object_update notifications restart onConnect camera_activity triggers model_state".split(
    " ",
  ),
);
/** Numbers of a camera that can be set; sent as text. */
const NUMBERS: ReadonlySet<string> = new Set(["motion_threshold", "motion_contour_area"]);

/** A camera of Frigate. */
interface Camera {
  readonly key: string;
  readonly name: string;
  /** Whether its detection stream works; null while unknown. */
  status: boolean | null;
  /** Presence as last reported. */
  reportedOnline: boolean | null;
  /** Switches and numbers that it has reported: these can be set. */
  readonly settings: Set<string>;
}

/** The adapter of {@link frigate}. */
class FrigateAdapter implements Adapter {
  readonly #prefix: string;
  readonly #cameras = new Map<string, Camera>();
  readonly #plates = new PlateReadings();
  #available: boolean | null = null;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    for (const { key, memo } of devices.slice(0, MAX_CAMERAS)) {
      const name = textOf(memo.camera, 64);
      if (name !== null)
        this.#cameras.set(name, {
          key,
          name,
          status: null,
          reportedOnline: null,
          settings: new Set(textsOf(memo.settings).slice(0, 64)),
        });
    }
  }

  connected(): readonly Effect[] {
    return [{ do: "publish", message: { topic: `${this.#prefix}/onConnect`, payload: "" } }];
  }

  message(message: BridgeMessage): readonly Effect[] {
    const { topic } = message;
    if (!topic.startsWith(`${this.#prefix}/`)) return [];
    const [first = "", ...rest] = topic.slice(this.#prefix.length + 1).split("/");
    if (rest.length === 0) return this.#own(first, message);
    if (
      first === "" ||
      OWN_TOPICS.has(first) ||
      rest.at(-1) === "set" ||
      rest.at(-1) === "snapshot" ||
      rest[0] === "ptz"
    )
      return [];
    const text = payloadText(message.payload, 256)?.trim() ?? "";
    return text === "" ? [] : this.#camera(first, rest, text);
  }

  command(key: string, command: JsonObject): Translation {
    const camera = [...this.#cameras.values()].find((one) => one.key === key);
    if (camera === undefined) return { unsupported: "the camera is not known yet" };
    return cameraCommand({ all: this.#prefix, camera: `${this.#prefix}/${camera.name}` }, command, camera.settings);
  }

  forget(key: string): void {
    for (const [name, camera] of this.#cameras) if (camera.key === key) this.#cameras.delete(name);
  }

  topics(key: string): DeviceTopics | null {
    return [...this.#cameras.values()].some((camera) => camera.key === key) ? { name: "", says: [], takes: [] } : null;
  }

  /** Messages from Frigate itself. */
  #own(name: string, message: BridgeMessage): readonly Effect[] {
    if (name === "available") {
      const status = payloadText(message.payload, 64)?.trim();
      if (status !== "online" && status !== "offline" && status !== "stopped") return [];
      this.#available = status === "online";
      return [...this.#cameras.values()].flatMap((camera) => this.#presence(camera));
    }
    if (!["events", "tracked_object_update", "reviews", "stats", "camera_activity"].includes(name)) return [];
    const json = payloadObject(message.payload, LARGE_BYTES);
    if (json === null)
      return [{ do: "problem", topic: message.topic, reason: "the message is no JSON object, or is too large" }];
    if (name === "stats") return this.#stats(json);
    if (name === "camera_activity") return this.#activity(json);
    if (message.retained) return [];
    if (name === "events") return this.#event(json, message.at);
    return name === "reviews" ? this.#review(json) : this.#tracked(json, message.at);
  }

  /** `tracked_object_update` of type `lpr`: the topic of plates. */
  #tracked(json: JsonObject, at: number): readonly Effect[] {
    if (json.type !== "lpr") return [];
    const reading = { text: json.plate, score: json.score, id: json.id, seconds: json.timestamp };
    return this.#plate(textOf(json.camera, 64), reading, at);
  }

  /** `events`: a tracked object; a plate may have been read on it. */
  #event(json: JsonObject, at: number): readonly Effect[] {
    const after = member(json, "after");
    const name = textOf(member(after, "camera"), 64);
    const plate = member(after, "recognized_license_plate");
    if (plate === undefined || plate === null) return name === null ? [] : this.#known(name).effects;
    const [text, score] = Array.isArray(plate) ? plate : [plate, member(after, "recognized_license_plate_score")];
    // The event has no time of the reading: the object's latest frame is an upper bound.
    return this.#plate(name, { text, score, id: member(after, "id"), seconds: member(after, "frame_time") }, at);
  }

  #plate(
    name: string | null,
    reading: { text: unknown; score: unknown; id: unknown; seconds: unknown },
    at: number,
  ): readonly Effect[] {
    if (name === null) return [];
    const { camera, effects } = this.#known(name);
    const plate = camera === null ? null : this.#plates.read(reading, at);
    return camera === null || plate === null ? effects : [...effects, { do: "plate", key: camera.key, plate }];
  }

  /** Only what Frigate calls an alert is news to a household. */
  #review(json: JsonObject): readonly Effect[] {
    const after = member(json, "after");
    const name = textOf(member(after, "camera"), 64);
    if (json.type !== "new" || member(after, "severity") !== "alert" || name === null) return [];
    const { camera, effects } = this.#known(name);
    if (camera === null) return effects;
    const objects = textsOf(member(member(after, "data"), "objects")).slice(0, 8);
    const labels = [...new Set(objects.map((label) => label.replace(/-verified$/, "")))];
    const zones = textsOf(member(member(after, "data"), "zones")).slice(0, 8);
    const body = zones.join(", ").slice(0, 200);
    return [
      ...effects,
      ...labels.map(
        (label): Effect => ({
          do: "event",
          key: camera.key,
          kind: `alert.${camelCase(label) ?? "object"}`,
          title: `${name}: ${label.slice(0, 40)}`,
          body,
        }),
      ),
    ];
  }

  #stats(json: JsonObject): readonly Effect[] {
    const cameras = member(json, "cameras");
    return Object.entries(isJsonObject(cameras) ? cameras : {})
      .slice(0, MAX_CAMERAS)
      .flatMap(([name, values]) => {
        const { camera, effects } = this.#known(name);
        if (camera === null) return effects;
        const data: Record<string, number> = {};
        for (const [word, key] of [
          ["cameraFps", "camera_fps"],
          ["detectionFps", "detection_fps"],
          ["skippedFps", "skipped_fps"],
        ] as const) {
          const value = numberOf(member(values, key));
          if (value !== null) data[word] = rounded(value, 2);
        }
        return Object.keys(data).length === 0
          ? effects
          : [...effects, { do: "telemetry", key: camera.key, data, at: null } satisfies Effect];
      });
  }

  /** The answer to `onConnect`: every camera with its switches. */
  #activity(json: JsonObject): readonly Effect[] {
    return Object.entries(json)
      .slice(0, MAX_CAMERAS)
      .flatMap(([name, values]) => {
        if (!isJsonObject(values)) return [];
        const config = isJsonObject(values.config) ? values.config : {};
        const settings = Object.keys(config).filter((key) => SWITCHES.has(key) && typeof config[key] === "boolean");
        const { camera, effects } = this.#known(name, settings);
        if (camera === null) return effects;
        const patch: JsonObject = {};
        for (const key of settings) patch[SWITCHES.get(key) ?? key] = config[key];
        if (typeof values.motion === "boolean") patch.motion = values.motion;
        return Object.keys(patch).length === 0
          ? effects
          : [...effects, { do: "state", key: camera.key, patch } satisfies Effect];
      });
  }

  /** A topic of a camera, of one of its objects, or of a zone: the form identifies a camera. */
  #camera(name: string, [part = "", detail]: readonly string[], text: string): readonly Effect[] {
    const isSwitch = detail === "state" && (SWITCHES.has(part) || NUMBERS.has(part));
    const isCamera =
      isSwitch || (part === "status" && detail !== undefined) || (part === "motion" && detail === undefined);
    const { camera, effects } = isCamera
      ? this.#known(name, isSwitch ? [part] : [])
      : { camera: this.#cameras.get(name) ?? null, effects: [] };
    if (camera === null) return effects;
    if (part === "status") {
      if (detail === "detect") camera.status = text !== "offline";
      return [...effects, ...this.#presence(camera)];
    }
    const patch = isSwitch ? setting(part, text) : counted(part, detail, text);
    return patch === null ? effects : [...effects, { do: "state", key: camera.key, patch }];
  }

  /** The camera with this name, with its announcement if anything about it is new. */
  #known(name: string, settings: readonly string[] = []): { camera: Camera | null; effects: Effect[] } {
    const known = this.#cameras.get(name);
    const fresh = settings.filter((setting) => known?.settings.has(setting) !== true);
    if (known && fresh.length === 0) return { camera: known, effects: [] };
    const key = deviceKey(name);
    if (key === null || name.length > 64 || (!known && (this.#cameras.size >= MAX_CAMERAS || OWN_TOPICS.has(name))))
      return { camera: known ?? null, effects: [] };
    const camera = known ?? { key, name, status: null, reportedOnline: null, settings: new Set<string>() };
    for (const setting of fresh) camera.settings.add(setting);
    this.#cameras.set(name, camera);
    return { camera, effects: [described(camera), ...this.#presence(camera)] };
  }

  #presence(camera: Camera): Effect[] {
    if (this.#available === null) return [];
    const online = this.#available && camera.status !== false;
    if (camera.reportedOnline === online) return [];
    camera.reportedOnline = online;
    return [{ do: "availability", key: camera.key, online }];
  }
}

function described(camera: Camera): Effect {
  const words = [...camera.settings].filter((name) => SWITCHES.has(name)).sort();
  const properties = Object.fromEntries(words.map((name) => [SWITCHES.get(name) ?? name, { type: "boolean" }]));
  return {
    do: "device",
    device: {
      key: camera.key,
      name: camera.name.replaceAll("_", " "),
      type: "camera",
      manufacturer: "Frigate",
      model: null,
      firmware: null,
      metrics: ["cameraFps", "detectionFps", "skippedFps"],
      commands: { type: "object", properties },
      hardware: [],
      reportSeconds: null,
      address: null,
      room: null,
      memo: { camera: camera.name, settings: [...camera.settings] },
    },
  };
}

function setting(part: string, text: string): JsonObject | null {
  const word = SWITCHES.get(part);
  if (word !== undefined) return text === "ON" || text === "OFF" ? { [word]: text === "ON" } : null;
  const number = numberOf(text);
  const own = camelCase(part);
  return number === null || own === null ? null : { [own]: number };
}

/** `motion`, and how many objects of a kind there are. */
function counted(part: string, detail: string | undefined, text: string): JsonObject | null {
  if (part === "motion" && detail === undefined)
    return text === "ON" || text === "OFF" ? { motion: text === "ON" } : null;
  const [number, word] = [numberOf(text), camelCase(part)];
  if (number === null || word === null || (detail !== undefined && detail !== "active")) return null;
  return { [detail === "active" ? `${word}Active` : `${word}Count`]: number };
}

/** The family. */
export const frigate: Family = {
  name: "frigate",
  label: "Frigate",
  source: "https://docs.frigate.video/integrations/mqtt",
  prefix: PREFIX,
  filters: (prefix) => [`${prefix ?? PREFIX}/#`],
  large: (prefix) =>
    ["events", "reviews", "stats", "camera_activity", "+/+/snapshot"].map((name) => `${prefix ?? PREFIX}/${name}`),
  open: ({ prefix }) => new FrigateAdapter(prefix ?? PREFIX),
  setup,
};

function setup({ host, port, username, password }: SetupValues): SetupStep[] {
  const lines = [
    "mqtt:",
    "  enabled: true",
    `  host: ${host}`,
    `  port: ${port}`,
    `  topic_prefix: ${PREFIX}`,
    `  user: ${username}`,
    `  password: ${password}`,
    "lpr:",
    "  enabled: true",
  ];
  return [{ title: "In Frigate's config.yml; then restart it", kind: "file", text: lines.join("\n") }];
}
