/**
 * A household's consumption, production and storage: devices with their roles, and how they add up. Pure: numbers in,
 * numbers out.
 */

/** The role of a device's meter: the house's connection, production, storage, a load, or not counted. */
export const ENERGY_ROLES = ["grid", "solar", "battery", "load", "none"] as const;

/** One of {@link ENERGY_ROLES}. */
export type EnergyRole = (typeof ENERGY_ROLES)[number];

/** A device's role in the house. */
export interface EnergyPlace {
  readonly role: EnergyRole;
  /** The load whose meter includes this load; null: directly behind the house's. */
  readonly behind: string | null;
  /** Its meter is mounted the other way round. */
  readonly reversed: boolean;
}

/** A device with the energy through its meter, bucket by bucket. */
export interface MeteredDevice extends EnergyPlace {
  readonly id: string;
  /** kWh to the device: from the grid for the house's meter, into a battery, into a load. */
  readonly imported: readonly number[];
  /** kWh from the device: to the grid, out of a battery or a solar plant. */
  readonly exported: readonly number[];
  /** The cost of `imported` at the time's price, and the grid's payment for `exported`; null without prices. */
  readonly cost: readonly number[] | null;
  readonly paid: readonly number[] | null;
}

/** The roles of devices without a stated one: a single energy meter is the house's, any other meter is a load. */
export function placesOf(
  devices: readonly { readonly id: string; readonly type: string; readonly measures: boolean }[],
  stated: ReadonlyMap<string, EnergyPlace>,
): Map<string, EnergyPlace> {
  const measuring = devices.filter(({ id, measures }) => measures || stated.has(id));
  const hasGrid = [...stated.values()].some(({ role }) => role === "grid");
  const meters = measuring.filter(({ id, type }) => type === "energy-meter" && !stated.has(id));
  return new Map(
    measuring.map(({ id, type }): [string, EnergyPlace] => {
      const own = stated.get(id);
      if (own !== undefined) return [id, own];
      // One of several meters may include the others: only a person can tell which.
      const role = type !== "energy-meter" ? "load" : !hasGrid && meters.length === 1 ? "grid" : "none";
      return [id, { role, behind: null, reversed: false }];
    }),
  );
}

/**
 * Watts that the house draws now: by the house's meter if there is one, otherwise by the devices, counting none twice.
 * Null if nothing measures.
 */
export function powerNow(
  devices: readonly (EnergyPlace & { readonly id: string; readonly watts: number | null })[],
): number | null {
  const sum = (role: EnergyRole): number =>
    devices.reduce(
      (watts, device) => watts + (device.role === role ? (device.watts ?? 0) * (device.reversed ? -1 : 1) : 0),
      0,
    );
  const knows = (role: EnergyRole): boolean => devices.some((device) => device.role === role && device.watts !== null);
  if (knows("grid")) return Math.max(0, sum("grid") + Math.abs(sum("solar")) - sum("battery"));
  const top = devices.filter(
    ({ role, behind }) =>
      role === "load" && (behind === null || !devices.some(({ id, watts }) => id === behind && watts !== null)),
  );
  const measured = top.filter(({ watts }) => watts !== null);
  return measured.length === 0 ? null : measured.reduce((watts, device) => watts + Math.max(0, device.watts ?? 0), 0);
}

/** One device in the answer: kWh and cost over all, kWh of each bucket. */
export interface DeviceEnergy {
  readonly id: string;
  readonly role: EnergyRole;
  readonly behind: string | null;
  /** The energy a load used; came in from the grid, or went into a battery; was produced by a solar plant. */
  readonly kwh: number;
  /** What went back to the grid, or came out of a battery. */
  readonly kwhBack: number;
  /** The part of `kwh` that devices behind it did not use. */
  readonly kwhOwn: number;
  /** Null without prices, and for anything but a load. */
  readonly cost: number | null;
  readonly series: readonly number[];
  readonly seriesOwn: readonly number[];
}

/** The sums of one time range. */
export interface HouseSums {
  /** The energy the house used. */
  readonly used: number;
  readonly fromGrid: number;
  readonly toGrid: number;
  readonly solar: number;
  readonly fromBattery: number;
  readonly toBattery: number;
  /** Consumption that no device measures separately; null if no meter measures the house. */
  readonly untracked: number | null;
  /** The cost of the grid's energy, less the grid's payments; null without prices. */
  readonly cost: number | null;
}

