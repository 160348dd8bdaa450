/** What outside-broker records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.outside-broker": { en: "Outside broker", hi: "दूसरा MQTT ब्रोकर" },
  "detail.outside.cannotStore": { en: "messages cannot be stored now", hi: "संदेश अभी रखे नहीं जा सकते" },
  "detail.outside.closed": { en: "the connection was closed", hi: "कनेक्शन बंद हो गया" },
  "detail.outside.ended": { en: "the broker ended it ({reason})", hi: "ब्रोकर ने उसे बंद किया ({reason})" },
  "detail.outside.noSubscription": {
    en: "the broker does not let the hub subscribe to {topics}",
    hi: "ब्रोकर हब को {topics} सुनने नहीं देता",
  },
  "detail.outside.notAnswered": { en: "it has not answered yet", hi: "उसने अभी तक जवाब नहीं दिया" },
  "health.outside.away": {
    en: "Disconnected for {n, plural, one {one minute} other {# minutes}} ({reason}); {waiting, plural, one {# message waits} other {# messages wait}}. Its devices cannot be reached; check the broker and the settings outsideBroker.*.",
    hi: "{n, plural, =1 {एक मिनट} other {# मिनट}} से नहीं मिल रहा ({reason}); {waiting, plural, one {# संदेश} other {# संदेश}} प्रतीक्षा में। उसके डिवाइस पहुँच में नहीं; ब्रोकर और outsideBroker.* सेटिंग देखें।",
  },
  "health.outside.ok": {
    en: "Connected for {n, plural, one {one minute} other {# minutes}}.",
    hi: "{n, plural, =1 {एक मिनट} other {# मिनट}} से जुड़ा है।",
  },
} as const satisfies Texts;
