/**
 * What the hub knows about product types (docs/spec/domain.md §1.5): for each an icon name and sensible generic
 * controls, as plain data that a console can draw without knowing the type. Types that are not in the table get
 * controls from the keys of their state and from the command schema they publish.
 */
import { isJsonObject, type JsonObject } from "../../../core/kernel/json-object.ts";
import { standingKey } from "../../../core/plates/opening.ts";
import { movesGates, movesOf } from "./gate-moves.ts";

/** One thing a person can do with a device, with the commands to send for it. */
type Control =
  | {
      readonly kind: "toggle";
      readonly field: string;
      readonly label: string;
      readonly on: JsonObject;
      readonly off: JsonObject;
    }
  | {
      readonly kind: "range";
      readonly field: string;
      readonly label: string;
      readonly min: number;
      readonly max: number;
      readonly step: number;
      readonly unit: string;
      readonly key: string;
    }
  | {
      readonly kind: "choice";
      readonly field: string;
      readonly label: string;
      readonly options: { readonly value: unknown; readonly label: string; readonly command: JsonObject }[];
    }
  | {
      readonly kind: "button";
      readonly name: string;
      readonly label: string;
      readonly command: JsonObject;
      /** Ask before sending: it opens a door. */
      readonly confirm: boolean;
    };

/** A number or text of the state worth showing large. */
interface Reading {
  readonly field: string;
  readonly label: string;
  readonly unit: string;
}

/** Everything that is known about one product type. */
export interface DeviceType {
  readonly type: string;
  readonly icon: string;
  readonly label: string;
  readonly controls: readonly Control[];
  readonly readings: readonly Reading[];
}

/** A device's `capabilities`. */
export interface Capabilities {
  readonly icon: string;
  /** It gives entry, by whatever control. */
  readonly barrier: boolean;
  /** A relay or a shutter by its make: its people may say that it moves a gate, and that it does not. */
  readonly movesGates?: true;
  /** Names of the telemetry values the device declares. */
  readonly metrics: string[];
  readonly controls: Control[];
  readonly readings: Reading[];
}

const POWER: Control = { kind: "toggle", field: "power", label: "Power", on: { power: true }, off: { power: false } };
const WATTS: Reading = { field: "watts", label: "Power", unit: "W" };

function range(
  field: string,
  label: string,
  bounds: { min: number; max: number; step?: number; unit?: string },
): Control {
  return {
    kind: "range",
    field,
    label,
    min: bounds.min,
    max: bounds.max,
    step: bounds.step ?? 1,
    unit: bounds.unit ?? "",
    key: field,
  };
}

function button(name: string, label: string, command: JsonObject, confirm = false): Control {
  return { kind: "button", name, label, command, confirm };
}

function modes(field: string, label: string, values: readonly string[]): Control {
  return {
    kind: "choice",
    field,
    label,
    options: values.map((value) => ({ value, label: titled(value), command: { [field]: value } })),
  };
}

function row(
  type: string,
  icon: string,
  label: string,
  parts: { controls?: readonly Control[]; readings?: readonly Reading[] },
): DeviceType {
  return { type, icon, label, controls: parts.controls ?? [], readings: parts.readings ?? [] };
}

