/** What home-assistant records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.home-assistant": { en: "Home Assistant", hi: "Home Assistant से जुड़ाव" },
  "health.homeAssistant.away": {
    en: "Not told for {n, plural, one {one minute} other {# minutes}} ({reason}): Home Assistant shows this home as not available. Check the broker and the settings outsideBroker.*.",
    hi: "{n, plural, =1 {एक मिनट} other {# मिनट}} से सूचना नहीं जा रही ({reason}): Home Assistant में यह घर अनुपलब्ध दिखता है। ब्रोकर और outsideBroker.* सेटिंग देखें।",
  },
  "health.homeAssistant.off": { en: "Switched off.", hi: "बंद है।" },
  "health.homeAssistant.ok": { en: "This home is shown there.", hi: "यह घर वहाँ दिखता है।" },
  "health.homeAssistant.refused": {
    en: "The broker does not let the hub publish to {topic}: give its user the right to write there.",
    hi: "ब्रोकर हब को {topic} पर लिखने नहीं देता: उसके उपयोगकर्ता को वहाँ लिखने का अधिकार दें।",
  },
  "health.homeAssistant.takingBack": {
    en: "Switched off; what was shown there is being taken back.",
    hi: "बंद किया गया; जो वहाँ दिखता था, हटाया जा रहा है।",
  },
} as const satisfies Texts;
