/** What happened to the cars in items of the feed: an item is written before the gate has moved. */
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { type GateRead, reads } from "../../../console/store.ts";
import { gateFactOf } from "../rules/gate-fact.ts";
import { outcomeText } from "./gate-chain.ts";

/** Sightings that the hub gives at once. */
const AT_ONCE = 100;

/** Where an item may tell of a sighting. */
interface OfCar {
  readonly kind: string;
  readonly readId: number | null;
}

/** The sightings that these items tell of, as far as they are kept: those of the page as they change, others once. */
export function useReadsOf(items: readonly OfCar[]): ReadonlyMap<number, GateRead> {
  const [older, setOlder] = useState<readonly GateRead[]>([]);
  const asked = useRef(new Set<number>());
  const [lists, setLists] = useState(0);
  useEffect(
    () =>
      onFact("plate_rules.changed", () => {
        asked.current.clear();
        setOlder([]);
        setLists((times) => times + 1);
      }),
    [],
  );
  const known = new Map([...older, ...reads.value].map((read) => [read.id, read]));
  const missing = [...new Set(items.flatMap(({ readId }) => readId ?? []))].filter(
    (id) => !known.has(id) && !asked.current.has(id),
  );
  const wanted = missing.slice(0, AT_ONCE).join(",");
  useEffect(() => {
    if (wanted === "") return;
    for (const id of wanted.split(",")) asked.current.add(Number(id));
    // without it, lines say what was decided
    void get("/api/reads", { query: { ids: wanted } })
      .then((answer) => setOlder((before) => [...before, ...answer.reads]))
      .catch(() => {});
  }, [wanted, lists]);
  return known;
}

/** Items that a sighting's own outcome says better: whether it was let in, not only what the lists say. */
const DECIDED = /^(plate\.(allowed|denied|watch|unknown)|gate\.(asked|kept_shut))$/;

/**
 * Which car, and what happened to it: `Milk delivery, UP 14 GT 1010 · Let in`; null where the item is about no known
 * one.
 */
export function carTitle({ kind, readId }: OfCar, known: ReadonlyMap<number, GateRead>): string | null {
  const read = readId === null || !DECIDED.test(kind) ? undefined : known.get(readId);
  // as long as somebody is asked, the item's own words are the question
  if (read === undefined || (kind === "gate.asked" && gateFactOf(read) === "asked")) return null;
  const plate = read.formatted ?? t("plate.unread");
  const who = read.label === "" ? plate : t("feed.namedCar", { label: read.label, plate });
  return t("feed.carOutcome", { who, outcome: outcomeText(read) });
}
