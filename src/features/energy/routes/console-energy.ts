import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import type { DeviceRegistry } from "../../devices/registry.ts";
import { getEnergySettings, getHouseEnergy, putEnergySettings } from "../api/console-energy.ts";
import type { HouseholdEnergy } from "../energy.ts";
import type { EnergySettings, HouseEnergy } from "../resources/energy.ts";
import type { HouseSums } from "../rules/house-energy.ts";
import type { Tariff } from "../rules/tariff.ts";

/** The energy of the whole house, its prices and what each device measures. */
export function energyRoutes({
  energy,
  registry,
  audited,
}: {
  readonly energy: HouseholdEnergy;
  readonly registry: DeviceRegistry;
  readonly audited: Audited;
}): BoundRoute[] {
  const shownSettings = (siteId: number): EnergySettings => {
    const { tariff, places } = energy.settings(siteId);
    const stated = energy.stated(siteId);
    return {
      tariff:
        tariff === null
          ? null
          : {
              currency: tariff.currency,
              prices: tariff.prices.map((price) => ({
                ...price,
                periods: price.periods.map((period) => ({ ...period, days: [...period.days] })),
              })),
            },
      roles: places.map((place) => ({ ...place, chosen: stated.has(place.deviceId) })),
    };
  };
  return [
    bind(getHouseEnergy, async ({ caller, query }) => {
      const { period = "day", date, deviceId } = query;
      if (deviceId !== undefined) registry.get(caller.siteId, deviceId);
      const report = await energy.report(caller.siteId, { period, date, only: deviceId });
      const body: HouseEnergy = {
        period,
        date: report.date,
        timeZone: report.timeZone,
        currency: report.currency,
        from: isoTime(report.fromMs),
        to: isoTime(report.toMs),
        sums: rounded(report.sums),
        buckets: report.buckets.map(({ at, ...sums }) => ({ at: isoTime(at), ...rounded(sums) })),
        devices: report.devices.map(({ id, ...device }) => ({
          ...device,
          deviceId: id,
          kwh: kwh(device.kwh),
          kwhBack: kwh(device.kwhBack),
          kwhOwn: kwh(device.kwhOwn),
          kwhBefore: kwh(device.kwhBefore),
          cost: device.cost === null ? null : kwh(device.cost),
          series: device.series.map(kwh),
          seriesOwn: device.seriesOwn.map(kwh),
        })),
        before: {
          from: isoTime(report.before.fromMs),
          sums: rounded(report.before.sums),
          soFar: rounded(report.before.soFar),
          used: report.before.used.map(kwh),
        },
        unplaced: [...report.unplaced],
      };
      return { status: 200, body: { energy: body } };
    }),
    bind(getEnergySettings, ({ caller }) => ({ status: 200, body: { settings: shownSettings(caller.siteId) } })),
    bind(putEnergySettings, async ({ caller, body }) => {
      const before = energy.settings(caller.siteId).tariff;
      await energy.change(caller.siteId, { tariff: body.tariff, places: body.roles }, () =>
        audited.line(caller)("energy.changed", "energy", {
          devices: body.roles.length,
          ...priceChange(before, body.tariff),
        }),
      );
      return { status: 200, body: { settings: shownSettings(caller.siteId) } };
    }),
  ];
}

/** For the audit list: the newest price at all times, now and before; nothing if it is the same. */
function priceChange(before: Tariff | null, after: Tariff | null): object {
  const priceOf = (tariff: Tariff | null): { perKwh: number; currency: string } | null => {
    const newest = tariff?.prices.at(-1);
    return tariff === null || newest === undefined ? null : { perKwh: newest.perKwh, currency: tariff.currency };
  };
  const [was, is] = [priceOf(before), priceOf(after)];
  return was?.perKwh === is?.perKwh && was?.currency === is?.currency ? {} : { price: is, priceBefore: was };
}

/** Watt-hours, or thousandths of a currency's unit. */
function kwh(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function rounded(sums: HouseSums): HouseSums {
  return {
    used: kwh(sums.used),
    fromGrid: kwh(sums.fromGrid),
    toGrid: kwh(sums.toGrid),
    solar: kwh(sums.solar),
    fromBattery: kwh(sums.fromBattery),
    toBattery: kwh(sums.toBattery),
    untracked: sums.untracked === null ? null : kwh(sums.untracked),
    cost: sums.cost === null ? null : kwh(sums.cost),
  };
}
