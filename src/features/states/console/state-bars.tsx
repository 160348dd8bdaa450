import { useMemo, useRef, useState } from "preact/hooks";
import { useWidth } from "../../../console/components/chart.tsx";
import { everyTick, hourTick } from "../../../console/components/chart-axis.ts";
import { Icon } from "../../../console/components/icon.tsx";
import { Name } from "../../../console/components/name.tsx";
import { dayOf, startOfDay, zoneDate, zoneMoment, zoneTime, zoneTimes } from "../../../console/components/zone-time.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { shortDuration, t } from "../../../console/i18n/translate.ts";
import type { PlateRead } from "../../gate/resources/plate-read.ts";
import { byText, hatchedIn, isActive, pieceAt, type Row, stretchAt, type Tone, toneOf, wordOf } from "./state-lines.ts";
import { sentenceOf } from "./state-sentence.ts";
import "./states.css";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS = [5, 15, 30, 60, 120, 180, 240, 360, 720, 1_440, 2_880, 10_080].map((minutes) => minutes * MINUTE_MS);
/** Width of a bar in units of its drawing. */
const WIDTH = 1_000;
/** A piece is never drawn narrower: a gate that was open for ten seconds is seen in a day. */
const NARROWEST = 2;
/** A block this near is meant, in pixels: nobody hits one of two. */
const REACH = 12;
/** A label of the axis is this much of its width from the next one: the first and the last stand beside their moment. */
const APART = 1.5;
/** Letters of a device's name that two lines beside its bar have room for. */
const NAME_ROOM = 36;
/** A shorter part of the bar, in which the hub was off, is not drawn. */
const LEAST_OFF = 0.002;
/** Pixels: no label is narrower. */
const NARROWEST_TICK = 20;
/** Cars closer than this, in pixels, share a mark: two would lie over each other. */
const TOGETHER = 28;

/** What the bars show; times in epoch ms. */
export interface BarsProps {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly to: number;
  readonly zone: string;
  readonly off: readonly { readonly from: string; readonly to: string | null }[];
  readonly cars?: readonly PlateRead[];
  /** The moment that is pointed at. */
  readonly at: number | null;
  readonly onPoint: (at: number | null) => void;
  /** Stands under a chart of numbers, on its axis. */
  readonly isBeside?: boolean;
  /** False where the chart above shows the times. */
  readonly hasTicks?: boolean;
}

/** States of devices on one axis of time, with the cars that came. */
export function StateBars({
  rows,
  from,
  to,
  zone,
  off,
  cars,
  at,
  onPoint,
  isBeside = false,
  hasTicks = true,
}: BarsProps) {
  const track = useRef<HTMLDivElement>(null);
  const [pointedRow, setPointedRow] = useState<string | null>(null);
  const part = (moment: number): number => Math.min(1, Math.max(0, (moment - from) / (to - from)));
  const pointed = (clientX: number): void => {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    const share = (clientX - box.left) / box.width;
    onPoint(share < 0 || share > 1 ? null : from + share * (to - from));
  };
  const leave = (): void => {
    setPointedRow(null);
    onPoint(null);
  };
  const width = useWidth(track);
  const moments = [...new Set(rows.flatMap(({ pieces }) => pieces.map((piece) => piece.from)))].sort((a, b) => a - b);
  const onKey = (event: KeyboardEvent): void => {
    const here = at ?? to;
    const next =
      event.key === "ArrowRight"
        ? (moments.find((moment) => moment > here + 1) ?? to)
        : event.key === "ArrowLeft"
          ? (moments.findLast((moment) => moment < here - 1) ?? from)
          : event.key === "Home"
            ? from
            : event.key === "End"
              ? to
              : event.key === "Escape"
                ? null
                : undefined;
    if (next === undefined) return;
    event.preventDefault();
    onPoint(next);
  };
  const spoken =
    at === null
      ? t("states.keys")
      : [
          zoneMoment(at, zone),
          ...rows
            .filter((row) => isActive(row.line.key, pieceAt(row, at)?.value ?? null))
            .map((row) => valueText(row, at)),
        ].join(" · ");
  return (
    <div class={isBeside ? "state-bars beside" : "state-bars"}>
      <div
        class="state-stage state-bars-rows"
        onPointerMove={(event) => event.pointerType !== "touch" && pointed(event.clientX)}
        onPointerDown={(event) => !isOfLink(event) && pointed(event.clientX)}
        onPointerLeave={(event) => event.pointerType !== "touch" && leave()}
      >
        <div class="state-row">
          <span class="label" />
          <div
            class="state-axis"
            ref={track}
            role="slider"
            tabIndex={0}
            aria-label={t("states.axis")}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(part(at ?? to) * 100)}
            aria-valuetext={spoken}
            onKeyDown={onKey}
            onBlur={leave}
          >
            {(hasTicks ? ticksOf(from, to, zone, width) : []).map((tick) => (
              <span
                key={tick.at}
                style={{ left: `${part(tick.at) * 100}%` }}
                data-edge={part(tick.at) < 0.05 ? "start" : part(tick.at) > 0.95 ? "end" : undefined}
              >
                {tick.text}
              </span>
            ))}
          </div>
          <span class="now" data-active={at !== null}>
            {at !== null && zoneTime(at, zone, to - from < HOUR_MS)}
          </span>
        </div>
        {cars !== undefined && cars.length > 0 && (
          <div class="state-row">
            <span class="who label">{t("states.cars")}</span>
            <div class="state-cars">
              {together(cars, part, TOGETHER / Math.max(100, width)).map(({ left, reads }) => {
                const [first] = reads;
                if (first === undefined) return null;
                return (
                  <a
                    key={first.id}
                    href={`/gate/reads/${first.id}`}
                    style={{ left: `${left * 100}%` }}
                    data-decision={first.decision}
                    aria-label={`${reads.length > 1 ? `${reads.length}: ` : ""}${reads
                      .map((read) => `${carName(read)}, ${zoneTime(Date.parse(read.at), zone)}`)
                      .join("; ")}`}
                    title={reads.map((read) => `${carName(read)}, ${zoneTime(Date.parse(read.at), zone)}`).join("; ")}
                  >
                    {reads.length === 1 ? <Icon name="car" small /> : reads.length}
                  </a>
                );
              })}
            </div>
            <span class="now">{cars.length}</span>
          </div>
        )}
        {rows.map((row) => (
          <Bar
            key={row.id}
            row={row}
            part={part}
            at={at}
            off={off}
            from={from}
            to={to}
            zone={zone}
            isBeside={isBeside}
            reachMs={((to - from) / Math.max(100, width)) * REACH}
            isPointed={row.id === pointedRow}
            onPointed={() => setPointedRow(row.id)}
            onTap={(clientX) => {
              setPointedRow(row.id);
              pointed(clientX);
            }}
            onLeave={leave}
          />
        ))}
      </div>
    </div>
  );
}

