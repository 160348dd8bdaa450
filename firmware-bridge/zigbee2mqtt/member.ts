/** A device or group of a Zigbee network: its values in both directions, and whether it can be reached. */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import type { BridgedDevice, Effect, Translation } from "../family.ts";
import { booleanOf, member, numberOf, textOf } from "../json-values.ts";
import type { Capability } from "./capability.ts";
import type { Known } from "./exposes.ts";

/** What is announced about a member besides its values. */
export interface MemberInfo {
  readonly key: string;
  readonly friendlyName: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly hardware: readonly string[];
  readonly isBattery: boolean;
  /** Scenes stored in it, by name. */
  readonly scenes: ReadonlyMap<string, number>;
  /** Of a group, the keys of its devices. */
  readonly members?: readonly string[];
  readonly memo: JsonObject;
}

/** Seconds between reports of a battery device, for its presence: Zigbee2MQTT itself waits 25 h for one. */
const BATTERY_REPORT_SECONDS = 30_000;
/** The same press is reported in the state and on a topic of its own. */
const SAME_PRESS_MS = 2_000;
const PRESSES: ReadonlyMap<string, string> = new Map([
  ["hold", "long"],
  ["long_press", "long"],
  ["press", "single"],
  ["click", "single"],
]);
/** Commands that Zigbee2MQTT takes besides what a device exposes. */
const EXTRAS: ReadonlySet<string> = new Set(
  "transition brightness_move brightness_move_onoff brightness_step brightness_step_onoff color_temp_move color_temp_step hue_move hue_step saturation_move saturation_step color_move hue_power_on_behavior effect scene_store scene_recall scene_add scene_remove scene_rename read write command on_time off_wait_time".split(
    " ",
  ),
);

/** Of these, what speaks to the device in the words of Zigbee itself. */
const RAW: ReadonlySet<string> = new Set(["read", "write", "command"]);

/** A member. */
export class Member {
  info: MemberInfo;
  known: Known;
  /** Its own availability topic; null while it is silent. */
  #available: boolean | null = null;
  #reportedOnline: boolean | null = null;
  #press: { readonly action: string; readonly at: number } | null = null;

  constructor(info: MemberInfo, known: Known) {
    this.info = info;
    this.known = known;
  }

  description(): BridgedDevice {
    const { key, friendlyName, manufacturer, model, firmware, hardware, isBattery, memo, scenes } = this.info;
    const properties: JsonObject = {};
    for (const { word, schema, write } of this.known.capabilities)
      if (write !== null && schema !== null) properties[word] = schema;
    if (this.#mover) Object.assign(properties, { stop: { enum: [true], title: "Stop" } });
    if (scenes.size > 0) properties.scene = { type: "string", enum: [...scenes.keys()] };
    return {
      key,
      name: friendlyName,
      type: this.known.type,
      manufacturer,
      model,
      firmware,
      metrics: this.known.capabilities
        .filter(({ kind }) => kind === "metric" || kind === "counter")
        .map(({ word }) => word),
      commands: Object.keys(properties).length === 0 ? null : { type: "object", properties },
      hardware,
      reportSeconds: isBattery ? BATTERY_REPORT_SECONDS : null,
      address: null,
      room: null,
      memo,
    };
  }

  /** A cover's own value for moving. */
  get #mover(): Capability | undefined {
    return this.known.capabilities.find(({ base, write }) => base === "moving" && write !== null);
  }

  /** A state message. */
  told(state: JsonObject, when: { readonly at: number; readonly retained: boolean }): Effect[] {
    const patch: JsonObject = {};
    const data: Record<string, number> = {};
    const effects: Effect[] = [];
    const key = this.info.key;
    for (const { property, word, kind, read } of this.known.capabilities) {
      if (!Object.hasOwn(state, property)) continue;
      const value = read(state[property]);
      if (value === undefined) continue;
      if (kind === "action") effects.push(...this.pressed(String(value), when));
      else if (kind === "counter")
        effects.push({ do: "counter", key, metric: word, wattHours: Number(value), epoch: null });
      else if (kind === "metric" && typeof value === "number") data[word] = value;
      else patch[word] = value;
    }
    this.#more(state, patch, data);
    if (Object.keys(patch).length > 0) effects.unshift({ do: "state", key, patch });
    if (Object.keys(data).length > 0) effects.push({ do: "telemetry", key, data, at: null });
    return effects;
  }

