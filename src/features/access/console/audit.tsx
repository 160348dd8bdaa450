import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { byDay } from "../../../console/components/by-day.ts";
import { DayPick } from "../../../console/components/day-pick.tsx";
import { usePlaceName } from "../../../console/components/place-field.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { useToday } from "../../../console/components/today.ts";
import { dayOf as dayAt, shifted, shownZone, startOfDay, zoneDate } from "../../../console/components/zone-time.ts";
import { dateTime, dayName, t, timeOfDay } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { go, query } from "../../../console/router.ts";
import { useReadsOf } from "../../gate/console/car-of-item.ts";
import {
  type AuditEvent,
  type AuditLine,
  type Known,
  namedWith,
  ofHousehold,
  readOf,
  sentenceOfMany,
  sentencesOf,
} from "./audit-words.ts";
import { PersonChoice } from "./person-choice.tsx";

type Page = AnswerTo<"GET", "/api/audit/events">;

/** Acts that are loaded at a time: about two screens of a phone. */
const STEP = 25;
/** This many lines or more are shown as one act; fewer are shown as they are. */
const MANY = 3;
/** Pause after which typing counts as finished. */
const REST_MS = 300;
/** Letters of all names that go with a search: an address has an end. */
const LONGEST_NAMED = 6_000;

/** What the address asks for. */
interface Asked {
  readonly q: string;
  readonly person: number | null;
  /** As `2026-03-01`; empty: any. */
  readonly day: string;
}

function askedOf(search: string): Asked {
  const given = new URLSearchParams(search);
  const person = Number(given.get("person"));
  const day = given.get("day") ?? "";
  return {
    q: (given.get("q") ?? "").slice(0, 120),
    person: Number.isSafeInteger(person) && person > 0 ? person : null,
    day: /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : "",
  };
}

function addressOf({ q, person, day }: Asked): string {
  const given = new URLSearchParams({
    ...(q.trim() === "" ? {} : { q: q.trim() }),
    ...(person === null ? {} : { person: String(person) }),
    ...(day === "" ? {} : { day }),
  });
  return given.size === 0 ? "/system/audit" : `/system/audit?${given}`;
}

/** As many of the names, with commas between them, as there are letters for. */
function firstLetters(names: readonly string[], most: number): string {
  const text = names.join(",");
  return text.length <= most ? text : text.slice(0, text.lastIndexOf(",", most));
}

function loadPage({ q, person, day }: Asked, before: number | null): Promise<Page> {
  const zone = shownZone();
  const from = day === "" ? null : startOfDay(day, zone);
  const words = q.split(/\s+/).filter((word) => word !== "");
  const named = words
    .map((word) => firstLetters(namedWith(word), LONGEST_NAMED / words.length - words.length))
    .join(";");
  return get("/api/audit/events", {
    query: {
      limit: STEP,
      ...(before === null ? {} : { before }),
      ...(person === null ? {} : { person }),
      ...(from === null
        ? {}
        : { since: new Date(from).toISOString(), until: new Date(shifted(from, "day", 1, zone)).toISOString() }),
      ...(words.length === 0 ? {} : { q: words.join(" "), named }),
    },
  });
}

