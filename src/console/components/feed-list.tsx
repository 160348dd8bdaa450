import { hubText, type Words } from "../i18n/hub-texts.js";
import { t } from "../i18n/translate.js";
import type { FeedItem } from "../store.js";
import { Icon, type IconName } from "./icon.js";
import { Moment } from "./moment.js";

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

function wordsOf(item: FeedItem): Words | null {
  return (item.words as Words | undefined) ?? null; // the hub sends a code with texts and numbers
}

function codeOf(item: FeedItem): string {
  return wordsOf(item)?.code ?? "";
}

function Body({ item }: { item: FeedItem }) {
  const words = wordsOf(item);
  const text = hubText(words?.way === undefined ? `told.${codeOf(item)}` : `told.way.${words.way}`, words, item.body).trim();
  return text === "" ? null : <p class="soft small">{text}</p>;
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
            <p class={item.read ? "" : "unread"}>{hubText(`said.${codeOf(item)}`, wordsOf(item), item.title)}</p>
            <Body item={item} />
          </div>
          <Moment iso={item.at} />
        </li>
      ))}
    </ul>
  );
}
