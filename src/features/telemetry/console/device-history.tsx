import { useState } from "preact/hooks";
import { Card } from "../../../console/components/basics.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { Device } from "../../../console/store.ts";
import { HistoryView } from "./history-view.tsx";

/** A device's measurements: any of its numbers over time. */
export function DeviceHistory({ device }: { device: Device }) {
  const [metric, setMetric] = useState<string | null>(null);
  return (
    <Card
      title={t("device.history")}
      action={
        <a
          href={`/history/values?device=${encodeURIComponent(device.id)}${metric === null ? "" : `&metric=${encodeURIComponent(metric)}`}`}
        >
          {t("history.compare")}
        </a>
      }
    >
      <HistoryView subject={{ deviceId: device.id, metric }} onMetric={setMetric} withStates />
    </Card>
  );
}
