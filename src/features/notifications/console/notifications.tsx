import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { refreshUnread } from "../../../console/notifications.ts";
import { type FeedItem, live, set, unread } from "../../../console/store.ts";
import { FeedList } from "../../feed/console/feed-list.tsx";

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
