import { ago, dateTime, t } from "../i18n/translate.js";
import type { FeedItem } from "../store.js";
import { Icon, type IconName } from "./icon.js";

const KIND_ICONS: readonly (readonly [string, IconName])[] = [
  ["device.offline", "wifiOff"],
  ["device", "cpu"],
  ["plate", "car"],
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

/** Things that happened, newest first. */
export function FeedList({ items }: { items: readonly FeedItem[] }) {
  if (items.length === 0) return <p class="soft">{t("feed.empty")}</p>;
  return (
    <ul class="list">
      {items.map((item) => (
        <li key={item.id}>
          <Icon name={iconOf(item.kind)} />
          <div class="grow">
            <p class={item.read ? "" : "unread"}>{item.title}</p>
            {item.body !== "" && <p class="soft small">{item.body}</p>}
          </div>
          <time class="soft small" dateTime={item.at} title={dateTime(item.at)}>
            {ago(item.at)}
          </time>
        </li>
      ))}
    </ul>
  );
}
