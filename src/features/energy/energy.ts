/**
 * Owns the household's energy settings (the roles of devices, prices), and computes what was used.
 *
 * In: the household's devices and the quarter hours of their metrics. Out: sums and costs of days, weeks, months and
 * years. Must never know how samples are stored, or who asks.
 */
import { DateTime, type DurationLike } from "luxon";
import type { Base } from "../../core/base.ts";
import { fieldRefused, Problem } from "../../core/kernel/problem.ts";
import { Slices } from "../../core/kernel/slices.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { Accounts } from "../access/accounts.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import { QUARTER_MS } from "../telemetry/rules/energy.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { KeptQuarters } from "./kept-quarters.ts";
import {
  type DeviceEnergy,
  ENERGY_ROLES,
  type EnergyPlace,
  type HouseSums,
  houseEnergy,
  type MeteredDevice,
  placesOf,
  usedBetween,
} from "./rules/house-energy.ts";
import { countedEnergy, type EnergyMetrics, energyMetrics, integratedEnergy } from "./rules/metered-energy.ts";
import { type QuarterPrices, quarterPrices, type Tariff } from "./rules/tariff.ts";
import { EnergyTable } from "./tables/energy.ts";

/** A calendar period to report on. */
export type EnergyPeriod = "day" | "week" | "month" | "year";

/** A household's energy settings. */
export interface EnergySettings {
  readonly tariff: Tariff | null;
  readonly places: readonly (EnergyPlace & { readonly deviceId: string })[];
}

/** A device in a {@link EnergyReport}. */
interface ReportedDevice extends DeviceEnergy {
  /** kWh of the previous period up to the same moment. */
  readonly kwhBefore: number;
  readonly source: "counter" | "power";
  /** Some of it was spread over a gap or derived from averages. */
  readonly estimated: boolean;
}

/** The house's energy in a period; times in epoch ms. */
export interface EnergyReport {
  readonly timeZone: string;
  readonly currency: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  /** Local date of the first day. */
  readonly date: string;
  readonly sums: HouseSums;
  readonly buckets: readonly (HouseSums & { readonly at: number })[];
  readonly devices: readonly ReportedDevice[];
  /** The period before: the whole, as far as this one has come, and kWh used bucket by bucket. */
  readonly before: {
    readonly fromMs: number;
    readonly sums: HouseSums;
    readonly soFar: HouseSums;
    readonly used: readonly number[];
  };
  /** Energy meters without a stated role: they are left out. */
  readonly unplaced: readonly string[];
}

/** Buckets of a period. */
const BUCKET: Readonly<Record<EnergyPeriod, DurationLike>> = {
  day: { hours: 1 },
  week: { days: 1 },
  month: { days: 1 },
  year: { months: 1 },
};

/** The energy of the hub's households. */
export class HouseholdEnergy {
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #telemetry: Telemetry;
  readonly #accounts: Accounts;
  readonly #table: EnergyTable;
  readonly #quarterEnergy: KeptQuarters;

  constructor(
    base: Base,
    {
      registry,
      telemetry,
      accounts,
    }: { readonly registry: DeviceRegistry; readonly telemetry: Telemetry; readonly accounts: Accounts },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#telemetry = telemetry;
    this.#accounts = accounts;
    this.#quarterEnergy = new KeptQuarters(base, telemetry);
    this.#table = new EnergyTable(base.database);
  }

