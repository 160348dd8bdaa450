import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { number } from "../i18n/translate.js";

/** One line over time. `points`: [epoch seconds, value], oldest first. Drag to zoom, double-click to go back. */
export function Chart({ points, unit, label, bars = false }: { points: readonly (readonly [number, number])[]; unit: string; label: string; bars?: boolean }) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null || points.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis = {
      stroke: color("--ink-soft"),
      grid: { stroke: color("--line"), width: 1 },
      ticks: { show: false },
      font: "12px Inter, system-ui, sans-serif",
    };
    const paths = bars ? uPlot.paths.bars?.({ size: [0.7, 48] }) : undefined;
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: 240,
        legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { size: 7 } },
        axes: [axis, { ...axis, size: 56, values: (_: uPlot, ticks: number[]) => ticks.map((tick) => `${number(tick)} ${unit}`) }],
        series: [
          {},
          {
            label,
            stroke: color("--accent"),
            fill: bars ? color("--accent") : `${color("--accent-soft")}`,
            width: 2,
            points: { show: points.length < 40 && !bars },
            ...(paths === undefined ? {} : { paths }),
          },
        ],
      },
      [points.map(([at]) => at), points.map(([, value]) => value)],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 240 }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [points, unit, label, bars]);
  const values = points.map(([, value]) => value);
  const summary = values.length === 0 ? label : `${label}: ${number(Math.min(...values))} – ${number(Math.max(...values))} ${unit}`;
  return <div class="chart" ref={holder} role="img" aria-label={summary} />;
}
