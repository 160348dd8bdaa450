import { useState } from "preact/hooks";
import { Card, Empty, Notice, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { Chip } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { number, t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import type { HouseEnergy } from "../resources/energy.ts";
import { BarsOf, EnergyPeriod, EnergyTable, houseBars, money, nameOf, UsedSum, useEnergy } from "./energy-view.tsx";

/** The energy of the whole house: by hour, day and month, by device and by source, with its cost. */
export function EnergyPage() {
  const { energy, isFailed, shown, load } = useEnergy();
  const [by, setBy] = useState<"device" | "source">("device");
  const head = (
    <PageHead title={t("energy.title")} subtitle={t("energy.subtitle")}>
      {isOwner.value && (
        <a class="button" href="/energy/settings">
          <Icon name="settings" small />
          {t("energy.settings")}
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
  const bars = houseBars(energy, hasSources ? by : "device");
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
      {energy.devices.length === 0 ? (
        <Card>
          <Empty icon="zap" text={t("energy.noMeters")} />
        </Card>
      ) : (
        <>
          <Card>
            <EnergyPeriod zone={energy.timeZone} shown={shown} />
            <dl class="energy-sums">
              <div>
                <dt>{t("energy.used")}</dt>
                <dd>
                  <UsedSum energy={energy} />
                </dd>
              </div>
              {hasSources && <Sources energy={energy} />}
              {sums.untracked !== null && (
                <div>
                  <dt>{t("energy.untracked")}</dt>
                  <dd>
                    {number(sums.untracked, 2)} kWh
                    <small>{t("energy.untrackedText")}</small>
                  </dd>
                </div>
              )}
            </dl>
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
            <BarsOf energy={energy} bars={bars} />
            {energy.currency === null && isOwner.value && (
              <p class="soft small">
                <a href="/energy/settings">{t("energy.setPrice")}</a>
              </p>
            )}
            <EnergyTable energy={energy} bars={bars} />
          </Card>
          <Ranking energy={energy} />
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
  return (
    <>
      {rows.map(
        ([key, kwh]) =>
          kwh > 0 && (
            <div key={key}>
              <dt>{t(key)}</dt>
              <dd>{number(kwh, 2)} kWh</dd>
            </div>
          ),
      )}
    </>
  );
}

/** Devices by consumption; a device behind another is listed below it. */
function Ranking({ energy }: { energy: HouseEnergy }) {
  const loads = energy.devices.filter(({ role }) => role === "load").sort((left, right) => right.kwh - left.kwh);
  const colors = new Map(
    [...loads]
      .filter(({ kwhOwn }) => kwhOwn > 0)
      .sort((left, right) => right.kwhOwn - left.kwhOwn)
      .map(({ deviceId }, index) => [deviceId, Math.min(index, 6)]),
  );
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
  return (
    <Card title={t("energy.byDevice")}>
      <ol class="energy-rank">
        {ordered.map(({ load, depth }) => (
          <li key={load.deviceId} class={depth > 0 ? "inner" : ""} data-color={colors.get(load.deviceId) ?? "rest"}>
            <div class="row">
              <a class="name" href={`/devices/${encodeURIComponent(load.deviceId)}`}>
                {nameOf(load.deviceId)}
              </a>
              <span class="figure">
                {number(load.kwh, 2)} kWh <span class="soft small">{number((load.kwh / most) * 100, 0)} %</span>
                {load.cost !== null && energy.currency !== null && (
                  <span class="soft small"> · {money(load.cost, energy.currency)}</span>
                )}
                {load.estimated && <span class="soft small"> · {t("energy.estimated")}</span>}
              </span>
            </div>
            <span class="share" aria-hidden="true">
              <span style={{ width: `${(load.kwh / most) * 100}%` }} />
            </span>
          </li>
        ))}
        {energy.sums.untracked !== null && (
          <li data-color="rest">
            <div class="row">
              <span class="name">{t("energy.untracked")}</span>
              <span class="figure">
                {number(energy.sums.untracked, 2)} kWh{" "}
                <span class="soft small">{number((energy.sums.untracked / most) * 100, 0)} %</span>
              </span>
            </div>
            <span class="share" aria-hidden="true">
              <span style={{ width: `${(energy.sums.untracked / most) * 100}%` }} />
            </span>
          </li>
        )}
      </ol>
    </Card>
  );
}
