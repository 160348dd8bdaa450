/** How many notifications are new to the signed-in person; the navigation shows it on every page. */
import { get } from "./api.ts";
import { askAfter } from "./live.ts";
import { paced } from "./paced.ts";
import { set, unread } from "./store.ts";

/** Requests the number of new ones from the hub. */
async function ask(): Promise<void> {
  set(unread, (await get("/api/notifications/unread")).unread);
}

/** {@link ask} after something that this page did; several such things are one. */
export const refreshUnread = paced(ask);

/** Keeps {@link unread} up to date until the returned function is called. */
export function watchUnread(): () => void {
  return askAfter(["feed.added", "gate.question"], ask);
}
