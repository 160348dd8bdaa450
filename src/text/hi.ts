import { denied } from "./hi/denied.js";
import { detail } from "./hi/detail.js";
import { feed } from "./hi/feed.js";
import { file } from "./hi/file.js";
import { health } from "./hi/health.js";
import { refusal } from "./hi/refusal.js";
import type { TextKey } from "./keys.js";

/** The texts of en.ts in Hindi. */
export const hi: Readonly<Record<TextKey, string>> = {
  ...health,
  ...feed,
  ...detail,
  ...denied,
  ...refusal,
  ...file,
  "notify.footer": "यह आपके Gatehouse से आया है। क्या बताया जाए, यह “सूचनाएँ” में चुनें।",
  "notify.keepShut": "बंद रखें",
  "notify.letIn": "खोलें",
  "notify.many": "{n, plural, =1 {एक बात हुई} other {# बातें हुईं}}",
  "notify.more": "और {n, plural, =1 {एक} other {#}}",
  "notify.test": "Gatehouse आप तक पहुँच सकता है",
  "notify.testBody": "यह आपकी सूचनाओं की जाँच है।",
};
