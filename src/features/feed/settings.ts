import { group, whole } from "../../core/settings/builders.ts";

export const feed = group(
  { name: { en: "Activity", hi: "गतिविधि" }, part: "kept", at: 3 },
  {
    days: whole({
      default: 90,
      minimum: 1,
      maximum: 1_825,
      env: "GATEHOUSE_FEED_DAYS",
      common: true,
      name: { en: "Keep activity (days)", hi: "गतिविधि रखें (दिन)" },
      words: { en: "activity history retention events", hi: "इतिहास अवधि घटनाएँ" },
      help: { en: "Days that feed items are kept.", hi: "गतिविधि की बातें रखने के दिन।" },
      restart: false,
    }),
    maxRows: whole({
      default: 50_000,
      minimum: 100,
      maximum: 1_000_000,
      env: "GATEHOUSE_FEED_MAX_ROWS",
      name: { en: "Most entries of activity", hi: "गतिविधि की अधिकतम प्रविष्टियाँ" },
      help: {
        en: "Most feed items kept; beyond that, the oldest of the sender with most are deleted.",
        hi: "गतिविधि में इतनी बातें रखी जाती हैं; ज़्यादा होने पर जिस भेजने वाले की सबसे ज़्यादा हैं, उसकी सबसे पुरानी हटती हैं।",
      },
      restart: false,
    }),
  },
);
