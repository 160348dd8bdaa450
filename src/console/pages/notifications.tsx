import { useEffect, useState } from "preact/hooks";
import { get, post } from "../api.ts";
import { Card, PageHead } from "../components/basics.tsx";
import { Button } from "../components/button.tsx";
import { FeedList } from "../components/feed-list.tsx";
import { sayError } from "../components/toast.tsx";
import { t } from "../i18n/translate.ts";
import { onFact } from "../live.ts";
import { refreshUnread } from "../notifications.ts";
import { type FeedItem, live, set, unread } from "../store.ts";

/** This person's notifications, newest first; new ones stay new until the person marks them as read. */
export function NotificationsPage() {
  const [items, setItems] = useState<readonly FeedItem[] | null>(null);
  const load = (): void => {
    void get("/api/notifications").then((answer) => setItems(answer.notifications), sayError);
  };
  useEffect(() => {
    if (live.value) load(); // also when the hub is back
  }, [live.value]);
  useEffect(() => onFact("feed.added", load), []);
  const newest = Math.max(0, ...(items ?? []).map(({ id }) => id));
  const markRead = async (): Promise<void> => {
    try {
      set(unread, (await post("/api/notifications/read", { body: { upToId: newest } })).unread);
      setItems((shown) => shown?.map((item) => (item.id <= newest ? { ...item, read: true } : item)) ?? null);
    } catch (error) {
      sayError(error);
      refreshUnread();
    }
  };
  return (
    <>
      <PageHead title={t("notify.title")}>
        <Button
          text={t("feed.markRead")}
          onClick={() => void markRead()}
          disabled={!items?.some((item) => !item.read)}
        />
        <a class="button" href="/notifications/settings">
          {t("notify.settings")}
        </a>
      </PageHead>
      <Card>
        {items === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : items.length === 0 ? (
          <p class="soft">{t("notify.none")}</p>
        ) : (
          <FeedList items={items} />
        )}
        <p>
          <a href="/activity">{t("notify.everything")}</a>
        </p>
      </Card>
    </>
  );
}
