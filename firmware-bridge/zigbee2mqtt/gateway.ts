/**
 * The gateway itself: Zigbee2MQTT as a device of the hub, with its health and its requests. Source:
 * https://www.zigbee2mqtt.io/guide/usage/mqtt_topics_and_messages.html.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import type { BridgedDevice, Effect, Translation } from "../family.ts";
import { booleanOf, hardwareAddress, member, numberOf, rounded, textOf } from "../json-values.ts";

/** Longest time for which joining can be permitted, in seconds: Zigbee's limit. */
const LONGEST_JOIN = 254;
const HEALTH_CHECK = "health_check";
const REQUEST = /^[a-z_]+(\/[a-z_]+){0,3}$/;

/** The gateway. Known once it has described itself. */
export class Gateway {
  readonly #base: string;
  #address: string | null = null;
  #version: string | null = null;
  #online: boolean | null = null;

  constructor(base: string) {
    this.#base = base;
  }

  /** Its key; null until its coordinator is known. */
  get key(): string | null {
    return this.#address === null ? null : `bridge-${this.#address}`;
  }

  get online(): boolean | null {
    return this.#online;
  }

  /** Restores it from before a restart. */
  restore(memo: JsonObject): void {
    this.#address = textOf(memo.coordinator, 32);
    this.#version = textOf(memo.version, 40);
  }

  forget(): void {
    this.#address = null;
  }

  /** The coordinator's address, from `bridge/info` or the list of devices. */
  coordinator(address: unknown): Effect[] {
    const known =
      hardwareAddress(address) ??
      textOf(address, 24)
        ?.toLowerCase()
        .replaceAll(/[^0-9a-z]/g, "") ??
      null;
    if (known === null || known === "" || known === this.#address) return [];
    this.#address = known;
    return [...this.#described(), ...this.#presence()];
  }

  /** Takes a message below `bridge/`; `rest` is the topic after that. */
  told(
    rest: string,
    payload: { readonly json: unknown; readonly text: string; readonly retained: boolean; readonly topic: string },
  ): Effect[] {
    const { json, text } = payload;
    if (rest === "state") {
      const status = textOf(member(json, "state") ?? text, 16);
      if (status !== "online" && status !== "offline") return [];
      this.#online = status === "online";
      return this.#presence();
    }
    if (rest === "info") return this.#info(json);
    if (rest === "health") return this.#health(json);
    if (rest === "event") return payload.retained ? [] : this.#event(json);
    if (rest.startsWith("response/"))
      return payload.retained ? [] : this.#answered(rest.slice("response/".length), json);
    if (rest === "logging") return this.#logged(json);
    return [];
  }

  #described(): Effect[] {
    const key = this.key;
    if (key === null) return [];
    const device: BridgedDevice = {
      key,
      name: "Zigbee2MQTT",
      type: "bridge",
      manufacturer: "Zigbee2MQTT",
      model: null,
      firmware: this.#version,
      metrics: ["memoryPercent", "mqttQueued", "responseMs"],
      commands: {
        type: "object",
        properties: {
          permitJoin: { type: "boolean", title: "Let new devices join" },
          restart: { enum: [true], title: "Restart" },
          healthCheck: { enum: [true], title: "Check" },
        },
      },
      hardware: [],
      reportSeconds: null,
      address: null,
      room: null,
      memo: { gateway: true, coordinator: this.#address, version: this.#version },
    };
    return [{ do: "device", device }];
  }

  #presence(): Effect[] {
    return this.key === null || this.#online === null
      ? []
      : [{ do: "availability", key: this.key, online: this.#online }];
  }

  #info(json: unknown): Effect[] {
    if (!isJsonObject(json)) return [];
    this.#version = textOf(json.version, 40);
    const found = this.coordinator(member(json.coordinator, "ieee_address"));
    const key = this.key;
    if (key === null) return [];
    const patch: JsonObject = {
      permitJoin: json.permit_join === true,
      restartRequired: json.restart_required === true,
    };
    const channel = numberOf(member(json.network, "channel"));
    if (channel !== null) patch.zigbeeChannel = channel;
    return [...(found.length > 0 ? found : this.#described()), { do: "state", key, patch }];
  }

  #health(json: unknown): Effect[] {
    const key = this.key;
    if (key === null) return [];
    const data: Record<string, number> = {};
    const note = (word: string, value: number | null): void => {
      if (value !== null) data[word] = rounded(value, 2);
    };
    note("memoryPercent", numberOf(member(member(json, "process"), "memory_percent")));
    note("mqttQueued", numberOf(member(member(json, "mqtt"), "queued")));
    const answer = numberOf(member(json, "response_time"));
    if (answer !== null && answer < 1e9) note("responseMs", answer);
    return Object.keys(data).length === 0 ? [] : [{ do: "telemetry", key, data, at: null }];
  }

  #event(json: unknown): Effect[] {
    const [key, type] = [this.key, textOf(member(json, "type"), 40)];
    if (key === null || type === null || !/^[a-z_]+$/.test(type)) return [];
    const data = member(json, "data");
    const name = textOf(member(data, "friendly_name")) ?? textOf(member(data, "ieee_address")) ?? "";
    const status = textOf(member(data, "status"), 40);
    return [
      { do: "event", key, kind: `zigbee.${type}`, title: `${type.replaceAll("_", " ")}: ${name}`, body: status ?? "" },
    ];
  }

  #answered(request: string, json: unknown): Effect[] {
    const key = this.key;
    if (key === null || !isJsonObject(json)) return [];
    if (json.status === "error")
      return [
        {
          do: "event",
          key,
          kind: "zigbee.request_failed",
          title: `${request} failed`,
          body: textOf(json.error, 400) ?? "",
        },
      ];
    const time =
      request === "permit_join" && json.status === "ok"
        ? (member(json.data, "time") ?? member(json.data, "value"))
        : undefined;
    return time === undefined
      ? []
      : [{ do: "state", key, patch: { permitJoin: time === true || (numberOf(time) ?? 0) > 0 } }];
  }

  /** Errors only: the rest is a log for reading, and long. */
  #logged(json: unknown): Effect[] {
    const key = this.key;
    const message = member(json, "level") === "error" ? textOf(member(json, "message"), 400) : null;
    return key === null || message === null ? [] : [{ do: "state", key, patch: { lastError: message } }];
  }

