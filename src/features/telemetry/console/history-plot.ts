/** Draws lines over time with uPlot; in a file of its own so that pages without a chart do not load it. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { CHART, chartHeight, timeTick } from "../../../console/components/chart-axis.ts";
import { roundScale } from "../../../console/components/round-scale.ts";
import { number } from "../../../console/i18n/translate.ts";
import { colorOf, columnsOf, hasRange, type Line } from "./history-columns.ts";

/** What {@link HistoryPlot} shows; times in epoch ms. */
export interface Picture {
  readonly lines: readonly Line[];
  readonly from: number;
  readonly to: number;
  readonly zone: string;
}

/** A person's actions on the plot. */
export interface PlotEvents {
  /** A time range was marked. */
  readonly onZoom: (from: number, to: number) => void;
  /** The moment that is pointed at; null: none. */
  readonly onPoint: (at: number | null) => void;
  /** Pixels that the axes take on both sides. */
  readonly onPlace: (left: number, right: number) => void;
  /** Whether a band around the line is drawn. */
  readonly onBand: (isDrawn: boolean) => void;
}

const LINE_PIXELS = 2;

/** A chart that is drawn once and then given new data. */
export class HistoryPlot {
  readonly #element: HTMLElement;
  readonly #events: PlotEvents;
  #plot: uPlot | null = null;
  #form = "";
  #picture: Picture;
  readonly #resize: ResizeObserver;

  constructor(element: HTMLElement, picture: Picture, events: PlotEvents) {
    this.#element = element;
    this.#events = events;
    this.#picture = picture;
    this.#resize = new ResizeObserver(() => this.#plot?.setSize({ width: element.clientWidth, height: chartHeight() }));
    this.#resize.observe(element);
    this.show(picture);
  }

