import { useEffect, useRef, useState } from "preact/hooks";
import { ChartFrame, type ChartPart, useWidth } from "../../../console/components/chart.tsx";
import { CHART, chartHeight, everyTick } from "../../../console/components/chart-axis.ts";
import { niceStep } from "../../../console/components/round-scale.ts";
import { localeName, number, t } from "../../../console/i18n/translate.ts";
import { withUnit } from "../../../console/i18n/unbroken.ts";

/** One part of every bar. Negative values are below zero. */
export interface BarPart extends ChartPart {
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
  /** Which bars are of a time that has not come yet: they are not zero. */
  readonly isToCome?: readonly boolean[];
  /** kWh of each bar in the period before, drawn as an outline behind; `label`: its name. */
  readonly before?: { readonly label: string; readonly values: readonly number[] };
  /** What each bar cost, in words. */
  readonly costs?: readonly string[];
}

/**
 * Stacked bars of kWh, from zero. The bar under the mouse, a finger or the arrow keys is described in words; a click or
 * Enter opens what it stands for, of a finger the second tap.
 */
export function EnergyBars({ bars, label, onOpen }: { bars: Bars; label: string; onOpen?: (place: number) => void }) {
  const holder = useRef<HTMLDivElement>(null);
  const width = Math.max(200, useWidth(holder));
  const [here, setHere] = useState<number | null>(null);
  /** The bar that a finger has tapped before. */
  const tapped = useRef<number | null>(null);
  useEffect(() => setHere(null), [bars]);
  const height = chartHeight();
  const count = bars.names.length;
  const heights = bars.names.map((_, index) =>
    bars.parts.reduce((sum, part) => sum + Math.max(0, part.values[index] ?? 0), 0),
  );
  const depths = bars.names.map((_, index) =>
    bars.parts.reduce((sum, part) => sum + Math.min(0, part.values[index] ?? 0), 0),
  );
  const earlier = (bars.before?.values ?? []).slice(0, count);
  const hasEarlier = bars.before !== undefined && earlier.some((kwh) => kwh > 0);
  const highest = Math.max(...heights, ...earlier, 0);
  const step = niceStep(highest - Math.min(...depths, 0));
  const top = Math.max(step, Math.ceil(highest / step) * step);
  const bottom = Math.floor(Math.min(...depths, 0) / step) * step;
  const y = (kwh: number): number => CHART.top + ((top - kwh) / (top - bottom)) * (height - CHART.top - CHART.below);
  const slot = (width - CHART.left) / Math.max(1, count);
  const lines = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, index) => bottom + index * step);
  const every = everyTick(bars.ticks, slot);
  const place = (clientX: number): number => {
    const left = holder.current?.getBoundingClientRect().left ?? 0;
    return Math.max(0, Math.min(count - 1, Math.floor((clientX - left - CHART.left) / slot)));
  };
  const point = (event: PointerEvent): void => setHere(place(event.clientX));
  return (
    <ChartFrame
      label={label}
      units={["kWh"]}
      parts={[
        ...bars.parts,
        ...(hasEarlier && bars.before ? [{ label: bars.before.label, color: "earlier" } as const] : []),
      ]}
      here={here}
      count={count}
      text={here === null ? "" : inWords(bars, here)}
      hints={
        onOpen === undefined
          ? { point: t("energy.pointHint"), tap: t("energy.tapHint"), keys: t("energy.keys") }
          : { point: t("energy.openHint"), tap: t("energy.openTapHint"), keys: t("energy.openKeys") }
      }
      holder={holder}
      onHere={setHere}
      {...(onOpen === undefined ? {} : { onOpen })}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the frame is for keys */}
      <div
        data-opens={onOpen !== undefined}
        onPointerDown={(event) => {
          tapped.current = event.pointerType === "mouse" ? place(event.clientX) : here;
          point(event);
        }}
        onPointerMove={point}
        onPointerLeave={(event) => event.pointerType === "mouse" && setHere(null)}
        onClick={(event) => {
          const at = place(event.clientX);
          if (tapped.current === at) onOpen?.(at);
        }}
      >
        <svg width={width} height={height} aria-hidden="true">
          {lines.map((kwh) => (
            <g key={kwh}>
              <line x1={CHART.left} x2={width} y1={y(kwh)} y2={y(kwh)} class={kwh === 0 ? "zero" : "grid"} />
              <text x={CHART.left - 8} y={y(kwh) + 4} text-anchor="end">
                {number(kwh, 3)}
              </text>
            </g>
          ))}
          {here !== null && (
            <rect
              class="here"
              x={CHART.left + here * slot}
              y={CHART.top}
              width={slot}
              height={height - CHART.top - CHART.below}
            />
          )}
          {bars.names.map((name, index) => (
            <Bar
              key={name}
              bars={bars}
              index={index}
              x={CHART.left + (index + 0.14) * slot}
              width={slot * 0.72}
              y={y}
            />
          ))}
          {hasEarlier && (
            <path
              class="earlier"
              d={`M${CHART.left} ${y(0)}${earlier.map((kwh, index) => `V${y(kwh).toFixed(1)}H${(CHART.left + (index + 1) * slot).toFixed(1)}`).join("")}V${y(0)}`}
            />
          )}
          {bars.ticks.map(
            (tick, index) =>
              index % every === 0 && (
                <text key={bars.names[index]} x={CHART.left + (index + 0.5) * slot} y={height - 8} text-anchor="middle">
                  {tick}
                </text>
              ),
          )}
        </svg>
      </div>
    </ChartFrame>
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
    `${bars.names[index] ?? ""}: ${bars.isToCome?.[index] === true ? t("energy.toCome") : kwhText(sum)}`,
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
  return withUnit(text.format(kwh), "kWh");
}
