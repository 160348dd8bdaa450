import { recordedText } from "../i18n/hub-texts.js";
import { t } from "../i18n/translate.js";
import type { FeedItem } from "../store.js";
import { HadLeft } from "./had-left.js";
import { Icon, type IconName } from "./icon.js";
import { Moment } from "./moment.js";

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
    <ul class="list feed">
      {items.map((item) => (
        <li key={item.id}>
          <Icon name={iconOf(item.kind)} />
          <div class="grow">
            <p class={item.read ? "" : "unread"}>{recordedText("feed.title", item.words, item.title)}</p>
            <Body item={item} />
            {item.words?.why === "already_inside" && <HadLeft plate={String(item.words.plate)} />}
          </div>
          <Moment iso={item.at} />
        </li>
      ))}
    </ul>
  );
}
