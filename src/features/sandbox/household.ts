/**
 * The simulated household: one device of every type, its rooms, scenes, rules and the cars that come and go. One
 * description serves the test site of each account (in the hub's own process) and the demo (real MQTT clients).
 */
import type { HouseMode } from "../../core/api/house.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Model } from "./model.ts";
import { camera, energyMeter, sensor, sentinel, thermostat } from "./models/measuring.ts";
import { cover, gate, lock } from "./models/moving.ts";
import { dimmer, fan, homeHub, pump, simpleSwitch, smartPlug } from "./models/switching.ts";

/** One device of the household. */
export interface SimulatedDevice {
  /** Suffix of its id; the prefix names its household (`test-1-`, `demo-`). */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly room: string;
  readonly model: string;
  readonly firmware: string;
  readonly metrics: readonly string[];
  /** Properties of the JSON schema of its commands. */
  readonly commands: JsonObject;
  /** Seconds between two reports, for devices that sleep. */
  readonly interval?: number;
  /** Makes the living device from its saved state. */
  readonly make: (saved: JsonObject) => Model;
}

const BOOLEAN = { type: "boolean" } as const;

function whole(minimum: number, maximum: number): JsonObject {
  return { type: "integer", minimum, maximum };
}

/** Names of the scenes that run each day in the made-up past. */
export const EVENING_SCENE = "Evening";
export const NIGHT_SCENE = "Good night";

/** The devices, in the order in which they are created. */
export const DEVICES: readonly SimulatedDevice[] = [
  {
    key: "hub",
    name: "Living room hub",
    type: "home-hub",
    room: "Living room",
    model: "Relay hub 4",
    firmware: "2.4.1",
    metrics: ["uptime", "boardTemperature"],
    commands: {
      ch: whole(1, 4),
      on: BOOLEAN,
      relays: { type: "array", items: BOOLEAN, minItems: 4, maxItems: 4 },
      power: BOOLEAN,
      scene: { enum: ["all-on", "all-off", "evening"] },
    },
    make: homeHub,
  },
  {
    key: "plug",
    name: "Television plug",
    type: "smart-plug",
    room: "Living room",
    model: "Metering plug",
    firmware: "1.9.0",
    metrics: ["watts", "voltage", "kwh"],
    commands: { power: BOOLEAN },
    make: smartPlug,
  },
  {
    key: "light",
    name: "Kitchen light",
    type: "light",
    room: "Kitchen",
    model: "Ceiling light",
    firmware: "3.1.2",
    metrics: [],
    commands: { power: BOOLEAN },
    make: simpleSwitch,
  },
  {
    key: "dimmer",
    name: "Dining lamp",
    type: "dimmer",
    room: "Dining room",
    model: "Wall dimmer",
    firmware: "3.1.2",
    metrics: [],
    commands: { power: BOOLEAN, brightness: whole(0, 100) },
    make: dimmer,
  },
  {
    key: "fan",
    name: "Bedroom fan",
    type: "fan",
    room: "Bedroom",
    model: "Ceiling fan 5",
    firmware: "1.2.7",
    metrics: ["watts", "kwh"],
    commands: { power: BOOLEAN, speed: whole(0, 5) },
    make: fan,
  },
  {
    key: "switch",
    name: "Water pump",
    type: "switch",
    room: "Garden",
    model: "Metering relay 1",
    firmware: "2.0.4",
    metrics: ["watts", "kwh"],
    commands: { power: BOOLEAN },
    make: pump,
  },
  {
    key: "cover",
    name: "Bedroom shutter",
    type: "cover",
    room: "Bedroom",
    model: "Shutter drive",
    firmware: "1.6.0",
    metrics: [],
    commands: { position: whole(0, 100), stop: BOOLEAN },
    make: cover,
  },
  {
    key: "gate",
    name: "Driveway gate",
    type: "gate",
    room: "Driveway",
    model: "Gate drive",
    firmware: "4.0.1",
    metrics: [],
    commands: { open: BOOLEAN, stop: BOOLEAN },
    make: gate,
  },
  {
    key: "lock",
    name: "Front door",
    type: "lock",
    room: "Hall",
    model: "Bolt lock",
    firmware: "1.1.0",
    metrics: ["battery"],
    commands: { locked: BOOLEAN },
    interval: 3_600,
    make: lock,
  },
  {
    key: "sensor",
    name: "Garden sensor",
    type: "sensor",
    room: "Garden",
    model: "Climate sensor",
    firmware: "1.0.8",
    metrics: ["temperature", "humidity", "battery"],
    commands: {},
    interval: 300,
    make: sensor,
  },
  {
    key: "meter",
    name: "House meter",
    type: "energy-meter",
    room: "Hall",
    model: "Clamp meter",
    firmware: "2.2.0",
    metrics: ["watts", "voltage", "kwh"],
    commands: {},
    make: energyMeter,
  },
  {
    key: "thermostat",
    name: "Living room climate",
    type: "thermostat",
    room: "Living room",
    model: "Room thermostat",
    firmware: "1.7.3",
    metrics: ["temperature", "target", "watts", "kwh"],
    commands: {
      target: { type: "number", minimum: 5, maximum: 35, multipleOf: 0.5 },
      mode: { enum: ["off", "heat", "cool", "auto"] },
    },
    make: thermostat,
  },
  {
    key: "camera",
    name: "Gate camera",
    type: "camera",
    room: "Driveway",
    model: "Gate camera 4M",
    firmware: "5.3.0",
    metrics: [],
    commands: { capture: BOOLEAN, recording: BOOLEAN },
    make: camera,
  },
  {
    key: "sentinel",
    name: "Hall sentinel",
    type: "sentinel",
    room: "Hall",
    model: "Sentinel",
    firmware: "2.1.5",
    metrics: ["battery"],
    commands: { armed: BOOLEAN },
    make: sentinel,
  },
];