  /** What every device may report without exposing it. */
  #more(state: JsonObject, patch: JsonObject, data: Record<string, number>): void {
    const quality = numberOf(state.linkquality);
    if (quality !== null) data.linkquality = quality;
    const update = textOf(member(state.update, "state"), 32);
    if (update !== null) patch.updateAvailable = update === "available";
    if (!this.#mover) return;
    // A cover without a position knows open and closed.
    const cover = textOf(state.state, 16);
    const hasPosition = this.known.capabilities.some(({ base }) => base === "position");
    if (!hasPosition && (cover === "OPEN" || cover === "CLOSE")) patch.position = cover === "OPEN" ? 100 : 0;
    const moving = textOf(state.moving, 16);
    if (moving !== null)
      patch.moving =
        moving === "UP" || moving === "OPEN"
          ? "opening"
          : moving === "DOWN" || moving === "CLOSE"
            ? "closing"
            : "stopped";
  }

  /** Something was pressed, turned or shaken. If retained, it was in the past. */
  pressed(action: string, { at, retained }: { readonly at: number; readonly retained: boolean }): Effect[] {
    if (retained || action === "" || action === "None") return [];
    const isSame = this.#press !== null && this.#press.action === action && at - this.#press.at < SAME_PRESS_MS;
    this.#press = { action, at };
    if (isSame) return [];
    const [, number = "", rest = action] = /^(\d{1,2})_(.+)$/.exec(action) ?? [];
    const channel = number === "" || number === "1" ? "" : number;
    const kind = `button${channel}.${
      PRESSES.get(rest) ??
      rest
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "_")
        .slice(0, 40)
    }`;
    return [
      {
        do: "event",
        key: this.info.key,
        kind,
        title: `${this.info.friendlyName}: ${action.replaceAll("_", " ")}`,
        body: "",
      },
    ];
  }

  /** Takes its availability topic. */
  set available(online: boolean) {
    this.#available = online;
  }

  /** Changes of its presence, by its own topic, by its bridge, or because it has just spoken. */
  presence(bridgeOnline: boolean | null, hasSpoken: boolean): Effect[] {
    const own = this.#available ?? (hasSpoken ? true : this.info.isBattery ? null : bridgeOnline);
    const online = bridgeOnline === false && !hasSpoken ? false : own;
    if (online === null || online === this.#reportedOnline) return [];
    this.#reportedOnline = online;
    return [{ do: "availability", key: this.info.key, online }];
  }

  /** Translates a command; `topic` is its `/set`. */
  command(command: JsonObject, topic: string): Translation {
    const asked = this.#question(command);
    if (asked !== null)
      return typeof asked === "string"
        ? { unsupported: asked }
        : { publish: [{ topic: topic.replace(/set$/, "get"), payload: JSON.stringify(asked) }], expects: null };
    if (this.#isOwn(command)) {
      const publish = [{ topic, payload: JSON.stringify(command) }];
      const isUpkeep = Object.keys(command).some((key) => RAW.has(key));
      return { publish, expects: null, ...(isUpkeep ? { isUpkeep } : {}) };
    }
    const parted =
      this.known.outputs === 0
        ? { outputs: new Map<number, boolean>(), channel: null, rest: command }
        : switching(command, this.known.outputs);
    if ("unsupported" in parted) return parted;
    const payload: JsonObject = {};
    const expects: JsonObject = {};
    const powers = this.known.capabilities.filter(({ base }) => base === "power");
    for (const [number, on] of parted.outputs) {
      const power = powers[number - 1];
      const value = power?.write?.(on);
      if (power === undefined || value === undefined) return { unsupported: "the device cannot be switched" };
      payload[power.property] = value;
      expects[power.word] = on;
    }
    const isOff = [...parted.outputs.values()].every((on) => !on) && parted.outputs.size > 0;
    for (const [key, value] of Object.entries(parted.rest)) {
      const refusal = this.#add({ payload, expects }, { key, value, channel: parted.channel, isOff });
      if (refusal !== null) return { unsupported: refusal };
    }
    if (Object.keys(payload).length === 0) return { unsupported: "the command says nothing that the device knows" };
    return {
      publish: [{ topic, payload: JSON.stringify(payload) }],
      expects: Object.keys(expects).length > 0 ? expects : null,
    };
  }

  /**
   * What a command asks the device for: `{"refresh":true}` for every readable value, `{"get":{"state":""}}` unchanged.
   * Null if it asks for nothing; a text is the reason for refusal.
   */
  #question(command: JsonObject): JsonObject | string | null {
    const { get, refresh, ...rest } = command;
    if (Object.keys(rest).length > 0 || (get === undefined && refresh !== true)) return null;
    if (get !== undefined)
      return isJsonObject(get) && Object.keys(get).length > 0 ? get : "get takes the names of what is asked for";
    const names = this.known.capabilities.filter(({ canAsk }) => canAsk).map(({ property }) => property);
    return names.length === 0
      ? "the device cannot be asked, it tells by itself"
      : Object.fromEntries(names.map((name) => [name, ""]));
  }