  /** Shows other data, or another time range. */
  show(picture: Picture): void {
    this.#picture = picture;
    const form =
      picture.lines.map(({ unit, isEarlier }) => `${unit}${isEarlier === true ? "~" : ""}`).join("|") +
      picture.zone +
      document.documentElement.lang +
      this.#color("--ink-soft"); // another theme
    if (this.#plot === null || form !== this.#form) {
      this.#form = form;
      this.#plot?.destroy();
      this.#plot = this.#make();
    }
    const plot = this.#plot;
    const [line] = picture.lines;
    this.#events.onBand(line !== undefined && picture.lines.length === 1 && hasRange(columnsOf(line, this.#binMs())));
    plot.batch(() => {
      plot.setData(dataOf(picture.lines, this.#binMs()), false);
      plot.setScale("x", { min: picture.from / 1000, max: picture.to / 1000 });
    });
  }

  /** Marks a moment, as the mouse would; null removes the mark. */
  point(at: number | null): void {
    const left = at === null ? -10 : (this.#plot?.valToPos(at / 1000, "x") ?? -10);
    this.#plot?.setCursor({ left, top: at === null ? -10 : chartHeight() / 3 });
  }

  /** Removes it. */
  destroy(): void {
    this.#resize.disconnect();
    this.#plot?.destroy();
  }

  /** A colour of the theme, as it is where the chart stands. */
  #color(name: string): string {
    return getComputedStyle(this.#element).getPropertyValue(name).trim();
  }

  #make(): uPlot {
    const color = (name: string): string => this.#color(name);
    const axis = {
      stroke: color("--ink-soft"),
      grid: { stroke: color("--line"), width: 1 },
      ticks: { show: false },
      font: CHART.font,
    };
    const { lines, zone } = this.#picture;
    const scaleOf = (index: number): string => (index > 0 && lines[index]?.unit !== lines[0]?.unit ? "y2" : "y");
    const hidden = { points: { show: false }, width: 0 };
    return new uPlot(
      {
        width: this.#element.clientWidth,
        height: chartHeight(),
        padding: [CHART.top, null, null, null],
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
        legend: { show: false },
        cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 8 }, focus: { prox: -1 } },
        scales: {
          x: { time: true, auto: false },
          y: { range: rangeOf(lines[0]?.unit) },
          ...(lines.some((_, index) => scaleOf(index) === "y2")
            ? { y2: { range: rangeOf(lines.find((_, index) => scaleOf(index) === "y2")?.unit) } }
            : {}),
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: CHART.below,
            space: 64,
            values: (_: uPlot, ticks: number[]) =>
              ticks.map((tick, index) => {
                const [one, next] = index === 0 ? [tick, ticks[1]] : [ticks[index - 1], tick];
                return timeTick(tick * 1000, one === undefined || next === undefined ? null : next - one, zone);
              }),
          },
          ...[...new Set(lines.map((_, index) => scaleOf(index)))].map((scale) => {
            const side = scale === "y2" ? 1 : 3;
            const values = (_: uPlot, ticks: number[]) => ticks.map((tick) => number(tick, 2));
            return {
              ...axis,
              scale,
              side,
              size: CHART.left,
              space: 16,
              splits: (_: uPlot, __: number, min: number, max: number) => roundScale(min, max),
              grid: { ...axis.grid, show: scale === "y" },
              values,
            };
          }),
        ],
        series: [
          {},
          ...lines.flatMap((line, index) => {
            const scale = scaleOf(index);
            return [
              {
                label: line.label,
                scale,
                stroke: line.isEarlier === true ? color("--ink-soft") : color(`--c${colorOf(line, index)}`),
                width: line.isEarlier === true ? 1.5 : 2,
                ...(line.isEarlier === true ? { dash: [6, 4] } : {}),
                points: { show: line.points.length < 60 && line.isEarlier !== true, size: 5 },
              },
              { ...hidden, scale, label: `${line.label} min` },
              { ...hidden, scale, label: `${line.label} max` },
            ];
          }),
        ],
        // a band of one line would hide the other
        bands: lines.length > 1 ? [] : [{ series: [3, 2] as [number, number], fill: color("--accent-soft") }],
        hooks: {
          setSelect: [(plot) => this.#marked(plot)],
          setCursor: [(plot) => this.#pointed(plot)],
          draw: [
            ({ over }) => {
              const width = this.#element.clientWidth;
              this.#events.onPlace(over.offsetLeft, Math.max(0, width - over.offsetLeft - over.offsetWidth));
            },
          ],
          ready: [(plot) => listenToTouch(plot, this.#events.onZoom, () => this.#picture)],
        },
      },
      dataOf(lines, this.#binMs()),
      this.#element,
    );
  }

  /** The time that a line is wide: what lies closer together would only be a block. */
  #binMs(): number {
    const { from, to } = this.#picture;
    return ((to - from) / Math.max(100, this.#element.clientWidth)) * LINE_PIXELS;
  }

  #marked(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 8) return;
    const [from, to] = [plot.posToVal(left, "x") * 1000, plot.posToVal(left + width, "x") * 1000];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#events.onZoom(from, to);
  }

  #pointed(plot: uPlot): void {
    const { left = -1, idx } = plot.cursor;
    const seconds = left < 0 || idx === null || idx === undefined ? null : plot.data[0][idx];
    this.#events.onPoint(seconds === null || seconds === undefined ? null : seconds * 1000);
  }
}

/** Power stands on zero, so that twice as high is twice as much; a counter of energy and all else does not. */
function rangeOf(unit: string | undefined): typeof padded {
  return unit !== "W"
    ? padded
    : (plot, min, max) => {
        const [low, high] = padded(plot, min, max);
        return ends(Math.min(0, low), Math.max(0, high));
      };
}

/** Room above and below, without zooming into the noise of a constant value. */
function padded(_: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1];
  const room = Math.max((max - min) * 0.02, Math.abs(max) * 0.005, 0.1);
  return ends(min >= 0 && min - room < 0 ? 0 : min - room, max + room);
}

/** The scale ends on numbers that stand beside it: its range is read without pointing at anything. */
function ends(min: number, max: number): [number, number] {
  const scale = roundScale(min, max);
  return [scale[0] ?? min, scale.at(-1) ?? max];
}

/** Columns as uPlot wants them: times of all lines, then mean, minimum and maximum of each line. */
function dataOf(lines: readonly Line[], binMs: number): uPlot.AlignedData {
  const tables = lines.map((line): uPlot.AlignedData => columnsOf(line, binMs));
  if (tables.length === 0) return [[]];
  return tables.length === 1 ? (tables[0] ?? [[]]) : uPlot.join(tables);
}

/** A moving finger shows values, two that part zoom; the page still scrolls up and down. */
function listenToTouch(plot: uPlot, onZoom: PlotEvents["onZoom"], picture: () => Picture): void {
  const { over } = plot;
  over.style.touchAction = "pan-y";
  const fingers = new Map<number, number>();
  let begun: { width: number; centre: number } | null = null;
  const apart = (): number => {
    const [one = 0, other = 0] = fingers.values();
    return Math.abs(one - other);
  };
  const move = (event: PointerEvent): void => {
    if (event.pointerType !== "touch") return;
    const left = event.clientX - over.getBoundingClientRect().left;
    fingers.set(event.pointerId, left);
    if (fingers.size === 1) plot.setCursor({ left, top: over.clientHeight / 3 });
    else
      begun ??= {
        width: Math.max(20, apart()),
        centre: [...fingers.values()].reduce((sum, x) => sum + x, 0) / fingers.size,
      };
  };
  const end = (event: PointerEvent): void => {
    if (begun !== null && fingers.size === 2) {
      const { from, to } = picture();
      const factor = Math.min(10, Math.max(0.1, begun.width / Math.max(20, apart())));
      const centre = plot.posToVal(begun.centre, "x") * 1000;
      if (Math.abs(factor - 1) > 0.1) onZoom(centre - (centre - from) * factor, centre + (to - centre) * factor);
    }
    fingers.delete(event.pointerId);
    if (fingers.size === 0) begun = null;
  };
  over.addEventListener("pointerdown", move);
  over.addEventListener("pointermove", (event) => void (fingers.has(event.pointerId) && move(event)));
  for (const name of ["pointerup", "pointercancel"] as const) over.addEventListener(name, end);
}
