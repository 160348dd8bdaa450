/** Which sightings the day at the gate shows, and how they are requested. */
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { sayError } from "../../../console/components/toast.tsx";
import { dayOf, localParts, shifted, shownZone, startOfDay } from "../../../console/components/zone-time.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type GateRead, reads } from "../../../console/store.ts";
import type { CarCount } from "../rules/car-count.ts";

/** What the list is narrowed to; empty: everything. */
export interface DayFilter {
  /** Part of a plate or a name. */
  readonly q: string;
  readonly decisions: readonly GateRead["decision"][];
  readonly camera: string;
  readonly direction: "in" | "out" | "";
  readonly status: GateRead["status"] | "";
  readonly order: "newest" | "oldest";
}

/** Everything, the newest first. */
export const ALL: DayFilter = { q: "", decisions: [], camera: "", direction: "", status: "", order: "newest" };

/** How many of the choices behind the filter button are set; the search field speaks for itself. */
export function countSet({ decisions, camera, direction, status, order }: DayFilter): number {
  return [decisions.length > 0, camera !== "", direction !== "", status !== "", order !== "newest"].filter(Boolean)
    .length;
}

/** The query of the filter, for lists and exports. */
export function queryOf({ q, decisions, camera, direction, status }: DayFilter) {
  return {
    q: q.trim() || undefined,
    decisions: decisions.length === 0 ? undefined : decisions.join(","),
    deviceId: camera || undefined,
    direction: direction || undefined,
    status: status || undefined,
  };
}

const PAGE = 40;
/** Pause after which typing or scrubbing counts as finished. */
const REST_MS = 220;