/** Full id of a device. */
export function idOf(prefix: string, key: string): string {
  return prefix + key;
}

/** A device's description of itself. */
export function infoOf(device: SimulatedDevice): JsonObject {
  const { type, firmware, model, metrics, commands } = device;
  return {
    type,
    firmware,
    model,
    manufacturer: "Gatehouse simulation",
    metrics: [...metrics],
    commands: { type: "object", properties: commands },
  };
}

/** A scene of the household, with device keys. */
export interface SimulatedScene {
  readonly name: string;
  readonly icon: string;
  readonly actions: readonly (readonly [key: string, command: JsonObject])[];
  /** What it also sets the house to. */
  readonly houseMode?: HouseMode;
}

/** The scenes. */
export const SCENES: readonly SimulatedScene[] = [
  {
    name: EVENING_SCENE,
    icon: "sunset",
    actions: [
      ["dimmer", { power: true, brightness: 40 }],
      ["light", { power: true }],
      ["hub", { scene: "evening" }],
      ["cover", { position: 20 }],
    ],
  },
  {
    name: NIGHT_SCENE,
    icon: "moon",
    houseMode: "night",
    actions: [
      ["plug", { power: false }],
      ["light", { power: false }],
      ["dimmer", { power: false }],
      ["hub", { relays: [false, false, false, false] }],
      ["gate", { open: false }],
      ["lock", { locked: true }],
      ["cover", { position: 0 }],
    ],
  },
  {
    name: "Away",
    icon: "shield",
    houseMode: "away",
    actions: [
      ["plug", { power: false }],
      ["fan", { power: false }],
      ["light", { power: false }],
      ["thermostat", { mode: "off" }],
      ["lock", { locked: true }],
      ["sentinel", { armed: true }],
    ],
  },
];

/** The rule that also ran in the made-up past. */
export const EVENING_RULE = "Lamp in the evening";

/**
 * Bodies of the automations (docs/spec/device-control-api.md §2), for the household whose ids begin with `prefix`.
 * @param say gives the words of the household's language
 */
