import { useState } from "preact/hooks";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { dayOf, shownZone, startOfDay } from "../../../console/components/zone-time.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";

const DAY_MS = 86_400_000;
const MOST_MS = 3_650 * DAY_MS;
/** Enough to get past a day of 25 hours. */
const NEXT_DAY_MS = 26 * 3_600_000;

/** Every sample of a device as a file, from one day to another: the data behind the chart, not thinned. */
export function SamplesFile({ deviceId, metrics }: { deviceId: string; metrics: readonly string[] }) {
  const zone = shownZone();
  const [metric, setMetric] = useState("");
  const [from, setFrom] = useState(() => dayOf(Date.now() - 6 * DAY_MS, zone));
  const [to, setTo] = useState(() => dayOf(Date.now(), zone));
  const begin = startOfDay(from, zone);
  const last = startOfDay(to, zone);
  const end = startOfDay(dayOf(last + NEXT_DAY_MS, zone), zone);
  const isGood = [from, to].every((day) => /^\d{4}-\d\d-\d\d$/.test(day)) && begin < end && end - begin < MOST_MS;
  const query = isGood
    ? new URLSearchParams({
        from: new Date(begin).toISOString(),
        to: new Date(end).toISOString(),
        ...(metrics.includes(metric) ? { metric } : {}),
      })
    : null;
  return (
    <details class="group">
      <summary>{t("history.file")}</summary>
      <div class="stack">
        <p class="soft small">{t("history.fileText")}</p>
        <div class="pair">
          <TextField type="date" label={t("history.fileFrom")} value={from} onInput={setFrom} />
          <TextField
            type="date"
            label={t("history.fileTo")}
            value={to}
            onInput={setTo}
            {...(isGood ? {} : { error: t("history.fileWrong") })}
          />
        </div>
        <SelectField
          label={t("history.fileValue")}
          value={metrics.includes(metric) ? metric : ""}
          options={[["", t("history.fileAll")] as const, ...metrics.map((name) => [name, measureName(name)] as const)]}
          onChange={setMetric}
        />
        {query !== null && (
          <div class="row">
            <a class="button" href={`/v1/devices/${encodeURIComponent(deviceId)}/telemetry.csv?${query}`} download>
              {t("history.fileSave")}
            </a>
          </div>
        )}
      </div>
    </details>
  );
}
