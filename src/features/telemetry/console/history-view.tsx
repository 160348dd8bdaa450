import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { TryAgain } from "../../../console/components/basics.tsx";
import { Button, Chip, IconButton } from "../../../console/components/button.tsx";
import { DayPick } from "../../../console/components/day-pick.tsx";
import {
  dayOf,
  type Span,
  shifted,
  startOfDay,
  zoneDate,
  zoneMoment,
  zoneName,
  zoneStretch,
} from "../../../console/components/zone-time.ts";
import { amount, measureName, unitOf } from "../../../console/i18n/measures.ts";
import { isElsewhere, number, type TextKey, t } from "../../../console/i18n/translate.ts";
import { withUnit } from "../../../console/i18n/unbroken.ts";
import { onFact } from "../../../console/live.ts";
import { devices } from "../../../console/store.ts";
import { HatchKey, StateBars } from "../../states/console/state-bars.tsx";
import { rowsOf, wasAway } from "../../states/console/state-lines.ts";
import { StateSentences } from "../../states/console/state-sentences.tsx";
import type { StateStretch } from "../../states/resources/states.ts";
import type { DeviceHistory } from "../resources/telemetry.ts";
import { comparedWith } from "./compared.ts";
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
const LAST_TEXT: Readonly<Record<Span, TextKey>> = {
  hour: "history.lastHour",
  day: "history.lastDay",
  week: "history.lastWeek",
  month: "history.lastMonth",
  year: "history.lastYear",
};
/** Temperatures and the like that differ by less are the same. */
const NOTHING = 0.1;
const SECOND_MS = 1_000;
const SHORTEST_MS = 10 * SECOND_MS;
const LONGEST_MS = 3_650 * 86_400 * SECOND_MS;
/** Least time between two refreshes of a time range that ends now. */
const REFRESH_MS = 3_000;
/** Answers kept, so that going back and forward shows known ranges at once. */
const KEPT_ANSWERS = 30;
/** States are shown for a month at most. */
const LONGEST_STATES_MS = 31 * 86_400 * SECOND_MS;

/** Which value of which device. */
export interface Subject {
  readonly deviceId: string;
  /** Null: the device's first. */
  readonly metric: string | null;
}

/** The visible time: a range (epoch ms), or the latest one of a length, which moves with time. */
type Stretch = { readonly from: number; readonly to: number } | null;

/** Another time of the same value: one span before, a week before, or a day (`2026-03-01`). */
export type Earlier = "before" | "week" | { readonly day: string };

