import { useEffect, useRef, useState } from "preact/hooks";
import { isTouched } from "../../../console/components/touched.ts";
import { localeName, number, t } from "../../../console/i18n/translate.ts";
import "./energy.css";

/** One part of every bar. Negative values are below zero. */
export interface BarPart {
  readonly label: string;
  /** Number of its colour, from 0. */
  readonly color: number | "rest";
  /** kWh of each bar. */
  readonly values: readonly number[];
}

/** The bars of a period. */
export interface Bars {
  /** Labels below the bars; some are omitted if space is short. */
  readonly ticks: readonly string[];
  /** The bars' full names. */
  readonly names: readonly string[];
  readonly parts: readonly BarPart[];
  /** kWh of each bar in the period before, drawn as an outline behind; `label`: its name. */
  readonly before?: { readonly label: string; readonly values: readonly number[] };
  /** What each bar cost, in words. */
  readonly costs?: readonly string[];
}

/** Lower on a phone, so that it fits the first screen. */
const height = (): number => (innerWidth < 600 ? 200 : 240);
const BELOW = 26;
const LEFT = 46;
const TOP = 22;
/** Width of a letter below a bar, and the gap between two words. */
const LETTER = 6.6;
const BETWEEN = 14;

/** Stacked bars of kWh, from zero. The bar under the mouse, a finger or the arrow keys is described in words. */
export function EnergyBars({ bars, label }: { bars: Bars; label: string }) {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(320);
  const [here, setHere] = useState<number | null>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => setHere(null), [bars]);
  const HEIGHT = height();
  const count = bars.names.length;
  const heights = bars.names.map((_, index) =>
    bars.parts.reduce((sum, part) => sum + Math.max(0, part.values[index] ?? 0), 0),
  );
  const depths = bars.names.map((_, index) =>
    bars.parts.reduce((sum, part) => sum + Math.min(0, part.values[index] ?? 0), 0),
  );
  const ghosts = (bars.before?.values ?? []).slice(0, count);
  const highest = Math.max(...heights, ...ghosts, 0);
  const step = niceStep(highest - Math.min(...depths, 0));
  const top = Math.max(step, Math.ceil(highest / step) * step);
  const bottom = Math.floor(Math.min(...depths, 0) / step) * step;
  const y = (kwh: number): number => TOP + ((top - kwh) / (top - bottom)) * (HEIGHT - TOP - BELOW);
  const slot = (width - LEFT) / Math.max(1, count);
  const lines = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, index) => bottom + index * step);
  const every = Math.max(
    1,
    Math.ceil((Math.max(...bars.ticks.map(({ length }) => length), 1) * LETTER + BETWEEN) / slot),
  );
  const place = (clientX: number): number => {
    const left = holder.current?.getBoundingClientRect().left ?? 0;
    return Math.max(0, Math.min(count - 1, Math.floor((clientX - left - LEFT) / slot)));
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: (here ?? count) - 1,
      ArrowRight: (here ?? -1) + 1,
      Home: 0,
      End: count - 1,
    };
    if (event.key === "Escape") setHere(null);
    else if (event.key in steps) setHere(Math.max(0, Math.min(count - 1, steps[event.key] ?? 0)));
    else return;
    event.preventDefault();
  };
  const text = here === null ? "" : inWords(bars, here);
  return (
    <div class="energy-bars">
      <p class="readout" data-quiet={here === null}>
        {here === null ? t(isTouched() ? "energy.tapHint" : "energy.pointHint") : text}
      </p>
      <div
        ref={holder}
        class="bars"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={here ?? 0}
        aria-valuetext={text === "" ? t("energy.keys") : text}
        onKeyDown={onKey}
        onBlur={() => setHere(null)}
        onPointerDown={(event) => setHere(place(event.clientX))}
        onPointerMove={(event) => setHere(place(event.clientX))}
        onPointerLeave={(event) => event.pointerType === "mouse" && setHere(null)}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <text x={LEFT - 8} y={10} text-anchor="end">
            kWh
          </text>
          {lines.map((kwh) => (
            <g key={kwh}>
              <line x1={LEFT} x2={width} y1={y(kwh)} y2={y(kwh)} class={kwh === 0 ? "zero" : "grid"} />
              <text x={LEFT - 8} y={y(kwh) + 4} text-anchor="end">
                {number(kwh, 3)}
              </text>
            </g>
          ))}
          {here !== null && (
            <rect class="here" x={LEFT + here * slot} y={TOP} width={slot} height={HEIGHT - TOP - BELOW} />
          )}
          {bars.names.map((name, index) => (
            <Bar key={name} bars={bars} index={index} x={LEFT + (index + 0.14) * slot} width={slot * 0.72} y={y} />
          ))}
          {ghosts.some((kwh) => kwh > 0) && (
            <path
              class="ghost"
              d={`M${LEFT} ${y(0)}${ghosts.map((kwh, index) => `V${y(kwh).toFixed(1)}H${(LEFT + (index + 1) * slot).toFixed(1)}`).join("")}V${y(0)}`}
            />
          )}
          {bars.ticks.map(
            (tick, index) =>
              index % every === 0 && (
                <text key={bars.names[index]} x={LEFT + (index + 0.5) * slot} y={HEIGHT - 6} text-anchor="middle">
                  {tick}
                </text>
              ),
          )}
        </svg>
      </div>
      {(bars.parts.length > 1 || ghosts.some((kwh) => kwh > 0)) && (
        <ul class="legend">
          {bars.parts.map((part) => (
            <li key={part.label} data-color={part.color}>
              {part.label}
            </li>
          ))}
          {bars.before !== undefined && ghosts.some((kwh) => kwh > 0) && (
            <li data-color="ghost">{bars.before.label}</li>
          )}
        </ul>
      )}
    </div>
  );
}

