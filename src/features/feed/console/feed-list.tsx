import { HadLeft } from "../../../console/components/had-left.tsx";
import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { Moment } from "../../../console/components/moment.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { FeedItem } from "../../../console/store.ts";
import { daysOf } from "./feed-days.ts";

const KIND_ICONS: readonly (readonly [string, IconName])[] = [
  ["device.offline", "wifiOff"],
  ["device", "cpu"],
  ["plate", "car"],
  ["guest", "car"],
  ["gate.not_opened", "circleAlert"],
  ["gate", "fence"],
  ["occupancy", "car"],
  ["automation", "wand"],
  ["scene", "clapperboard"],
  ["webhook", "code"],
  ["key", "code"],
  ["security", "shield"],
  ["command.failed", "circleAlert"],
];

function iconOf(kind: string): IconName {
  return KIND_ICONS.find(([prefix]) => kind.startsWith(prefix))?.[1] ?? "settings";
}

function Body({ item }: { item: FeedItem }) {
  const text = recordedText("feed.body", item.words, item.body);
  return text === "" ? null : <p class="soft small">{text}</p>;
}

/** Things that happened, newest first. */
export function FeedList({ items }: { items: readonly FeedItem[] }) {
  if (items.length === 0) return <p class="soft">{t("feed.empty")}</p>;
  return (
    <>
      {daysOf(items).map(({ name, lines }) => (
        <section key={name} class="feed-day">
          <h2 class="day-name">{name}</h2>
          <ul class="list feed">
            {lines.map(({ item, more, alike }) => (
              <li key={item.id}>
                <Icon name={iconOf(item.kind)} />
                <div class="grow">
                  {alike.length > 0 ? (
                    <details class="feed-many">
                      <summary class={[item, ...alike].every(({ read }) => read) ? "" : "unread"}>
                        {t(`many.${item.kind}` as TextKey, { n: 1 + alike.length })}
                      </summary>
                      <ul>
                        {[item, ...alike].map((one) => (
                          <li key={one.id} class="small">
                            {recordedText("feed.title", one.words, one.title)}
                          </li>
                        ))}
                      </ul>
                    </details>
                  ) : (
                    <>
                      <p class={item.read ? "" : "unread"}>{recordedText("feed.title", item.words, item.title)}</p>
                      <Body item={item} />
                    </>
                  )}
                  {more
                    .filter(({ kind }) => kind !== "automation.fired")
                    .map((other) => (
                      <p key={other.id} class="soft small">
                        {recordedText("feed.title", other.words, other.title)}
                      </p>
                    ))}
                  {item.words?.why === "already_inside" && <HadLeft plate={String(item.words.plate)} />}
                </div>
                <Moment iso={item.at} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