const ROWS: readonly DeviceType[] = [
  row("home-hub", "hub", "Home hub", {}), // one toggle per channel: channels() below
  row("smart-plug", "plug", "Smart plug", { controls: [POWER], readings: [WATTS] }),
  row("camera", "camera", "Camera", { controls: [button("capture", "Take a picture", { capture: true })] }),
  row("sentinel", "shield", "Sentinel", {
    controls: [{ kind: "toggle", field: "armed", label: "Armed", on: { armed: true }, off: { armed: false } }],
    readings: [{ field: "alarm", label: "Alarm", unit: "" }],
  }),
  row("light", "bulb", "Light", { controls: [POWER] }),
  row("dimmer", "dimmer", "Dimmer", {
    controls: [POWER, range("brightness", "Brightness", { min: 0, max: 100, unit: "%" })],
  }),
  row("fan", "fan", "Fan", { controls: [POWER, range("speed", "Speed", { min: 0, max: 5 })] }),
  row("cover", "cover", "Cover", {
    controls: [
      button("open", "Open", { position: 100 }),
      button("stop", "Stop", { stop: true }),
      button("close", "Close", { position: 0 }),
      range("position", "Position", { min: 0, max: 100, unit: "%" }),
    ],
  }),
  row("gate", "gate", "Gate", {
    controls: [
      button("open", "Open", { open: true }, true),
      button("close", "Close", { open: false }),
      button("stop", "Stop", { stop: true }),
    ],
    // its reading is whatever says how it stands: gateReadings() below
  }),
  row("lock", "lock", "Lock", {
    controls: [button("lock", "Lock", { locked: true }), button("unlock", "Unlock", { locked: false }, true)],
    readings: [{ field: "locked", label: "Locked", unit: "" }],
  }),
  row("sensor", "sensor", "Sensor", {
    readings: [
      { field: "temperature", label: "Temperature", unit: "°C" },
      { field: "humidity", label: "Humidity", unit: "%" },
      { field: "motion", label: "Motion", unit: "" },
      { field: "contact", label: "Contact", unit: "" },
    ],
  }),
  row("energy-meter", "meter", "Energy meter", {
    readings: [
      WATTS,
      { field: "kwh", label: "Energy", unit: "kWh" },
      { field: "voltage", label: "Voltage", unit: "V" },
    ],
  }),
  row("switch", "switch", "Switch", { controls: [POWER] }),
  row("thermostat", "thermostat", "Thermostat", {
    controls: [
      range("target", "Target", { min: 5, max: 35, step: 0.5, unit: "°C" }),
      modes("mode", "Mode", ["off", "heat", "cool", "auto"]),
    ],
    readings: [{ field: "temperature", label: "Temperature", unit: "°C" }],
  }),
];

/**
 * Types that give entry by what they are; {@link isBarrier} knows what else does. Nobody expects one to open ten minutes
 * later, so it is never moved late.
 */
export const BARRIER_TYPES: ReadonlySet<string> = new Set(["gate", "lock", "garage-door", "door"]);

/** What decides whether a device gives entry. */
export interface Entry {
  readonly type: string;
  /** A camera of its household names it as what a plate opens. */
  readonly opensForPlates: boolean;
}

/** Whether a device gives entry: by its type, or because a camera of its household opens it. */
export function isBarrier({ type, opensForPlates }: Entry): boolean {
  return opensForPlates || BARRIER_TYPES.has(type);
}

/** The alarm of a house. */
export const SENTINEL = "sentinel";

/** Whether a device lets people in or guards the house. */
export function isGuarded(device: Entry): boolean {
  return isBarrier(device) || device.type === SENTINEL;
}

/**
 * Whether only a person may give or take away this type: a camera's pictures may open a gate, and barriers are handled
 * with care. A device's own claim is not enough for either.
 */
export function isPersonsWord(type: string): boolean {
  return type === "camera" || BARRIER_TYPES.has(type);
}

/** The known product types, in the order in which a list offers them. */
export const DEVICE_TYPES: readonly DeviceType[] = ROWS;

const BY_TYPE: ReadonlyMap<string, DeviceType> = new Map(ROWS.map((entry) => [entry.type, entry]));
const GENERIC: DeviceType = row("", "device", "Device", {});

/** The row of a product type; a generic one for types the table does not know. */
export function deviceType(type: string): DeviceType {
  return BY_TYPE.get(type) ?? GENERIC;
}

/** A device's capabilities, from its type, its state and the command schema of its `info`. */
export function capabilitiesOf(device: {
  type: string;
  state: JsonObject;
  metrics: readonly string[];
  commandSchema: JsonObject | null;
  opensForPlates?: boolean;
}): Capabilities {
  const known = deviceType(device.type);
  const ofType = known.controls.length > 0 ? barrierControls(known, device) : channels(device.state);
  const ofSchema = fromSchema(device.commandSchema);
  const controls = [
    ...ofType.map((control) => bounded(control, ofSchema)),
    ...ofSchema.filter((control) => !covers(ofType, control)),
  ];
  const shown = new Set(controls.flatMap((control) => ("field" in control ? [control.field] : [])));
  const readings =
    device.type === "gate"
      ? gateReadings(device.state)
      : known.readings.length > 0
        ? known.readings.filter((reading) => Object.hasOwn(device.state, reading.field))
        : plainReadings(device.state, shown);
  return {
    icon: known.icon,
    barrier: isBarrier({ type: device.type, opensForPlates: device.opensForPlates === true }),
    ...(movesGates(device) ? { movesGates: true } : {}),
    metrics: [...device.metrics],
    controls,
    readings,
  };
}

