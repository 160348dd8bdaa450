import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { chosenOf, currencies, currencyOfZone, PriceField } from "./prices.tsx";

/** Asks for the price where the cost would stand: one number, which counts at all times and from the beginning. */
export function PriceAsk({ zone, onSaved }: { zone: string; onSaved: () => void }) {
  const [currency, setCurrency] = useState(() => currencyOfZone(zone));
  const [perKwh, setPerKwh] = useState(0);
  const send = async (): Promise<void> => {
    const { settings } = await get("/api/energy/settings");
    const prices = [{ validFrom: null, perKwh, exportPerKwh: 0, periods: [] }];
    await put("/api/energy/settings", { body: { tariff: { currency, prices }, roles: chosenOf(settings.roles) } });
    say(t("energy.costsShown"));
    onSaved();
  };
  return (
    <section class="price-ask" aria-label={t("energy.prices")}>
      <Form submit={t("energy.showCosts")} send={send} disabled={perKwh === 0}>
        {() => (
          <div class="pair">
            <PriceField label={t("energy.askPrice")} value={perKwh} onChange={setPerKwh} />
            <SelectField
              label={t("energy.currency")}
              value={currency}
              options={currencies(currency)}
              onChange={setCurrency}
            />
          </div>
        )}
      </Form>
      <p class="small">
        <a href="/energy/settings">{t("energy.morePrices")}</a>
      </p>
    </section>
  );
}
