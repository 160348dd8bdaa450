import { useEffect, useRef, useState } from "preact/hooks";
import { ChartFrame } from "../../../console/components/chart.tsx";
import { zoneMoment, zoneTime } from "../../../console/components/zone-time.ts";
import { amount } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import { withUnit } from "../../../console/i18n/unbroken.ts";
import { colorOf, type Line, type LinePoint } from "./history-columns.ts";
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
  const [hasBand, setBand] = useState(false);
  const told = useRef({ onPoint, onPlace });
  told.current = { onPoint, onPlace };
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
        onBand: setBand,
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
  const pointAt = (place: number | null): void => {
    const point = place === null ? undefined : moments[place];
    plot.current?.point(point === undefined ? null : point.at + (lines[0]?.stepMs ?? 0) / 2);
  };
  const centre = at ?? (from + to) / 2;
  return (
    <ChartFrame
      label={label}
      units={[...new Set(lines.map(({ unit }) => unit))]}
      parts={[
        ...lines.map((line, index) => ({
          label: hasBand ? t("history.mean") : line.label,
          color: colorOf(line, index),
        })),
        ...(hasBand ? [{ label: t("history.range"), color: "range" } as const] : []),
      ]}
      here={here < 0 ? null : here}
      count={moments.length}
      text={at === null ? "" : readout(lines, at, zone, to - from)}
      hints={{ point: t("history.pointHint"), tap: t("history.tapHint"), keys: t("history.keys") }}
      holder={holder}
      onHere={pointAt}
      onZoom={(factor) => onZoom(centre - (centre - from) * factor, centre + (to - centre) * factor)}
    />
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
  const value = withUnit(amount(avg), unit);
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