/** The sightings that fit, page by page; `until` (epoch ms) starts the list there. The live ones follow by themselves. */
export function useDayReads(
  filter: DayFilter,
  until: number | null,
): { readonly found: readonly GateRead[] | null; readonly more: (() => void) | null } {
  const [found, setFound] = useState<readonly GateRead[] | null>(null);
  const [isLast, setLast] = useState(true);
  const latest = useRef(0);
  const load = async (before: readonly GateRead[]): Promise<void> => {
    const mine = ++latest.current;
    const last = before.at(-1);
    const isOldest = filter.order === "oldest";
    const bound =
      last !== undefined
        ? { [isOldest ? "since" : "until"]: last.at }
        : until !== null && !isOldest
          ? { until: new Date(until).toISOString() }
          : {};
    try {
      const { reads: page } = await get("/api/reads", {
        query: { limit: PAGE, order: filter.order, ...queryOf(filter), ...bound },
      });
      if (mine !== latest.current) return;
      const known = new Set(before.map(({ id }) => id)); // vehicles of one picture share their moment
      setFound([...before, ...page.filter(({ id }) => !known.has(id))]);
      setLast(page.length < PAGE);
    } catch (error) {
      if (mine === latest.current) sayError(error);
    }
  };
  useEffect(() => {
    const timer = setTimeout(() => void load([]), found === null ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [filter, until]);
  useEffect(() => {
    if (found === null || until !== null || filter.order === "oldest") return;
    // what was scrolled to stays; new sightings come on top
    void get("/api/reads", { query: { limit: PAGE, ...queryOf(filter) } })
      .then(({ reads: page }) => {
        const fresh = new Set(page.map(({ id }) => id));
        setFound((before) => [...page, ...(before ?? []).slice(page.length).filter(({ id }) => !fresh.has(id))]);
      })
      .catch(() => {});
  }, [reads.value]);
  return { found, more: found === null || isLast ? null : () => void load(found) };
}

/** Sightings with a plate that fit, the newest first; at most as many as anybody chooses at once. */
export async function allReads(filter: DayFilter): Promise<readonly GateRead[]> {
  const found = new Map<number, GateRead>();
  for (let until: string | undefined; found.size < MOST_CHOSEN; ) {
    const { reads: page } = await get("/api/reads", {
      query: { limit: LARGE_PAGE, ...queryOf(filter), ...(until === undefined ? {} : { until }) },
    });
    const before = found.size;
    for (const read of page) found.set(read.id, read);
    until = page.at(-1)?.at;
    if (page.length < LARGE_PAGE || found.size === before) break;
  }
  return [...found.values()].filter(({ plate }) => plate !== null);
}

const LARGE_PAGE = 200;
const MOST_CHOSEN = 1_000;

/** How many passes of how many cars, in words: `3 cars, 6 passes`. */
export function carsText({ cars, passes, unread }: CarCount): string {
  return t("day.cars", { cars, passes, unread });
}

/**
 * Passes and cars that fit, of one day (`2026-03-01`) or, for null, of all that is kept; undefined before they are here, null
 * if the hub did not say.
 */
export function useCarCount(filter: DayFilter, day: string | null): CarCount | null | undefined {
  const [count, setCount] = useState<CarCount | null>();
  const latest = useRef(0);
  useEffect(() => {
    const mine = ++latest.current;
    const timer = setTimeout(
      () =>
        void get("/api/reads/count", { query: { ...queryOf(filter), ...(day === null ? {} : boundsOfDay(day)) } })
          .then((answer) => mine === latest.current && setCount(answer.count))
          .catch(() => setCount((before) => before ?? null)),
      count === undefined ? 0 : REST_MS,
    );
    return () => clearTimeout(timer);
  }, [filter, day, reads.value]);
  return count;
}

/** The first and the last moment of a day at the house. */
function boundsOfDay(day: string): { readonly since: string; readonly until: string } {
  const zone = shownZone();
  const from = startOfDay(day, zone);
  return { since: new Date(from).toISOString(), until: new Date(shifted(from, "day", 1, zone) - 1).toISOString() };
}

/** Sightings of one hour. */
export type HourCounts = AnswerTo<"GET", "/api/reads/hours">["hours"][number];

/** Days of the heat map and of the share that was read. */
export const HEAT_DAYS = 28;

/** The hours of the last weeks with what fits; null before they are here. */
export function useHours(filter: DayFilter): readonly HourCounts[] | null {
  const [hours, setHours] = useState<readonly HourCounts[] | null>(null);
  const latest = useRef(0);
  useEffect(() => {
    const mine = ++latest.current;
    const zone = shownZone();
    const today = startOfDay(dayOf(Date.now(), zone), zone);
    const since = shifted(today, "day", 1 - HEAT_DAYS, zone);
    const range = {
      since: new Date(since).toISOString(),
      until: new Date(shifted(today, "day", 1, zone)).toISOString(),
    };
    const timer = setTimeout(
      () =>
        void get("/api/reads/hours", { query: { ...queryOf(filter), ...range } })
          .then((answer) => mine === latest.current && setHours(answer.hours))
          .catch(() => {}),
      hours === null ? 0 : REST_MS,
    );
    return () => clearTimeout(timer);
  }, [filter, reads.value]);
  return hours;
}

/** All sightings of an hour. */
function sumOf({ allow, deny, watch, unknown, unread }: HourCounts): number {
  return allow + deny + watch + unknown + unread;
}

/** Sightings of a day (`2026-03-01`) by hour of the clock. */
export function hoursOfDay(
  hours: readonly HourCounts[],
  day: string,
): readonly { readonly all: number; readonly deny: number }[] {
  const zone = shownZone();
  const sums = Array.from({ length: 24 }, () => ({ all: 0, deny: 0 }));
  for (const hour of hours) {
    const at = Date.parse(hour.from);
    if (dayOf(at, zone) !== day) continue;
    const sum = sums[localParts(at, zone).hour];
    if (sum === undefined) continue;
    sum.all += sumOf(hour);
    sum.deny += hour.deny;
  }
  return sums;
}

/** Sightings by weekday (Monday first) and hour of the clock. */
export function heatOf(hours: readonly HourCounts[]): readonly (readonly number[])[] {
  const zone = shownZone();
  const heat = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const hour of hours) {
    const local = localParts(Date.parse(hour.from), zone);
    const weekday = (new Date(Date.UTC(local.year, local.month - 1, local.day)).getUTCDay() + 6) % 7;
    const row = heat[weekday];
    if (row !== undefined) row[local.hour] = (row[local.hour] ?? 0) + sumOf(hour);
  }
  return heat;
}