/** A time range of the house. */
export interface HouseEnergy {
  readonly sums: HouseSums;
  readonly buckets: readonly HouseSums[];
  readonly devices: readonly DeviceEnergy[];
}

/** What the house used from one bucket up to but not including another, kWh. */
export function usedBetween(devices: readonly MeteredDevice[], first: number, last: number): number {
  return summing(devices).within(first, last).used;
}

/** Adds up the buckets from `first` up to but not including `last`. */
export function houseEnergy(devices: readonly MeteredDevice[], first: number, last: number): HouseEnergy {
  const { all, loads, parentOf, within } = summing(devices);
  const places = Array.from({ length: last - first }, (_, index) => first + index);
  const shown = all.flatMap((device): DeviceEnergy[] => {
    const { id, role } = device;
    if (role === "none") return [];
    const behind = loads.filter((load) => parentOf(load) === id);
    const way = role === "solar" ? device.exported : device.imported;
    const series = places.map((place) => way[place] ?? 0);
    const seriesOwn = places.map((place) =>
      Math.max(0, (way[place] ?? 0) - behind.reduce((sum, load) => sum + (load.imported[place] ?? 0), 0)),
    );
    return [
      {
        id,
        role,
        behind: parentOf(device),
        kwh: total(way, first, last),
        kwhBack: role === "grid" || role === "battery" ? total(device.exported, first, last) : 0,
        kwhOwn: total(seriesOwn, 0, seriesOwn.length),
        cost: role === "load" && device.cost !== null ? total(device.cost, first, last) : null,
        series,
        seriesOwn,
      },
    ];
  });
  return { sums: within(first, last), buckets: places.map((place) => within(place, place + 1)), devices: shown };
}

/** How these devices add up: their meters by role, and the sums of any buckets. */
function summing(devices: readonly MeteredDevice[]) {
  const all = devices.map((device) => directed(device));
  const grids = all.filter(({ role }) => role === "grid");
  const ids = new Set(all.flatMap(({ id, role }) => (role === "load" ? [id] : [])));
  const parentOf = ({ role, behind }: EnergyPlace): string | null =>
    role === "load" && behind !== null && ids.has(behind) ? behind : null;
  const loads = all.filter(({ role }) => role === "load");
  const top = loads.filter((load) => parentOf(load) === null);
  const within = (from: number, to: number): HouseSums => {
    const of = (role: EnergyRole, way: "imported" | "exported"): number =>
      all.reduce((kwh, device) => kwh + (device.role === role ? total(device[way], from, to) : 0), 0);
    const [fromGrid, toGrid, solar] = [of("grid", "imported"), of("grid", "exported"), of("solar", "exported")];
    const [toBattery, fromBattery] = [of("battery", "imported"), of("battery", "exported")];
    const tracked = top.reduce((kwh, device) => kwh + total(device.imported, from, to), 0);
    const hasGrid = grids.length > 0;
    const used = hasGrid ? Math.max(0, fromGrid - toGrid + solar + fromBattery - toBattery) : tracked;
    const bought = hasGrid ? grids : top;
    const cost = bought.some((device) => device.cost !== null)
      ? bought.reduce(
          (sum, device) =>
            sum + total(device.cost ?? [], from, to) - (hasGrid ? total(device.paid ?? [], from, to) : 0),
          0,
        )
      : null;
    return {
      used,
      fromGrid,
      toGrid,
      solar,
      fromBattery,
      toBattery,
      untracked: hasGrid ? Math.max(0, used - tracked) : null,
      cost,
    };
  };
  return { all, loads, parentOf, within };
}

/** A solar plant makes the larger of its two directions, however its meter is mounted. */
function directed(device: MeteredDevice): MeteredDevice {
  const { imported, exported, role } = device;
  const isOther = role === "solar" && total(imported, 0, imported.length) > total(exported, 0, exported.length);
  return isOther ? { ...device, imported: exported, exported: imported } : device;
}

function total(values: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let place = from; place < to; place++) sum += values[place] ?? 0;
  return sum;
}
