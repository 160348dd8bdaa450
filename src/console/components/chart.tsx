import type { ComponentChildren, Ref, RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { isTouched } from "./touched.ts";
import "./chart.css";

/** A line or a part of all bars in the legend. */
export interface ChartPart {
  readonly label: string;
  /**
   * Number of its colour, from 0; `rest`: what is left over; `earlier`: another time, drawn dashed; `range`: from the
   * lowest to the highest value, drawn pale.
   */
  readonly color: number | "rest" | "earlier" | "range";
}

/**
 * The frame of every chart: the value that a mouse, a finger or the arrow keys point at in words, units above the axes,
 * and the legend. What is drawn in it is the caller's.
 */
export function ChartFrame({
  label,
  units,
  parts,
  here,
  count,
  text,
  hints,
  holder,
  onHere,
  onZoom,
  onOpen,
  children,
}: {
  label: string;
  /** Of the axis on the left, and of one on the right. */
  units: readonly string[];
  parts: readonly ChartPart[];
  /** The place that is pointed at, of `count`; null: none. */
  here: number | null;
  count: number;
  /** What is there, in words. */
  text: string;
  /** What can be done here, by mouse, finger and keys. */
  hints: { readonly point: string; readonly tap: string; readonly keys: string };
  holder: Ref<HTMLDivElement>;
  onHere: (place: number | null) => void;
  /** Plus and minus: shows this many times as much. */
  onZoom?: (factor: number) => void;
  /** Enter: what is there, by itself. */
  onOpen?: (place: number) => void;
  children?: ComponentChildren;
}) {
  const onKey = (event: KeyboardEvent): void => {
    const big = Math.max(1, Math.round(count / 10));
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: (here ?? count) - 1,
      ArrowRight: (here ?? -1) + 1,
      PageUp: (here ?? count) - big,
      PageDown: (here ?? -1) + big,
      Home: 0,
      End: count - 1,
    };
    const zoom = { "+": 0.5, "=": 0.5, "-": 2 }[event.key];
    if (event.key in places) onHere(Math.max(0, Math.min(count - 1, places[event.key] ?? 0)));
    else if (event.key === "Escape") onHere(null);
    else if (event.key === "Enter" && here !== null && onOpen !== undefined) onOpen(here);
    else if (zoom !== undefined && onZoom !== undefined) onZoom(zoom);
    else return;
    event.preventDefault();
  };
  return (
    <div class="chart">
      <p class="readout" data-quiet={here === null}>
        {here === null ? (isTouched() ? hints.tap : hints.point) : text}
      </p>
      <div class="chart-area">
        <p class="chart-units" aria-hidden="true">
          {units.map((unit) => (
            <span key={unit}>{unit}</span>
          ))}
        </p>
        <div
          class="plot"
          ref={holder}
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, count - 1)}
          aria-valuenow={here ?? 0}
          aria-valuetext={text === "" ? hints.keys : text}
          onKeyDown={onKey}
          onBlur={() => onHere(null)}
        >
          {children}
        </div>
      </div>
      {parts.length > 1 && (
        <ul class="legend">
          {parts.map((part) => (
            <li key={part.label} data-color={part.color}>
              {part.label}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** How wide an element is now, in pixels, before anything is drawn by it; 0 until it is there. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width;
}