/** A type's controls; of a gate that a relay moves, only the one that the relay can do. */
function barrierControls({ controls }: DeviceType, device: Parameters<typeof movesOf>[0]): readonly Control[] {
  const moves = movesOf(device);
  return moves === null || moves.close !== null
    ? controls
    : controls.filter((control) => control.kind === "button" && control.name === "open");
}

/** How a gate stands, under whichever of the usual keys it says so. */
function gateReadings(state: JsonObject): Reading[] {
  const field = Object.hasOwn(state, "position") ? "position" : standingKey(state);
  return field === null ? [] : [{ field, label: "Gate", unit: "" }];
}

/** A range or choice of the type with the limits that the device itself reports: a fan with three speeds has three. */
function bounded(control: Control, ofSchema: readonly Control[]): Control {
  const own =
    control.kind === "range" || control.kind === "choice"
      ? ofSchema.find((other) => other.kind === control.kind && other.field === control.field)
      : undefined;
  return own === undefined ? control : { ...own, label: control.label };
}

/** Fields that address the channels of a device with several, which have toggles of their own. */
const ADDRESSING = new Set(["ch", "on", "relays"]);

/**
 * Whether the type's controls already do what a control of the schema would: by its field, or by a button that sends
 * it.
 */
function covers(ofType: readonly Control[], control: Control): boolean {
  if (!("field" in control)) return false;
  const isChannel =
    ADDRESSING.has(control.field) && ofType.some((other) => other.kind === "toggle" && Object.hasOwn(other.on, "ch"));
  return (
    isChannel ||
    ofType.some((other) =>
      "field" in other ? other.field === control.field : Object.hasOwn(other.command, control.field),
    )
  );
}

/** `power`, `power2` … are the channels of a hub: they are switched by number. A single `power` is switched by name. */
function channels(state: JsonObject): Control[] {
  const fields = Object.keys(state).filter((key) => /^power\d{0,2}$/.test(key) && typeof state[key] === "boolean");
  if (fields.length === 1 && fields[0] === "power") return [POWER];
  return fields.map((field) => {
    const ch = field === "power" ? 1 : Number(field.slice(5));
    return { kind: "toggle", field, label: `Channel ${ch}`, on: { ch, on: true }, off: { ch, on: false } };
  });
}

const MAX_GENERIC = 24;

/** Controls from the `properties` of a JSON schema: booleans, bounded numbers and short lists of values. */
function fromSchema(schema: JsonObject | null): Control[] {
  const properties = schema?.properties;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties)
    .slice(0, MAX_GENERIC)
    .flatMap(([field, property]) => (isJsonObject(property) ? propertyControl(field, property) : []));
}

function propertyControl(field: string, property: JsonObject): Control[] {
  const label = typeof property.title === "string" ? property.title : titled(field);
  if (property.type === "boolean")
    return [{ kind: "toggle", field, label, on: { [field]: true }, off: { [field]: false } }];
  const { minimum, maximum, multipleOf } = property;
  if (
    (property.type === "integer" || property.type === "number") &&
    typeof minimum === "number" &&
    typeof maximum === "number"
  ) {
    return [
      {
        kind: "range",
        field,
        label,
        min: minimum,
        max: maximum,
        step: typeof multipleOf === "number" ? multipleOf : 1,
        unit: "",
        key: field,
      },
    ];
  }
  const values = property.enum;
  if (Array.isArray(values) && values.length <= MAX_GENERIC) {
    return [
      {
        kind: "choice",
        field,
        label,
        options: values.map((value: unknown) => ({ value, label: titled(String(value)), command: { [field]: value } })),
      },
    ];
  }
  return [];
}

function plainReadings(state: JsonObject, shown: ReadonlySet<string>): Reading[] {
  return Object.keys(state)
    .filter((key) => !shown.has(key) && ["number", "string", "boolean"].includes(typeof state[key]))
    .slice(0, MAX_GENERIC)
    .map((field) => ({ field, label: titled(field), unit: "" }));
}

/** `targetHumidity` and `target_humidity` become `Target humidity`. */
export function titled(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(/([a-z])([A-Z])/g, (_, left: string, right: string) => `${left} ${right.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
