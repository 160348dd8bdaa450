import { useEffect, useState } from "preact/hooks";
import type { TelemetrySample } from "../../contract/resources/telemetry.js";
import { get } from "../api.js";
import { Card } from "../components/basics.js";
import { Chart } from "../components/chart.js";
import { measureName, unitOf } from "../i18n/measures.js";
import { t } from "../i18n/translate.js";
import { onFact } from "../live.js";
import type { Device } from "../store.js";

/** Samples kept in the page. */
const KEPT = 1_000;
const REDRAW_MS = 1_000;

/** What a device measured: any of its numbers over time. New samples appear as they come. */
export function DeviceHistory({ device }: { device: Device }) {
  const [samples, setSamples] = useState<readonly TelemetrySample[]>([]);
  const [metric, setMetric] = useState<string | null>(null);
  useEffect(() => {
    void get("/v1/devices/{id}/telemetry", { params: { id: device.id }, query: { limit: KEPT } })
      .then((answer) => setSamples(answer.telemetry))
      .catch(() => setSamples([]));
    // Redrawn at most once a second, however fast the device reports.
    let fresh: TelemetrySample[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const flush = (): void => {
      const taken = fresh;
      timer = null;
      fresh = [];
      setSamples((known) => [...taken, ...known].slice(0, KEPT));
    };
    const stop = onFact("device.telemetry", ({ deviceId, at, data }) => {
      if (deviceId !== device.id) return;
      fresh.unshift({ at, data });
      timer ??= setTimeout(flush, REDRAW_MS);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [device.id]);
  const metrics = [...new Set(samples.slice(0, 50).flatMap((sample) => Object.keys(sample.data).filter((key) => typeof sample.data[key] === "number")))];
  const chosen = metric ?? metrics[0] ?? null;
  const points = samples
    .filter((sample) => chosen !== null && typeof sample.data[chosen] === "number")
    .map((sample) => [Date.parse(sample.at) / 1000, Number(sample.data[chosen ?? ""])] as const)
    .reverse();
  return (
    <Card title={t("device.history")}>
      {chosen === null ? (
        <p class="soft">{t("device.noHistory")}</p>
      ) : (
        <>
          <div class="chips" role="group" aria-label={t("device.metric")}>
            {metrics.map((name) => (
              <button type="button" class="chip" key={name} aria-pressed={name === chosen} onClick={() => setMetric(name)}>
                {measureName(name)}
              </button>
            ))}
          </div>
          <Chart points={points} unit={unitOf(chosen)} label={measureName(chosen)} />
        </>
      )}
    </Card>
  );
}
