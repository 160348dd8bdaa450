import { useEffect, useRef } from "preact/hooks";
import { number } from "../i18n/translate.js";

/** One line over time. `points`: [epoch seconds, value], oldest first. Drag to zoom, double-click to go back. */
export function Chart({ points, unit, label, bars = false }: { points: readonly (readonly [number, number])[]; unit: string; label: string; bars?: boolean }) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null || points.length === 0) return;
    let clear: (() => void) | null = null;
    let isGone = false;
    void import("./chart-plot.js").then(({ draw }) => {
      if (!isGone) clear = draw(element, { points, unit, label, bars });
    });
    return () => {
      isGone = true;
      clear?.();
    };
  }, [points, unit, label, bars]);
  const values = points.map(([, value]) => value);
  const summary = values.length === 0 ? label : `${label}: ${number(Math.min(...values))} – ${number(Math.max(...values))} ${unit}`;
  return <div class="chart" ref={holder} role="img" aria-label={summary} />;
}
