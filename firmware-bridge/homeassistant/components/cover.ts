/** Covers and valves: open, close, stop, a position, a tilt. */
import { isJsonObject, type JsonObject } from "../../../src/core/kernel/json-object.ts";
import type { Outgoing } from "../../family.ts";
import { booleanOf, clamp, numberOf, rounded } from "../../json-values.ts";
import {
  type Carried,
  type Component,
  carried,
  component,
  type DecodedValue,
  type Input,
  input,
  type Naming,
  Sender,
  says,
  stateWord,
} from "../component.ts";
import type { Config } from "../config.ts";

/** Device classes that give entry: their controls ask for confirmation. */
const GATES: ReadonlySet<string> = new Set(["gate", "garage", "garage_door", "door"]);

interface Scale {
  readonly closed: number;
  readonly open: number;
}

/** A cover. */
export function cover(naming: Naming, config: Config): Component {
  const scale: Scale = { closed: config.number("position_closed") ?? 0, open: config.number("position_open") ?? 100 };
  const tilt: Scale = {
    closed: config.number("tilt_closed_value") ?? 0,
    open: config.number("tilt_opened_value") ?? 100,
  };
  const tellsPosition = config.has("position_topic");
  const inputs = [
    ...input(config, { topic: "state_topic", template: "value_template" }, ({ text }) =>
      movement(text, config, !tellsPosition),
    ),
    ...input(config, { topic: "position_topic", template: "position_template" }, ({ text, value }) =>
      positionIn(isJsonObject(value) ? value.position : text, scale, "position"),
    ),
    ...input(config, { topic: "tilt_status_topic", template: "tilt_status_template" }, ({ text }) =>
      positionIn(text, tilt, "tilt"),
    ),
  ];
  return moving(naming, config, {
    inputs,
    scale,
    tilt,
    tellsPosition,
    setTopic: "set_position_topic",
    setTemplate: "set_position_template",
  });
}

/** A valve: like a cover without tilt; one that reports its position takes it on its command topic. */
export function valve(naming: Naming, config: Config): Component {
  const scale: Scale = { closed: config.number("position_closed") ?? 0, open: config.number("position_open") ?? 100 };
  const reports = config.flag("reports_position") === true;
  const inputs = input(
    config,
    { topic: "state_topic", template: "value_template" },
    ({ text, value }, received): DecodedValue[] => {
      const json = isJsonObject(value) ? value : received.json;
      if (isJsonObject(json))
        return [
          ...movement(String(json.state ?? ""), config, !reports),
          ...positionIn(json.position, scale, "position"),
        ];
      return reports && numberOf(text) !== null
        ? positionIn(text, scale, "position")
        : movement(text, config, !reports);
    },
  );
  const names = reports
    ? { setTopic: "command_topic", setTemplate: "command_template" }
    : { setTopic: "none", setTemplate: "none" };
  return moving(naming, config, { inputs, scale, tilt: scale, tellsPosition: reports, ...names });
}

interface Parts {
  readonly inputs: readonly Input[];
  readonly scale: Scale;
  readonly tilt: Scale;
  readonly tellsPosition: boolean;
  readonly setTopic: string;
  readonly setTemplate: string;
}

