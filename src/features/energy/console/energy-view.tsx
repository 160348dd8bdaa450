import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { IconButton } from "../../../console/components/button.tsx";
import { DayPick } from "../../../console/components/day-pick.tsx";
import { download } from "../../../console/components/download.ts";
import { TableView } from "../../../console/components/table-view.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { dayOf, zoneDate, zoneHour, zoneMoment, zoneName, zoneTime } from "../../../console/components/zone-time.ts";
import { localeName, number, type TextKey, t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { devices } from "../../../console/store.ts";
import { csv } from "../../../core/kernel/csv.ts";
import type { HouseEnergy } from "../resources/energy.ts";
import { deviceColors } from "../rules/device-colors.ts";
import { comparedWith } from "./compared.ts";
import { type BarPart, type Bars, EnergyBars, kwhText } from "./energy-bars.tsx";
import { outlookOf } from "./outlook.ts";
import { lastDayOf, movedDate, type Period, PeriodBar, periodName, periodStart, periodTitle } from "./period-bar.tsx";
import "./energy.css";

/** Devices that have a colour of their own in the bars. */
const MOST_PARTS = 5;
/** The colour of all other devices together. */
const OTHERS_COLOR = 6;

const BEFORE_TEXT: Readonly<Record<Period, TextKey>> = {
  day: "energy.beforeDay",
  week: "energy.beforeWeek",
  month: "energy.beforeMonth",
  year: "energy.beforeYear",
};

/** The requested period. */
export interface EnergyChoice {
  readonly period: Period;
  /** Its first day. */
  readonly date: string;
  /** Today in the household's zone. */
  readonly today: string;
  readonly choose: (period: Period, date: string) => void;
}

/**
 * Loads the energy of a period. `isStale`: what is here is that of another one, which must not be read under the name of
 * the requested one.
 */
export function useEnergy(deviceId?: string) {
  const [wanted, setWanted] = useState<{ readonly period: Period; readonly date: string | null }>({
    period: "day",
    date: null,
  });
  const [energy, setEnergy] = useState<HouseEnergy | null>(null);
  const [isFailed, setFailed] = useState(false);
  const asked = useRef(0);
  const load = (): void => {
    const mine = ++asked.current;
    const query = {
      period: wanted.period,
      ...(wanted.date === null ? {} : { date: wanted.date }),
      ...(deviceId === undefined ? {} : { deviceId }),
    };
    void get("/api/energy", { query })
      .then((answer) => {
        if (mine !== asked.current) return;
        setEnergy(answer.energy);
        setFailed(false);
      })
      .catch(() => mine === asked.current && setFailed(true));
  };
  useEffect(load, [deviceId, wanted.period, wanted.date]);
  const today = dayOf(Date.now(), energy?.timeZone ?? "UTC");
  const shown: EnergyChoice = {
    period: wanted.period,
    date: periodStart(wanted.date ?? today, wanted.period),
    today,
    choose: (period, date) => setWanted({ period, date }),
  };
  const isStale =
    energy !== null &&
    (energy.period !== wanted.period ||
      (wanted.date !== null && energy.date !== periodStart(wanted.date, wanted.period)));
  return { energy, isFailed, isStale, shown, load };
}

/**
 * The period that the shown one is compared with, instead of the one before; null: none is chosen. `choose`: by a day in
 * it, `null` ends it.
 */
export function useAgainst({ period, today }: EnergyChoice, deviceId?: string) {
  const [wanted, setWanted] = useState<{ readonly period: Period; readonly date: string } | null>(null);
  const [against, setAgainst] = useState<Against | null>(null);
  const isWanted = wanted !== null && wanted.period === period;
  useEffect(() => {
    setAgainst(null);
    if (!isWanted || wanted === null) return;
    let isLeft = false;
    const query = { period, date: wanted.date, ...(deviceId === undefined ? {} : { deviceId }) };
    void get("/api/energy", { query }).then(
      ({ energy }) => isLeft || setAgainst({ energy, name: periodTitle(energy.date, period, today) }),
      (error) => isLeft || sayError(error),
    );
    return () => {
      isLeft = true;
    };
  }, [isWanted, period, wanted?.date, deviceId]);
  return {
    against: isWanted ? against : null,
    date: isWanted ? wanted.date : null,
    choose: (date: string | null) => setWanted(date === null ? null : { period, date: periodStart(date, period) }),
  };
}

/** What the period is compared with, and the choice of another one. */
export function AgainstPick({ shown, compared }: { shown: EnergyChoice; compared: ReturnType<typeof useAgainst> }) {
  const { period, date, today } = shown;
  return (
    <p class="row energy-against">
      <span class="soft small">{t("energy.compareWith")}</span>
      <DayPick
        text={compared.date === null ? t(BEFORE_TEXT[period]) : periodTitle(compared.date, period, today)}
        value={compared.date ?? movedDate(date, period, -1)}
        max={today}
        onPick={compared.choose}
      />
      {compared.date !== null && (
        <IconButton icon="x" label={t(BEFORE_TEXT[period])} small onClick={() => compared.choose(null)} />
      )}
    </p>
  );
}

/** The controls above the bars: they show the requested period, even while it is loading. */
export function EnergyPeriod({ zone, shown }: { zone: string; shown: EnergyChoice }) {
  const { period, date, today, choose } = shown;
  return (
    <PeriodBar period={period} date={date} today={today} zone={zoneName(zone, Date.parse(date))} onChange={choose} />
  );
}

/** Another period that this one is compared with, in place of the one before. */
export interface Against {
  readonly energy: HouseEnergy;
  readonly name: string;
}

/**
 * Consumption, cost, the comparison with the previous period or another one, and what this one is likely to end with.
 * Where no price is known, an owner is led to it.
 */
export function UsedSum({
  energy,
  against = null,
  isAsked = false,
}: {
  energy: HouseEnergy;
  against?: Against | null;
  /** The page asks for the price itself. */
  isAsked?: boolean;
}) {
  const { sums, currency, period, date } = energy;
  const { before } = against === null ? energy : comparedWith(energy, against.energy, Date.now());
  const isOver = Date.parse(energy.to) <= Date.now();
  const earlier = isOver ? before.sums : before.soFar;
  const then = earlier.used;
  // what is written the same is the same
  const difference = kwhText(sums.used) === kwhText(then) ? 0 : sums.used - then;
  const change = then > 0.005 ? difference / then : null;
  const outlook = outlookOf(energy, Date.now());
  return (
    <div>
      <p class="energy-used">
        <span class="big-number">{kwhText(sums.used)}</span>
        {sums.cost !== null && currency !== null && <strong>{money(sums.cost, currency)}</strong>}
        {currency === null && isOwner.value && !isAsked && (
          <a class="small" href="/energy/settings">
            {t("energy.setPrice")}
          </a>
        )}
      </p>
      {change !== null && (
        <p class="soft small">
          {t(against !== null ? "energy.comparedWith" : isOver ? "energy.compared" : "energy.comparedSoFar", {
            other: against?.name ?? "",
            soFar: isOver ? "no" : "yes",
            change: change <= -0.005 ? "less" : change >= 0.005 ? "more" : "same",
            percent: number(Math.abs(change) * 100, 0),
            period,
            earlier: [
              ...(sums.cost !== null && earlier.cost !== null && currency !== null
                ? [money(earlier.cost, currency)]
                : []),
              kwhText(then),
            ].join(" · "),
          })}
        </p>
      )}
      {outlook !== null && (
        <p class="soft small">
          {t(outlook.by === "before" ? "energy.likelyDay" : "energy.likely", {
            what:
              outlook.cost !== null && currency !== null
                ? money(outlook.cost, currency, outlook.cost >= 100 ? 0 : undefined)
                : kwhText(outlook.kwh),
            day: lastDayOf(date, period),
          })}
        </p>
      )}
    </div>
  );
}

/** The bars of a house: by device with the remainder, or by where the energy came from. */
export function houseBars(energy: HouseEnergy, by: "device" | "source", against: Against | null = null): Bars {
  const { buckets } = energy;
  const parts = by === "source" ? sourceParts(energy) : deviceParts(energy);
  const { before, ...rest } = names(energy, against);
  return {
    ...rest,
    ...(by === "source" ? {} : { before }), // what was sold lies below zero: an outline of what was used would mislead
    parts: parts.length > 0 ? parts : [{ label: t("energy.used"), color: 0, values: buckets.map(({ used }) => used) }],
  };
}

/** The bars of one device. */
export function deviceBars(energy: HouseEnergy): Bars {
  return { ...names(energy), parts: [{ label: t("energy.used"), color: 0, values: energy.devices[0]?.series ?? [] }] };
}

/** Loads that used something themselves, the largest first. */
function loadsOf({ devices: all }: HouseEnergy): HouseEnergy["devices"] {
  return all
    .filter(({ role, kwhOwn }) => role === "load" && kwhOwn > 0)
    .sort((left, right) => right.kwhOwn - left.kwhOwn);
}

/** The colour of each device that has one, in the bars and in the list below them. */
export function colorsOf(energy: HouseEnergy): (deviceId: string) => number {
  const shown = loadsOf(energy).slice(0, MOST_PARTS);
  const all = energy.devices.filter(({ role }) => role === "load");
  const colors = deviceColors(
    all.map(({ deviceId }) => deviceId),
    shown.map(({ deviceId }) => deviceId),
  );
  return (deviceId) => colors.get(deviceId) ?? OTHERS_COLOR;
}

function deviceParts(energy: HouseEnergy): BarPart[] {
  const { buckets } = energy;
  const loads = loadsOf(energy);
  const colorOf = colorsOf(energy);
  const shown = loads.slice(0, MOST_PARTS).map(
    (load): BarPart => ({
      label: nameOf(load.deviceId),
      color: colorOf(load.deviceId),
      values: load.seriesOwn,
    }),
  );
  const others = loads.slice(MOST_PARTS);
  if (others.length > 0) {
    const values = buckets.map((_, index) => others.reduce((sum, load) => sum + (load.seriesOwn[index] ?? 0), 0));
    shown.push({ label: t("energy.others", { n: others.length }), color: OTHERS_COLOR, values });
  }
  if (buckets.some(({ untracked }) => untracked !== null && untracked > 0)) {
    shown.push({
      label: shown.length === 0 ? t("energy.used") : t("energy.untracked"),
      color: shown.length === 0 ? 0 : "rest",
      values: buckets.map(({ untracked }) => untracked ?? 0),
    });
  }
  return shown;
}

function sourceParts({ buckets }: HouseEnergy): BarPart[] {
  const own = (bucket: HouseEnergy["buckets"][number]): number =>
    Math.max(0, bucket.solar - bucket.toGrid - bucket.toBattery);
  const parts: BarPart[] = [
    { label: t("energy.fromSolar"), color: 2, values: buckets.map(own) },
    { label: t("energy.fromBattery"), color: 4, values: buckets.map(({ fromBattery }) => fromBattery) },
    { label: t("energy.fromGrid"), color: 1, values: buckets.map(({ fromGrid }) => fromGrid) },
    { label: t("energy.toBattery"), color: 3, values: buckets.map(({ toBattery }) => -toBattery) },
    { label: t("energy.toGrid"), color: 5, values: buckets.map(({ toGrid }) => -toGrid) },
  ];
  return parts.filter(({ values }) => values.some((kwh) => kwh !== 0));
}

/** What is said of each bar, whatever it is made of. */
function names({ period, buckets, timeZone, before, currency }: HouseEnergy, against: Against | null = null) {
  const at = buckets.map((bucket) => Date.parse(bucket.at));
  const tick = {
    day: (ms: number) => zoneHour(ms, timeZone),
    week: (ms: number) => zoneDate(ms, timeZone, { weekday: "short" }),
    month: (ms: number) => zoneDate(ms, timeZone, { day: "numeric" }),
    year: (ms: number) => zoneDate(ms, timeZone, { month: "short" }),
  }[period];
  const full = (ms: number): string =>
    period === "day"
      ? `${zoneTime(ms, timeZone)} – ${zoneTime(ms + 3_600_000, timeZone)}`
      : zoneDate(
          ms,
          timeZone,
          period === "year" ? { month: "long", year: "numeric" } : { weekday: "short", day: "numeric", month: "short" },
        );
  return {
    ticks: at.map(tick),
    names: at.map(full),
    isToCome: at.map((ms) => ms > Date.now()),
    before: { label: against?.name ?? t(BEFORE_TEXT[period]), values: before.used },
    ...(currency === null ? {} : { costs: buckets.map(({ cost }) => (cost === null ? "" : money(cost, currency))) }),
  };
}

/** The same numbers as a table, and as a file. */
export function EnergyTable({ energy, bars }: { energy: HouseEnergy; bars: Bars }) {
  const { currency, timeZone } = energy;
  const hasCost = energy.sums.cost !== null;
  const save = (): void => {
    const head = [
      "from_utc",
      `from_${timeZone}`,
      "used_kwh",
      ...bars.parts.map((part) => `${part.label} kWh`),
      "from_grid_kwh",
      "to_grid_kwh",
      "solar_kwh",
      "from_battery_kwh",
      "to_battery_kwh",
      `cost_${currency ?? ""}`,
    ];
    const rows = energy.buckets.map((bucket, index) => [
      bucket.at,
      zoneMoment(Date.parse(bucket.at), timeZone),
      bucket.used,
      ...bars.parts.map((part) => part.values[index] ?? 0),
      bucket.fromGrid,
      bucket.toGrid,
      bucket.solar,
      bucket.fromBattery,
      bucket.toBattery,
      bucket.cost,
    ]);
    download(`energy-${energy.period}-${energy.date}.csv`, "text/csv", csv([head, ...rows]));
  };
  return (
    <TableView onSave={save}>
      {() => (
        <>
          <caption class="sr-only">{periodName(energy.date, energy.period)}</caption>
          <thead>
            <tr>
              <th scope="col">{t("history.time")}</th>
              <th scope="col">{t("energy.used")} (kWh)</th>
              {hasCost && <th scope="col">{t("energy.costs")}</th>}
              {bars.parts.length > 1 &&
                bars.parts.map((part) => (
                  <th scope="col" key={part.label}>
                    {part.label}
                  </th>
                ))}
            </tr>
          </thead>
          <tbody>
            {energy.buckets.map((bucket, index) => (
              <tr key={bucket.at}>
                <th scope="row">{bars.names[index]}</th>
                <td class="numbers">{number(bucket.used, 3)}</td>
                {hasCost && <td class="numbers">{money(bucket.cost ?? 0, currency ?? "")}</td>}
                {bars.parts.length > 1 &&
                  bars.parts.map((part) => (
                    <td class="numbers" key={part.label}>
                      {number(part.values[index] ?? 0, 3)}
                    </td>
                  ))}
              </tr>
            ))}
          </tbody>
        </>
      )}
    </TableView>
  );
}

/** The bars with their labels; `choose` is called with the day or month of a bar that is looked into. */
export function BarsOf({ energy, bars, choose }: { energy: HouseEnergy; bars: Bars; choose?: EnergyChoice["choose"] }) {
  const { period, buckets, timeZone } = energy;
  const open = (place: number): void => {
    const at = Date.parse(buckets[place]?.at ?? "");
    if (at <= Date.now()) choose?.(period === "year" ? "month" : "day", dayOf(at, timeZone));
  };
  return (
    <EnergyBars
      bars={bars}
      label={t("energy.chart", { period: periodName(energy.date, period) })}
      {...(choose === undefined || period === "day" ? {} : { onOpen: open })}
    />
  );
}

/** When most was used, and by what, in a sentence; null where too little is known to compare. */
export function busiestText(energy: HouseEnergy, bars: Bars): string | null {
  const { buckets, period } = energy;
  if (buckets.filter(({ used }) => used >= LEAST_SAID).length < FEWEST_COMPARED) return null;
  const place = buckets.reduce((most, { used }, index) => (used > (buckets[most]?.used ?? 0) ? index : most), 0);
  const used = buckets[place]?.used ?? 0;
  const [first] = bars.parts
    .filter(({ color }) => color !== "rest" && color !== OTHERS_COLOR && bars.parts.length > 1)
    .map(({ label, values }) => ({ label, kwh: values[place] ?? 0 }))
    .sort((one, other) => other.kwh - one.kwh);
  const isKnown = first !== undefined && first.kwh >= used * MAIN_SHARE;
  return t("energy.busiest", {
    ...{ period, when: bars.names[place] ?? "", kwh: kwhText(used), known: isKnown ? "yes" : "no" },
    ...{ what: first?.label ?? "", share: number((100 * (first?.kwh ?? 0)) / Math.max(used, LEAST_SAID), 0) },
  });
}

/** Less is not worth a word, and of fewer hours or days none is the busiest. */
const LEAST_SAID = 0.005;
const FEWEST_COMPARED = 3;
/** A device that used at least this part of it is named. */
const MAIN_SHARE = 0.3;

/** The name of a device. */
export function nameOf(deviceId: string): string {
  return devices.value.get(deviceId)?.name ?? deviceId;
}

/** An amount of money in the reader's own form; `digits`: how many decimals, unless as many as the currency has. */
export function money(amount: number, currency: string, digits?: number): string {
  try {
    const options = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return new Intl.NumberFormat(localeName(), { style: "currency", currency, ...options }).format(amount);
  } catch {
    return `${number(amount, 2)} ${currency}`; // the browser does not know the currency
  }
}
