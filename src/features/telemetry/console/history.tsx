import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty } from "../../../console/components/basics.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { dayOf, type Span, shownZone } from "../../../console/components/zone-time.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList, loaded } from "../../../console/store.ts";
import type { DeviceHistory } from "../resources/telemetry.ts";
import { type Earlier, HistoryView, type Subject } from "./history-view.tsx";
import { SamplesFile } from "./samples-file.tsx";

/** Choices beside the devices: times of the same value. No device has such an id. */
const BEFORE = "~before";
const WEEK = "~week";
const DAY_MS = 86_400_000;
const DAY = "~day";
const BEFORE_TEXT: Readonly<Record<Span, TextKey>> = {
  hour: "history.before.hour",
  day: "history.before.day",
  week: "history.before.week",
  month: "history.before.month",
  year: "history.before.year",
};
/** Kinds of devices that measure although they do not announce what. */
const MEASURING = new Set(["sensor", "energy-meter", "smart-plug", "thermostat"]);
/** Numbers of a state that are how a device is set or connected, not what it measures. */
const NO_MEASURE = /^(rssi|linkquality|lqi|battery|brightness|speed|position|percent|target)$/i;

/** The history of any value of any device, and of a second one beside it. The selection is in the address. */
export function ValuesView() {
  const given = new URLSearchParams(location.search);
  const [subject, setSubject] = useState<Subject>({ deviceId: given.get("device") ?? "", metric: given.get("metric") });
  const [other, setOther] = useState<Subject | null>(
    given.has("with") ? { deviceId: given.get("with") ?? "", metric: given.get("value") } : null,
  );
  const [time, setTime] = useState<Earlier | null>(null);
  const [span, setSpan] = useState<Span>("day");
  const [metrics, setMetrics] = useState<Readonly<Record<string, readonly string[]>>>({});
  const list = deviceList.value;
  const zone = shownZone();
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
          <div class="history-choice one">
            <SelectField
              label={t("history.device")}
              value={deviceId}
              options={list
                .filter((device) => measures(device) || device.id === deviceId)
                .map((device) => [device.id, device.name] as const)}
              onChange={(id) => setSubject({ deviceId: id, metric: null })}
            />
          </div>
          <HistoryView
            key={deviceId}
            subject={{ deviceId, metric: subject.metric }}
            other={beside}
            compared={beside === null ? time : null}
            onMetric={(metric) => setSubject({ deviceId, metric })}
            onLoaded={know}
            onSpan={setSpan}
          >
            <div class="pair history-choice">
              <SelectField
                label={t("history.compareWith")}
                value={
                  beside?.deviceId ?? (time === "before" ? BEFORE : time === "week" ? WEEK : time === null ? "" : DAY)
                }
                options={[
                  ["", t("history.nothing")] as const,
                  [BEFORE, t(BEFORE_TEXT[span])] as const,
                  ...(span === "day" || span === "hour"
                    ? [[WEEK, t("history.sameWeekday")] as const, [DAY, t("history.anotherDay")] as const]
                    : []),
                  ...list
                    .filter((device) => measures(device) || device.id === beside?.deviceId)
                    .map((device) => [device.id, device.name] as const),
                ]}
                onChange={(id) => {
                  const isTime = id === "" || id.startsWith("~");
                  setOther(isTime ? null : { deviceId: id, metric: null });
                  setTime(
                    id === BEFORE
                      ? "before"
                      : id === WEEK
                        ? "week"
                        : id === DAY
                          ? { day: dayOf(Date.now() - 2 * DAY_MS, zone) }
                          : null,
                  );
                }}
              />
              {beside === null && time !== null && typeof time !== "string" && (
                <TextField
                  type="date"
                  label={t("history.anotherDayWhich")}
                  value={time.day}
                  onInput={(day) => /^\d{4}-\d\d-\d\d$/.test(day) && setTime({ day })}
                />
              )}
              {beside !== null && values.length > 1 && (
                <SelectField
                  label={t("history.otherValue")}
                  value={beside.metric ?? values[0] ?? ""}
                  options={values.map((name) => [name, measureName(name)] as const)}
                  onChange={(metric) => setOther({ ...beside, metric })}
                />
              )}
            </div>
          </HistoryView>
          <SamplesFile key={`${deviceId} file`} deviceId={deviceId} metrics={metrics[deviceId] ?? []} />
        </Card>
      )}
    </>
  );
}

/** Whether a device measures something, as far as it says. */
function measures({ type, capabilities, state }: Device): boolean {
  return (
    MEASURING.has(type) ||
    (capabilities?.metrics.length ?? 0) > 0 ||
    Object.entries(state).some(([key, value]) => typeof value === "number" && !NO_MEASURE.test(key))
  );
}

/** The value shown for a device by default. */
function shownFirst(metrics: readonly string[]): string | null {
  return ["temperature", "watts", "power_w", "humidity"].find((name) => metrics.includes(name)) ?? metrics[0] ?? null;
}
