import { useEffect, useId, useRef, useState } from "preact/hooks";
import { amount } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import "../../../console/components/history.css";
import { isTouched } from "../../../console/components/touched.ts";
import { zoneMoment, zoneTime } from "../../../console/components/zone-time.ts";
import type { Line, LinePoint } from "./history-columns.ts";
import type { HistoryPlot } from "./history-plot.ts";

const MINUTE_MS = 60_000;

/** Lines over time, with the values of the moment that a mouse, a finger or the arrow keys point at. Dragging zooms. */
export function HistoryChart({
  lines,
  from,
  to,
  zone,
  label,
  onZoom,
  onPoint,
  onPlace,
}: {
  lines: readonly Line[];
  from: number;
  to: number;
  zone: string;
  label: string;
  onZoom: (from: number, to: number) => void;
  /** The moment that is pointed at; null: none. */
  onPoint?: (at: number | null) => void;
  /** Pixels that the axes take on both sides. */
  onPlace?: (left: number, right: number) => void;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<HistoryPlot | null>(null);
  const latest = useRef({ lines, from, to, zone });
  latest.current = { lines, from, to, zone };
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [at, setAt] = useState<number | null>(null);
  const told = useRef({ onPoint, onPlace });
  told.current = { onPoint, onPlace };
  const readoutId = useId();
  useEffect(() => {
    let isGone = false;
    void import("./history-plot.ts").then((code) => {
      if (isGone || holder.current === null) return;
      plot.current = new code.HistoryPlot(holder.current, latest.current, {
        onZoom: (start, end) => zoom.current(start, end),
        onPoint: (moment) => {
          setAt(moment);
          told.current.onPoint?.(moment);
        },
        onPlace: (left, right) => told.current.onPlace?.(left, right),
      });
    });
    return () => {
      isGone = true;
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => plot.current?.show(latest.current), [lines, from, to, zone]);
  const moments = lines[0]?.points ?? [];
  const here = at === null ? -1 : nearest(moments, at - (lines[0]?.stepMs ?? 0) / 2);
  const moveTo = (index: number): void => {
    const point = moments[Math.max(0, Math.min(moments.length - 1, index))];
    if (point !== undefined) plot.current?.point(point.at + (lines[0]?.stepMs ?? 0) / 2);
  };
  const onKey = (event: KeyboardEvent): void => {
    const big = Math.max(1, Math.round(moments.length / 10));
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: here - 1,
      ArrowRight: here + 1,
      PageUp: here - big,
      PageDown: here + big,
      Home: 0,
      End: moments.length - 1,
    };
    const centre = at ?? (from + to) / 2;
    if (event.key in steps)
      moveTo(here < 0 && event.key.startsWith("Arrow") ? moments.length - 1 : (steps[event.key] ?? 0));
    else if (event.key === "+" || event.key === "=") onZoom(centre - (centre - from) / 2, centre + (to - centre) / 2);
    else if (event.key === "-") onZoom(centre - (centre - from) * 2, centre + (to - centre) * 2);
    else if (event.key === "Escape") plot.current?.point(null);
    else return;
    event.preventDefault();
  };
  const text = at === null ? "" : readout(lines, at, zone, to - from);
  return (
    <div class="history-chart">
      <p class="readout" id={readoutId} data-quiet={at === null}>
        {at === null ? t(isTouched() ? "history.tapHint" : "history.pointHint") : text}
      </p>
      <div
        class="plot"
        ref={holder}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, moments.length - 1)}
        aria-valuenow={Math.max(0, here)}
        aria-valuetext={text === "" ? t("history.keys") : text}
        onKeyDown={onKey}
        onBlur={() => plot.current?.point(null)}
      />
      {lines.length > 1 && (
        <ul class="legend">
          {lines.map((line, index) => (
            <li key={line.label} data-line={line.isEarlier === true ? "earlier" : index}>
              {line.label}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The moment and every line's value there, in words. */
function readout(lines: readonly Line[], at: number, zone: string, length: number): string {
  const step = lines[0]?.stepMs ?? 0;
  const start = at - step / 2;
  const seconds = length < 20 * MINUTE_MS;
  const when =
    step > 0 && step < 24 * 60 * MINUTE_MS
      ? `${zoneMoment(start, zone, seconds)} – ${zoneTime(start + step, zone, seconds)}`
      : zoneMoment(start, zone, seconds);
  const values = lines.flatMap((line) => {
    const point = line.points[nearest(line.points, at - line.stepMs / 2)];
    if (point === undefined || Math.abs(point.at + line.stepMs / 2 - at) > Math.max(line.stepMs, step, 15 * MINUTE_MS))
      return [];
    return [`${lines.length > 1 ? `${line.label}: ` : ""}${valueText(point, line.unit)}`];
  });
  return [when, ...values].join(" · ");
}

/** A mean, with the range of the values if there was one. */
export function valueText({ avg, min, max }: LinePoint, unit: string): string {
  const value = `${amount(avg)} ${unit}`.trim();
  if (min === null) return max === avg ? value : `${value} (${t("history.upTo", { max: amount(max) })})`;
  return min === max ? value : `${value} (${amount(min)} – ${amount(max)})`;
}

/** Index of the nearest point; -1 without points. */
function nearest(points: readonly LinePoint[], at: number): number {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) <= at) low = middle;
    else high = middle;
  }
  const [before, after] = [points[low], points[high]];
  if (before === undefined || after === undefined) return points.length - 1;
  return Math.abs(before.at - at) <= Math.abs(after.at - at) ? low : high;
}