function Bar({
  row,
  part,
  at,
  off,
  from,
  to,
  zone,
  isBeside,
  reachMs,
  isPointed,
  onPointed,
  onTap,
  onLeave,
}: {
  row: Row;
  part: (moment: number) => number;
  at: number | null;
  off: BarsProps["off"];
  from: number;
  to: number;
  zone: string;
  isBeside: boolean;
  /** A block this near to the moment that is pointed at is meant. */
  reachMs: number;
  isPointed: boolean;
  onPointed: () => void;
  /** A browser takes a finger to the nearest thing that listens to clicks: the bar, not the link above it. */
  onTap: (clientX: number) => void;
  onLeave: () => void;
}) {
  const { line, device, name } = row;
  const said = isPointed && at !== null ? stretchAt(row, at, reachMs) : null;
  // a pointer that moves draws all bars again, many times a second
  const { paths, sentence } = useMemo(() => {
    const drawn = new Map<Tone, string>();
    for (const piece of row.pieces) {
      const tone = toneOf(line.key, piece.value);
      const left = part(piece.from) * WIDTH;
      const width = Math.max(part(piece.to) * WIDTH - left, tone === "rest" || tone === "none" ? 0 : NARROWEST);
      drawn.set(tone, `${drawn.get(tone) ?? ""}M${left.toFixed(1)} 0h${width.toFixed(1)}v1h-${width.toFixed(1)}z`);
    }
    return { paths: drawn, sentence: sentenceOf(row) };
  }, [row, from, to]);
  const last = row.pieces.at(-1);
  const here = at === null ? last : pieceAt(row, at);
  const value = here === undefined ? "" : wordOf(line.key, here.value);
  return (
    <div
      class="state-row"
      onPointerDown={(event) => !isOfLink(event) && onPointed()}
      onPointerMove={(event) => event.pointerType !== "touch" && onPointed()}
    >
      <span class="who label">
        {isBeside ? (
          <>
            <span>{name === "" ? nameOf(row) : name}</span>
            <span class="now" data-active={here !== undefined && isActive(line.key, here.value)}>
              {value}
            </span>
          </>
        ) : (
          <>
            <a href={`/devices/${encodeURIComponent(device.id)}`}>
              <Name text={device.name} most={NAME_ROOM} />
            </a>
            {name !== "" && <small> {name}</small>}
          </>
        )}
      </span>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the axis above is for keys */}
      <div class="state-cell" onClick={(event) => onTap(event.clientX)}>
        <div class="state-bar" role="img" aria-label={`${device.name}${name === "" ? "" : `, ${name}`}: ${sentence}`}>
          <svg viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
            {(["none", "rest", "moving", "on", "open", "bad"] as const).map(
              (tone) => paths.has(tone) && <path key={tone} class={`tone-${tone}`} d={paths.get(tone) ?? ""} />,
            )}
          </svg>
          {off.map((gap) => {
            const [begin, end] = [
              Date.parse(gap.from),
              gap.to === null ? Math.min(to, Date.now()) : Date.parse(gap.to),
            ];
            if (part(end) - part(begin) < LEAST_OFF) return null;
            return (
              <span
                key={gap.from}
                class="state-off"
                style={{ left: `${part(Math.max(from, begin)) * 100}%`, width: `${(part(end) - part(begin)) * 100}%` }}
                title={t("states.hubOff")}
              />
            );
          })}
          {at !== null && <span class="state-cursor" style={{ left: `${part(at) * 100}%` }} />}
        </div>
        {said !== null && at !== null && (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Escape on the axis closes it too
          <p
            class="state-tip"
            role="status"
            onPointerDown={(event) => event.stopPropagation()}
            onClick={(event) => {
              event.stopPropagation();
              onLeave();
            }}
            style={{ left: `${part(at) * 100}%`, transform: `translateX(-${part(at) * 100}%)` }}
          >
            {!isBeside && (
              <span class="tip-name">
                <Name text={device.name} />
              </span>
            )}
            <strong>{said.word}</strong> {saidOf(said, zone, to - from)}
          </p>
        )}
      </div>
      {!isBeside && (
        <span class="now" data-active={here !== undefined && isActive(line.key, here.value)}>
          {value}
        </span>
      )}
    </div>
  );
}

