/** What happened last, on Home: cars with their plates among the rest of the house, by day. */
import { daysOf } from "../../features/feed/console/feed-days.ts";
import { FeedLine } from "../../features/feed/console/feed-list.tsx";
import type { Line } from "../../features/feed/rules/lines.ts";
import { outcomeOf, outcomeText } from "../../features/gate/console/gate-chain.ts";
import { whoOf } from "../../features/gate/console/gate-story.ts";
import { PlateCrop } from "../../features/gate/console/plate-crop.tsx";
import { byDay } from "../components/by-day.ts";
import { DayMoment } from "../components/moment.tsx";
import { Name } from "../components/name.tsx";
import { useToday } from "../components/today.ts";
import { dayName } from "../i18n/translate.ts";
import { type FeedItem, feed, type GateRead, reads } from "../store.ts";
import { latestOf, withoutRoutine } from "./latest-order.ts";

/** What a gate says of itself, or sets off, when it opens for a car. */
const SAME_PASS_MS = 60_000;
/** Entries that a phone has room for; the others are one tap away. */
const ON_A_PHONE = 3;

/** The last cars and the last things that happened in the house. */
export function Latest() {
  const today = useToday();
  const lines = daysOf(feed.value, today).flatMap((day) => day.lines);
  const entries = latestOf(reads.value, withoutRoutine(lines.filter((line) => isNews(line, reads.value))));
  const isLate = (entry: (typeof entries)[number]): boolean => entries.indexOf(entry) >= ON_A_PHONE;
  return (
    <>
      {byDay(entries, ({ at }) => dayName(at, today)).map(({ name, things }) => (
        <section key={name} class="feed-day" data-late={things.every(isLate)}>
          <h3 class="day-name">{name}</h3>
          <ul class="list feed">
            {things.map((entry) =>
              entry.car !== undefined ? (
                <CarLine key={`car ${entry.car.id}`} read={entry.car} isLate={isLate(entry)} />
              ) : (
                <FeedLine key={entry.line.item.id} line={entry.line} isLate={isLate(entry)} isShort />
              ),
            )}
          </ul>
        </section>
      ))}
    </>
  );
}

/** One car: its plate, whose it is, and what came of it. */
function CarLine({ read, isLate }: { read: GateRead; isLate: boolean }) {
  return (
    <li data-late={isLate}>
      <a class="latest-car" href={`/gate/reads/${read.id}`}>
        <PlateCrop read={read} />
        <span class="read-who">
          <strong>
            <Name text={whoOf(read)} />
          </strong>
          <span class="small soft">
            <span class="read-outcome" data-state={outcomeOf(read).state}>
              {outcomeText(read)}
            </span>
            {" · "}
            <DayMoment iso={read.at} />
          </span>
        </span>
      </a>
    </li>
  );
}

/**
 * A car has its own line, with all that belongs to its pass. A weak battery is a fact above for as long as it is weak,
 * and so has one count on the page.
 */
function isNews({ item, more }: Line<FeedItem>, cars: readonly GateRead[]): boolean {
  if (item.kind === "device.battery_low") return false;
  return ![item, ...more].some((one) => one.kind.startsWith("plate.") || cars.some((car) => isOfCar(one, car)));
}

/** Whether an item tells of a car, or of the gate that opened for it. */
function isOfCar(
  { readId, kind, deviceId, becauseOf, at }: FeedItem,
  { id, opens, gate, at: came }: GateRead,
): boolean {
  if (readId === id) return true;
  if (opens === null || gate?.result !== "opened" || Math.abs(Date.parse(came) - Date.parse(at)) >= SAME_PASS_MS)
    return false;
  return (kind === "gate.opened" || kind === "device.event" ? deviceId : becauseOf) === opens;
}