/** The history of one value, or of two beside each other: ranges, back and forward, zoom, values, a table, a file. */
export function HistoryView({
  subject,
  other,
  compared = null,
  onMetric,
  onLoaded,
  onSpan,
  fixedSpan = "day",
  withStates = false,
  children,
}: {
  subject: Subject;
  /** Drawn beside it. */
  other?: Subject | null;
  /** Another time of the same value, drawn dashed on the same axis. */
  compared?: Earlier | null;
  onMetric: (metric: string) => void;
  /** Called when another length of time is chosen. */
  onSpan?: (span: Span) => void;
  /** Called with the device's metrics. */
  onLoaded?: (history: DeviceHistory) => void;
  fixedSpan?: Span;
  /** Draws the device's states under its numbers. */
  withStates?: boolean;
  /** Further choices, below the chart. */
  children?: ComponentChildren;
}) {
  const [span, setSpan] = useState<Span>(fixedSpan);
  const [stretch, setStretch] = useState<Stretch>(null);
  const [earlier, setEarlier] = useState<readonly Stretch[]>([]);
  const [now, setNow] = useState(() => Date.now());
  const [shown, setShown] = useState<{
    readonly histories: readonly DeviceHistory[];
    /** The same value of another time, and how far that lies back. */
    readonly earlier: { readonly history: DeviceHistory; readonly byMs: number } | null;
    readonly from: number;
    readonly to: number;
    readonly isLatest: boolean;
    readonly states: StateStretch | null;
  } | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [place, setPlace] = useState<{ readonly left: number; readonly right: number }>({ left: 0, right: 0 });
  const [isFailed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  const zone = shown?.histories[0]?.timeZone ?? "UTC";
  const { from, to } = stretch ?? { from: shifted(now, span, -1, zone), to: now };
  const asked = useRef(0);
  const comparedKey = compared === null ? "" : typeof compared === "string" ? compared : compared.day;
  useEffect(() => {
    const mine = ++asked.current;
    const subjects = other === null || other === undefined ? [subject] : [subject, other];
    const then = compared === null ? null : earlierFrom(from, compared, span, zone);
    const byMs = then === null ? 0 : from - then;
    void Promise.all([
      Promise.all(subjects.map(({ deviceId, metric }) => history(deviceId, metric, { from, to }, stretch !== null))),
      withStates ? statesOf(subject.deviceId, { from, to }) : null,
      then === null ? null : history(subject.deviceId, subject.metric, { from: then, to: to - byMs }, true),
    ])
      .then(([histories, states, past]) => {
        if (mine !== asked.current) return; // a later request is pending
        setFailed(false);
        const earlier = past === null ? null : { history: past, byMs };
        setShown({ histories, earlier, from, to, isLatest: stretch === null, states });
        const [first] = histories;
        if (first !== undefined) onLoaded?.(first);
      })
      .catch(() => mine === asked.current && setFailed(true));
  }, [subject.deviceId, subject.metric, other?.deviceId, other?.metric, from, to, tries, comparedKey]);
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
  const rows =
    shown.states === null
      ? []
      : rowsOf(shown.states, devices.value, shown.isLatest || undefined).filter(
          (row) => row.kind !== "online" || wasAway(row),
        );
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
    onSpan?.(wanted);
    setStretch(null);
    setEarlier([]);
    setNow(Date.now());
  };
  const back = (): void => {
    setStretch(earlier.at(-1) ?? null);
    setEarlier(earlier.slice(0, -1));
    setNow(Date.now());
  };
  const ownLines = shown.histories.flatMap((answer) =>
    answer.metric === null ? [] : [lineOf(answer, shown.histories)],
  );
  const past = shown.earlier === null || hasNumbers === false ? null : earlierLine(shown.earlier, zone, shown);
  const lines = past === null ? ownLines : [...ownLines, past];
  const silent = shown.histories.find(({ metric }, index) => index > 0 && metric === null);
  // a range that moves with time is the same one; any other is not, until it has arrived
  const isStale = stretch === null ? !shown.isLatest : shown.from !== from || shown.to !== to;
  const label = lines.map((line) => line.label).join(", ");
  return (
    <div class="stack">
      {first.metrics.filter((name) => name !== "uptime").length > 1 && (
        <div class="chips one-row" role="group" aria-label={t("device.metric")}>
          {first.metrics
            .filter((name) => name !== "uptime" || name === first.metric)
            .map((name) => (
              <Chip
                key={name}
                text={measureName(name)}
                pressed={name === first.metric}
                onClick={() => onMetric(name)}
              />
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
      <div class="history-tools period">
        <IconButton icon="chevronLeft" label={t("history.back")} framed onClick={() => move(-1)} />
        <DayPick
          text={stretch === null ? t(LAST_TEXT[span]) : stretchTitle(from, to, zone)}
          value={dayOf(from, zone)}
          max={dayOf(Date.now(), zone)}
          onPick={(day) => {
            const start = startOfDay(day, zone);
            setSpan("day");
            onSpan?.("day");
            setEarlier([]);
            setStretch({ from: start, to: shifted(start, "day", 1, zone) });
          }}
        />
        <IconButton
          icon="chevronRight"
          label={t("history.forward")}
          framed
          disabled={stretch === null}
          onClick={() => move(1)}
        />
        {stretch !== null && <Button text={t("history.now")} onClick={() => latest()} />}
      </div>
      {failed}
      {hasNumbers && lines.every((line) => line.points.length === 0) && <p class="soft">{t("history.empty")}</p>}
      {silent !== undefined && (
        <p class="soft">{t("history.silent", { name: devices.value.get(silent.deviceId)?.name ?? silent.deviceId })}</p>
      )}
      {hasNumbers && (
        <div data-stale={isStale} aria-busy={isStale}>
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
        </div>
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
          <p class="state-key beside" aria-hidden="true">
            <HatchKey rows={rows} from={from} to={to} off={shown.states?.off ?? []} />
          </p>
        </div>
      )}
      {withStates && to - from > LONGEST_STATES_MS && <p class="soft small">{t("states.longest")}</p>}
      {rows.length > 0 && <StateSentences rows={rows} zone={zone} />}
      <div class="history-tools">
        <span class="grow soft small">{isElsewhere() && t("history.zone", { zone: zoneName(zone, to) })}</span>
        <Button text={t("history.zoomIn")} onClick={() => zoom(from + (to - from) / 4, to - (to - from) / 4)} />
        {earlier.length > 0 && <Button text={t("history.zoomOut")} onClick={back} />}
      </div>
      {past !== null && ownLines[0] !== undefined && <p>{comparedText(ownLines[0], past, first.metric ?? "")}</p>}
      {children}
      {ownLines.map((line) => (
        <Summary key={line.label} line={line} zone={zone} />
      ))}
      {hasNumbers && <HistoryTable lines={lines} zone={zone} name={`${label} ${dayOf(from, zone)}`} />}
    </div>
  );
}

/** When the compared time begins; null: it is the shown time itself, or later than it. */
function earlierFrom(from: number, compared: Earlier, span: Span, zone: string): number | null {
  if (compared === "before") return shifted(from, span, -1, zone);
  if (compared === "week") return shifted(from, "week", -1, zone);
  const inDay = from - startOfDay(dayOf(from, zone), zone);
  const then = startOfDay(compared.day, zone) + inDay;
  return then === from ? null : then;
}

/** The same value of another time, moved onto the axis of the shown one and named by its day. */
function earlierLine(
  { history: answer, byMs }: { readonly history: DeviceHistory; readonly byMs: number },
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
): Line | null {
  if (answer.metric === null) return null;
  const line = lineOf(answer, [answer]);
  const [first, last] = [from - byMs, to - byMs - 1];
  return {
    ...line,
    label:
      dayOf(first, zone) === dayOf(last, zone)
        ? zoneDate(first, zone, { weekday: "short", day: "numeric", month: "short" })
        : `${zoneDate(first, zone)} – ${zoneDate(last, zone)}`,
    points: line.points.map((point) => ({ ...point, at: point.at + byMs })),
    isEarlier: true,
  };
}

/** How the shown time differs from the compared one, in a sentence. */
function comparedText(line: Line, past: Line, metric: string): string {
  const difference = comparedWith(line, past, metric);
  const when = past.label;
  if (difference === null) return t("history.notCompared", { when });
  const { kind, change, now, past: before } = difference;
  const value = (of: number): string => withUnit(amount(of), line.unit);
  const size = kind === "percent" ? withUnit(number(Math.abs(change) * 100, 0), "%") : value(Math.abs(change));
  const isSame = kind === "percent" ? Math.abs(change) < 0.005 : Math.abs(change) < NOTHING;
  return isSame
    ? t("history.sameAs", { when, now: value(now) })
    : t(change > 0 ? "history.moreThan" : "history.lessThan", { size, when, now: value(now), before: value(before) });
}

/** A chosen stretch as a title: its day, if it is a whole one. */
function stretchTitle(from: number, to: number, zone: string): string {
  return from === startOfDay(dayOf(from, zone), zone) && to === shifted(from, "day", 1, zone)
    ? zoneDate(from, zone, { weekday: "short", day: "numeric", month: "short", year: "numeric" })
    : zoneStretch(from, to, zone);
}

/** The line in one sentence. */
function Summary({ line, zone }: { line: Line; zone: string }) {
  if (line.points.length === 0) return null;
  const low = line.points.reduce((least, point) =>
    (point.min ?? point.avg) < (least.min ?? least.avg) ? point : least,
  );
  const high = line.points.reduce((most, point) => (point.max > most.max ? point : most));
  const mean = line.points.reduce((sum, point) => sum + point.avg, 0) / line.points.length;
  const value = (of: number): string => withUnit(amount(of), line.unit);
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

/** A device's states, over the longest time for which they are shown. */
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
