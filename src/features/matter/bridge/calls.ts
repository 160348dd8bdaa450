import { type Static, Type } from "typebox";

/** Limit of Matter for names and labels, in characters. */
export const LONGEST_NAME = 32;
export const LONGEST_ROOM = 16;
/** Endpoints of one bridge: more than any house needs, and bounded in memory. */
export const MOST_ENDPOINTS = 500;
const PERCENT = { minimum: 0, maximum: 100 };

/** The kind of an endpoint, in the hub's words. The process chooses the Matter device type for it. */
const KIND = Type.Union(
  [
    Type.Literal("plug"),
    Type.Literal("light"),
    Type.Literal("dimmer"),
    Type.Literal("temperatureLight"),
    Type.Literal("colourLight"),
    Type.Literal("fan"),
    Type.Literal("cover"),
    Type.Literal("lock"),
    Type.Literal("thermostat"),
    Type.Literal("temperature"),
    Type.Literal("humidity"),
    Type.Literal("motion"),
    Type.Literal("contact"),
    Type.Literal("illuminance"),
    Type.Literal("air"),
    Type.Literal("meter"),
  ],
  { description: "What the endpoint is." },
);

const NUMBER = Type.Integer({ minimum: 2, maximum: 65_534 });
const nullable = <Shape extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.Boolean>>(shape: Shape) =>
  Type.Optional(Type.Union([shape, Type.Null()]));
const measured = (minimum: number, maximum: number) => nullable(Type.Number({ minimum, maximum }));

/**
 * Values of an endpoint; null where the device has not reported one. Members that the endpoint's kind does not have are
 * ignored.
 */
const VALUES = Type.Object({
  on: nullable(Type.Boolean()),
  brightness: measured(0, 100),
  kelvin: measured(500, 50_000),
  hue: measured(0, 360),
  saturation: measured(0, 100),
  speed: measured(0, 100),
  /** 100 is open. */
  position: measured(0, 100),
  moving: Type.Optional(Type.Union([Type.Literal("opening"), Type.Literal("closing"), Type.Literal("stopped")])),
  locked: nullable(Type.Boolean()),
  temperature: measured(-100, 300),
  humidity: measured(0, 100),
  motion: nullable(Type.Boolean()),
  /** True is closed. */
  contact: nullable(Type.Boolean()),
  illuminance: measured(0, 4_000_000),
  co2: measured(0, 100_000),
  pm25: measured(0, 100_000),
  voc: measured(0, 100_000),
  target: measured(-50, 100),
  mode: Type.Optional(
    Type.Union([Type.Literal("off"), Type.Literal("heat"), Type.Literal("cool"), Type.Literal("auto")]),
  ),
  watts: measured(-10_000_000, 10_000_000),
  volts: measured(0, 10_000),
  amps: measured(0, 10_000),
  kwh: measured(0, 1_000_000_000),
});

const ENDPOINT = Type.Object({
  number: NUMBER,
  kind: KIND,
  name: Type.String({ maxLength: 4 * LONGEST_NAME }),
  room: Type.String({ maxLength: 4 * LONGEST_ROOM }),
  /** The device's own, constant over restarts. */
  serial: Type.String({ minLength: 1, maxLength: 32 }),
  manufacturer: Type.String({ maxLength: 32 }),
  model: Type.String({ maxLength: 32 }),
  reachable: Type.Boolean(),
  /** Its features beyond its kind. */
  features: Type.Object({
    /** Number of speeds of a fan. */
    speeds: Type.Integer({ minimum: 1, maximum: 100 }),
    heats: Type.Boolean(),
    cools: Type.Boolean(),
    regulates: Type.Boolean(),
    leastTarget: Type.Number({ minimum: -50, maximum: 100 }),
    mostTarget: Type.Number({ minimum: -50, maximum: 100 }),
    leastKelvin: Type.Number({ minimum: 500, maximum: 50_000 }),
    mostKelvin: Type.Number({ minimum: 500, maximum: 50_000 }),
    stops: Type.Boolean(),
    /** It also has a meter. */
    meters: Type.Boolean(),
    /** Opening needs the household's PIN. */
    pin: Type.Boolean(),
    /** It switches itself off again: a scene. */
    momentary: Type.Boolean(),
  }),
  values: VALUES,
});

