/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "command.failed": { en: "Failed", hi: "विफल" },
  "feed.all": { en: "All", hi: "सब" },
  "feed.devices": { en: "Devices", hi: "डिवाइस" },
  "feed.empty": { en: "Nothing has happened yet.", hi: "अभी कुछ नहीं हुआ।" },
  "feed.filter": { en: "Show", hi: "दिखाएँ" },
  "feed.plates": { en: "Gate", hi: "गेट" },
  "feed.security": { en: "Security", hi: "सुरक्षा" },
} as const satisfies Texts;
