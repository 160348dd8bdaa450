/** What happened last, on Home: cars with their plates among the rest of the house, by day. */
import { dayName, daysOf } from "../../features/feed/console/feed-days.ts";
import { FeedLine } from "../../features/feed/console/feed-list.tsx";
import { outcomeOf } from "../../features/gate/console/gate-chain.ts";
import { whoOf } from "../../features/gate/console/gate-story.ts";
import { PlateCrop } from "../../features/gate/console/plate-crop.tsx";
import { byDay } from "../components/by-day.ts";
import { DayMoment } from "../components/moment.tsx";
import { Name } from "../components/name.tsx";
import { type FeedItem, feed, type GateRead, KEPT_ITEMS, reads } from "../store.ts";
import { latestOf } from "./latest-order.ts";

/** What a pass records at the gate beside its read, ms. */
const SAME_PASS_MS = 60_000;
/** Entries that a phone has room for; the others are one tap away. */
const ON_A_PHONE = 4;

/** The last cars and the last things that happened in the house. */
export function Latest() {
  const news = feed.value.filter((item) => isNews(item, reads.value));
  const entries = latestOf(
    reads.value,
    daysOf(news).flatMap(({ lines }) => lines),
  );
  const isLate = (entry: (typeof entries)[number]): boolean => entries.indexOf(entry) >= ON_A_PHONE;
  // the hub has more than the page
  const oldest = feed.value.length >= KEPT_ITEMS ? news.at(-1) : undefined;
  return (
    <>
      {byDay(entries, ({ at }) => dayName(at)).map(({ name, things }) => (
        <section key={name} class="feed-day" data-late={things.every(isLate)}>
          <h3 class="day-name">{name}</h3>
          <ul class="list feed">
            {things.map((entry) =>
              entry.car !== undefined ? (
                <CarLine key={`car ${entry.car.id}`} read={entry.car} isLate={isLate(entry)} />
              ) : (
                <FeedLine
                  key={entry.line.item.id}
                  line={entry.line}
                  isLate={isLate(entry)}
                  isPart={entry.line.alike.length > 0 && entry.line.alike.at(-1) === oldest}
                />
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
  const { text, state } = outcomeOf(read);
  return (
    <li data-late={isLate}>
      <a class="latest-car" href={`/gate/reads/${read.id}`}>
        <PlateCrop read={read} />
        <span class="read-who">
          <strong>
            <Name text={whoOf(read)} />
          </strong>
          <span class="small soft">
            <span class="read-outcome" data-state={state}>
              {text}
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
 * A device that comes and goes is a fact above while it is away, and a line of Activity afterwards; a car has its own
 * line.
 */
function isNews({ kind, at }: FeedItem, cars: readonly GateRead[]): boolean {
  if (kind === "device.online" || kind === "device.offline" || kind.startsWith("plate.")) return false;
  if (kind !== "gate.opened" && kind !== "device.event") return true;
  return !cars.some(
    ({ gate, at: came }) => gate?.result === "opened" && Math.abs(Date.parse(came) - Date.parse(at)) < SAME_PASS_MS,
  );
}
