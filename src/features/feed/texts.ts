/** What feed records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "feed.title.device.online": { en: "{name} is online", hi: "{name} ऑनलाइन है" },
} as const satisfies Texts;
