/** What telemetry records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.refusal.telemetry.samples": {
    en: "A telemetry message holds 1 to {limit} samples.",
    hi: "टेलीमेट्री के एक संदेश में 1 से {limit} माप होते हैं।",
  },
  "detail.unavailable.telemetry": { en: "Telemetry is not running.", hi: "माप अभी नहीं लिए जा रहे हैं।" },
  "detail.unavailable.telemetryWaits": {
    en: "Too much telemetry is waiting for the disk.",
    hi: "बहुत से माप डिस्क पर लिखे जाने का इंतज़ार कर रहे हैं।",
  },
} as const satisfies Texts;
