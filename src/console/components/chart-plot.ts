/** Draws charts with uPlot; in a file of its own so that pages without a chart do not load it. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { number, shortDate, timeOfDay } from "../i18n/translate.js";

/** What {@link draw} shows. */
export interface Plot {
  /** [epoch seconds, value], oldest first. */
  readonly points: readonly (readonly [number, number])[];
  readonly unit: string;
  readonly label: string;
  readonly bars: boolean;
}

/** Room for one line of words below the plot. */
const AXIS_HEIGHT = 34;

/** The time of day; the date where a day begins, so that days are told apart without a second line. */
function tickWord(tick: number, before: number | undefined): string {
  const at = new Date(tick * 1000);
  const isNewDay = before === undefined ? false : new Date(before * 1000).toDateString() !== at.toDateString();
  if (before !== undefined && tick - before < 60) return at.toLocaleTimeString();
  return isNewDay || (at.getHours() === 0 && at.getMinutes() === 0) ? shortDate(at) : timeOfDay(at.toISOString());
}

/** Draws into `element` and follows its width; returns what takes it away again. */
export function draw(element: HTMLElement, { points, unit, label, bars }: Plot): () => void {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: color("--ink-soft"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false }, font: "12px Inter, system-ui, sans-serif" };
  const paths = bars ? uPlot.paths.bars?.({ size: [0.7, 48] }) : undefined;
  const line = {
    label,
    stroke: color("--accent"),
    fill: bars ? color("--accent") : color("--accent-soft"),
    width: 2,
    points: { show: points.length < 40 && !bars },
    ...(paths === undefined ? {} : { paths }),
  };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: 240,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { size: 7 } },
      axes: [
        { ...axis, size: AXIS_HEIGHT, values: (_: uPlot, ticks: number[]) => ticks.map((tick, index) => tickWord(tick, ticks[index - 1])) },
        { ...axis, size: 56, values: (_: uPlot, ticks: number[]) => ticks.map((tick) => `${number(tick)} ${unit}`.trim()) },
      ],
      series: [{}, line],
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
}
