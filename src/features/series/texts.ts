/** What series records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.series": { en: "Long-term series", hi: "लंबी अवधि के माप" },
  "detail.refusal.series.bucket": {
    en: "Version 2 writes into a bucket: its name.",
    hi: "संस्करण 2 किसी बकेट में लिखता है: उसका नाम दें।",
  },
  "detail.refusal.series.colon": {
    en: "A user name with a colon cannot be sent to InfluxDB: give the hub a user whose name has none.",
    hi: "कोलन (:) वाला उपयोगकर्ता नाम InfluxDB को नहीं भेजा जा सकता: हब को ऐसा उपयोगकर्ता दें जिसके नाम में कोलन न हो।",
  },
  "detail.refusal.series.database": {
    en: "Version 1 writes into a database: its name.",
    hi: "संस्करण 1 किसी डेटाबेस में लिखता है: उसका नाम दें।",
  },
  "detail.refusal.series.org": {
    en: "Version 2 wants the organisation of the bucket.",
    hi: "संस्करण 2 को बकेट का संगठन (organisation) चाहिए।",
  },
  "detail.refusal.series.question": {
    en: "Only the address of the server, without a question mark.",
    hi: "केवल सर्वर का पता दें, बिना प्रश्नचिह्न के।",
  },
  "detail.refusal.series.token": {
    en: "A token has only plain letters, digits and signs, in one line.",
    hi: "टोकन एक ही पंक्ति में हो, केवल सादे अंग्रेज़ी अक्षर, अंक और चिह्न।",
  },
  "detail.refusal.series.tokenNeeded": {
    en: "Version 2 takes points with a token only.",
    hi: "संस्करण 2 केवल टोकन के साथ आँकड़े लेता है।",
  },
  "detail.series.away": { en: "the server cannot be reached: {why}", hi: "सर्वर पहुँच में नहीं: {why}" },
  "detail.series.busy": {
    en: "the server answered {status}, it is too busy or not well{why}",
    hi: "सर्वर का जवाब {status}, वह व्यस्त है या ठीक नहीं{why}",
  },
  "detail.series.forbidden": {
    en: "the server answered {status}: the user name, password or token is wrong, or may not write there",
    hi: "सर्वर का जवाब {status}: नाम, पासवर्ड या टोकन ग़लत है, या वहाँ लिखने का अधिकार नहीं",
  },
  "detail.series.noDatabase": {
    en: "the server has no such database or bucket: {why}",
    hi: "सर्वर पर ऐसा डेटाबेस या बकेट नहीं है: {why}",
  },
  "detail.series.notInflux": {
    en: "the server answered {status}, which is not what InfluxDB answers; look at the address{why}",
    hi: "सर्वर का जवाब {status}, InfluxDB ऐसा जवाब नहीं देता; पता जाँचें{why}",
  },
  "detail.series.refused": { en: "the server does not take some points: {why}", hi: "सर्वर कुछ माप नहीं लेता: {why}" },
  "detail.series.tooLarge": { en: "the server does not take messages of this size", hi: "सर्वर इतने बड़े संदेश नहीं लेता" },
  "health.series.catchingUp": { en: "Older samples are being sent.", hi: "पुराने माप भेजे जा रहे हैं।" },
  "health.series.nothing": { en: "Nothing to send yet.", hi: "अभी भेजने को कुछ नहीं।" },
  "health.series.off": { en: "Switched off.", hi: "बंद है।" },
  "health.series.ok": { en: "Sent last: {at}.", hi: "पिछली बार भेजा: {at}।" },
  "health.series.waiting": {
    en: "Behind by {n, plural, =0 {less than a minute} one {one minute} other {# minutes}}: {reason}. Nothing is lost while the hub still keeps the samples.",
    hi: "{n, plural, =0 {एक मिनट से कम} one {एक मिनट} other {# मिनट}} पीछे: {reason}। जब तक हब के पास माप हैं, कुछ नहीं खोता।",
  },
} as const satisfies Texts;
