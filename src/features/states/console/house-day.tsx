import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty, TryAgain } from "../../../console/components/basics.tsx";
import { Button, Chip, IconButton } from "../../../console/components/button.tsx";
import { DayPick } from "../../../console/components/day-pick.tsx";
import { useDrawn } from "../../../console/components/drawn.ts";
import { SelectField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { Name } from "../../../console/components/name.tsx";
import {
  dayOf,
  shifted,
  shownZone,
  startOfDay,
  zoneDate,
  zoneHour,
  zoneStretch,
  zoneTime,
} from "../../../console/components/zone-time.ts";
import { shortDuration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { devices } from "../../../console/store.ts";
import { carsText } from "../../gate/console/day-model.ts";
import type { PlateRead } from "../../gate/resources/plate-read.ts";
import { countCars } from "../../gate/rules/car-count.ts";
import { picturesOf } from "../../gate/rules/read-picture.ts";
import "../../../console/components/history.css";
import type { StateStretch } from "../resources/states.ts";
import { carName, HatchKey, StateBars } from "./state-bars.tsx";
import {
  byText,
  hasChanged,
  joinedTimes,
  type LineKind,
  nameOfState,
  type Row,
  rowsOf,
  toneOf,
  wasAway,
  wordAt,
} from "./state-lines.ts";
import { type Span, sentenceOf, stillText } from "./state-sentence.ts";
import { type CarOfDay, carsOf, timesOf } from "./who-came.ts";

const HOUR_MS = 3_600_000;
const REFRESH_MS = 5_000;
/** A gate that moves this soon after a car was read moves for it. */
const FOR_CAR_MS = 90_000;
/** Rows and lines at first sight. */
const isSmall = matchMedia("(max-width: 700px)").matches;
const FIRST_ROWS = isSmall ? 8 : 14;
/** Where nothing changed, some bars show that. */
const FEWEST_ROWS = 4;
/** Rows with each further step. */
const MORE_ROWS = 24;
const FIRST_LINES = isSmall ? 6 : 8;
/** Lines with each further step. */
const MORE_LINES = 40;
/** Movements this close are one line, in the list of everything and in that of movements. */
const JOINED_MS = { all: 2 * HOUR_MS, motion: 600_000 } as const;
/** Doors that moved, in the summary. */
const MOST_DOORS = 6;
/** Up to this many doors are listed one by one, whether they moved or not. */
const FEWEST_FOLDED = isSmall ? 2 : 4;
/** Letters of a name that leave room for what is said of it. */
const NAME_ROOM = isSmall ? 26 : 44;
/** Most cars that are named at first sight. */
const FIRST_CARS = 6;

const PLACES = ["night", "today", "yesterday"] as const;
const PLACE_TEXT: Readonly<Record<(typeof PLACES)[number], TextKey>> = {
  night: "states.lastNight",
  today: "states.today",
  yesterday: "states.yesterday",
};
const KINDS: readonly (readonly [LineKind | "all", TextKey])[] = [
  ["all", "states.all"],
  ["doors", "states.doors"],
  ["motion", "states.movement"],
  ["on", "states.switched"],
  ["other", "states.more"],
  ["online", "states.reachable"],
];

interface Shown {
  readonly from: number;
  readonly to: number;
}

/** A day of the whole house: doors, lights, movement and cars on one axis, and in words who came. */
export function HouseDay() {
  const zone = shownZone();
  const [place, setPlace] = useState<(typeof PLACES)[number] | null>(
    PLACES.find((one) => one === new URLSearchParams(location.search).get("of")) ?? "today",
  );
  const [{ from, to }, setShown] = useState<Shown>(() => stretchOf(place ?? "today", zone));
  const [kind, setKind] = useState<LineKind | "all">("all");
  /** The plate that is followed. */
  const [plate, setPlate] = useState<string | null>(null);
  const [data, setData] = useState<
    (Shown & { readonly stretch: StateStretch; readonly reads: readonly PlateRead[] }) | null
  >(null);
  const [isFailed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  /** The room whose devices are shown; empty: all. */
  const [room, setRoom] = useState("");
  const asked = useRef(0);
  useEffect(() => {
    const mine = ++asked.current;
    const query = {
      from: new Date(from).toISOString(),
      to: new Date(Math.max(from + 1, Math.min(to, Date.now()))).toISOString(),
    };
    // and one day more, which shows when what still held at the end was over
    const later = new Date(Math.max(from + 1, Math.min(to + 24 * HOUR_MS, Date.now()))).toISOString();
    void Promise.all([
      get("/api/states", { query: { from: query.from, to: later } }),
      get("/v1/plates", { query: { since: query.from, until: query.to, limit: 500 } }),
    ])
      .then(([{ stretch }, { plates }]) => {
        if (mine !== asked.current) return;
        setFailed(false);
        setData({ from, to, stretch, reads: plates });
      })
      .catch(() => mine === asked.current && setFailed(true));
  }, [from, to, tries]);
  useEffect(() => {
    if (to < Date.now()) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const again = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        setTries((count) => count + 1);
      }, REFRESH_MS);
    };
    const stops = [onFact("device.changed", again), onFact("read.decided", again)];
    return () => {
      for (const stop of stops) stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [from, to]);
  // a finger that moves along the bars draws all of this again, many times a second, and so does each report of a device
  const rows = useMemo(
    () =>
      data === null
        ? []
        : rowsOf(
            { ...data.stretch, from: new Date(data.from).toISOString(), to: new Date(data.to).toISOString() },
            devices.peek(),
          ).filter((row) => row.kind !== "online" || wasAway(row)),
    [data, Math.floor(Date.now() / REFRESH_MS)],
  );
  const rooms = [...new Set(rows.map(({ device }) => device.room ?? ""))]
    .filter((name) => name !== "")
    .sort((one, other) => one.localeCompare(other));
  const chosen = rows.filter(
    (row) => (kind === "all" || row.kind === kind) && (room === "" || row.device.room === room),
  );
  const changed = chosen.filter((row) => hasChanged(row) || (kind === "all" && row.kind === "doors"));
  const ordered = [...changed, ...chosen.filter((row) => !changed.includes(row))];
  const first = Math.min(FIRST_ROWS, Math.max(changed.length, FEWEST_ROWS));
  const { drawn, hasMore, end, goOn, fold } = useDrawn({
    ...{ count: ordered.length, first, step: MORE_ROWS, key: `${from} ${kind} ${room}` },
  });
  const show = (next: Shown, named: (typeof PLACES)[number] | null = null): void => {
    setPlace(named);
    setShown(next);
    setAt(null);
    setPlate(null);
    history.replaceState(null, "", named === null || named === "today" ? "/history" : `/history?of=${named}`);
  };
  if (data === null)
    return isFailed ? (
      <TryAgain text={t("history.failed")} onTry={() => setTries(tries + 1)} />
    ) : (
      <p aria-busy="true">{t("state.loading")}</p>
    );
  // what is drawn belongs to the stretch that it was asked for, whatever is asked for meanwhile
  const isStale = data.from !== from || data.to !== to;
  const ofRoom = inRoom(data.reads, room);
  const reads = plate === null ? ofRoom : ofRoom.filter((read) => read.plate === plate);
  const kinds = KINDS.filter(([one]) => one === "all" || rows.some((row) => row.kind === one));
  const query = new URLSearchParams({
    from: data.stretch.from,
    to: new Date(Math.min(data.to, Date.parse(data.stretch.to))).toISOString(),
  });
  const nextDay = { from: shifted(from, "day", 1, zone), to: shifted(to, "day", 1, zone) };
  const answers = (part: AnswersPart) => (
    <div data-stale={isStale} aria-busy={isStale}>
      <Answers
        part={part}
        rows={rows}
        reads={data.reads}
        zone={zone}
        span={spanOf(data.from, data.to, zone)}
        plate={plate}
        onPlate={setPlate}
      />
    </div>
  );
  return (
    <>
      <Card>
        <div class="history-tools">
          <div class="chips one-row" role="group" aria-label={t("device.window")}>
            {PLACES.map((one) => (
              <Chip
                key={one}
                text={t(PLACE_TEXT[one])}
                pressed={place === one}
                onClick={() => show(stretchOf(one, zone), one)}
              />
            ))}
          </div>
        </div>
        <div class="day-title">
          <IconButton
            icon="chevronLeft"
            label={t("states.dayBefore")}
            framed
            onClick={() => show({ from: shifted(from, "day", -1, zone), to: shifted(to, "day", -1, zone) })}
          />
          <h2>
            <DayPick
              text={titleOf(from, to, place, zone)}
              value={dayOf(from, zone)}
              max={dayOf(Date.now(), zone)}
              onPick={(day) => {
                const start = startOfDay(day, zone);
                show({ from: start, to: shifted(start, "day", 1, zone) });
              }}
            />
          </h2>
          <IconButton
            icon="chevronRight"
            label={t("states.dayAfter")}
            framed
            disabled={nextDay.from > Date.now()}
            onClick={() => show(nextDay)}
          />
        </div>
        {answers(isSmall ? "short" : "all")}
      </Card>
      <div class="stack" data-stale={isStale}>
        <Card title={t("states.timeline")}>
          <div class="bar-filters">
            {kinds.length > 2 && (
              <div class="chips one-row" role="group" aria-label={t("states.kinds")}>
                {kinds.map(([one, text]) => (
                  <Chip key={one} text={t(text)} pressed={kind === one} onClick={() => setKind(one)} />
                ))}
              </div>
            )}
            {rooms.length > 1 && (
              <SelectField
                label={t("device.room")}
                value={room}
                options={[["", t("states.allRooms")] as const, ...rooms.map((name) => [name, name] as const)]}
                onChange={setRoom}
              />
            )}
          </div>
          {ordered.length === 0 && reads.length === 0 ? (
            <Empty icon="activity" text={t("states.none")} />
          ) : (
            <StateBars
              rows={ordered.slice(0, drawn)}
              from={data.from}
              to={data.to}
              zone={zone}
              off={data.stretch.off}
              {...(kind === "all" || kind === "doors" ? { cars: reads } : {})}
              at={at}
              onPoint={setAt}
            />
          )}
          <div class="row between">
            <p class="state-key" aria-hidden="true">
              <span style={{ "--swatch": "var(--bar-open)" }}>{t("states.open")}</span>
              <span style={{ "--swatch": "var(--accent)" }}>{t("device.on")}</span>
              <span style={{ "--swatch": "var(--line)" }}>{t("states.rest")}</span>
              <HatchKey rows={ordered.slice(0, drawn)} from={data.from} to={data.to} off={data.stretch.off} />
            </p>
            {hasMore ? (
              <button type="button" class="button" ref={end} onClick={goOn}>
                {t("states.unchanged", { n: ordered.length - drawn })}
              </button>
            ) : (
              drawn > first && ordered.length > first && <Button text={t("states.fewer")} onClick={fold} />
            )}
          </div>
          {data.stretch.cutAt !== null && Date.parse(data.stretch.cutAt) < data.to && (
            <p class="soft small">{t("states.cut")}</p>
          )}
        </Card>
        {isSmall && <Card>{answers("rest")}</Card>}
        <Happened
          key={`${data.from} ${kind} ${plate} ${room}`}
          rows={chosen}
          reads={kind === "all" || kind === "doors" ? ofRoom : []}
          kind={kind}
          plate={plate}
          zone={zone}
        />
      </div>
      <p>
        <a class="button" href={`/api/states.csv?${query}`} download>
          {t("states.file")}
        </a>
      </p>
    </>
  );
}

/** The stretch behind a name, epoch ms: the night is from eight in the evening to eight in the morning. */
function stretchOf(place: (typeof PLACES)[number], zone: string): Shown {
  const today = startOfDay(dayOf(Date.now(), zone), zone);
  const yesterday = shifted(today, "day", -1, zone);
  if (place === "night") return { from: yesterday + 20 * HOUR_MS, to: today + 8 * HOUR_MS };
  if (place === "yesterday") return { from: yesterday, to: today };
  return { from: today, to: shifted(today, "day", 1, zone) };
}

/** What the stretch is called: its day, or the hours of its night. */
function titleOf(from: number, to: number, place: (typeof PLACES)[number] | null, zone: string): string {
  if (from === startOfDay(dayOf(from, zone), zone) && to === shifted(from, "day", 1, zone))
    return zoneDate(from, zone, { weekday: "short", day: "numeric", month: "long" });
  const hours = `${zoneHour(from, zone)} – ${zoneHour(to, zone)}`;
  if (place === "night") return t("states.nightTitle", { hours });
  if (to - from < 20 * HOUR_MS) return t("states.nightOf", { hours, day: zoneDate(from, zone) });
  return zoneStretch(from, to, zone);
}

/** What the stretch is called in sentences. */
function spanOf(from: number, to: number, zone: string): Span {
  const isOver = to <= Date.now();
  if (from === startOfDay(dayOf(from, zone), zone) && to === shifted(from, "day", 1, zone))
    return isOver ? "day" : "daySoFar";
  return to - from >= 20 * HOUR_MS ? "time" : isOver ? "night" : "nightSoFar";
}

/** Cars that were seen by a camera of this room; empty: all. */
function inRoom(reads: readonly PlateRead[], room: string): readonly PlateRead[] {
  return room === "" ? reads : reads.filter(({ deviceId }) => devices.peek().get(deviceId)?.room === room);
}

/** A phone has two lines of the answers above the bars, and the rest below: all of them would push the bars away. */
type AnswersPart = "all" | "short" | "rest";

/** The short answers: how long each door was open, and who came. */
function Answers({
  part,
  rows,
  reads,
  zone,
  span,
  plate,
  onPlate,
}: {
  part: AnswersPart;
  rows: readonly Row[];
  reads: readonly PlateRead[];
  zone: string;
  span: Span;
  plate: string | null;
  onPlate: (plate: string | null) => void;
}) {
  const [isAll, setAll] = useState(false);
  // a shutter that nobody touched answers no question
  const doors = rows.filter((row) => row.kind === "doors" && (row.device.type !== "cover" || hasChanged(row)));
  // what moved or stands open is said first, and the house's gate; the rest is one line where it would push the bars away
  const main = doors.find(({ device }) => device.type === "gate");
  const still = doors.filter((row) => row !== main && isStill(row));
  const open = doors.filter((row) => !still.includes(row)).slice(0, MOST_DOORS);
  const first = main ?? open[0];
  const moved = part === "rest" ? open.filter((row) => row !== first) : open;
  const isFolded = moved.length + still.length > FEWEST_FOLDED && still.length > 1;
  const cars = carsOf(reads);
  const followed = cars.find((car) => car.plate === plate);
  const count = (
    <li>
      <Icon name="car" small />
      <div class="grow">{reads.length === 0 ? t("states.noCars") : carsText(countCars(reads))}</div>
    </li>
  );
  if (part === "short")
    return (
      <ul class="day-answers">
        {first !== undefined && <DoorAnswer row={first} span={span} />}
        {count}
      </ul>
    );
  return (
    <ul class="day-answers">
      {(isFolded ? moved : [...moved, ...still]).map((row) => (
        <DoorAnswer key={row.id} row={row} span={span} />
      ))}
      {isFolded && (
        <li>
          <details class="group grow">
            <summary>{t(moved.length === 0 ? "states.allStill" : "states.othersStill", { n: still.length })}</summary>
            <ul class="day-answers">
              {still.map((row) => (
                <DoorAnswer key={row.id} row={row} span={span} />
              ))}
            </ul>
          </details>
        </li>
      )}
      {part === "all" && count}
      {cars.length > 0 && (
        <li class="of-cars">
          <div class="who-came" role="group" aria-label={t("states.whoCame")}>
            {(isAll ? cars : cars.slice(0, FIRST_CARS)).map((car) => (
              <button
                key={car.plate}
                type="button"
                class="chip"
                aria-pressed={plate === car.plate}
                onClick={() => onPlate(plate === car.plate ? null : car.plate)}
              >
                {nameOfCar(car)} <small>{timesOf(car, zone)}</small>
              </button>
            ))}
            {cars.length > FIRST_CARS && !isAll && (
              <button type="button" class="chip" onClick={() => setAll(true)}>
                {t("states.allLines", { n: cars.length })}
              </button>
            )}
          </div>
          {followed !== undefined && (
            <p>
              <a href={`/gate/vehicles/${encodeURIComponent(followed.plate)}`}>
                {t("states.carVisits", { car: nameOfCar(followed) })}
              </a>
            </p>
          )}
        </li>
      )}
    </ul>
  );
}

/** How one door, gate or lock was, in a sentence. */
function DoorAnswer({ row, span }: { row: Row; span: Span }) {
  const { id, name, type } = row.device;
  return (
    <li>
      <Icon name={type === "lock" ? "lock" : type === "gate" ? "fence" : "doorOpen"} small />
      <span>
        <a href={`/devices/${encodeURIComponent(id)}`}>
          <Name text={name} most={NAME_ROOM} />
        </a>
        : {sentenceOf(row, span)}
      </span>
    </li>
  );
}

/** Whether it was closed as long as is known. */
function isStill({ line: { key }, pieces }: Row): boolean {
  const known = pieces.filter(({ value }) => toneOf(key, value) !== "none");
  return known.length > 0 && known.every(({ value }) => value === known[0]?.value && toneOf(key, value) === "rest");
}

/** By its rule, as long as one pass was known by it. */
function nameOfCar({ passes }: CarOfDay): string {
  const named = passes.find(({ label }) => label !== "") ?? passes[0];
  return named === undefined ? "" : carName(named);
}

interface Happening {
  readonly id: string;
  readonly at: number;
  readonly what: string;
  readonly more: string;
  readonly read: PlateRead | null;
}

/** What opened, went on and moved, with who was behind it and how long, and the cars that came; newest first. */
function Happened({
  rows,
  reads,
  kind,
  plate,
  zone,
}: {
  rows: readonly Row[];
  reads: readonly PlateRead[];
  kind: LineKind | "all";
  /** Only what this car did. */
  plate: string | null;
  zone: string;
}) {
  const used = new Set<number>();
  const happenings = rows.flatMap((row) =>
    joinedTimes(row, row.kind === "motion" ? JOINED_MS[kind === "motion" ? "motion" : "all"] : -1)
      .filter(({ isCut }) => !isCut)
      .map(({ from, to, end, by, isOngoing, count }): Happening => {
        const read = by?.kind === "plate" ? readBehind(reads, by.readId, from) : null;
        if (read !== null) used.add(read.id);
        const who =
          read !== null
            ? t("states.forCar", { car: carName(read) })
            : by !== null
              ? byText(by)
              : row.kind === "doors" || row.kind === "on"
                ? t("states.byHand")
                : "";
        // "Gate camera recording", not "Gate camera yes"
        const isYes = row.kind === "other" && row.pieces.some((piece) => typeof piece.value === "boolean");
        const value =
          row.kind === "motion"
            ? t("states.movement")
            : isYes
              ? nameOfState(row.device, row.line.key)
              : wordAt(row, from, to);
        return {
          id: `${row.id} ${from}`,
          at: from,
          what: t("states.opened", {
            name: row.kind === "on" && row.name !== "" ? `${row.device.name}, ${row.name}` : row.device.name,
            value: value.toLocaleLowerCase(),
          }),
          more: [
            who,
            isOngoing
              ? stillText(row.kind, value.toLocaleLowerCase())
              : end === null
                ? t("states.andOn", { at: zoneTime(to, zone) })
                : count > 1
                  ? t("states.joined", { n: count, at: zoneTime(end, zone) })
                  : end > to
                    ? t("states.until", { at: zoneTime(end, zone), long: shortDuration((end - from) / 1_000) })
                    : shortDuration((end - from) / 1_000),
          ]
            .filter((text) => text !== "")
            .join(" · "),
          read,
        };
      }),
  );
  const cars = reads
    .filter(({ id }) => !used.has(id))
    .map(
      (read): Happening => ({
        id: `car ${read.id}`,
        at: Date.parse(read.at),
        what: carName(read),
        more: t(`decision.${read.decision}`).toLowerCase(),
        read,
      }),
    );
  const all = [...happenings, ...cars]
    .filter(({ read }) => plate === null || read?.plate === plate)
    .sort((one, other) => other.at - one.at);
  const { drawn, hasMore, end, goOn, fold } = useDrawn({ count: all.length, first: FIRST_LINES, step: MORE_LINES });
  if (all.length === 0) return null;
  return (
    <Card title={t("states.happened")}>
      <ol class="happened">
        {all.slice(0, drawn).map(({ id, at, what, more, read }) => (
          <li key={id}>
            <time dateTime={new Date(at).toISOString()}>{zoneTime(at, zone)}</time>
            <span>
              <strong>{what}</strong> <span class="soft">{more}</span>
            </span>
            {read !== null && (
              <a class="glance" href={`/gate/reads/${read.id}`}>
                {read.imageUrl === null ? (
                  t("states.picture")
                ) : (
                  <img
                    key={picturesOf(read).small}
                    src={picturesOf(read).small}
                    alt={t("states.pictureOf", { car: carName(read) })}
                    loading="lazy"
                  />
                )}
              </a>
            )}
          </li>
        ))}
      </ol>
      {hasMore ? (
        <button type="button" class="button" ref={end} onClick={goOn}>
          {drawn === FIRST_LINES
            ? t("states.allLines", { n: all.length })
            : t("states.unchanged", { n: all.length - drawn })}
        </button>
      ) : (
        drawn > FIRST_LINES && all.length > FIRST_LINES && <Button text={t("states.fewer")} onClick={fold} />
      )}
    </Card>
  );
}

/** The sighting that a gate opened for at a moment: the one that it names, else the nearest allowed one. */
function readBehind(reads: readonly PlateRead[], readId: number | null, at: number): PlateRead | null {
  const away = (read: PlateRead): number => Math.abs(at - Date.parse(read.at));
  const near = reads
    .filter((read) => read.decision === "allow" && away(read) < FOR_CAR_MS)
    .toSorted((one, other) => away(one) - away(other));
  return reads.find(({ id }) => id === readId) ?? near[0] ?? null;
}