/** Who did what, by day, newest first, narrowed by words, a person and a day; older acts follow when they are asked for. */
export function AuditPage() {
  const asked = askedOf(query());
  const address = addressOf(asked);
  const [typed, setTyped] = useState(asked.q);
  const [shown, setShown] = useState<(Page & { readonly address: string }) | null>(null);
  const [isLoading, setLoading] = useState(false);
  const latest = useRef(address);
  latest.current = address;
  const narrow = (to: Partial<Asked>): void => {
    const next = addressOf({ ...askedOf(location.search), ...to });
    if (next !== addressOf(askedOf(location.search))) go(next, { replace: true });
  };
  useEffect(() => {
    const timer = setTimeout(() => narrow({ q: typed }), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const load = async (before: number | null, events: readonly AuditEvent[]): Promise<void> => {
    setLoading(true);
    try {
      const page = await loadPage(asked, before);
      if (latest.current === address) setShown({ ...page, events: [...events, ...page.events], address });
    } catch (error) {
      sayError(error);
    } finally {
      setLoading(false);
    }
  };
  useEffect(() => void load(null, []), [address]);
  const isNarrowed = address !== "/system/audit";
  const zone = shownZone();
  return (
    <>
      <PageHead title={t("system.audit")} subtitle={t("audit.subtitle")} />
      <Tabs of="/system" here="/system/audit" />
      <search class="narrow-tools">
        <SearchField label={t("audit.search")} value={typed} onInput={setTyped} />
        <PersonChoice value={asked.person} onChange={(person) => narrow({ person })} />
        <span class="row">
          <DayPick
            text={asked.day === "" ? t("audit.anyDay") : zoneDate(startOfDay(asked.day, zone), zone)}
            value={asked.day}
            max={dayAt(Date.now(), zone)}
            onPick={(day) => narrow({ day })}
          />
          {asked.day !== "" && (
            <IconButton icon="x" label={t("audit.anyDay")} small onClick={() => narrow({ day: "" })} />
          )}
        </span>
      </search>
      {shown === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : (
        <Card>
          <div data-stale={shown.address !== address} aria-busy={shown.address !== address}>
            {shown.events.length === 0 && shown.next === null && (
              <Empty icon="list" text={t(isNarrowed ? "audit.noneSuch" : "audit.none")} />
            )}
            <Acts events={shown.events} />
          </div>
          {shown.searchedTo !== null && (
            <p class="soft small">{t("audit.searchedTo", { at: dateTime(shown.searchedTo) })}</p>
          )}
          {shown.next !== null && (
            <Button
              text={t(shown.searchedTo === null ? "feed.more" : "audit.searchOn")}
              disabled={isLoading}
              onClick={() => void load(shown.next, shown.events)}
            />
          )}
        </Card>
      )}
    </>
  );
}

/** The acts by day. */
function Acts({ events }: { events: readonly AuditEvent[] }) {
  const placeName = usePlaceName();
  const reads = useReadsOf(
    events.flatMap(({ line, alike }) =>
      [line, ...alike]
        .map((one) => ({ kind: one.action, readId: readOf(one) }))
        .filter(({ readId }) => readId !== null),
    ),
  );
  const known = { placeName, reads };
  const today = useToday();
  const kept = new Set(ofHousehold(events.map(({ line }) => line)).map(({ id }) => id));
  const acts = events
    .filter(({ line }) => kept.has(line.id))
    .flatMap((event): AuditEvent[] =>
      event.count >= MANY ? [event] : [event.line, ...event.alike].map((line) => ({ line, alike: [], count: 1 })),
    );
  return (
    <>
      {byDay(acts, ({ line }) => dayName(line.at, today)).map(({ name, things }) => (
        <section key={name} class="audit-day">
          <h2 class="audit-day-name">{name}</h2>
          <ul class="list tight">
            {things.map((event) => (
              <li key={event.line.id}>
                <time class="soft small numbers" dateTime={event.line.at}>
                  {timeOfDay(event.line.at)}
                </time>
                <div class="grow">
                  {event.count > 1 ? <Many event={event} known={known} /> : <One line={event.line} known={known} />}
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** One act of many: folded, with each of them inside. */
function Many({ event, known }: { event: AuditEvent; known: Known }) {
  const lines = [event.line, ...event.alike];
  return (
    <details class="feed-many">
      <summary>{sentenceOfMany(event, known)}</summary>
      <ul>
        {lines.map((line) => (
          <li key={line.id} class="small">
            {sentencesOf(line, known).join(" ")}
          </li>
        ))}
        {event.count > lines.length && <li class="small soft">{t("home.more", { n: event.count - lines.length })}</li>}
      </ul>
    </details>
  );
}

function One({ line, known }: { line: AuditLine; known: Known }) {
  const read = readOf(line);
  return (
    <>
      {sentencesOf(line, known).map((sentence) => (
        <p key={sentence}>
          {read !== null && known.reads.has(read) ? <a href={`/gate/reads/${read}`}>{sentence}</a> : sentence}
        </p>
      ))}
    </>
  );
}
