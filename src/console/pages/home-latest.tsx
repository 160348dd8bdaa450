/** What happened last, on Home: the cars with their plates, and then the rest of the house. */
import { daysOf } from "../../features/feed/console/feed-days.ts";
import { FeedList } from "../../features/feed/console/feed-list.tsx";
import { chainOf } from "../../features/gate/console/gate-chain.ts";
import { whoOf } from "../../features/gate/console/gate-story.ts";
import { PlateCrop } from "../../features/gate/console/read-row.tsx";
import { calendarDay, timeOfDay, whenText } from "../i18n/translate.ts";
import { type FeedItem, feed, type GateRead, reads } from "../store.ts";

/** Lines in all. */
const LINES = 8;
/** Lines of the house; the others are cars, whatever else happens. */
const OTHERS = 4;
/** Beyond these nothing is worth a line of eight. */
const LOOKED_AT = 30;
/** What a pass records at the gate beside its read, ms. */
const SAME_PASS_MS = 60_000;

/** The last cars and the last things that happened in the house. */
export function Latest() {
  const news = feed.value.filter((item) => isNews(item, reads.value)).slice(0, LOOKED_AT);
  const others = daysOf(news).reduce((sum, { lines }) => sum + lines.length, 0);
  const cars = reads.value.slice(0, LINES - Math.min(OTHERS, others));
  return (
    <>
      {cars.length > 0 && (
        <ul class="list feed latest-cars">
          {cars.map((read) => (
            <CarLine key={read.id} read={read} />
          ))}
        </ul>
      )}
      {news.length > 0 && <FeedList items={news} most={LINES - cars.length} />}
    </>
  );
}

/** One car: its plate, whose it is, and what came of it. */
function CarLine({ read }: { read: GateRead }) {
  const last = chainOf(read).at(-1);
  return (
    <li>
      <a class="latest-car" href={`/gate/reads/${read.id}`}>
        <PlateCrop read={read} />
        <span class="read-who">
          <strong>{whoOf(read)}</strong>
          <span class="small soft">
            {last !== undefined && (
              <span class="read-outcome" data-state={read.decision === "unknown" ? "open" : last.state}>
                {last.text}
              </span>
            )}
            {" · "}
            <time dateTime={read.at}>{isToday(read.at) ? timeOfDay(read.at) : whenText(read.at)}</time>
          </span>
        </span>
      </a>
    </li>
  );
}

function isToday(iso: string): boolean {
  return calendarDay(Date.parse(iso)) === calendarDay(Date.now());
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
