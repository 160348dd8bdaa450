/** Sensors, binary sensors, trackers: components that only report. */

import { booleanOf, numberOf, rounded, textOf } from "../../json-values.ts";
import { commonUnit, quantity } from "../../units.ts";
import { type Component, component, type DecodedValue, input, type Naming, says, stateWord } from "../component.ts";
import type { Config } from "../config.ts";
import { BINARY_WORDS, SENSOR_WORDS } from "./classes.ts";

const EMPTY_WORDS: ReadonlySet<string> = new Set(["none", "unknown", "unavailable", "nan", "null"]);
/** A total that starts over each day or month is not a meter. */
const PERIODIC = /(today|daily|yesterday|day|week|month|year|hour|session|period|last|tariff)/i;
const EXPORTED = /(export|return|feed|fed|inject|sell|sold)/i;
const COUNTING: ReadonlySet<string> = new Set(["total", "total_increasing"]);

/** A sensor: a measured number, a meter, or a text. */
export function sensor(naming: Naming, config: Config): Component {
  const deviceClass = config.text("device_class") ?? "";
  const unit = config.text("unit_of_measurement");
  const expiresSeconds = expiry(config);
  if (deviceClass === "energy" && commonUnit(unit) === "Wh") return meter(naming, config, unit);
  const word = wordOf(deviceClass, unit, naming);
  const isMeasured =
    unit !== null || config.has("state_class") || (SENSOR_WORDS.has(deviceClass) && deviceClass !== "enum");
  const names = { topic: "state_topic", template: "value_template" };
  const read = (text: string): unknown => (isMeasured ? measured(text, { unit, deviceClass }) : plain(text));
  return component(naming, {
    words: [{ name: word, kind: isMeasured ? "metric" : "state", own: naming.own }],
    inputs: input(config, names, ({ text }) => [
      { word, value: EMPTY_WORDS.has(text.toLowerCase()) ? null : read(text) },
    ]),
    expiresSeconds,
    suggests: ["power", "energy"].includes(deviceClass) ? "energy-meter" : "sensor",
  });
}

function wordOf(deviceClass: string, unit: string | null, naming: Naming): string {
  if (deviceClass === "signal_strength") return unit === "%" ? "signal" : "rssi";
  if (deviceClass === "") {
    if (unit === "lqi" || /^link_?quality$/i.test(naming.own)) return "linkquality";
    if (unit === "W" || unit === "kW") return "watts";
  }
  return SENSOR_WORDS.get(deviceClass) ?? naming.own;
}

function measured(text: string, { unit, deviceClass }: { unit: string | null; deviceClass: string }): number | null {
  const number = numberOf(text);
  if (number === null) return null;
  if (deviceClass === "power_factor") return unit === "%" || Math.abs(number) > 1 ? rounded(number / 100, 4) : number;
  return quantity(number, unit).value;
}

/** Numbers, natural booleans, and texts. */
function plain(text: string): unknown {
  const number = text.length <= 15 ? numberOf(text) : null;
  if (number !== null) return number;
  if (text === "True" || text === "False") return text === "True";
  return textOf(text, 255);
}

function meter(naming: Naming, config: Config, unit: string | null): Component {
  const isPeriodic = PERIODIC.test(naming.own) || !COUNTING.has(config.text("state_class") ?? "total");
  const names = { topic: "state_topic", template: "value_template" };
  if (isPeriodic) {
    const word = naming.own;
    const read = (text: string): number | null => {
      const number = numberOf(text);
      return number === null ? null : rounded(quantity(number, unit).value / 1000, 6);
    };
    return component(naming, {
      words: [{ name: word, kind: "metric", own: word }],
      inputs: input(config, names, ({ text }) => [{ word, value: read(text) }]),
      suggests: "energy-meter",
    });
  }
  const word = EXPORTED.test(naming.own) ? "kwhExported" : "kwh";
  const reset = config.template("last_reset_value_template");
  return component(naming, {
    words: [{ name: word, kind: "counter", own: naming.own }],
    inputs: input(config, names, ({ text }, received): readonly DecodedValue[] => {
      const number = numberOf(text);
      if (number === null || number < 0) return [];
      const epoch = reset === null ? null : (received.through(reset)?.text ?? null);
      return [{ word, wattHours: quantity(number, unit).value, epoch: epoch === null ? null : epoch.slice(0, 64) }];
    }),
    expiresSeconds: expiry(config),
    suggests: "energy-meter",
  });
}