function moving(naming: Naming, config: Config, parts: Parts): Component {
  const sender = new Sender(config);
  const sendPosition = sender.to(parts.setTopic, parts.setTemplate);
  const sendWord = parts.setTopic === "command_topic" ? null : sender.to("command_topic", "command_template");
  const sendTilt = sender.to("tilt_command_topic", "tilt_command_template");
  const variables = {
    position_open: parts.scale.open,
    position_closed: parts.scale.closed,
    tilt_min: config.number("tilt_min") ?? 0,
    tilt_max: config.number("tilt_max") ?? 100,
  };
  const payloads = {
    open: config.optionalPayload("payload_open", "OPEN"),
    close: config.optionalPayload("payload_close", "CLOSE"),
    stop: config.optionalPayload("payload_stop", "STOP"),
  };
  const canStop =
    payloads.stop !== null && (sendWord !== null || (config.has("payload_stop") && sendPosition !== null));
  const expects = (wanted: number): JsonObject | null =>
    parts.inputs.length > 0 && parts.tellsPosition ? { position: wanted } : null;
  const move = (wanted: number): Carried => {
    const word = wanted === 100 ? payloads.open : wanted === 0 ? payloads.close : null;
    if (sendWord && word !== null) return carried([sendWord(word)], expects(wanted));
    if (!sendPosition) return { unsupported: "the device knows only open and closed" };
    const value = unscaled(wanted, parts.scale);
    return carried([sendPosition(value, { position: value, ...variables })], expects(wanted));
  };
  const command = (values: JsonObject): Carried => {
    const wish = wishOf(values);
    if (typeof wish === "string") return { unsupported: wish };
    const publish: Outgoing[] = [];
    if (wish.tilt !== null) {
      const value = unscaled(wish.tilt, parts.tilt);
      const message = sendTilt?.(value, { tilt_position: value, position: value, ...variables }) ?? null;
      if (message === null) return { unsupported: "the device cannot tilt" };
      publish.push(message);
    }
    if (wish.stop) return carried([...publish, stopMessage(payloads.stop, sendWord ?? sendPosition)], null);
    if (wish.position === null)
      return { publish, expects: config.has("tilt_status_topic") ? { tilt: wish.tilt } : null };
    const moved = move(wish.position);
    return "unsupported" in moved ? moved : { publish: [...publish, ...moved.publish], expects: moved.expects };
  };
  const hasTilt = sendTilt !== null;
  const words = ["position", "moving", ...(hasTilt || config.has("tilt_status_topic") ? ["tilt"] : [])];
  const whole = { type: "integer", minimum: 0, maximum: 100 };
  const isGate = GATES.has(config.text("device_class") ?? "");
  return component(naming, {
    words: words.map((word) => stateWord(word, naming.own)),
    inputs: parts.inputs,
    takes: {
      ...(sendPosition ? { position: whole } : { position: { enum: [0, 100] } }),
      ...(canStop ? { stop: { enum: [true], title: "Stop" } } : {}),
      ...(hasTilt ? { tilt: whole } : {}),
    },
    alsoTakes: ["open", "close"],
    rawTopic: config.topic("command_topic"),
    suggests: naming.platform === "valve" ? "valve" : isGate ? "gate" : "cover",
    command,
  });
}

function stopMessage(payload: string | null, send: ((value: string) => Outgoing | null) | null): Outgoing | null {
  return payload === null ? null : (send?.(payload) ?? null);
}

interface CoverWish {
  readonly position: number | null;
  readonly tilt: number | null;
  readonly stop: boolean;
}

/** Reads `position`, `open`, `close`, `stop`, `tilt`; a text result is the reason for refusal. */
function wishOf(values: JsonObject): CoverWish | string {
  let position: number | null = null;
  let tilt: number | null = null;
  let stop = false;
  for (const [key, value] of Object.entries(values)) {
    const number = numberOf(value);
    const flag = booleanOf(value);
    if (key === "position" || key === "tilt") {
      if (number === null || number < 0 || number > 100) return `${key} takes a number from 0 to 100`;
      if (key === "tilt") tilt = Math.round(number);
      else position = Math.round(number);
    } else if (flag === null) return `${key} takes true or false`;
    else if (key === "open") position = flag ? 100 : 0;
    else if (key === "close") position = flag ? 0 : 100;
    else if (key === "stop") {
      if (!flag) return "stop takes true";
      stop = true;
    }
  }
  return position === null && tilt === null && !stop
    ? "the command says nothing that the device knows"
    : { position, tilt, stop };
}

function unscaled(percent: number, { closed, open }: Scale): number {
  return rounded(closed + (percent / 100) * (open - closed));
}

function positionIn(value: unknown, { closed, open }: Scale, word: string): DecodedValue[] {
  const number = numberOf(value);
  if (number === null || open === closed) return [];
  return [{ word, value: rounded(clamp(((number - closed) / (open - closed)) * 100, 0, 100)) }];
}

function movement(text: string, config: Config, givesPosition: boolean): DecodedValue[] {
  const is = (name: string, otherwise: string): boolean => says(text, config.payload(name, otherwise));
  if (is("state_opening", "opening")) return [{ word: "moving", value: "opening" }];
  if (is("state_closing", "closing")) return [{ word: "moving", value: "closing" }];
  const still: DecodedValue = { word: "moving", value: "stopped" };
  if (is("state_open", "open")) return givesPosition ? [still, { word: "position", value: 100 }] : [still];
  if (is("state_closed", "closed")) return givesPosition ? [still, { word: "position", value: 0 }] : [still];
  return is("state_stopped", "stopped") ? [still] : [];
}
