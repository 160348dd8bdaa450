import { csv } from "../../src/core/kernel/csv.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../src/core/kernel/json-object.ts";
import { nameKey, plainText } from "../../src/core/kernel/plain-text.ts";
import {
  changedKeys,
  isDeeperThan,
  mergePatch,
  mergeState,
  stateTooLarge,
  valuesOf,
  withValues,
} from "../../src/features/devices/rules/device-state.ts";
import {
  capabilitiesOf,
  DEVICE_TYPES,
  deviceType,
  isPersonsWord,
} from "../../src/features/devices/rules/device-types.ts";
import { vitalsOf } from "../../src/features/devices/rules/vitals.ts";
import { table } from "../support/recorded.ts";

const JSON_VALUES = [
  null,
  0,
  1,
  "",
  "a",
  true,
  [],
  [1],
  [1, 2],
  [{}],
  {},
  { a: 1 },
  { a: null },
  { a: { b: 1 } },
  { b: 1 },
  { a: 1, b: 2 },
  { b: 2, a: 1 },
];
const OBJECTS: JsonObject[] = JSON_VALUES.filter(isJsonObject);

const SCHEMA = {
  properties: {
    power: { type: "boolean" },
    nightLight: { type: "boolean", title: "Night light" },
    speed: { type: "integer", minimum: 1, maximum: 3 },
    target: { type: "number", minimum: 10, maximum: 30, multipleOf: 0.1, title: "Warmth" },
    mode: { enum: ["off", "eco_mode", 3] },
    "half-open": { type: "integer", minimum: 1 },
    other: { type: "integer", maximum: 1 },
    text: { type: "string" },
    many: { enum: Array.from({ length: 25 }, (_, n) => n) },
    most: { enum: Array.from({ length: 24 }, (_, n) => n) },
    open: { type: "boolean" },
    on: { type: "boolean" },
    ch: { type: "integer", minimum: 1, maximum: 4 },
    broken: 5,
  },
};
const STATES: JsonObject[] = [
  {},
  { power: true },
  { power: true, power2: false, power12: true, power123: true, power3: "on" },
  { power2: true },
  { position: 5, temperature: 20, humidity: null, mode: "eco", targetHumidity: 3, deep: {}, list: [], locked: true },
];

/** What a device of a type offers. */
const offers = (type: string, state: JsonObject, commandSchema: JsonObject | null) =>
  capabilitiesOf({ type, state, metrics: ["watts"], commandSchema });

/** The tables of devices and their states. */
export async function deviceTables(): Promise<Record<string, Record<string, unknown>>> {
  const nested = (depth: number): unknown =>
    depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
  const keys = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
  const vitals = [
    "battery",
    "batteryPercent",
    "battery_level",
    "batteryLevel",
    "signal",
    "linkquality",
    "lqi",
    "rssi",
    "wifiRssi",
    "other",
  ];
  const properties = (count: number) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: "boolean" }])),
  });
  return {
    objects: table(JSON_VALUES, (value) => isJsonObject(value)),
    merged: table(JSON_VALUES, (target) => JSON_VALUES.map((patch) => mergePatch(target, patch))),
    same: table(JSON_VALUES, (a) => JSON_VALUES.map((b) => Number(sameJson(a, b))).join("")),
    changed: table(OBJECTS, (before) =>
      OBJECTS.map((after) => [changedKeys(before, after).join(), mergeState(before, after)]),
    ),
    unchanged: { "the very same": OBJECTS.map((state) => mergeState(state, { ...state }).state === state) },
    prototypes: {
      merged: Object.keys(
        mergePatch(
          JSON.parse('{"__proto__":1,"b":2}'),
          JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":1,"c":2}}'),
        ) as object,
      ),
      inside: mergePatch({}, JSON.parse('{"a":{"__proto__":1,"c":2}}')),
    },
    values: table(OBJECTS, (state) => [
      valuesOf(state, ["a", "toString"]),
      withValues(state, { a: 3, b: null, c: { d: null } }),
    ]),
    depths: table([0, 1, 2, 3], (depth) => [0, 1, 2, 3].map((limit) => isDeeperThan(nested(depth), limit))),
    limits: table([511, 512, 513, 32_768, 32_769], (size) =>
      size < 1_000
        ? stateTooLarge(keys(size), "")
        : [stateTooLarge({}, "x".repeat(size)), stateTooLarge({}, `é${"x".repeat(size - 2)}`)],
    ),
    vitals: table(vitals, (key) =>
      [-101, -100, -75.4, -50, -1, 0, 0.4, 50, 100, 100.6, 101, 255, 256, Number.NaN, "50", null]
        .map((value) => {
          const { battery = "", signal = "" } = vitalsOf({ [key]: value });
          return `${battery}/${signal}`;
        })
        .join(" "),
    ),
    "vitals of several": {
      first: vitalsOf({ batteryLevel: 3, battery: 101, batteryPercent: 7, rssi: -80, linkquality: 51 }),
      none: vitalsOf({}),
    },
    types: table([...DEVICE_TYPES.map(({ type }) => type), "garage-door", "door", "x"], (type) => [
      deviceType(type),
      isPersonsWord(type),
    ]),
    "what devices offer": table(
      ["home-hub", "fan", "gate", "thermostat", "sensor", "x"].flatMap((type) =>
        STATES.map((state, n) => [type, n, state] as const),
      ),
      ([type, , state]) => offers(type, state, null),
      ([type, n]) => `${type} ${n}`,
    ),
    "what their schemas add": {
      ...table(
        ["home-hub", "fan", "gate", "thermostat", "light", "x"],
        (type) => offers(type, STATES[2] ?? {}, SCHEMA).controls,
      ),
      none: [{}, { properties: 5 }].map((schema) => offers("x", {}, schema).controls),
      most: [24, 25].map((count) => offers("x", {}, properties(count)).controls.length),
      "most readings": [24, 25].map((count) => offers("x", keys(count), null).readings.length),
    },
    texts: table(["", " ", "a", " ab ", "abc", "abcd", "ééé", "😀😀😀", "😀😀😀😀", "a\u0007", "\tab\n"], (text) => [
      table([0, 1, 2], (min) => plainText(text, { field: "/name", min, max: 3 })),
      nameKey(text),
    ]),
    names: table(["É", "E\u0301", "MÜLLER"], nameKey),
    csv: table(
      [null, 0, -1.5, true, "", "a", "a,b", 'a"b', "a\nb", "a\rb", "=1", "+1", "-1", "@x", "\tx", "\rx", "\nx", " =1"],
      (cell) => csv([[cell, "x"], []]),
    ),
  };
}
