/** Machines that move about: vacuum cleaners and lawn mowers. `{"start":true}`, `{"pause":true}`, `{"dock":true}` … */
import { isJsonObject, type JsonObject } from "../../../src/core/kernel/json-object.ts";
import type { Outgoing } from "../../family.ts";
import { booleanOf, numberOf, textOf } from "../../json-values.ts";
import {
  type Carried,
  type Component,
  carried,
  component,
  type DecodedValue,
  input,
  type Naming,
  Sender,
  stateWord,
} from "../component.ts";
import type { Config } from "../config.ts";

const ACTIONS: readonly (readonly [word: string, payload: string, otherwise: string, feature: string])[] = [
  ["start", "payload_start", "start", "start"],
  ["pause", "payload_pause", "pause", "pause"],
  ["stop", "payload_stop", "stop", "stop"],
  ["dock", "payload_return_to_base", "return_to_base", "return_home"],
  ["cleanSpot", "payload_clean_spot", "clean_spot", "clean_spot"],
  ["locate", "payload_locate", "locate", "locate"],
];
/** What a vacuum cleaner can do unless it declares otherwise (Home Assistant's default). */
const USUAL: readonly string[] = ["start", "stop", "return_home", "status", "battery", "clean_spot"];

/** A vacuum cleaner. */
export function vacuum(naming: Naming, config: Config): Component {
  const features = config.has("supported_features") ? config.list("supported_features") : USUAL;
  const speeds = config.list("fan_speed_list");
  const sender = new Sender(config);
  const [send, sendSpeed, sendOwn] = [
    sender.to("command_topic", "none"),
    sender.to("set_fan_speed_topic", "none"),
    sender.to("send_command_topic", "none"),
  ];
  const actions = send ? ACTIONS.filter(([, , , feature]) => features.includes(feature)) : [];
  const inputs = input(
    config,
    { topic: "state_topic", template: "value_template" },
    ({ value }, received): DecodedValue[] => {
      const state = isJsonObject(value) ? value : received.json;
      if (!isJsonObject(state)) return [];
      const values: DecodedValue[] = [];
      const battery = numberOf(state.battery_level);
      if (state.state !== undefined) values.push({ word: "activity", value: textOf(state.state, 32) });
      if (battery !== null) values.push({ word: "battery", value: battery });
      if (state.fan_speed !== undefined) values.push({ word: "fanSpeed", value: textOf(state.fan_speed, 32) });
      return values;
    },
  );
  const command = (values: JsonObject): Carried => {
    const publish: (Outgoing | null)[] = [];
    for (const [key, value] of Object.entries(values)) {
      const action = actions.find(([word]) => word === key);
      if (action && booleanOf(value) === true) publish.push(send?.(config.payload(action[1], action[2])) ?? null);
      else if (key === "fanSpeed" && typeof value === "string" && speeds.includes(value))
        publish.push(sendSpeed?.(value) ?? null);
      else if (key === "send" && (typeof value === "string" || isJsonObject(value)))
        publish.push(sendOwn?.(typeof value === "string" ? value : JSON.stringify(value)) ?? null);
      else return { unsupported: `${key} takes ${key === "fanSpeed" ? `one of ${speeds.join(", ")}` : "true"}` };
    }
    return carried(publish, null);
  };
  return component(naming, {
    words: [
      stateWord("activity", naming.own),
      stateWord("fanSpeed", `${naming.own}FanSpeed`),
      { name: "battery", kind: "metric", own: `${naming.own}Battery` },
    ],
    inputs,
    takes: {
      ...Object.fromEntries(actions.map(([word]) => [word, { enum: [true] }])),
      ...(sendSpeed && speeds.length > 0 ? { fanSpeed: { type: "string", enum: speeds } } : {}),
    },
    alsoTakes: sendOwn ? ["send"] : [],
    rawTopic: config.topic("command_topic"),
    suggests: "vacuum",
    command,
  });
}

/** A lawn mower. */
export function lawnMower(naming: Naming, config: Config): Component {
  const sender = new Sender(config);
  const sends = new Map<string, () => Outgoing | null>(
    [
      ["start", "start_mowing", "start_mowing"] as const,
      ["pause", "pause", "pause"] as const,
      ["dock", "dock", "dock"] as const,
    ].flatMap(([word, name, payload]) => {
      const send = sender.to(`${name}_command_topic`, `${name}_command_template`);
      return send ? [[word, () => send(payload)] as const] : [];
    }),
  );
  return component(naming, {
    words: [stateWord("activity", naming.own)],
    inputs: input(config, { topic: "activity_state_topic", template: "activity_value_template" }, ({ text }) => [
      { word: "activity", value: textOf(text, 32) },
    ]),
    takes: Object.fromEntries([...sends.keys()].map((word) => [word, { enum: [true] }])),
    suggests: "lawn-mower",
    command: (values): Carried => {
      const [key = "", value] = Object.entries(values)[0] ?? [];
      const send = sends.get(key);
      return send && booleanOf(value) === true ? carried([send()], null) : { unsupported: `${key} takes true` };
    },
  });
}