/** A binary sensor. */
export function binarySensor(naming: Naming, config: Config): Component {
  const deviceClass = config.text("device_class") ?? "";
  const { word, inverted } = BINARY_WORDS.get(deviceClass) ?? { word: naming.own, inverted: false };
  const [on, off] = [config.payload("payload_on", "ON"), config.payload("payload_off", "OFF")];
  const delay = config.number("off_delay");
  return component(naming, {
    words: [stateWord(word, naming.own)],
    inputs: input(config, { topic: "state_topic", template: "value_template" }, ({ text }) => {
      const isOn = says(text, on)
        ? true
        : says(text, off)
          ? false
          : EMPTY_WORDS.has(text.toLowerCase())
            ? null
            : undefined;
      return isOn === undefined ? [] : [{ word, value: isOn === null ? null : isOn !== inverted }];
    }),
    expiresSeconds: expiry(config),
    offDelaySeconds: delay !== null && delay > 0 && delay <= 86_400 ? delay : null,
    suggests: "sensor",
  });
}

/** A device tracker: at home or not. */
export function deviceTracker(naming: Naming, config: Config): Component {
  const [home, away, reset] = [
    config.payload("payload_home", "home"),
    config.payload("payload_not_home", "not_home"),
    config.payload("payload_reset", "None"),
  ];
  const inputs = input(config, { topic: "state_topic", template: "value_template" }, ({ text }) => {
    if (text === reset) return [{ word: "present", value: null }];
    const present = says(text, home) ? true : says(text, away) ? false : null;
    return [
      { word: "present", value: present ?? false },
      { word: "location", value: present === null ? textOf(text, 80) : null },
    ];
  });
  return component(naming, {
    words: [stateWord("present", `${naming.own}Present`), stateWord("location", `${naming.own}Location`)],
    inputs,
    suggests: "sensor",
  });
}

/** An update: whether there is one, and the command to install it. */
export function update(naming: Naming, config: Config): Component {
  let installed: string | null = null;
  let latest: string | null = null;
  const isPlain = !config.has("value_template");
  const available = (): readonly DecodedValue[] =>
    installed === null || latest === null ? [] : [{ word: "updateAvailable", value: installed !== latest }];
  const inputs = [
    ...input(config, { topic: "state_topic", template: "value_template" }, ({ text }, received) => {
      const json = received.json;
      const isObjectState = isPlain && typeof json === "object" && json !== null;
      installed = isObjectState ? (versionIn(json, "installed_version") ?? installed) : textOf(text, 255);
      if (isObjectState) latest = versionIn(json, "latest_version") ?? latest;
      return available();
    }),
    ...input(config, { topic: "latest_version_topic", template: "latest_version_template" }, ({ text }) => {
      latest = textOf(text, 255);
      return available();
    }),
  ];
  const topic = config.topic("command_topic");
  const payload = config.payload("payload_install", "");
  const canInstall = topic !== null && payload !== "";
  return component(naming, {
    words: [stateWord("updateAvailable", `${naming.own}UpdateAvailable`)],
    inputs,
    alsoTakes: canInstall ? ["update"] : [],
    rawTopic: topic,
    command: ({ update: wanted }) =>
      canInstall && booleanOf(wanted) === true
        ? { publish: [{ topic, payload }], expects: null }
        : { unsupported: "update takes true" },
  });
}

function versionIn(json: unknown, key: string): string | null {
  return typeof json === "object" && json !== null && Object.hasOwn(json, key)
    ? textOf(Reflect.get(json, key), 255)
    : null;
}

/** Seconds after which a value is too old. */
function expiry(config: Config): number | null {
  const seconds = config.number("expire_after");
  return seconds !== null && seconds > 0 && seconds <= 31_536_000 ? seconds : null;
}
