/** What a state was in a stretch of time, in one sentence. */
import { shownZone, zoneTime } from "../../../console/components/zone-time.ts";
import { shortDuration, t } from "../../../console/i18n/translate.ts";
import { type Standing, stretchFact } from "../rules/stretch-fact.ts";
import { type LineKind, type Piece, type Row, toneOf, wordOf } from "./state-lines.ts";

/** What a stretch of time is called in its sentences. */
export type Span = "night" | "nightSoFar" | "day" | "daySoFar" | "time";

const STAYED = {
  night: "states.stayed.night",
  nightSoFar: "states.stayed.nightSoFar",
  day: "states.stayed.day",
  daySoFar: "states.stayed.daySoFar",
  time: "states.stayed.time",
} as const;

/** How a stretch that is over ended. */
const AT_END = {
  night: "states.atEnd.night",
  nightSoFar: "states.atEnd.time",
  day: "states.atEnd.day",
  daySoFar: "states.atEnd.time",
  time: "states.atEnd.time",
} as const;

/** What goes on now: `still open`. */
export function stillText(kind: LineKind, value: string): string {
  return kind === "motion" ? t("states.stillGoing") : t("states.stillValue", { value });
}

/** A row in one sentence: `stayed closed all night`, `open 3 times, 3 min in all`. */
export function sentenceOf({ line: { key }, pieces, kind }: Row, span: Span = "time"): string {
  const isNow = pieces.at(-1)?.isOngoing === true;
  const start = pieces[0]?.isCutAtStart ? pieces[0].from : Number.NEGATIVE_INFINITY;
  const fact = stretchFact(
    pieces.map(({ from, to, value }) => ({ from, to, value, standing: standingOf(key, value) })),
    start,
  );
  const word = (value: Piece["value"]): string => wordOf(key, value).toLocaleLowerCase();
  const time = (at: number): string => zoneTime(at, shownZone());
  switch (fact.kind) {
    case "unknown":
      return t("value.unknown");
    case "stayed":
      return t(STAYED[span], { value: word(fact.value) });
    case "since":
      return t("states.since", { value: word(fact.value), at: time(fact.at) });
    case "began":
      return t(isNow ? "states.since" : "states.began", { value: word(fact.value), at: time(fact.at) });
    case "ended":
    case "became":
      return t("states.ended", { value: word(fact.value), after: word(fact.after), at: time(fact.at) });
    case "times": {
      const long = shortDuration(fact.ms / 1_000);
      const value = word(fact.value);
      if (fact.at !== null) return t("states.once", { value, at: time(fact.at), long });
      const sum = t("states.times", { value, n: fact.n, long });
      return fact.isStill ? `${sum}, ${isNow ? stillText(kind, value) : t(AT_END[span], { value })}` : sum;
    }
  }
}

function standingOf(key: string, value: Piece["value"]): Standing {
  const tone = toneOf(key, value);
  return tone === "none" ? "unknown" : tone === "rest" || tone === "moving" ? tone : "active";
}