/** What is hatched in bars: times of which nothing is known, and those in which the hub was off. */
export function HatchKey({ rows, from, to, off }: Pick<BarsProps, "rows" | "from" | "to" | "off">) {
  const hatched = hatchedIn(rows, from, to);
  const wasOff = off.some((gap) => {
    const begin = Math.max(from, Date.parse(gap.from));
    const end = gap.to === null ? Date.now() : Date.parse(gap.to);
    return (Math.min(to, end) - begin) / (to - from) >= LEAST_OFF;
  });
  return (
    <>
      {hatched !== null && (
        <span class="hatched" style={{ "--swatch": "var(--unknown)" }}>
          {t(`states.${hatched}`)}
        </span>
      )}
      {wasOff && (
        <span class="hatched" style={{ "--swatch": "var(--off)" }}>
          {t("states.hubOff")}
        </span>
      )}
    </>
  );
}

/** Whether a link is touched: it leads away, and nothing is pointed at. */
function isOfLink({ target }: Event): boolean {
  return target instanceof Element && target.closest("a") !== null;
}

/** From when to when a stretch was, how long, and who was behind it. */
function saidOf(said: NonNullable<ReturnType<typeof stretchAt>>, zone: string, length: number): string {
  const time = (at: number): string => (length > DAY_MS ? zoneMoment(at, zone) : zoneTime(at, zone));
  const { from, to, end } = said;
  return [
    !said.isCut && end !== null && length <= DAY_MS
      ? zoneTimes(from, end, zone)
      : `${said.isCut ? "…" : time(from)} – ${end === null ? "…" : time(end)}`,
    end === null && (said.isCut || !said.isOngoing) ? "" : shortDuration(((end ?? to) - from) / 1_000),
    said.by === null ? "" : byText(said.by),
  ]
    .filter((text) => text !== "")
    .join(" · ");
}

/** What a device's only state is about. */
function nameOf({ line, kind }: Row): string {
  return line.key === "position" || line.key === "locked"
    ? t("states.openOrClosed")
    : kind === "on" && line.key !== "armed"
      ? t("states.onOrOff")
      : line.key === "climate"
        ? t("states.climate")
        : measureName(line.key);
}

/** A row's value at a moment, with the device's name. */
function valueText(row: Row, at: number): string {
  const piece = pieceAt(row, at);
  return `${row.device.name}${row.name === "" ? "" : ` ${row.name}`}: ${piece === undefined ? t("value.unknown") : wordOf(row.line.key, piece.value)}`;
}

/** How a car is named: by its rule's label, else by its plate. */
export function carName({ label, formatted, plate }: PlateRead): string {
  return label !== "" ? label : (formatted ?? plate ?? t("states.unreadCar"));
}

/** Reads nearer than a part of the width, as one mark. */
function together(cars: readonly PlateRead[], part: (moment: number) => number, nearest: number) {
  const marks: { left: number; reads: PlateRead[] }[] = [];
  for (const read of cars.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
    const left = part(Date.parse(read.at));
    const last = marks.at(-1);
    if (last !== undefined && left - last.left < nearest) last.reads.push(read);
    else marks.push({ left, reads: [read] });
  }
  return marks;
}

/** Moments under which the axis has labels, with these; none so close that they would touch. */
function ticksOf(
  from: number,
  to: number,
  zone: string,
  width: number,
): { readonly at: number; readonly text: string }[] {
  if (width === 0) return [];
  const begin = startOfDay(dayOf(from, zone), zone);
  for (const step of STEPS) {
    const slot = (step / (to - from)) * width;
    if (slot < NARROWEST_TICK) continue;
    const ticks: { readonly at: number; readonly text: string }[] = [];
    for (let at = begin; at <= to; at += step)
      if (at >= from) ticks.push({ at, text: to - from > 2 * DAY_MS ? zoneDate(at, zone) : hourTick(at, zone) });
    if (
      everyTick(
        ticks.map(({ text }) => text),
        slot / APART,
      ) === 1
    )
      return ticks;
  }
  return [];
}
