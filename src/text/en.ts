import { denied } from "./en/denied.js";
import { detail } from "./en/detail.js";
import { feed } from "./en/feed.js";
import { file } from "./en/file.js";
import { health } from "./en/health.js";
import { refusal } from "./en/refusal.js";

/**
 * Everything that the hub records or reports for people, as ICU messages, by subject in the folder en. `notify.*` is
 * sent to persons. hi.ts has the same keys.
 */
export const en = {
  ...health,
  ...feed,
  ...detail,
  ...denied,
  ...refusal,
  ...file,
  "notify.footer": "You get this from your Gatehouse. Choose what you are told under Notifications.",
  "notify.keepShut": "Keep it shut",
  "notify.letIn": "Open",
  "notify.many": "{n, plural, one {One thing} other {# things}} happened",
  "notify.more": "and {n, plural, one {one more} other {# more}}",
  "notify.test": "Gatehouse can reach you",
  "notify.testBody": "This is a test of your notifications.",
} as const;
