import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { TryAgain } from "../../../console/components/basics.tsx";
import { Button, Chip, IconButton } from "../../../console/components/button.tsx";
import {
  dayOf,
  type Span,
  shifted,
  startOfDay,
  zoneMoment,
  zoneName,
  zoneStretch,
} from "../../../console/components/zone-time.ts";
import { amount, measureName, unitOf } from "../../../console/i18n/measures.ts";
import { isElsewhere, type TextKey, t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { devices } from "../../../console/store.ts";
import { StateBars } from "../../states/console/state-bars.tsx";
import { rowsOf } from "../../states/console/state-lines.ts";
import { StateSentences } from "../../states/console/state-sentences.tsx";
import type { StateStretch } from "../../states/resources/states.ts";
import type { DeviceHistory } from "../resources/telemetry.ts";
import { HistoryChart } from "./history-chart.tsx";
import type { Line } from "./history-columns.ts";
import { HistoryTable } from "./history-table.tsx";

const SPANS: readonly Span[] = ["hour", "day", "week", "month", "year"];
const SPAN_TEXT: Readonly<Record<Span, TextKey>> = {
  hour: "history.hour",
  day: "history.day",
  week: "history.week",
  month: "history.month",
  year: "history.year",
};
const SECOND_MS = 1_000;
const SHORTEST_MS = 10 * SECOND_MS;
const LONGEST_MS = 3_650 * 86_400 * SECOND_MS;
/** Least time between two refreshes of a time range that ends now. */
const REFRESH_MS = 3_000;
/** Answers kept, so that going back and forward shows known ranges at once. */
const KEPT_ANSWERS = 30;
/** States are told for a month at most. */
const LONGEST_STATES_MS = 31 * 86_400 * SECOND_MS;

/** Which value of which device. */
export interface Subject {
  readonly deviceId: string;
  /** Null: the device's first. */
  readonly metric: string | null;
}

/** The visible time: a range (epoch ms), or the latest one of a length, which moves with time. */
type Stretch = { readonly from: number; readonly to: number } | null;

/** The history of one value, or of two beside each other: ranges, back and forward, zoom, values, a table, a file. */
export function HistoryView({
  subject,
  other,
  onMetric,
  onLoaded,
  fixedSpan = "day",
  withStates = false,
}: {
  subject: Subject;
  /** Drawn beside it. */
  other?: Subject | null;
  onMetric: (metric: string) => void;
  /** Called with the device's metrics. */
  onLoaded?: (history: DeviceHistory) => void;
  fixedSpan?: Span;
  /** Draws the device's states under its numbers. */
  withStates?: boolean;
}) {
  const [span, setSpan] = useState<Span>(fixedSpan);
  const [stretch, setStretch] = useState<Stretch>(null);
  const [earlier, setEarlier] = useState<readonly Stretch[]>([]);
  const [now, setNow] = useState(() => Date.now());
  const [shown, setShown] = useState<{
    readonly histories: readonly DeviceHistory[];
    readonly from: number;
    readonly to: number;
    readonly states: StateStretch | null;
  } | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [place, setPlace] = useState<{ readonly left: number; readonly right: number }>({ left: 0, right: 0 });
  const [isFailed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  const zone = shown?.histories[0]?.timeZone ?? "UTC";
  const { from, to } = stretch ?? { from: shifted(now, span, -1, zone), to: now };
  const asked = useRef(0);
  useEffect(() => {
    const mine = ++asked.current;
    const subjects = other === null || other === undefined ? [subject] : [subject, other];
    void Promise.all([
      Promise.all(subjects.map(({ deviceId, metric }) => history(deviceId, metric, { from, to }, stretch !== null))),
      withStates ? statesOf(subject.deviceId, { from, to }) : null,
    ])
      .then(([histories, states]) => {
        if (mine !== asked.current) return; // a later request is pending
        setFailed(false);
        setShown({ histories, from, to, states });
        const [first] = histories;
        if (first !== undefined) onLoaded?.(first);
      })
      .catch(() => mine === asked.current && setFailed(true));
  }, [subject.deviceId, subject.metric, other?.deviceId, other?.metric, from, to, tries]);
  useEffect(() => {
    // A range that ends now follows new samples; one that somebody chose stays as it is.
    if (stretch !== null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const again = (deviceId: string, afterMs: number): void => {
      if (deviceId !== subject.deviceId && deviceId !== other?.deviceId) return;
      timer ??= setTimeout(() => {
        timer = null;
        setNow(Date.now());
      }, afterMs);
    };
    const stops = [
      onFact("device.telemetry", ({ deviceId }) => again(deviceId, Math.max(REFRESH_MS, (to - from) / 1_000))),
      // a door that opens is seen at once, whatever the range
      ...(withStates ? [onFact("device.changed", ({ deviceId }) => again(deviceId, REFRESH_MS))] : []),
    ];
    return () => {
      for (const stop of stops) stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [stretch === null, subject.deviceId, other?.deviceId, span]);
  const failed = isFailed && <TryAgain text={t("history.failed")} onTry={() => setTries(tries + 1)} />;
  if (failed && shown === null) return failed;
  if (shown === null) return <p aria-busy="true">{t("state.loading")}</p>;
  const [first] = shown.histories;
  const rows = shown.states === null ? [] : rowsOf(shown.states, devices.value);
  const hasNumbers = first !== undefined && first.metric !== null;
  if (first === undefined || (!hasNumbers && rows.length === 0 && stretch === null))
    return <p class="soft">{t("device.noHistory")}</p>;

  const move = (count: number): void => {
    const next = { from: shifted(from, span, count, zone), to: shifted(to, span, count, zone) };
    setStretch(
      next.to >= Date.now() && count > 0 && stretch !== null && to - from >= 0.9 * (shifted(from, span, 1, zone) - from)
        ? null
        : next,
    );
    setNow(Date.now());
    setEarlier([]);
  };
  const zoom = (start: number, end: number): void => {
    const length = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, end - start));
    const middle = (start + end) / 2;
    setEarlier((known) => [...known, stretch].slice(-20));
    setStretch({ from: Math.round(middle - length / 2), to: Math.round(middle + length / 2) });
  };
  const latest = (wanted: Span = span): void => {
    setSpan(wanted);
    setStretch(null);
    setEarlier([]);
    setNow(Date.now());
  };
  const back = (): void => {
    setStretch(earlier.at(-1) ?? null);
    setEarlier(earlier.slice(0, -1));
    setNow(Date.now());
  };
  const lines = shown.histories.flatMap((answer) => (answer.metric === null ? [] : [lineOf(answer, shown.histories)]));
  const label = lines.map((line) => line.label).join(", ");
  return (
    <div class="stack">
      {first.metrics.length > 1 && (
        <div class="chips one-row" role="group" aria-label={t("device.metric")}>
          {first.metrics.map((name) => (
            <Chip key={name} text={measureName(name)} pressed={name === first.metric} onClick={() => onMetric(name)} />
          ))}
        </div>
      )}
      <div class="history-tools">
        <div class="chips one-row" role="group" aria-label={t("device.window")}>
          {SPANS.map((name) => (
            <Chip key={name} text={t(SPAN_TEXT[name])} pressed={name === span} onClick={() => latest(name)} />
          ))}
        </div>
      </div>
      <div class="history-tools">
        <IconButton icon="chevronLeft" label={t("history.back")} framed onClick={() => move(-1)} />
        <IconButton
          icon="chevronRight"
          label={t("history.forward")}
          framed
          disabled={stretch === null}
          onClick={() => move(1)}
        />
        <span class="when">{zoneStretch(from, to, zone)}</span>
        {stretch !== null && <Button text={t("history.now")} onClick={() => latest()} />}
      </div>
      {failed}
      {hasNumbers && lines.every((line) => line.points.length === 0) && <p class="soft">{t("history.empty")}</p>}
      {hasNumbers && (
        <HistoryChart
          lines={lines}
          from={from}
          to={to}
          zone={zone}
          label={t("history.chart", { what: label })}
          onZoom={zoom}
          onPoint={setAt}
          onPlace={(left, right) => (left !== place.left || right !== place.right) && setPlace({ left, right })}
        />
      )}
      {rows.length > 0 && (
        <div style={hasNumbers ? { "--plot-left": `${place.left}px`, "--plot-right": `${place.right}px` } : {}}>
          <StateBars
            rows={rows}
            from={from}
            to={to}
            zone={zone}
            off={shown.states?.off ?? []}
            at={at}
            onPoint={setAt}
            isBeside
            hasTicks={!hasNumbers}
          />
        </div>
      )}
      {withStates && to - from > LONGEST_STATES_MS && <p class="soft small">{t("states.longest")}</p>}
      {rows.length > 0 && <StateSentences rows={rows} zone={zone} />}
      <div class="history-tools">
        <span class="grow soft small">{isElsewhere() && t("history.zone", { zone: zoneName(zone, to) })}</span>
        <Button text={t("history.zoomIn")} onClick={() => zoom(from + (to - from) / 4, to - (to - from) / 4)} />
        {earlier.length > 0 && <Button text={t("history.zoomOut")} onClick={back} />}
        <label class="day-field">
          <span class="sr-only">{t("history.pickDay")}</span>
          <input
            type="date"
            class="input"
            value={dayOf(from, zone)}
            max={dayOf(Date.now(), zone)}
            onChange={(event) => {
              const day = event.currentTarget.value;
              if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return;
              const start = startOfDay(day, zone);
              setSpan("day");
              setEarlier([]);
              setStretch({ from: start, to: shifted(start, "day", 1, zone) });
            }}
          />
        </label>
      </div>
      {lines.map((line) => (
        <Summary key={line.label} line={line} zone={zone} />
      ))}
      {hasNumbers && <HistoryTable lines={lines} zone={zone} name={`${label} ${dayOf(from, zone)}`} />}
    </div>
  );
}

/** The line in one sentence. */
function Summary({ line, zone }: { line: Line; zone: string }) {
  if (line.points.length === 0) return null;
  const low = line.points.reduce((least, point) =>
    (point.min ?? point.avg) < (least.min ?? least.avg) ? point : least,
  );
  const high = line.points.reduce((most, point) => (point.max > most.max ? point : most));
  const mean = line.points.reduce((sum, point) => sum + point.avg, 0) / line.points.length;
  const value = (of: number): string => `${amount(of)} ${line.unit}`.trim();
  return (
    <p class="soft small">
      {t("history.summary", {
        what: line.label,
        mean: value(mean),
        low: value(low.min ?? low.avg),
        lowAt: zoneMoment(low.at, zone),
        high: value(high.max),
        highAt: zoneMoment(high.at, zone),
      })}
    </p>
  );
}

function lineOf(answer: DeviceHistory, all: readonly DeviceHistory[]): Line {
  const metric = answer.metric ?? "";
  const hasOthers = new Set(all.map(({ deviceId }) => deviceId)).size > 1;
  const label = hasOthers
    ? `${devices.value.get(answer.deviceId)?.name ?? answer.deviceId}: ${measureName(metric)}`
    : measureName(metric);
  return {
    label,
    unit: unitOf(metric),
    stepMs: answer.stepSeconds * SECOND_MS,
    points: answer.series.map(({ at, avg, min, max }) => ({ at: Date.parse(at), avg, min, max })),
  };
}

/** A device's states, for as long a stretch as they are told for. */
async function statesOf(
  deviceId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<StateStretch | null> {
  if (to - from > LONGEST_STATES_MS) return null;
  const query = { deviceId, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return (await get("/api/states", { query })).stretch;
}

const answers = new Map<string, Promise<DeviceHistory>>();

/** `isPast`: a chosen range; it is cached for a while, one that moves with time is not. */
function history(
  deviceId: string,
  metric: string | null,
  { from, to }: { from: number; to: number },
  isPast: boolean,
): Promise<DeviceHistory> {
  const points = Math.min(1_000, Math.max(200, Math.round(innerWidth / 1.5)));
  const query = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    points,
    ...(metric === null ? {} : { metric }),
  };
  const ask = (): Promise<DeviceHistory> => get("/v1/devices/{id}/history", { params: { id: deviceId }, query });
  if (!isPast || to > Date.now() - 60 * SECOND_MS) return ask();
  const key = JSON.stringify([deviceId, query]);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const asked = ask();
  answers.set(key, asked);
  asked.catch(() => answers.delete(key));
  if (answers.size > KEPT_ANSWERS) answers.delete(answers.keys().next().value ?? "");
  return asked;
}
