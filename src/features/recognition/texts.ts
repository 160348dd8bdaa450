/** What recognition records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.recogniser": { en: "Plate recogniser", hi: "प्लेट पहचान" },
  "detail.recogniser.noModels": {
    en: "Plates are not read: there are no models.",
    hi: "प्लेट नहीं पढ़ी जातीं: मॉडल नहीं हैं।",
  },
  "detail.recogniser.off": { en: "Reading plates is switched off.", hi: "प्लेट पढ़ना बंद है।" },
  "detail.recogniser.ready": { en: "Plates are read.", hi: "प्लेट पढ़ी जाती हैं।" },
  "detail.recogniser.trouble": { en: "Plates are not read: {why}.", hi: "प्लेट नहीं पढ़ी जातीं: {why}।" },
  "health.recogniser.notReady": { en: "{why}", hi: "{why}" },
  "health.recogniser.ok": { en: "Plates are read.", hi: "प्लेट पढ़ी जाती हैं।" },
} as const satisfies Texts;
