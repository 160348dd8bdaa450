/** How many notifications are new to the signed-in person; the navigation shows it on every page. */
import { get } from "./api.ts";
import { onFact } from "./live.ts";
import { set, unread } from "./store.ts";

/** Feed items come in bursts: one request serves them all. */
const ASK_AFTER_MS = 300;
let waiting: ReturnType<typeof setTimeout> | null = null;

/** Requests the number of new ones from the hub. A failed request is repeated with the next item. */
export function refreshUnread(): void {
  if (waiting !== null) return;
  waiting = setTimeout(() => {
    waiting = null;
    void get("/api/notifications/unread").then(
      (answer) => {
        set(unread, answer.unread);
      },
      () => {},
    );
  }, ASK_AFTER_MS);
}

/** Keeps {@link unread} up to date until the returned function is called. */
export function watchUnread(): () => void {
  const stops = [onFact("feed.added", refreshUnread), onFact("gate.question", refreshUnread)];
  return () => {
    for (const stop of stops) stop();
  };
}
