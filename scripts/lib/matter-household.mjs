// @ts-check
/** The demo household's fourteen types in Matter: how each is commanded, and how its values appear. */

/** @typedef {Readonly<Record<string, unknown>>} Values a device's state, or what it measured */
/**
 * How a home commands a type, and the hub's state afterwards.
 * @typedef {object} Drive
 * @property {readonly [cluster: string, command: string, input?: object]} [invoke]
 * @property {readonly [cluster: string, values: object]} [write]
 * @property {(state: Values) => boolean} expect
 */
/**
 * An attribute that shows a type's value.
 * @typedef {object} Attribute
 * @property {string} cluster
 * @property {string} attribute
 * @property {(values: Values) => unknown} read the attribute's value for a state; undefined where it says nothing of it
 * @property {(value: unknown, heard: unknown) => boolean} [counts] whether a change has to be heard at once after what
 *   was heard last; always, unless given
 */
/**
 * @typedef {object} DemoType
 * @property {Drive} [drive] none: it only tells
 * @property {readonly [object, object]} [commands] commands of the hub that change it back and forth
 * @property {readonly Attribute[]} seen
 */

/** The household's PIN in these checks. */
export const PIN = "4827";

/** @param {unknown} value @param {number} factor */
const times = (value, factor) => (typeof value === "number" ? Math.round(value * factor) : undefined);
/** @param {string} field @returns {Attribute} */
const onOff = (field) => ({ cluster: "onOff", attribute: "onOff", read: (values) => values[field] });
/** @param {string} field @param {boolean} locked what the field says when it is locked @returns {Attribute} */
const lockState = (field, locked) => ({
  cluster: "doorLock",
  attribute: "lockState",
  read: (values) => (typeof values[field] === "boolean" ? (values[field] === locked ? 1 : 2) : undefined),
});
/** @type {readonly [object, object]} */
const POWER = [{ power: true }, { power: false }];

/** By the demo's device id without `demo-`. @type {ReadonlyMap<string, DemoType>} */
export const DEMO_TYPES = new Map(
  /** @type {[string, DemoType][]} */ ([
    [
      "hub",
      {
        drive: { invoke: ["onOff", "toggle"], expect: ({ power }) => typeof power === "boolean" },
        commands: POWER,
        seen: [onOff("power")],
      },
    ],
    [
      "plug",
      {
        drive: { invoke: ["onOff", "off"], expect: ({ power }) => power === false },
        commands: POWER,
        seen: [onOff("power")],
      },
    ],
    [
      "light",
      {
        drive: { invoke: ["onOff", "on"], expect: ({ power }) => power === true },
        commands: POWER,
        seen: [onOff("power")],
      },
    ],
    [
      "dimmer",
      {
        drive: {
          invoke: [
            "levelControl",
            "moveToLevelWithOnOff",
            { level: 127, transitionTime: null, optionsMask: {}, optionsOverride: {} },
          ],
          expect: ({ brightness, power }) => brightness === 50 && power === true,
        },
        commands: [{ brightness: 30 }, { brightness: 80 }],
        seen: [
          {
            cluster: "levelControl",
            attribute: "currentLevel",
            read: ({ brightness }) => times(brightness, 2.54),
          },
        ],
      },
    ],
    [
      "fan",
      {
        drive: { write: ["fanControl", { percentSetting: 80 }], expect: ({ speed }) => speed === 4 },
        commands: [
          { power: true, speed: 2 },
          { power: true, speed: 5 },
        ],
        seen: [
          {
            cluster: "fanControl",
            attribute: "percentCurrent",
            read: ({ power, speed }) => (power === true ? times(speed, 20) : 0),
          },
        ],
      },
    ],
    [
      "switch",
      {
        drive: { invoke: ["onOff", "on"], expect: ({ power }) => power === true },
        commands: POWER,
        seen: [onOff("power")],
      },
    ],
    [
      "cover",
      {
        drive: {
          invoke: ["windowCovering", "goToLiftPercentage", { liftPercent100thsValue: 2_000 }],
          expect: ({ position }) => position === 80,
        },
        commands: [{ position: 60 }, { position: 90 }],
        seen: [
          {
            cluster: "windowCovering",
            attribute: "currentPositionLiftPercent100ths",
            read: ({ position }) => times(typeof position === "number" ? 100 - position : null, 100),
          },
        ],
      },
    ],
    [
      "gate",
      {
        drive: { invoke: ["doorLock", "unlockDoor", { pin: PIN }], expect: ({ open }) => open === true },
        commands: [{ open: true }, { open: false }],
        seen: [lockState("open", false)],
      },
    ],
    [
      "lock",
      {
        drive: { invoke: ["doorLock", "unlockDoor", { pin: PIN }], expect: ({ locked }) => locked === false },
        commands: [{ locked: true }, { locked: false }],
        seen: [lockState("locked", true)],
      },
    ],
    [
      "thermostat",
      {
        drive: { write: ["thermostat", { occupiedHeatingSetpoint: 2_150 }], expect: ({ target }) => target === 21.5 },
        commands: [{ target: 20 }, { target: 24.5 }],
        seen: [
          { cluster: "thermostat", attribute: "occupiedHeatingSetpoint", read: ({ target }) => times(target, 100) },
          { cluster: "thermostat", attribute: "localTemperature", read: ({ temperature }) => times(temperature, 100) },
        ],
      },
    ],
    [
      "camera",
      {
        drive: { invoke: ["onOff", "off"], expect: ({ recording }) => recording === false },
        commands: [{ recording: true }, { recording: false }],
        seen: [onOff("recording")],
      },
    ],
    [
      "sentinel",
      {
        drive: { invoke: ["onOff", "on"], expect: ({ armed }) => armed === true },
        commands: [{ armed: false }, { armed: true }],
        seen: [onOff("armed")],
      },
    ],
    [
      "sensor",
      {
        seen: [
          {
            cluster: "temperatureMeasurement",
            attribute: "measuredValue",
            read: ({ temperature }) => times(temperature, 100),
          },
          {
            cluster: "relativeHumidityMeasurement",
            attribute: "measuredValue",
            read: ({ humidity }) => times(humidity, 100),
          },
        ],
      },
    ],
    [
      "meter",
      {
        seen: [
          {
            cluster: "electricalPowerMeasurement",
            attribute: "activePower",
            read: ({ watts }) => times(watts, 1_000),
            // Drifting values are reported every five seconds, switching at once.
            counts: (value, heard) => Math.abs(Number(value) - Number(heard)) > Math.max(5_000, 0.1 * Number(heard)),
          },
        ],
      },
    ],
  ]),
);