  /** The household's settings; for other devices, the hub's own assumption. */
  settings(siteId: number): EnergySettings {
    return {
      tariff: this.#tariff(siteId),
      places: [...this.#places(siteId)].map(([deviceId, place]) => ({ deviceId, ...place })),
    };
  }

  /** Devices whose role the owner has stated. */
  stated(siteId: number): ReadonlySet<string> {
    return new Set(this.#table.roles(siteId).map((row) => row.deviceId));
  }

  /**
   * Replaces all of it. @throws Problem `unknown_device`, or `invalid_body` for a circle of devices behind each other
   */
  async change(siteId: number, { tariff, places }: EnergySettings, beside: () => void = () => {}): Promise<void> {
    const { database } = this.#base;
    const byId = new Map(places.map((place) => [place.deviceId, place]));
    for (const [index, { deviceId }] of places.entries())
      if (isCircle(deviceId, byId)) throw refused(`/roles/${index}/behind`, "circle", "would be behind itself");
    for (const [index, { validFrom }] of (tariff?.prices ?? []).entries()) {
      if (validFrom !== null && !DateTime.fromISO(validFrom).isValid)
        throw refused(`/tariff/prices/${index}/validFrom`, "bad_format", "is not a day of the calendar");
    }
    if (byId.size < places.length) throw refused("/roles", "duplicate", "names a device twice");
    await database.write(() => {
      for (const id of places.flatMap(({ deviceId, behind }) => (behind === null ? [deviceId] : [deviceId, behind])))
        if (!this.#registry.owns(siteId, id)) throw new Problem("unknown_device", { code: "refusal.noDevice", id });
      this.#table.replace(
        siteId,
        places.map(({ deviceId, role, behind, reversed }) => ({
          deviceId,
          role,
          behind: role === "load" ? behind : null,
          reversed: reversed ? 1 : 0,
        })),
        tariff === null ? null : JSON.stringify(tariff),
      );
      beside();
    });
  }

  /**
   * The energy used in the period that contains `date` (a local date; default: today). `only`: by this device alone.
   */
  async report(
    siteId: number,
    query: { readonly period: EnergyPeriod; readonly date?: string | undefined; readonly only?: string | undefined },
  ): Promise<EnergyReport> {
    const { period } = query;
    const now = this.#base.clock.now();
    const timeZone = this.#accounts.site(siteId).timeZone;
    const today = DateTime.fromMillis(now, { zone: timeZone });
    const asked = query.date === undefined ? today : DateTime.fromISO(query.date, { zone: timeZone });
    if (!asked.isValid)
      throw new Problem("invalid_query", "date is not a day of the calendar.", {
        details: [fieldRefused("date", "bad_format", { code: "refusal.noDay" })],
      });
    const start = asked.startOf(period);
    const end = start.plus({ [period]: 1 });
    const before = start.minus({ [period]: 1 });
    const [fromMs, toMs, beforeMs] = [start.toMillis(), end.toMillis(), before.toMillis()];
    const placeOf = (at: number): number => Math.round((at - beforeMs) / QUARTER_MS);
    const soFar = Math.min(fromMs, beforeMs + Math.max(0, Math.min(now, toMs) - fromMs));
    const starts = bucketStarts(start, end, BUCKET[period]);
    const startsBefore = bucketStarts(before, start, BUCKET[period]).map(placeOf);
    const edges = [
      ...new Set([...startsBefore, placeOf(soFar), ...starts.map(placeOf), placeOf(toMs)].sort((a, b) => a - b)),
    ];
    const bucketOf = (at: number): number => edges.indexOf(placeOf(at));
    const [untilNow, first, last] = [bucketOf(soFar), bucketOf(fromMs), bucketOf(toMs)];
    const tariff = this.#tariff(siteId);
    const prices = await quarterPrices(tariff, { fromMs: beforeMs, count: placeOf(toMs), timeZone });
    const places = this.#places(siteId, query.only);
    const measured: Measured[] = [];
    const slices = new Slices();
    for (const [id, place] of places) {
      if (place.role === "none") continue;
      measured.push(await this.#measured(id, place, { fromMs: beforeMs, toMs, edges, prices }));
      await slices.next();
    }
    const house = houseEnergy(measured, first, last);
    const until = houseEnergy(measured, 0, untilNow);
    const usedBefore = startsBefore.map((place, index) => {
      const next = startsBefore[index + 1];
      return usedBetween(measured, edges.indexOf(place), next === undefined ? first : edges.indexOf(next));
    });
    return {
      timeZone,
      currency: prices === null ? null : (tariff?.currency ?? null),
      fromMs,
      toMs,
      date: start.toISODate() ?? "",
      sums: house.sums,
      buckets: house.buckets.map((sums, index) => ({ at: starts[index] ?? fromMs, ...sums })),
      devices: house.devices.map((device) => {
        const { source = "power", estimated = false } = measured.find(({ id }) => id === device.id) ?? {};
        return { ...device, kwhBefore: until.devices.find(({ id }) => id === device.id)?.kwh ?? 0, source, estimated };
      }),
      before: {
        fromMs: beforeMs,
        sums: houseEnergy(measured, 0, first).sums,
        soFar: until.sums,
        used: usedBefore,
      },
      unplaced: this.#unplaced(siteId, places),
    };
  }

  /** What went through a device's meter, bucket by bucket. */
  async #measured(
    id: string,
    place: EnergyPlace,
    stretch: {
      readonly fromMs: number;
      readonly toMs: number;
      readonly edges: readonly number[];
      readonly prices: QuarterPrices | null;
    },
  ): Promise<Measured> {
    const { fromMs, toMs, edges, prices } = stretch;
    const slices = new Slices();
    const { kwh, kwhBack, source, estimated } = await this.#quarters(id, { fromMs, toMs });
    const [imported, exported] = place.reversed ? [kwhBack, kwh] : [kwh, kwhBack];
    await slices.next();
    const summed = (values: Float64Array, price?: Float64Array): number[] =>
      edges.slice(1).map((edge, index) => {
        let sum = 0;
        for (let quarter = edges[index] ?? 0; quarter < edge; quarter++)
          sum += (values[quarter] ?? 0) * (price === undefined ? 1 : (price[quarter] ?? 0));
        return sum;
      });
    return {
      id,
      ...place,
      imported: summed(imported),
      exported: summed(exported),
      cost: prices === null ? null : summed(imported, prices.perKwh),
      paid: prices === null ? null : summed(exported, prices.exportPerKwh),
      source,
      estimated,
    };
  }

  /** From the device's own counter if it has one; from its power before the first reading, and without a counter. */
  async #quarters(
    id: string,
    stretch: { readonly fromMs: number; readonly toMs: number },
  ): Promise<{ kwh: Float64Array; kwhBack: Float64Array; source: "counter" | "power"; estimated: boolean }> {
    const metrics = energyMetrics(this.#telemetry.metrics(id));
    const length = Math.round((stretch.toMs - stretch.fromMs) / QUARTER_MS);
    const [kwh, kwhBack] = [new Float64Array(length), new Float64Array(length)];
    let estimated = false;
    let knownFrom = length;
    for (const [names, into] of [
      [metrics.imported, kwh],
      [metrics.exported, kwhBack],
    ] as const) {
      for (const metric of names) {
        const counted = await this.#quarterEnergy.of(id, { metric, ...stretch }, countedEnergy);
        addTo(into, counted.kwh);
        estimated ||= counted.estimated;
        knownFrom = Math.min(knownFrom, counted.knownFrom);
      }
    }
    if (knownFrom > 0 && metrics.powers.length > 0)
      estimated =
        (await this.#addPowers(id, metrics, { fromMs: stretch.fromMs, knownFrom, kwh, kwhBack })) || estimated;
    return { kwh, kwhBack, source: knownFrom < length ? "counter" : "power", estimated };
  }

  /** The integral of the powers up to where the counter is known; negative power was fed back. */
  async #addPowers(
    id: string,
    { powers }: EnergyMetrics,
    into: {
      readonly fromMs: number;
      readonly knownFrom: number;
      readonly kwh: Float64Array;
      readonly kwhBack: Float64Array;
    },
  ): Promise<boolean> {
    const { fromMs, knownFrom, kwh, kwhBack } = into;
    const net = new Float64Array(kwh.length);
    let estimated = false;
    for (const metric of powers) {
      const integrated = await this.#quarterEnergy.of(
        id,
        { metric, fromMs, toMs: fromMs + knownFrom * QUARTER_MS },
        integratedEnergy,
      );
      addTo(net, integrated.kwh);
      estimated ||= integrated.estimated;
    }
    for (let quarter = 0; quarter < knownFrom; quarter++) {
      const value = net[quarter] ?? 0;
      const way = value >= 0 ? kwh : kwhBack;
      way[quarter] = (way[quarter] ?? 0) + Math.abs(value);
    }
    return estimated;
  }

  #places(siteId: number, only?: string): Map<string, EnergyPlace> {
    const stated = new Map(
      this.#table
        .roles(siteId)
        .map(({ deviceId, role, behind, reversed }): [string, EnergyPlace] => [
          deviceId,
          { role: ENERGY_ROLES.find((known) => known === role) ?? "none", behind, reversed: reversed === 1 },
        ]),
    );
    const places = placesOf(
      this.#registry
        .list(siteId)
        .map(({ id, type }) => ({ id, type, measures: measures(energyMetrics(this.#telemetry.metrics(id))) })),
      stated,
    );
    if (only === undefined) return places;
    const { reversed = false, role = "load" } = places.get(only) ?? {};
    // A single device is reported by the energy through its meter, whatever its role.
    return new Map([[only, { role: role === "solar" ? "solar" : "load", behind: null, reversed }]]);
  }

  #unplaced(siteId: number, places: ReadonlyMap<string, EnergyPlace>): string[] {
    const stated = this.stated(siteId);
    return [...places].flatMap(([id, { role }]) => (role === "none" && !stated.has(id) ? [id] : []));
  }

  #tariff(siteId: number): Tariff | null {
    const text = this.#table.tariff(siteId);
    return text === null ? null : storedJson<Tariff | null>(text, null);
  }
}

interface Measured extends MeteredDevice {
  readonly source: "counter" | "power";
  readonly estimated: boolean;
}

function measures({ imported, exported, powers }: EnergyMetrics): boolean {
  return imported.length + exported.length + powers.length > 0;
}

function addTo(into: Float64Array, values: Float64Array): void {
  for (let place = 0; place < values.length; place++) into[place] = (into[place] ?? 0) + (values[place] ?? 0);
}

/** Starts of the buckets in epoch ms. Hours are elapsed hours, days and months those of the calendar. */
function bucketStarts(start: DateTime, end: DateTime, step: DurationLike): number[] {
  const starts: number[] = [];
  for (let at = start; at < end; at = at.plus(step)) starts.push(at.toMillis());
  return starts;
}

function isCircle(id: string, places: ReadonlyMap<string, { readonly behind: string | null }>): boolean {
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null; at = places.get(at)?.behind ?? null) {
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

function refused(field: string, code: "circle" | "bad_format" | "duplicate", message: string): Problem {
  return new Problem("invalid_body", `${field.slice(1)} ${message}.`, { details: [{ field, code, message }] });
}
