import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty, TryAgain } from "../../../console/components/basics.tsx";
import { Button, Chip, IconButton } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import {
  dayOf,
  shifted,
  shownZone,
  startOfDay,
  zoneDate,
  zoneStretch,
  zoneTime,
} from "../../../console/components/zone-time.ts";
import { duration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { devices } from "../../../console/store.ts";
import type { PlateRead } from "../../gate/resources/plate-read.ts";
import "../../../console/components/history.css";
import type { StateStretch } from "../resources/states.ts";
import { carName, StateBars, sentenceOf } from "./state-bars.tsx";
import { activeTimes, byText, hasChanged, type LineKind, type Row, rowsOf, wordOf } from "./state-lines.ts";

const HOUR_MS = 3_600_000;
const REFRESH_MS = 5_000;
/** A gate that moves this soon after a car was read moves for it. */
const FOR_CAR_MS = 90_000;
/** Rows and lines at first sight. */
const FIRST_ROWS = 14;
const FIRST_LINES = 8;

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
  const [data, setData] = useState<{ readonly stretch: StateStretch; readonly reads: readonly PlateRead[] } | null>(
    null,
  );
  const [isFailed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  const [allRows, setAllRows] = useState(false);
  const asked = useRef(0);
  useEffect(() => {
    const mine = ++asked.current;
    const query = {
      from: new Date(from).toISOString(),
      to: new Date(Math.max(from + 1, Math.min(to, Date.now()))).toISOString(),
    };
    void Promise.all([
      get("/api/states", { query }),
      get("/v1/plates", { query: { since: query.from, until: query.to, limit: 500 } }),
    ])
      .then(([{ stretch }, { plates }]) => {
        if (mine !== asked.current) return;
        setFailed(false);
        setData({ stretch, reads: plates });
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
  const show = (next: Shown, named: (typeof PLACES)[number] | null = null): void => {
    setPlace(named);
    setShown(next);
    setAt(null);
    history.replaceState(null, "", named === null || named === "today" ? "/history" : `/history?of=${named}`);
  };
  if (data === null)
    return isFailed ? (
      <TryAgain text={t("history.failed")} onTry={() => setTries(tries + 1)} />
    ) : (
      <p aria-busy="true">{t("state.loading")}</p>
    );
  const rows = rowsOf(
    { ...data.stretch, from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    devices.value,
  );
  const kinds = KINDS.filter(([one]) => one === "all" || rows.some((row) => row.kind === one));
  const chosen = rows.filter((row) => kind === "all" || row.kind === kind);
  const changed = chosen.filter((row) => hasChanged(row) || (kind === "all" && row.kind === "doors"));
  const quiet = chosen.filter((row) => !changed.includes(row));
  const drawn = allRows ? chosen : changed.slice(0, FIRST_ROWS);
  const query = new URLSearchParams({ from: data.stretch.from, to: data.stretch.to });
  const nextDay = { from: shifted(from, "day", 1, zone), to: shifted(to, "day", 1, zone) };
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
          <span class="grow" />
          <IconButton
            icon="chevronLeft"
            label={t("states.dayBefore")}
            framed
            onClick={() => show({ from: shifted(from, "day", -1, zone), to: shifted(to, "day", -1, zone) })}
          />
          <IconButton
            icon="chevronRight"
            label={t("states.dayAfter")}
            framed
            disabled={nextDay.from > Date.now()}
            onClick={() => show(nextDay)}
          />
          <label class="day-field">
            <span class="sr-only">{t("history.pickDay")}</span>
            <input
              type="date"
              class="input"
              value={dayOf(from, zone)}
              max={dayOf(Date.now(), zone)}
              onChange={(event) => {
                const day = event.currentTarget.value;
                if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return;
                const start = startOfDay(day, zone);
                show({ from: start, to: shifted(start, "day", 1, zone) });
              }}
            />
          </label>
        </div>
        <h2 class="when">
          {from === startOfDay(dayOf(from, zone), zone) && to === shifted(from, "day", 1, zone)
            ? zoneDate(from, zone, { weekday: "long", day: "numeric", month: "long" })
            : zoneStretch(from, to, zone)}
        </h2>
        <Answers rows={rows} reads={data.reads} zone={zone} />
      </Card>
      <Card title={t("states.timeline")}>
        {kinds.length > 2 && (
          <div class="chips one-row" role="group" aria-label={t("states.kinds")}>
            {kinds.map(([one, text]) => (
              <Chip key={one} text={t(text)} pressed={kind === one} onClick={() => setKind(one)} />
            ))}
          </div>
        )}
        {rows.length === 0 && data.reads.length === 0 ? (
          <Empty icon="activity" text={t("states.none")} />
        ) : (
          <StateBars
            rows={drawn}
            from={from}
            to={to}
            zone={zone}
            off={data.stretch.off}
            {...(kind === "all" || kind === "doors" ? { cars: data.reads } : {})}
            at={at}
            onPoint={setAt}
          />
        )}
        <div class="row between">
          <p class="state-key" aria-hidden="true">
            <span style={{ "--swatch": "var(--bar-open)" }}>{t("states.open")}</span>
            <span style={{ "--swatch": "var(--accent)" }}>{t("device.on")}</span>
            <span style={{ "--swatch": "var(--line)" }}>{t("states.rest")}</span>
          </p>
          {chosen.length > changed.slice(0, FIRST_ROWS).length && (
            <Button
              text={
                allRows
                  ? t("states.fewer")
                  : t("states.unchanged", { n: quiet.length + Math.max(0, changed.length - FIRST_ROWS) })
              }
              onClick={() => setAllRows(!allRows)}
            />
          )}
        </div>
        {data.stretch.cutAt !== null && <p class="soft small">{t("states.cut")}</p>}
      </Card>
      <Happened rows={rows} reads={data.reads} zone={zone} />
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

/** The short answers: how long each door was open, and who came. */
function Answers({ rows, reads, zone }: { rows: readonly Row[]; reads: readonly PlateRead[]; zone: string }) {
  const doors = rows.filter((row) => row.kind === "doors").slice(0, 6);
  const names = [...new Set(reads.toReversed().map(carName))];
  return (
    <ul class="day-answers">
      {doors.map((row) => (
        <li key={row.id}>
          <Icon name={row.device.type === "lock" ? "lock" : row.device.type === "gate" ? "fence" : "doorOpen"} small />
          <span>
            <a href={`/devices/${encodeURIComponent(row.device.id)}`}>{row.device.name}</a>: {sentenceOf(row)}
          </span>
        </li>
      ))}
      <li>
        <Icon name="car" small />
        <span>
          {reads.length === 0
            ? t("states.noCars")
            : t("states.carsCame", {
                n: reads.length,
                first: zoneTime(Math.min(...reads.map(({ at }) => Date.parse(at))), zone),
                who: `${names.slice(0, 4).join(", ")}${names.length > 4 ? " …" : ""}`,
              })}
        </span>
      </li>
    </ul>
  );
}

interface Happening {
  readonly id: string;
  readonly at: number;
  readonly what: string;
  readonly more: string;
  readonly read: PlateRead | null;
}

/** Openings of doors with who was behind them, and cars, newest first. */
function Happened({ rows, reads, zone }: { rows: readonly Row[]; reads: readonly PlateRead[]; zone: string }) {
  const [isAll, setAll] = useState(false);
  const used = new Set<number>();
  const openings = rows
    .filter((row) => row.kind === "doors")
    .flatMap((row) =>
      activeTimes(row)
        .filter(({ isCut }) => !isCut)
        .map(({ from, to, by, isOngoing }): Happening => {
          const read =
            by?.kind === "plate"
              ? (reads.find(({ id }) => id === by.readId) ??
                reads
                  .filter(({ at, decision }) => decision === "allow" && Math.abs(from - Date.parse(at)) < FOR_CAR_MS)
                  .toSorted((a, b) => Math.abs(from - Date.parse(a.at)) - Math.abs(from - Date.parse(b.at)))[0] ??
                null)
              : null;
          if (read !== null) used.add(read.id);
          const word = row.pieces.find((piece) => piece.from >= from && !isMovingWord(piece.value))?.value ?? null;
          return {
            id: `${row.id} ${from}`,
            at: from,
            what: t("states.opened", { name: row.device.name, value: wordOf(row.line.key, word) }),
            more: [
              read !== null
                ? t("states.forCar", { car: carName(read) })
                : by === null
                  ? t("states.byHand")
                  : byText(by),
              isOngoing ? t("states.stillSo") : duration((to - from) / 1_000),
            ].join(" · "),
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
  const all = [...openings, ...cars].sort((one, other) => other.at - one.at);
  if (all.length === 0) return null;
  return (
    <Card title={t("states.happened")}>
      <ol class="happened">
        {(isAll ? all : all.slice(0, FIRST_LINES)).map(({ id, at, what, more, read }) => (
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
                  <img src={read.imageUrl} alt={t("states.pictureOf", { car: carName(read) })} loading="lazy" />
                )}
              </a>
            )}
          </li>
        ))}
      </ol>
      {all.length > FIRST_LINES && (
        <Button
          text={isAll ? t("states.fewer") : t("states.allLines", { n: all.length })}
          onClick={() => setAll(!isAll)}
        />
      )}
    </Card>
  );
}

function isMovingWord(value: unknown): boolean {
  return value === "opening" || value === "closing";
}
