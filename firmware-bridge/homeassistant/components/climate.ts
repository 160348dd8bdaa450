/** Thermostats, water heaters and humidifiers: a target, a mode and further choices. */
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import type { Outgoing } from "../../family.ts";
import { booleanOf, numberOf, textOf } from "../../json-values.ts";
import { inUnit } from "../../units.ts";
import {
  type Carried,
  type Component,
  carried,
  component,
  type Input,
  input,
  type Naming,
  Sender,
  says,
  stateWord,
  type Word,
} from "../component.ts";
import type { Config } from "../config.ts";
import { celsius } from "./setting.ts";

type Send = (value: string | number) => Outgoing | null;

/** One thing that can be set: its word, where it is reported, where it is sent. */
interface Setting {
  readonly word: string;
  /** Prefix of its topics' and templates' names: `temperature` of `temperature_command_topic`. */
  readonly name: string;
  readonly kind: "temperature" | "number" | "choice" | "flag";
  /** Choices of a choice. */
  readonly options?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  readonly step?: number;
}

/** A thermostat. Without its own modes it has Home Assistant's. */
export function climate(naming: Naming, config: Config): Component {
  const modes = config.has("modes") ? config.list("modes") : ["auto", "off", "cool", "heat", "dry", "fan_only"];
  return thermostat(naming, config, { modes, coldest: 5, warmest: 35 });
}

/**
 * A water heater: a thermostat with other modes and warmer water, by default from 110 to 140 °F. Source:
 * https://developers.home-assistant.io/docs/entity_water_heater.
 */
export function waterHeater(naming: Naming, config: Config): Component {
  const modes = config.has("modes")
    ? config.list("modes")
    : ["off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance"];
  return thermostat(naming, config, { modes, coldest: 43.3, warmest: 60 });
}

function unitOf(config: Config): string {
  return config.text("temperature_unit") === "F" ? "°F" : "°C";
}

interface Defaults {
  readonly modes: readonly string[];
  /** °C. */
  readonly coldest: number;
  readonly warmest: number;
}

function thermostat(naming: Naming, config: Config, { modes, coldest, warmest }: Defaults): Component {
  const unit = unitOf(config);
  const degreesOf = (name: string): number | null => celsius(String(config.number(name) ?? ""), unit);
  const [given, highest] = [degreesOf("min_temp"), degreesOf("max_temp")];
  const least = given ?? Math.min(coldest, highest ?? coldest);
  const most = highest ?? Math.max(warmest, least);
  const degrees = { least, most, step: config.number("temp_step") ?? config.number("step") ?? 0.5 };
  const settings: Setting[] = [
    { word: "target", name: "temperature", kind: "temperature", ...degrees },
    { word: "targetHigh", name: "temperature_high", kind: "temperature", ...degrees },
    { word: "targetLow", name: "temperature_low", kind: "temperature", ...degrees },
    { word: "mode", name: "mode", kind: "choice", options: modes },
    {
      word: "fanMode",
      name: "fan_mode",
      kind: "choice",
      options: config.has("fan_modes") ? config.list("fan_modes") : ["auto", "low", "medium", "high"],
    },
    {
      word: "swing",
      name: "swing_mode",
      kind: "choice",
      options: config.has("swing_modes") ? config.list("swing_modes") : ["on", "off"],
    },
    { word: "preset", name: "preset_mode", kind: "choice", options: config.list("preset_modes") },
    {
      word: "targetHumidity",
      name: "target_humidity",
      kind: "number",
      least: config.number("min_humidity") ?? 30,
      most: config.number("max_humidity") ?? 99,
      step: 1,
    },
    { word: "power", name: "power", kind: "flag" },
  ];
  return controlled(naming, config, {
    settings,
    suggests: "thermostat",
    isOutput: false,
    canSwitchByMode: modes.includes("off"),
  });
}

/** A humidifier or dehumidifier. */
export function humidifier(naming: Naming, config: Config): Component {
  const settings: Setting[] = [
    {
      word: "targetHumidity",
      name: "target_humidity",
      kind: "number",
      least: config.number("min_humidity") ?? 0,
      most: config.number("max_humidity") ?? 100,
      step: 1,
    },
    { word: "mode", name: "mode", kind: "choice", options: config.list("modes") },
    { word: "power", name: "", kind: "flag" },
  ];
  return controlled(naming, config, {
    settings,
    suggests: config.text("device_class") ?? "humidifier",
    isOutput: true,
    canSwitchByMode: false,
  });
}

interface Control {
  readonly settings: readonly Setting[];
  readonly suggests: string;
  readonly isOutput: boolean;
  /** `power: false` can be expressed as `mode: off`. */
  readonly canSwitchByMode: boolean;
}

function named(setting: Setting, rest: string): string {
  return setting.name === "" ? rest : `${setting.name}_${rest}`;
}