export function automationsOf(prefix: string, say: (english: string) => string): readonly JsonObject[] {
  return [
    {
      name: say(EVENING_RULE),
      enabled: true,
      trigger: { type: "time", at: "18:30", days: [1, 2, 3, 4, 5, 6, 7] },
      action: { type: "command", deviceId: idOf(prefix, "dimmer"), command: { power: true, brightness: 55 } },
    },
    {
      name: say("Tell me when the gate opens at night"),
      enabled: true,
      trigger: { type: "state", deviceId: idOf(prefix, "gate"), field: "open", op: "truthy" },
      conditions: [{ type: "time", from: "23:00", to: "05:00" }],
      action: { type: "notify", title: say("The gate is open"), body: say("The driveway gate was opened.") },
    },
    {
      name: say("Lights off when the last one leaves"),
      enabled: true,
      trigger: { type: "presence", event: "leaves" },
      action: {
        type: "sequence",
        actions: ["light", "dimmer"].map((key) => ({
          type: "command",
          deviceId: idOf(prefix, key),
          command: { power: false },
        })),
      },
    },
    {
      name: say("Tell me when a door opens while we are away"),
      enabled: true,
      trigger: { type: "any_state", field: "locked", op: "falsy" },
      conditions: [{ type: "house", is: "away" }],
      action: { type: "notify", title: say("{device} was opened"), body: say("The house is in Away mode.") },
    },
    {
      name: say("Fan when it is hot"),
      enabled: false,
      trigger: { type: "state", deviceId: idOf(prefix, "thermostat"), field: "temperature", op: "gt", value: 29 },
      action: { type: "command", deviceId: idOf(prefix, "fan"), command: { speed: 4 } },
    },
  ];
}

/** A car and its habits; hours are local. */
export interface SimulatedVehicle {
  readonly plate: string;
  readonly rule: { readonly kind: "allow" | "deny" | "watch"; readonly label: string } | null;
  /** Whether its driver has the key of the house. */
  readonly livesHere?: true;
  /** When it comes and goes: local hours in and out. One that no rule lets in only comes. */
  readonly stays: readonly (readonly [inHour: number, outHour: number])[];
  /** ISO weekdays. */
  readonly days: readonly number[];
  /** Fraction of its days on which it really comes. */
  readonly chance: number;
}

const WEEKDAYS = [1, 2, 3, 4, 5] as const;
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7] as const;

/** The plate of a car that is on no list. */
export const STRANGER = "MH01EF4521";

/** The plate of the car that belongs to the owner of the household. */
export const OWNERS_CAR = "MH12AB1234";

/** The cars. Stays past midnight have an out hour above 24. */
export const VEHICLES: readonly SimulatedVehicle[] = [
  {
    plate: OWNERS_CAR,
    rule: { kind: "allow", label: "Family car" },
    livesHere: true,
    stays: [[18.2, 32.5]],
    days: ALL_DAYS,
    chance: 0.95,
  },
  {
    plate: "22BH1234AA",
    rule: { kind: "allow", label: "Second car" },
    livesHere: true,
    stays: [[13.1, 16.8]],
    days: [2, 4, 6],
    chance: 0.9,
  },
  {
    plate: "MH14CD7788",
    rule: { kind: "allow", label: "Milk delivery" },
    stays: [[6.4, 6.55]],
    days: ALL_DAYS,
    chance: 0.97,
  },
  { plate: STRANGER, rule: null, stays: [[11.3, 11.45]], days: WEEKDAYS, chance: 0.4 },
  {
    plate: "KA05MN3311",
    rule: { kind: "allow", label: "Grandparents" },
    stays: [[15.6, 17.9]],
    days: [6, 7],
    chance: 0.5,
  },
  {
    plate: "DL8CAF5031",
    rule: { kind: "deny", label: "Turned away before" },
    stays: [[10.2, 10.3]],
    days: [3],
    chance: 0.7,
  },
];
