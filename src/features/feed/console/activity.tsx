import { useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button, Chip } from "../../../console/components/button.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { type FeedItem, feed, set } from "../../../console/store.ts";
import { FeedList, isNoise } from "./feed-list.tsx";

const FILTERS = ["all", "device", "plate", "automation", "security"] as const;

/** The prefixes of each filter's kinds. */
const KINDS: Readonly<Record<(typeof FILTERS)[number], readonly string[]>> = {
  all: [""],
  device: ["device", "command"],
  plate: ["plate", "occupancy", "gate", "guest"],
  automation: ["automation", "scene", "house"],
  security: ["security", "key", "webhook"],
};

/** Items shown at first, folded ones aside: on a phone two or three screens. */
const FIRST = 25;
/** Further ones with each tap. */
const MORE = 100;

/** Everything that happened, by kind; opening the page does not mark it as read, the button does. */
export function Activity() {
  const [filter, setFilter] = useState<(typeof FILTERS)[number]>("all");
  const [most, setMost] = useState(FIRST);
  const [older, setOlder] = useState<readonly FeedItem[]>([]);
  const items = [...feed.value, ...older.filter((item) => !feed.value.some((known) => known.id === item.id))];
  const shown = items.filter((item) => KINDS[filter].some((kind) => item.kind.startsWith(kind)));
  let loud = 0;
  const first = shown.filter((item) => (filter === "all" && isNoise(item) ? loud < most : ++loud <= most));
  const labels = {
    all: t("feed.all"),
    device: t("feed.devices"),
    plate: t("feed.plates"),
    automation: t("nav.automations"),
    security: t("feed.security"),
  };
  const more = async (): Promise<void> => {
    try {
      setMost(most + MORE);
      setOlder((await get("/v1/events", { query: { limit: 500 } })).events);
    } catch (error) {
      sayError(error);
    }
  };
  const markRead = async (): Promise<void> => {
    try {
      await post("/api/feed/read", { body: { upToId: Math.max(0, ...feed.value.map((item) => item.id)) } });
      set(
        feed,
        feed.value.map((item) => ({ ...item, read: true })),
      );
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <PageHead title={t("nav.activity")}>
        <Button
          text={t("feed.markRead")}
          onClick={() => void markRead()}
          disabled={!feed.value.some((item) => !item.read)}
        />
      </PageHead>
      <div class="chips" role="group" aria-label={t("feed.filter")}>
        {FILTERS.filter((key) => isOwner.value || key !== "security").map((key) => (
          <Chip key={key} text={labels[key]} pressed={filter === key} onClick={() => setFilter(key)} />
        ))}
      </div>
      <Card>
        <FeedList items={first} foldsNoise={filter === "all"} />
        {shown.length > first.length && <Button text={t("feed.more")} onClick={() => setMost(most + MORE)} />}
        {shown.length === first.length && older.length === 0 && feed.value.length >= 50 && (
          <Button text={t("feed.more")} onClick={() => void more()} />
        )}
      </Card>
    </>
  );
}