/** An action requested from an endpoint; one member. */
const ACTION = Type.Union([
  Type.Object({ on: Type.Boolean() }),
  Type.Object({ brightness: Type.Number(PERCENT), on: Type.Boolean() }),
  Type.Object({ kelvin: Type.Number({ minimum: 500, maximum: 50_000 }) }),
  Type.Object({ hue: Type.Number({ minimum: 0, maximum: 360 }), saturation: Type.Number(PERCENT) }),
  Type.Object({ speed: Type.Number(PERCENT) }),
  Type.Object({ position: Type.Number(PERCENT) }),
  Type.Object({ stop: Type.Literal(true) }),
  Type.Object({ locked: Type.Boolean(), pin: Type.Union([Type.String({ maxLength: 16 }), Type.Null()]) }),
  Type.Object({ target: Type.Number({ minimum: -50, maximum: 100 }) }),
  Type.Object({
    mode: Type.Union([Type.Literal("off"), Type.Literal("heat"), Type.Literal("cool"), Type.Literal("auto")]),
  }),
]);

const FABRIC = Type.Object({
  index: Type.Integer({ minimum: 1, maximum: 254 }),
  /** Its root key's hash and its id: constant as long as it exists. */
  fabric: Type.String({ minLength: 8, maxLength: 128 }),
  vendorId: Type.Integer({ minimum: 0, maximum: 65_535 }),
  label: Type.String({ maxLength: 128 }),
});

const SITUATION = Type.Object({
  port: Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()]),
  fabrics: Type.Array(FABRIC, { maxItems: 254 }),
  /** Null while joining is closed. Epoch milliseconds. */
  window: Type.Union([
    Type.Null(),
    Type.Object({ until: Type.Number(), qr: Type.String({ maxLength: 200 }), code: Type.String({ maxLength: 30 }) }),
  ]),
  endpoints: Type.Integer({ minimum: 0 }),
});

export type EndpointKind = Static<typeof KIND>;
export type BridgedEndpoint = Static<typeof ENDPOINT>;
export type EndpointValues = Static<typeof VALUES>;
export type EndpointAction = Static<typeof ACTION>;
export type BridgeSituation = Static<typeof SITUATION>;

const MANY = { maxItems: MOST_ENDPOINTS };

/** The hub's calls to the bridge in the Matter process. */
export const BRIDGE_TO_PROCESS = {
  /** Opens the node with these endpoints, as the first call; later calls add, change and remove endpoints. */
  "bridge.put": {
    input: Type.Object({ endpoints: Type.Array(ENDPOINT, MANY), only: Type.Boolean() }),
    output: SITUATION,
  },
  "bridge.remove": { input: Type.Object({ numbers: Type.Array(NUMBER, MANY) }), output: Type.Null() },
  "bridge.values": {
    input: Type.Object({
      changes: Type.Array(Type.Object({ number: NUMBER, reachable: Type.Boolean(), values: VALUES }), MANY),
    }),
    output: Type.Null(),
  },
  /** Lets one more home join for this long, with a new code; 0 ends that. */
  "bridge.window": { input: Type.Object({ minutes: Type.Integer({ minimum: 0, maximum: 15 }) }), output: SITUATION },
  "bridge.situation": { input: Type.Null(), output: SITUATION },
  "bridge.removeFabric": {
    input: Type.Object({ index: Type.Integer({ minimum: 1, maximum: 254 }) }),
    output: SITUATION,
  },
} as const;

/** The bridge's calls to the hub. */
export const BRIDGE_TO_HUB = {
  /** An action requested by a home; rejects if it is not done. */
  "bridge.act": {
    input: Type.Object({ number: NUMBER, fabricIndex: Type.Integer({ minimum: 0, maximum: 254 }), action: ACTION }),
    output: Type.Null(),
  },
  /** A home joined or left, or the window opened or closed. */
  "bridge.changed": { input: SITUATION, output: Type.Null() },
} as const;
