import { useEffect, useState } from "preact/hooks";
import type { EnergySeries } from "../../contract/resources/telemetry.js";
import { get } from "../api.js";
import { Card } from "../components/basics.js";
import { Chart } from "../components/chart.js";
import { Dialog, Form } from "../components/dialog.js";
import { TextField } from "../components/field.js";
import { number, t } from "../i18n/translate.js";
import { price, setPrice } from "../preferences.js";
import type { Device } from "../store.js";

const WINDOWS = [24, 48, 168, 720, 2160] as const;

/** Energy by hour or day, in kWh and, where a price is set, in money. */
export function DeviceEnergy({ device }: { device: Device }) {
  const [hours, setHours] = useState<number>(24);
  const [series, setSeries] = useState<EnergySeries | null>(null);
  const [pricing, setPricing] = useState(false);
  useEffect(() => {
    void get("/v1/devices/{id}/energy", { params: { id: device.id }, query: { hours } })
      .then(setSeries)
      .catch(() => setSeries(null));
  }, [device.id, hours]);
  if (series === null || (series.series.length === 0 && hours === 24)) return null;
  const { perKwh, currency } = price.value;
  return (
    <Card
      title={t("device.energy")}
      action={
        <button type="button" class="button plain" onClick={() => setPricing(true)}>
          {t("energy.price")}
        </button>
      }
    >
      <div class="row between">
        <span>
          <span class="big-number">{number(series.kwh, 2)} kWh</span>
          {perKwh > 0 && <span class="soft"> {t("energy.cost", { cost: `${currency} ${number(series.kwh * perKwh, 2)}` })}</span>}
        </span>
        <div class="chips" role="group" aria-label={t("device.window")}>
          {WINDOWS.map((size) => (
            <button type="button" class="chip" key={size} aria-pressed={size === hours} onClick={() => setHours(size)}>
              {size <= 48 ? t("device.hours", { n: size }) : t("device.days", { n: size / 24 })}
            </button>
          ))}
        </div>
      </div>
      <Chart points={series.series.map((bucket) => [Date.parse(bucket.at) / 1000, bucket.avg] as const)} unit="W" label={t("device.energy")} bars />
      {pricing && <PriceDialog onClose={() => setPricing(false)} />}
    </Card>
  );
}

function PriceDialog({ onClose }: { onClose: () => void }) {
  const [perKwh, setPerKwh] = useState(price.value.perKwh === 0 ? "" : String(price.value.perKwh));
  const [currency, setCurrency] = useState(price.value.currency);
  const send = async (): Promise<void> => {
    const typed = Number(perKwh.replace(",", "."));
    setPrice({ perKwh: Number.isFinite(typed) && typed > 0 ? typed : 0, currency });
    onClose();
  };
  return (
    <Dialog title={t("energy.price")} onClose={onClose}>
      <p class="soft small">{t("energy.priceText")}</p>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {() => (
          <div class="pair">
            <TextField label={t("energy.perKwh")} inputMode="decimal" value={perKwh} onInput={setPerKwh} />
            <TextField label={t("energy.currency")} value={currency} onInput={setCurrency} maxLength={8} />
          </div>
        )}
      </Form>
    </Dialog>
  );
}
