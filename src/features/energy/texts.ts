/** What energy records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.refusal.noDay": { en: "is no day of the calendar", hi: "ऐसी कोई तारीख़ नहीं है" },
} as const satisfies Texts;
