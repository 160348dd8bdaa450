import type { ComponentChildren } from "preact";
import { HadLeft } from "../../../console/components/had-left.tsx";
import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { DayMoment } from "../../../console/components/moment.tsx";
import { useToday } from "../../../console/components/today.ts";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { type TextKey, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { devices, type FeedItem } from "../../../console/store.ts";
import { dangers } from "../../devices/console/house-dangers.ts";
import { isByItself } from "../rules/activity.ts";
import type { Line } from "../rules/lines.ts";
import { daysOf } from "./feed-days.ts";

const KIND_ICONS: readonly (readonly [string, IconName])[] = [
  ["device.offline", "wifiOff"],
  ["device.danger_over", "circleCheck"],
  ["device.danger", "circleAlert"],
  ["device.battery_low", "batteryLow"],
  ["device", "cpu"],
  ["plate", "car"],
  ["guest", "car"],
  ["gate.not_opened", "circleAlert"],
  ["gate.not_closed", "circleAlert"],
  ["gate", "fence"],
  ["occupancy", "car"],
  ["automation", "wand"],
  ["scene", "clapperboard"],
  ["house", "house"],
  ["webhook", "code"],
  ["key", "code"],
  ["security", "shield"],
  ["command.failed", "circleAlert"],
];

/** An icon by what happened; of an opening by what was opened: a lock has its own. */
function iconOf({ kind, deviceId }: FeedItem): IconName {
  if (kind === "gate.opened" && deviceId !== null && devices.value.get(deviceId)?.type === "lock") return "lockOpen";
  return KIND_ICONS.find(([prefix]) => kind.startsWith(prefix))?.[1] ?? "settings";
}

/** `since`: what it reports has lasted since then. */
function Body({ item, since }: { item: FeedItem; since: boolean }) {
  const text = recordedText("feed.body", item.words, item.body);
  const parts = [...(since ? [t("feed.since", { time: timeOfDay(item.at) })] : []), ...(text === "" ? [] : [text])];
  return parts.length === 0 ? null : <p class="soft small">{parts.join(" · ")}</p>;
}

/** What a list may add to a line. */
interface Additions<One extends FeedItem> {
  /** In place of an item's own title; null: its own. `more`: what belongs to the same event. */
  readonly titleOf?: (item: One, more: readonly One[]) => string | null;
  /** Below a line's words. */
  readonly below?: (item: One) => ComponentChildren;
  /** What of the same event says nothing new. */
  readonly isPlain?: (other: One, item: One) => boolean;
}

/** Things that happened, newest first. */
export function FeedList<One extends FeedItem>({
  items,
  titleOf = () => null,
  below = () => null,
  isPlain = () => false,
  foldsNoise = false,
  empty = t("feed.empty"),
}: {
  items: readonly One[];
  /** What is said where there are none. */
  empty?: string;
  /** What nobody did and no car is behind is folded at the end of each day. */
  foldsNoise?: boolean;
} & Additions<One>) {
  const today = useToday();
  if (items.length === 0) return <p class="soft">{empty}</p>;
  const additions = { titleOf, below, isPlain };
  return (
    <>
      {daysOf(items, today).map(({ name, lines }) => {
        const loud = foldsNoise ? lines.filter(({ item }) => !isByItself(item.kind)) : lines;
        const noise = foldsNoise ? lines.filter(({ item }) => isByItself(item.kind)) : [];
        return (
          <section key={name} class="feed-day">
            <h2 class="day-name">{name}</h2>
            <ul class="list feed">
              {loud.map((line) => (
                <FeedLine key={line.item.id} line={line} {...additions} />
              ))}
            </ul>
            {noise.length > 0 && (
              <details class="feed-noise">
                <summary class="soft small">{t("feed.noise", { n: noise.length })}</summary>
                <ul class="list feed">
                  {noise.map((line) => (
                    <FeedLine key={line.item.id} line={line} {...additions} />
                  ))}
                </ul>
              </details>
            )}
          </section>
        );
      })}
    </>
  );
}

/** Where a line leads: to the sighting, or to the camera or the device, that it is about; null: nowhere. */
function pageOf({ deviceId, readId, cameraId }: FeedItem): string | null {
  if (readId !== null) return `/gate/reads/${readId}`;
  const id = cameraId ?? deviceId;
  return id !== null && devices.value.has(id) ? `/devices/${encodeURIComponent(id)}` : null;
}

function LineTitle({ item, children }: { item: FeedItem; children: string }) {
  const page = pageOf(item);
  return page === null ? children : <a href={page}>{children}</a>;
}

/** Whether an item says more than that a rule ran whose messages are listed too. */
function didMore({ kind, words }: FeedItem): boolean {
  if (kind !== "automation.fired") return true;
  const steps = Array.isArray(words?.steps) ? (words.steps as readonly { readonly code?: unknown }[]) : [];
  return steps.some(({ code }) => code !== "step.message" && code !== "step.aMessage");
}

/** What else an event recorded, in a few words: that it is over, or which rule ran and what it did. */
function furtherText({ kind, words, title, body, at }: FeedItem, { kind: ofKind }: FeedItem): string {
  if (kind === "device.danger_over" && ofKind === "device.danger") return t("feed.overSince", { time: timeOfDay(at) });
  const what = recordedText("feed.title", words, title);
  const done = kind === "automation.fired" ? recordedText("feed.body", words, body) : "";
  return done === "" ? what : `${what} · ${done}`;
}

/** Whether the danger that an item reports lasts or is over; null: it reports none. */
function dangerOf({ item: { kind, deviceId }, more }: Line<FeedItem>): "now" | "over" | null {
  if (kind !== "device.danger") return null;
  if (more.some((other) => other.kind === "device.danger_over")) return "over";
  return dangers.value.some((danger) => danger.deviceId === deviceId) ? "now" : null;
}

/** One line under the name of its day. `isShort`: its title alone; `isLate`: a phone leaves it out. */
export function FeedLine<One extends FeedItem>({
  line,
  isShort = false,
  isLate = false,
  titleOf = () => null,
  below = () => null,
  isPlain = () => false,
}: { line: Line<One>; isShort?: boolean; isLate?: boolean } & Additions<One>) {
  const { item, more, alike } = line;
  const title = titleOf(item, more);
  const danger = dangerOf(line);
  return (
    <li data-late={isLate} data-danger={danger}>
      <Icon name={danger === "over" ? "circleCheck" : iconOf(item)} />
      <div class="grow">
        <DayMoment iso={item.at} />
        {alike.length > 0 ? (
          <details class="feed-many">
            <summary class={[item, ...alike].every(({ read }) => read) ? "" : "unread"}>
              {/* alike: one of these kinds */}
              {t(`many.${item.kind}` as TextKey, { n: 1 + alike.length })}
            </summary>
            <ul>
              {[item, ...alike].map((one) => (
                <li key={one.id} class="small">
                  <LineTitle item={one}>{recordedText("feed.title", one.words, one.title)}</LineTitle>
                </li>
              ))}
            </ul>
          </details>
        ) : (
          <>
            <p class={[item, ...more].every(({ read }) => read) ? "" : "unread"}>
              <LineTitle item={item}>{title ?? recordedText("feed.title", item.words, item.title)}</LineTitle>
            </p>
            {/* what to do counts as long as it lasts */}
            {title === null && danger !== "over" && !isShort && <Body item={item} since={danger === "now"} />}
          </>
        )}
        {more
          .filter((other) => !isShort && didMore(other) && !isPlain(other, item))
          .map((other) => (
            <p key={other.id} class="soft small">
              {furtherText(other, item)}
            </p>
          ))}
        {below(item)}
        {item.words?.why === "already_inside" && <HadLeft plate={String(item.words.plate)} />}
      </div>
    </li>
  );
}