function Bar({
  bars,
  index,
  x,
  width,
  y,
}: {
  bars: Bars;
  index: number;
  x: number;
  width: number;
  y: (kwh: number) => number;
}) {
  let [up, down] = [0, 0];
  return (
    <g>
      {bars.parts.map((part) => {
        const kwh = part.values[index] ?? 0;
        const from = kwh >= 0 ? up : down;
        if (kwh >= 0) up += kwh;
        else down += kwh;
        const [high, low] = [Math.max(from, from + kwh), Math.min(from, from + kwh)];
        return kwh === 0 ? null : (
          <rect
            key={part.label}
            data-color={part.color}
            x={x}
            width={Math.max(1, width)}
            y={y(high)}
            height={Math.max(0.5, y(low) - y(high))}
          />
        );
      })}
    </g>
  );
}

/** A bar in words: its sum and its parts, the largest first. */
function inWords(bars: Bars, index: number): string {
  const parts = bars.parts
    .map((part) => ({ label: part.label, kwh: part.values[index] ?? 0 }))
    .filter(({ kwh }) => kwh !== 0);
  const sum = parts.reduce((kwh, part) => kwh + Math.max(0, part.kwh), 0);
  const described = parts
    .sort((left, right) => Math.abs(right.kwh) - Math.abs(left.kwh))
    .map(({ label, kwh }) => `${label} ${number(kwh, 2)}`);
  const before = bars.before?.values[index];
  return [
    `${bars.names[index] ?? ""}: ${kwhText(sum)}`,
    ...(bars.costs?.[index] === undefined || sum === 0 ? [] : [bars.costs[index]]),
    ...(described.length > 1 ? described : []),
    ...(bars.before !== undefined && before !== undefined && before > 0
      ? [`${bars.before.label} ${number(before, 2)}`]
      : []),
  ].join(" · ");
}

/** kWh with as many decimals as those of its neighbours, which `of` is the largest of: 126.6 beside 1,034.7. */
export function kwhText(kwh: number, of = kwh): string {
  const digits = of >= 100 ? 1 : 2;
  const text = new Intl.NumberFormat(localeName(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text.format(kwh)} kWh`;
}

/** 1, 2 or 5 times a power of ten, so that four or five lines cover the range. */
function niceStep(range: number): number {
  if (range <= 0) return 0.25;
  const raw = range / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power;
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10) * power;
}
