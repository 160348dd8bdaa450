/**
 * Events: event components, triggers of device automations, tags. A retained one happened in the past and is not
 * reported again.
 */

import { isJsonObject } from "../../../src/core/kernel/json-object.ts";
import { camelCase, textOf } from "../../json-values.ts";
import { type Component, component, type DecodedValue, input, type Naming } from "../component.ts";
import type { Config } from "../config.ts";

const PRESSES: ReadonlyMap<string, string> = new Map([
  ["press", "single"],
  ["pressed", "single"],
  ["click", "single"],
  ["single_press", "single"],
  ["short_press", "single"],
  ["button_short_press", "single"],
  ["double_press", "double"],
  ["button_double_press", "double"],
  ["multi_press_2", "double"],
  ["triple_press", "triple"],
  ["button_triple_press", "triple"],
  ["multi_press_3", "triple"],
  ["button_quadruple_press", "quadruple"],
  ["button_quintuple_press", "quintuple"],
  ["long_press", "long"],
  ["button_long_press", "long"],
  ["hold", "long"],
  ["button_long_release", "release"],
  ["button_short_release", "release"],
  ["long_release", "release"],
]);

/** `button.double`, `button2.long` … for button presses. */
function pressed(type: string, channel: string): string {
  return `button${channel}.${PRESSES.get(type) ?? plain(type)}`;
}

function plain(type: string): string {
  return (
    type
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replaceAll(/^_|_$/g, "")
      .slice(0, 40) || "event"
  );
}

/** Channel 1 has no number. */
function channelIn(name: string): string {
  const number = /(\d{1,2})$/.exec(name)?.[1];
  return number === undefined || number === "1" ? "" : String(Number(number));
}

/** An event component: its payload has `event_type`. */
export function event(naming: Naming, config: Config): Component {
  const deviceClass = config.text("device_class") ?? "";
  const known = new Set(config.list("event_types"));
  return component(naming, {
    inputs: input(
      config,
      { topic: "state_topic", template: "value_template" },
      ({ text, value }, received): readonly DecodedValue[] => {
        if (received.retained) return [];
        const json = isJsonObject(value) ? value : received.json;
        const type = isJsonObject(json) ? textOf(json.event_type, 64) : textOf(text, 64);
        if (type === null || (known.size > 0 && !known.has(type))) return [];
        const kind =
          deviceClass === "button"
            ? pressed(type, channelIn(naming.own))
            : `${deviceClass === "" ? naming.own : plain(deviceClass)}.${plain(type)}`;
        return [{ event: kind, title: `${naming.label}: ${type}` }];
      },
    ),
    suggests: "sensor",
  });
}

/** A trigger: its topic determines its payload. */
export function trigger(naming: Naming, config: Config): Component {
  const [type, subtype] = [config.text("type") ?? "action", config.text("subtype") ?? ""];
  const payload = config.has("payload") ? config.payload("payload", "") : null;
  const isPress = type.startsWith("button_") || type === "action" || type === "click";
  const kind = !isPress
    ? `${camelCase(subtype) ?? "trigger"}.${plain(type)}`
    : type === "action" || type === "click"
      ? pressed(subtype, "")
      : pressed(type, channelIn(subtype));
  const title = [subtype, type]
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll("_", " ");
  return component(naming, {
    inputs: input(
      config,
      { topic: "topic", template: "value_template" },
      ({ text }, received): readonly DecodedValue[] =>
        received.retained || (payload !== null && text !== payload) ? [] : [{ event: kind, title }],
    ),
    suggests: "sensor",
  });
}

/** A reader of tags. */
export function tag(naming: Naming, config: Config): Component {
  return component(naming, {
    inputs: input(
      config,
      { topic: "topic", template: "value_template" },
      ({ text }, received): readonly DecodedValue[] =>
        received.retained ? [] : [{ event: "tag.scanned", title: `Tag ${textOf(text, 64) ?? ""}` }],
    ),
    suggests: "sensor",
  });
}