  /** Whether every key is Zigbee2MQTT's, and at least one only its: the command is in its words. */
  #isOwn(command: JsonObject): boolean {
    const keys = Object.keys(command);
    const properties = new Set(
      this.known.capabilities.filter(({ write }) => write !== null).map(({ property }) => property),
    );
    const words = new Set(this.known.capabilities.map(({ word }) => word));
    const isTheirs = (key: string): boolean => properties.has(key) || EXTRAS.has(key);
    const isOnlyTheirs = (key: string): boolean =>
      isTheirs(key) && !words.has(key) && key !== "transition" && key !== "power";
    const speaksTheirs = isJsonObject(command.color) || keys.some(isOnlyTheirs);
    return keys.length > 0 && speaksTheirs && keys.every(isTheirs);
  }

  #add(
    into: { payload: JsonObject; expects: JsonObject },
    one: { key: string; value: unknown; channel: number | null; isOff: boolean },
  ): string | null {
    const { key, value, channel, isOff } = one;
    if (key === "transition" && numberOf(value) !== null) {
      into.payload.transition = numberOf(value);
      return null;
    }
    if (["open", "close", "stop"].includes(key) && this.#mover) return this.#moved(into, key, value);
    if (key === "toggle" && booleanOf(value) === true) {
      const power = this.known.capabilities.filter(({ base }) => base === "power")[(channel ?? 1) - 1];
      if (power) into.payload[power.property] = "TOGGLE";
      return power ? null : "the device cannot be switched";
    }
    if (key === "scene") {
      const id = this.#scene(value);
      if (id !== undefined) {
        into.payload.scene_recall = id;
        return null;
      }
      if (!this.known.capabilities.some(({ word }) => word === "scene"))
        return "the device holds no scene of that name";
    }
    const capability =
      this.known.capabilities.find(({ word }) => word === (channel === null ? key : `${key}${channel}`)) ??
      this.known.capabilities.find(({ word }) => word === key);
    const raw = this.known.capabilities.find(({ property, write }) => property === key && write !== null);
    if (capability?.write) return this.#set(into, capability, { value, isOff });
    if (raw === undefined && key === "position" && this.#mover && (value === 0 || value === 100))
      return this.#moved(into, value === 100 ? "open" : "close", true);
    if (raw === undefined) return `the device knows no ${key.slice(0, 40)}`;
    into.payload[key] = value;
    return null;
  }

  #set(
    { payload, expects }: { payload: JsonObject; expects: JsonObject },
    capability: Capability,
    { value, isOff }: { value: unknown; isOff: boolean },
  ): string | null {
    const written = capability.write?.(value);
    if (written === undefined) return `${capability.word} does not take ${JSON.stringify(value)?.slice(0, 40)}`;
    if (isOff && capability.base === "brightness") return null; // off is off, however bright it would be
    payload[capability.property] = written;
    if (["brightness", "position", "tilt", "locked", "target", "mode", "speed"].includes(capability.base))
      expects[capability.word] = reported(capability.base, value);
    return null;
  }

  #moved({ payload }: { payload: JsonObject }, key: string, value: unknown): string | null {
    const wanted = booleanOf(value);
    const word = key === "stop" ? "stopped" : (key === "open") === wanted ? "opening" : "closing";
    const written = wanted === null || (key === "stop" && !wanted) ? undefined : this.#mover?.write?.(word);
    if (written === undefined || !this.#mover) return `${key} takes true`;
    payload[this.#mover.property] = written;
    return null;
  }

  #scene(name: unknown): number | undefined {
    const wanted = textOf(name, 120)?.toLowerCase();
    for (const [scene, id] of this.info.scenes) if (scene.toLowerCase() === wanted) return id;
    return undefined;
  }
}

/** A value in the form of the state once it is reported: a number or a boolean may have come as text. */
function reported(base: string, value: unknown): unknown {
  if (base === "mode") return value;
  return (base === "locked" ? booleanOf(value) : numberOf(value)) ?? value;
}