function controlled(naming: Naming, config: Config, control: Control): Component {
  const { settings, canSwitchByMode } = control;
  const sender = new Sender(config);
  const sends = new Map<string, { setting: Setting; send: Send }>();
  for (const setting of settings) {
    const send = sender.to(named(setting, "command_topic"), named(setting, "command_template"));
    if (send) sends.set(setting.word, { setting, send });
  }
  const shown = settings.filter((setting) => sends.has(setting.word) || config.has(named(setting, "state_topic")));
  const words: Word[] = [...shown.map(({ word }) => stateWord(word, naming.own))];
  const more = moreInputs(config, words, naming);
  const byMode = canSwitchByMode && sends.has("mode") && !sends.has("power");
  const command = (values: JsonObject): Carried => {
    const publish: (Outgoing | null)[] = [];
    const expects: JsonObject = {};
    for (const [key, value] of Object.entries(values)) {
      const isOffByMode = key === "power" && byMode;
      if (isOffByMode && booleanOf(value) !== false) return { unsupported: "a mode says how it is to run" };
      const found = sends.get(isOffByMode ? "mode" : key);
      if (found === undefined) return { unsupported: `the device knows no ${key}` };
      const payload = payloadOf(found.setting, isOffByMode ? "off" : value, config);
      if (payload === null) return { unsupported: refusal(found.setting) };
      publish.push(found.send(payload));
      if (config.has(named(found.setting, "state_topic"))) expects[found.setting.word] = isOffByMode ? "off" : value;
    }
    return carried(publish, Object.keys(expects).length > 0 ? expects : null);
  };
  return component(naming, {
    isOutput: control.isOutput,
    words,
    inputs: [...shown.flatMap((setting) => inputOf(setting, config)), ...more],
    takes: Object.fromEntries([...sends.values()].map(({ setting }) => [setting.word, schemaOf(setting)])),
    alsoTakes: byMode ? ["power"] : [],
    rawTopic: config.topic(
      named(settings.find(({ word }) => word === "mode") ?? { word: "", name: "", kind: "flag" }, "command_topic"),
    ),
    suggests: control.suggests,
    command,
  });
}

function inputOf(setting: Setting, config: Config): Input[] {
  const isDefault = setting.name === "" && config.has("state_value_template");
  const template = isDefault
    ? "state_value_template"
    : setting.name === ""
      ? "value_template"
      : named(setting, "state_template");
  return input(
    config,
    {
      topic: named(setting, "state_topic"),
      template: config.has(template) ? template : named(setting, "value_template"),
    },
    ({ text }) => {
      if (setting.kind === "temperature") return [{ word: setting.word, value: celsius(text, unitOf(config)) }];
      if (setting.kind === "number") return [{ word: setting.word, value: numberOf(text) }];
      if (setting.kind === "choice") return [{ word: setting.word, value: text === "None" ? null : textOf(text, 64) }];
      const on = says(text, config.payload("payload_on", "ON"));
      return on || says(text, config.payload("payload_off", "OFF")) ? [{ word: setting.word, value: on }] : [];
    },
  );
}

/** Such a device's measurements and actions, besides its settings. */
function moreInputs(config: Config, words: Word[], naming: Naming): Input[] {
  const action = input(config, { topic: "action_topic", template: "action_template" }, ({ text }) => [
    { word: "runningState", value: textOf(text, 32) },
  ]);
  const temperature = input(
    config,
    { topic: "current_temperature_topic", template: "current_temperature_template" },
    ({ text }) => [{ word: "temperature", value: celsius(text, unitOf(config)) }],
  );
  const humidity = input(
    config,
    { topic: "current_humidity_topic", template: "current_humidity_template" },
    ({ text }) => [{ word: "humidity", value: numberOf(text) }],
  );
  if (action.length > 0) words.push(stateWord("runningState", naming.own));
  if (temperature.length > 0) words.push({ name: "temperature", kind: "metric", own: `${naming.own}Temperature` });
  if (humidity.length > 0) words.push({ name: "humidity", kind: "metric", own: `${naming.own}Humidity` });
  return [...action, ...temperature, ...humidity];
}

function payloadOf(setting: Setting, value: unknown, config: Config): string | number | null {
  const number = numberOf(value);
  if (setting.kind === "choice")
    return typeof value === "string" && (setting.options ?? []).includes(value) ? value : null;
  if (setting.kind === "flag") {
    const flag = booleanOf(value);
    return flag === null ? null : flag ? config.payload("payload_on", "ON") : config.payload("payload_off", "OFF");
  }
  if (number === null || number < (setting.least ?? number) || number > (setting.most ?? number)) return null;
  return setting.kind === "temperature" ? Math.round(inUnit(number, unitOf(config)) * 10) / 10 : number;
}

function refusal(setting: Setting): string {
  if (setting.kind === "choice") return `${setting.word} is one of ${(setting.options ?? []).join(", ")}`;
  return setting.kind === "flag"
    ? `${setting.word} takes true or false`
    : `${setting.word} takes a number from ${setting.least} to ${setting.most}`;
}

function schemaOf(setting: Setting): JsonObject {
  if (setting.kind === "choice") return { type: "string", enum: setting.options ?? [] };
  if (setting.kind === "flag") return { type: "boolean" };
  return { type: "number", minimum: setting.least, maximum: setting.most, multipleOf: setting.step ?? 1 };
}
