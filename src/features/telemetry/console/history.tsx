import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty } from "../../../console/components/basics.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { measureName } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import { deviceList, loaded } from "../../../console/store.ts";
import type { DeviceHistory } from "../resources/telemetry.ts";
import { HistoryView, type Subject } from "./history-view.tsx";
import { SamplesFile } from "./samples-file.tsx";

/** The history of any value of any device, and of a second one beside it. The selection is in the address. */
export function ValuesView() {
  const given = new URLSearchParams(location.search);
  const [subject, setSubject] = useState<Subject>({ deviceId: given.get("device") ?? "", metric: given.get("metric") });
  const [other, setOther] = useState<Subject | null>(
    given.has("with") ? { deviceId: given.get("with") ?? "", metric: given.get("value") } : null,
  );
  const [metrics, setMetrics] = useState<Readonly<Record<string, readonly string[]>>>({});
  const list = deviceList.value;
  const deviceId = list.some((device) => device.id === subject.deviceId)
    ? subject.deviceId
    : (list.find((device) => device.state.watts !== undefined)?.id ?? list[0]?.id ?? "");
  const know = ({ deviceId: id, metrics: found }: DeviceHistory): void =>
    setMetrics((known) => (known[id]?.join() === found.join() ? known : { ...known, [id]: found }));
  const values = other === null ? [] : (metrics[other.deviceId] ?? []);
  const own = subject.metric ?? (other?.deviceId === deviceId ? shownFirst(values) : null);
  const chosen =
    other === null
      ? null
      : {
          ...other,
          metric: other.metric ?? values.find((name) => other.deviceId !== deviceId || name !== own) ?? null,
        };
  const beside = chosen !== null && list.some((device) => device.id === chosen.deviceId) ? chosen : null;
  useEffect(() => {
    if (deviceId === "") return;
    const query = new URLSearchParams({
      device: deviceId,
      ...(subject.metric === null ? {} : { metric: subject.metric }),
    });
    if (beside !== null) query.set("with", beside.deviceId);
    if (beside?.metric) query.set("value", beside.metric);
    history.replaceState(null, "", `/history/values?${query}`);
  }, [deviceId, subject.metric, beside?.deviceId, beside?.metric]);
  useEffect(() => {
    if (beside === null || metrics[beside.deviceId] !== undefined) return; // its values are offered beside it
    void get("/v1/devices/{id}/history", { params: { id: beside.deviceId }, query: { points: 10 } })
      .then(know)
      .catch(() => {});
  }, [beside?.deviceId]);
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  return (
    <>
      {deviceId === "" ? (
        <Card>
          <Empty icon="activity" text={t("home.noDevices")} />
        </Card>
      ) : (
        <Card>
          <div class="pair history-choice">
            <SelectField
              label={t("history.device")}
              value={deviceId}
              options={list.map((device) => [device.id, device.name] as const)}
              onChange={(id) => setSubject({ deviceId: id, metric: null })}
            />
            <SelectField
              label={t("history.compareWith")}
              value={beside?.deviceId ?? ""}
              options={[
                ["", t("history.nothing")] as const,
                ...list.map((device) => [device.id, device.name] as const),
              ]}
              onChange={(id) => setOther(id === "" ? null : { deviceId: id, metric: null })}
            />
            {beside !== null && values.length > 1 && (
              <SelectField
                label={t("history.otherValue")}
                value={beside.metric ?? values[0] ?? ""}
                options={values.map((name) => [name, measureName(name)] as const)}
                onChange={(metric) => setOther({ ...beside, metric })}
              />
            )}
          </div>
          <HistoryView
            key={deviceId}
            subject={{ deviceId, metric: subject.metric }}
            other={beside}
            onMetric={(metric) => setSubject({ deviceId, metric })}
            onLoaded={know}
          />
          <SamplesFile key={`${deviceId} file`} deviceId={deviceId} metrics={metrics[deviceId] ?? []} />
        </Card>
      )}
    </>
  );
}

/** The value shown for a device by default. */
function shownFirst(metrics: readonly string[]): string | null {
  return ["temperature", "watts", "power_w", "humidity"].find((name) => metrics.includes(name)) ?? metrics[0] ?? null;
}
