/** What mqtt records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.broker": { en: "MQTT broker", hi: "MQTT ब्रोकर" },
  "detail.too_many_look": {
    en: "Three pages look at the messages already. Close one of them first.",
    hi: "तीन पेज पहले से संदेश देख रहे हैं। पहले उनमें से एक बंद करें।",
  },
  "health.broker.failed": {
    en: "The broker is not running; devices cannot connect.",
    hi: "ब्रोकर नहीं चल रहा; डिवाइस नहीं जुड़ सकते।",
  },
  "health.broker.ok": {
    en: "Serving {n, plural, one {# client} other {# clients}}.",
    hi: "{n, plural, one {# क्लाइंट जुड़ा है} other {# क्लाइंट जुड़े हैं}}।",
  },
} as const satisfies Texts;
