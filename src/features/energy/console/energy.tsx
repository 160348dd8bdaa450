import { useState } from "preact/hooks";
import { Card, Empty, Notice, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { Chip } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { number, t } from "../../../console/i18n/translate.ts";
import { withUnit } from "../../../console/i18n/unbroken.ts";
import { isOwner } from "../../../console/session.ts";
import type { HouseEnergy } from "../resources/energy.ts";
import { looksReversed, ownShares } from "../rules/own-shares.ts";
import { sharesOf } from "../rules/shares.ts";
import { comparedWith } from "./compared.ts";
import { kwhText } from "./energy-bars.tsx";
import {
  AgainstPick,
  BarsOf,
  busiestText,
  colorsOf,
  EnergyPeriod,
  EnergyTable,
  houseBars,
  money,
  nameOf,
  UsedSum,
  useAgainst,
  useEnergy,
} from "./energy-view.tsx";
import { PriceAsk } from "./price-ask.tsx";

/** The energy of the whole house: by hour, day and month, by device and by source, with its cost. */
export function EnergyPage() {
  const { energy, isFailed, isStale, shown, load } = useEnergy();
  const compared = useAgainst(shown);
  const [by, setBy] = useState<"device" | "source">("device");
  const head = (
    <PageHead title={t("energy.title")}>
      {isOwner.value && (
        <a class="button" href="/energy/settings" aria-label={t("energy.settings")} title={t("energy.settings")}>
          <Icon name="settings" small />
          <span class="roomy">{t("energy.settings")}</span>
        </a>
      )}
    </PageHead>
  );
  if (energy === null)
    return (
      <>
        {head}
        {isFailed ? <TryAgain text={t("history.failed")} onTry={load} /> : <p aria-busy="true">{t("state.loading")}</p>}
      </>
    );
  const { sums } = energy;
  const hasSources =
    [sums.solar, sums.toGrid, sums.fromBattery, sums.toBattery].some((kwh) => kwh > 0) ||
    energy.devices.some(({ role }) => role === "solar" || role === "battery");
  const { against } = compared;
  const bars = houseBars(
    against === null ? energy : comparedWith(energy, against.energy, Date.now()),
    hasSources ? by : "device",
    against,
  );
  const busiest = by === "source" && hasSources ? null : busiestText(energy, bars);
  const asksPrice = energy.currency === null && isOwner.value;
  return (
    <div class="energy-page stack">
      {head}
      {energy.unplaced.length > 0 && (
        <Notice tone="warn">
          {t("energy.unplaced", {
            n: energy.unplaced.length,
            names: energy.unplaced.slice(0, 3).map(nameOf).join(", "),
          })}{" "}
          {isOwner.value && <a href="/energy/settings">{t("energy.settings")}</a>}
        </Notice>
      )}
      {looksReversed(sums, energy.devices) && (
        <Notice tone="warn">
          {t("energy.looksReversed", { out: kwhText(sums.toGrid), in: kwhText(sums.fromGrid) })}{" "}
          {isOwner.value && <a href="/energy/settings">{t("energy.settings")}</a>}
        </Notice>
      )}
      {energy.devices.length === 0 ? (
        <Card>
          <Empty icon="zap" text={t("energy.noMeters")} />
        </Card>
      ) : (
        <>
          <Card>
            <EnergyPeriod zone={energy.timeZone} shown={shown} />
            <div class="stack" data-stale={isStale} aria-busy={isStale}>
              <UsedSum energy={energy} against={against} isAsked={asksPrice} />
              <BarsOf energy={energy} bars={bars} choose={shown.choose} />
              <AgainstPick shown={shown} compared={compared} />
              {busiest !== null && <p class="small">{busiest}</p>}
            </div>
            {asksPrice && <PriceAsk zone={energy.timeZone} onSaved={load} />}
            {hasSources && (
              <dl class="energy-sums">
                <Sources energy={energy} />
              </dl>
            )}
            {hasSources && (
              <div class="chips" role="group" aria-label={t("energy.view")}>
                {(["device", "source"] as const).map((view) => (
                  <Chip
                    key={view}
                    text={t(view === "device" ? "energy.byDevice" : "energy.bySource")}
                    pressed={by === view}
                    onClick={() => setBy(view)}
                  />
                ))}
              </div>
            )}
            <EnergyTable energy={energy} bars={bars} />
          </Card>
          <div data-stale={isStale}>
            <Ranking energy={energy} />
          </div>
        </>
      )}
    </div>
  );
}

function Sources({ energy: { sums } }: { energy: HouseEnergy }) {
  const rows = [
    ["energy.fromGrid", sums.fromGrid],
    ["energy.fromSolar", sums.solar],
    ["energy.toGrid", sums.toGrid],
    ["energy.fromBattery", sums.fromBattery],
    ["energy.toBattery", sums.toBattery],
  ] as const;
  const shares = ownShares(sums);
  return (
    <>
      {shares !== null && (
        <div>
          <dt>{t("energy.ownShare")}</dt>
          <dd>
            {number(shares.ofUsed * 100, 0)} % <small>{t("energy.ofUsed")}</small>
          </dd>
        </div>
      )}
      {shares !== null && shares.ofSolar !== null && (
        <div>
          <dt>{t("energy.selfUse")}</dt>
          <dd>
            {number(shares.ofSolar * 100, 0)} % <small>{t("energy.ofSolar")}</small>
          </dd>
        </div>
      )}
      {rows.map(
        ([key, kwh]) =>
          kwh > 0 && (
            <div key={key}>
              <dt>{t(key)}</dt>
              <dd>{kwhText(kwh, Math.max(...rows.map(([, one]) => one)))}</dd>
            </div>
          ),
      )}
    </>
  );
}

/** Less is shown as 0.00 kWh. */
const LEAST_KWH = 0.005;

/** Devices by consumption; a device behind another is listed below it. */
function Ranking({ energy }: { energy: HouseEnergy }) {
  const loads = energy.devices.filter(({ role }) => role === "load").sort((left, right) => right.kwh - left.kwh);
  const colorOf = colorsOf(energy);
  const most = Math.max(energy.sums.used, ...loads.map(({ kwh }) => kwh), 0.001);
  const under = (parent: string | null) => loads.filter(({ behind }) => behind === parent);
  const ordered: { load: (typeof loads)[number]; depth: number }[] = [];
  const walk = (parent: string | null, depth: number): void => {
    for (const load of under(parent)) {
      ordered.push({ load, depth });
      walk(load.deviceId, depth + 1);
    }
  };
  walk(null, 0);
  if (ordered.length === 0) return null;
  const shown = ordered.filter(({ load }) => load.kwh >= LEAST_KWH);
  const idle = ordered.length - shown.length;
  const { used, untracked, cost } = energy.sums;
  const costs = ordered.flatMap(({ load, depth }) => (depth === 0 && load.cost !== null ? [cents(load.cost)] : []));
  const ofDevices = costs.reduce((sum, one) => sum + one, 0);
  const trackedKwh = ordered.reduce((sum, { load, depth }) => sum + (depth === 0 ? load.kwh : 0), 0);
  const hasOwn = energy.sums.solar + energy.sums.fromBattery + energy.sums.toGrid > 0;
  // What is bought adds up to the cent; with energy of the house's own, the rest is valued as the devices are.
  const restCost =
    cost === null || untracked === null || costs.length === 0
      ? null
      : hasOwn
        ? cents((untracked * ofDevices) / Math.max(trackedKwh, 0.001))
        : Math.max(0, cents(cost) - ofDevices);
  const saved = hasOwn && cost !== null ? cents(cost) - ofDevices - (restCost ?? 0) : 0;
  // what stands beside each other makes up the whole; what is behind a meter is part of its line
  const outer = shown.filter(({ depth }) => depth === 0).map(({ load }) => load.kwh);
  const shares = sharesOf([...outer, ...(untracked === null ? [] : [untracked])], most);
  let place = 0;
  const percents = shown.map(({ load, depth }) =>
    depth === 0 ? (shares[place++] ?? 0) : Math.round((load.kwh / most) * 100),
  );
  const below = (percent: number, amount: number | null, isEstimated = false) =>
    [
      withUnit(number(percent, 0), "%"),
      ...(amount !== null && energy.currency !== null ? [money(amount, energy.currency)] : []),
      ...(isEstimated ? [t("energy.estimated")] : []),
    ].join(" · ");
  return (
    <Card title={t("energy.byDevice")}>
      <ol class="energy-rank">
        {shown.map(({ load, depth }, index) => (
          <li key={load.deviceId} class={depth > 0 ? "inner" : ""} data-color={colorOf(load.deviceId)}>
            <div class="row">
              <a class="name" href={`/devices/${encodeURIComponent(load.deviceId)}`}>
                {nameOf(load.deviceId)}
              </a>
              <span class="figure">
                {kwhText(load.kwh, used)}{" "}
                <small class="soft">{below(percents[index] ?? 0, load.cost, load.estimated)}</small>
              </span>
            </div>
            <span class="share" aria-hidden="true">
              <span style={{ width: `${(load.kwh / most) * 100}%` }} />
            </span>
          </li>
        ))}
        {untracked !== null && (
          <li data-color="rest">
            <div class="row">
              <span class="name">
                {t("energy.untracked")}
                <small class="soft">{t("energy.untrackedText")}</small>
              </span>
              <span class="figure">
                {kwhText(untracked, used)} <small class="soft">{below(shares[outer.length] ?? 0, restCost)}</small>
              </span>
            </div>
            <span class="share" aria-hidden="true">
              <span style={{ width: `${(untracked / most) * 100}%` }} />
            </span>
          </li>
        )}
        {idle > 0 && <li class="soft small">{t("energy.idle", { n: idle })}</li>}
        {saved !== 0 && restCost !== null && energy.currency !== null && (
          <li class="sum">
            <div class="row">
              <span class="name">{t("energy.ownSaved")}</span>
              <span class="figure">{money(saved, energy.currency)}</span>
            </div>
          </li>
        )}
        {untracked !== null && (
          <li class="sum">
            <div class="row">
              <strong class="name">{t("energy.wholeHouse")}</strong>
              <strong class="figure">
                {kwhText(used)}{" "}
                {cost !== null && energy.currency !== null && <small>{money(cost, energy.currency)}</small>}
              </strong>
            </div>
          </li>
        )}
      </ol>
    </Card>
  );
}

/** Rounded as money is shown, so that the lines add up. */
function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
