/** Limits that a rule begins with: what is usual for a kind of value, near enough to what the device measures. */

/** A limit, and the side of it that is worth a rule. */
interface Limit {
  readonly op: "gt" | "lt";
  readonly value: number;
}

/** What a person sets: the middle of it, wherever it stands now. */
const SETTINGS: Readonly<Record<string, Limit>> = {
  target: { op: "gt", value: 25 },
  brightness: { op: "gt", value: 50 },
  speed: { op: "gt", value: 0 },
};
/** From where on a value is worth a rule, also where it is passed already: at night it is dark, and gets dark again. */
const FIXED: Readonly<Record<string, Limit>> = {
  battery: { op: "lt", value: 20 },
  rssi: { op: "lt", value: -85 },
  linkquality: { op: "lt", value: 30 },
  power_factor: { op: "lt", value: 0.8 },
  illuminance: { op: "lt", value: 50 },
  soil: { op: "lt", value: 30 },
};
/** From where on a value is worth a rule; where that is passed already, a little beyond what is measured. */
const USUAL: Readonly<Record<string, Limit>> = {
  humidity: { op: "gt", value: 70 },
  co2: { op: "gt", value: 1_000 },
  current: { op: "gt", value: 10 },
  pressure: { op: "lt", value: 1_000 },
};
/** Power of a meter, which has the whole house, and of one appliance, in watts. */
const MUCH_POWER = { meter: 2_000, appliance: 10 };
/** Air that is full of water has 100 %. */
const MOST_HUMID = 95;
/** A room at its warmest, and a little more than what a fridge, a freezer or a boiler has. */
const WARM_ROOM = 28;
const ROOM = { coldest: 10, warmest: 35 };
const A_FEW_DEGREES = 5;
/** Voltages of the grid, each with what is too much of it. */
const GRIDS = [
  { least: 95, most: 140, tooMuch: 130 },
  { least: 190, most: 265, tooMuch: 250 },
] as const;
/** Readings of a meter, which only rise. */
const COUNTS = /(^|[._])(kwh|wh|energy|total|consumption|gas|water|volume|count|counter)($|[._\d])/i;

/** The limit of what a person sets, such as brightness; null: it is measured. */
export function settingLimit(base: string): Limit | null {
  return SETTINGS[base] ?? null;
}

/**
 * The limit that a rule about a measured value begins with. @param base the usual name of the value @param now null:
 * not measured yet
 */
export function firstLimit(base: string, now: number | null, isMeter: boolean): Limit {
  const fixed = FIXED[base];
  if (fixed !== undefined) return fixed;
  if (base === "watts") return wattsLimit(now, isMeter);
  if (base === "temperature") return temperatureLimit(now);
  if (base === "voltage" && now !== null) return voltageLimit(now);
  if (base === "frequency") return { op: "lt", value: now !== null && now > 55 ? 59.5 : 49.5 };
  const usual = USUAL[base];
  if (usual !== undefined && (now === null || !isPassed(usual, now))) return usual;
  if (base === "humidity" && now !== null) return { op: "gt", value: Math.min(MOST_HUMID, beyond("gt", now).value) };
  if (usual !== undefined && now !== null) return beyond(usual.op, now);
  if (now === null) return { op: "gt", value: 1 };
  return COUNTS.test(base) ? { op: "gt", value: nextRound(now) } : beyond("gt", now);
}

/** An appliance that takes more than its standby runs; a meter shows the whole house. */
function wattsLimit(now: number | null, isMeter: boolean): Limit {
  if (!isMeter) return { op: "gt", value: MUCH_POWER.appliance };
  const much: Limit = { op: "gt", value: MUCH_POWER.meter };
  return now !== null && isPassed(much, now) ? beyond("gt", now) : much;
}

function temperatureLimit(now: number | null): Limit {
  if (now === null || (now >= ROOM.coldest && now < WARM_ROOM)) return { op: "gt", value: WARM_ROOM };
  if (now < ROOM.coldest || now > ROOM.warmest) return { op: "gt", value: Math.ceil(now) + A_FEW_DEGREES };
  return { op: "gt", value: Math.ceil(now) + 2 };
}

function voltageLimit(now: number): Limit {
  const grid = GRIDS.find(({ least, most }) => now >= least && now <= most);
  if (grid === undefined) return beyond("lt", now); // a battery, which runs down
  return now < grid.tooMuch ? { op: "gt", value: grid.tooMuch } : beyond("gt", now);
}

function isPassed({ op, value }: Limit, now: number): boolean {
  return op === "gt" ? now >= value : now <= value;
}

/** A tenth beyond a measured value, with two digits that mean something. */
function beyond(op: Limit["op"], now: number): Limit {
  if (now === 0) return { op, value: op === "gt" ? 1 : -1 };
  const step = sizeOf(now) / 10;
  const wanted = now + (op === "gt" ? 0.1 : -0.1) * Math.abs(now);
  const steps = op === "gt" ? Math.ceil(wanted / step - 1e-9) : Math.floor(wanted / step + 1e-9);
  return { op, value: Number((steps * step).toPrecision(3)) };
}

/** The next round number of a reading that only rises: a hundredth of it away at most. */
function nextRound(now: number): number {
  const step = now === 0 ? 1 : sizeOf(now) / 100;
  return Number(((Math.floor(now / step + 1e-9) + 1) * step).toPrecision(4));
}

/** 1, 10, 100 …: the place of the first digit. */
function sizeOf(n: number): number {
  return 10 ** Math.floor(Math.log10(Math.abs(n)));
}
