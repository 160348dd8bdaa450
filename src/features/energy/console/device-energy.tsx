import { Card } from "../../../console/components/basics.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { Device } from "../../../console/store.ts";
import { BarsOf, deviceBars, EnergyPeriod, EnergyTable, UsedSum, useEnergy } from "./energy-view.tsx";

/** A device's consumption in kWh by hour, day or month and, if prices are set, its cost. */
export function DeviceEnergy({ device }: { device: Device }) {
  const { energy, isStale, shown } = useEnergy(device.id);
  const measures =
    Object.keys(device.state).some((key) => /^(watts|kwh|power_w)/.test(key)) || device.type === "energy-meter";
  if (energy === null || (!measures && energy.sums.used === 0 && energy.before.sums.used === 0)) return null;
  const bars = deviceBars(energy);
  const [own] = energy.devices;
  return (
    <Card title={t("device.energy")} action={<a href="/energy">{t("energy.wholeHouse")}</a>}>
      <EnergyPeriod zone={energy.timeZone} shown={shown} />
      <div class="stack" data-stale={isStale} aria-busy={isStale}>
        <UsedSum energy={energy} />
        <BarsOf energy={energy} bars={bars} />
      </div>
      <p class="soft small">
        {t(own?.source === "counter" ? "energy.byCounter" : "energy.byPower", {
          estimated: own?.estimated ? "yes" : "no",
        })}
      </p>
      <EnergyTable energy={energy} bars={bars} />
    </Card>
  );
}