  /**
   * Commands: `permitJoin`, `restart`, `healthCheck`, `rename` {from,to}, `remove` (an id, or {id, block, force}); any
   * other of its requests as `{"request": "device/interview", "data": {…}}`.
   */
  command(command: JsonObject): Translation {
    const [[key = "", value] = [], ...more] = Object.entries(command);
    if (key === "request") return this.#request(value, member(command, "data"));
    if (more.length > 0) return { unsupported: "the gateway takes one thing at a time" };
    if (key === "permitJoin" || key === "permit_join") {
      const seconds =
        value === true ? LONGEST_JOIN : value === false ? 0 : (numberOf(value) ?? numberOf(member(value, "time")));
      if (seconds === null || seconds < 0 || seconds > LONGEST_JOIN)
        return { unsupported: `permitJoin takes true, false or seconds up to ${LONGEST_JOIN}` };
      const through = textOf(member(value, "device"));
      return this.#sent(
        "permit_join",
        { time: Math.round(seconds), ...(through === null ? {} : { device: through }) },
        { permitJoin: seconds > 0 },
      );
    }
    if (key === "restart" || key === "healthCheck")
      return booleanOf(value) === true
        ? this.#sent(key === "restart" ? "restart" : HEALTH_CHECK, null)
        : { unsupported: `${key} takes true` };
    if (key === "rename") {
      const [from, to] = [textOf(member(value, "from")), textOf(member(value, "to"))];
      if (from === null || to === null) return { unsupported: "rename takes from and to" };
      return this.#sent("device/rename", {
        from,
        to,
        homeassistant_rename: booleanOf(member(value, "homeassistant_rename")) ?? false,
      });
    }
    if (key === "remove") {
      const id = textOf(value) ?? textOf(member(value, "id"));
      if (id === null) return { unsupported: "remove takes the id of a device" };
      return this.#sent("device/remove", {
        id,
        block: booleanOf(member(value, "block")) ?? false,
        force: booleanOf(member(value, "force")) ?? false,
      });
    }
    return { unsupported: `the gateway knows no ${key.slice(0, 40)}` };
  }

  #request(name: unknown, data: unknown): Translation {
    if (typeof name !== "string" || !REQUEST.test(name))
      return { unsupported: "request names one of Zigbee2MQTT's requests" };
    return this.#sent(name, isJsonObject(data) || typeof data === "string" ? data : null);
  }

  #sent(request: string, data: JsonObject | string | null, expects: JsonObject | null = null): Translation {
    const payload = data === null ? "" : typeof data === "string" ? data : JSON.stringify(data);
    const publish = [{ topic: `${this.#base}/bridge/request/${request}`, payload }];
    return request === HEALTH_CHECK ? { publish, expects } : { publish, expects, isUpkeep: true };
  }
}
