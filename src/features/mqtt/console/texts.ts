/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "audit.mqtt.published": { en: "{who} published to {what} by MQTT", hi: "{who} ने MQTT से {what} पर भेजा" },
  "explorer.before": { en: "before you looked", hi: "आपके देखने से पहले" },
  "explorer.below": {
    en: "{n, plural, one {one topic} other {# topics}}",
    hi: "{n, plural, =1 {एक विषय} other {# विषय}}",
  },
  "explorer.binary": { en: "binary, {size}", hi: "बाइनरी, {size}" },
  "explorer.count": {
    en: "{n, plural, one {one message} other {# messages}}",
    hi: "{n, plural, =1 {एक संदेश} other {# संदेश}}",
  },
  "explorer.cut": {
    en: "Only the beginning is shown; the message has {size}.",
    hi: "केवल शुरुआत दिखती है; संदेश {size} का है।",
  },
  "explorer.ended": {
    en: "Watching ended after ten minutes, so that a forgotten page costs nothing.",
    hi: "दस मिनट बाद देखना बंद हुआ, ताकि भूला हुआ पेज कुछ ख़र्च न करे।",
  },
  "explorer.fromClient": { en: "from a device", hi: "डिवाइस से" },
  "explorer.fromHub": { en: "from the hub", hi: "हब से" },
  "explorer.last": { en: "Last message", hi: "आख़िरी संदेश" },
  "explorer.look": { en: "Start looking", hi: "देखना शुरू करें" },
  "explorer.notLooking": {
    en: "Nothing is watched until you start looking, and nothing is stored. Passwords and tokens are hidden.",
    hi: "जब तक आप शुरू न करें, कुछ देखा नहीं जाता, और कुछ रखा नहीं जाता। पासवर्ड और टोकन छिपे रहते हैं।",
  },
  "explorer.nothingYet": { en: "Nothing has been said yet.", hi: "अभी कुछ कहा नहीं गया।" },
  "explorer.payload": { en: "Message", hi: "संदेश" },
  "explorer.publish": { en: "Publish", hi: "भेजें" },
  "explorer.publishText": {
    en: "For devices of other makes, not kept. Devices that speak Gatehouse’s own protocol get commands from their own pages. What you publish is noted under “Who did what”.",
    hi: "दूसरी कंपनियों के डिवाइस के लिए, रखा नहीं जाता। अपने डिवाइस को आदेश उनके पेज से मिलते हैं। आपका भेजा “किसने क्या किया” में लिखा जाता है।",
  },
  "explorer.published": { en: "Published", hi: "भेजा गया" },
  "explorer.qos": { en: "How surely it arrives", hi: "कितने भरोसे से पहुँचे" },
  "explorer.qos0": { en: "0: at most once", hi: "0: अधिक से अधिक एक बार" },
  "explorer.qos1": { en: "1: at least once", hi: "1: कम से कम एक बार" },
  "explorer.refused": {
    en: "The hub does not show the messages now: three pages look already, or you were signed out.",
    hi: "हब अभी संदेश नहीं दिखाता: तीन पेज पहले से देख रहे हैं, या आप साइन आउट हो गए।",
  },
  "explorer.retained": { en: "kept", hi: "रखा हुआ" },
  "explorer.search": { en: "Find a topic", hi: "विषय खोजें" },
  "explorer.send": { en: "Publish", hi: "भेजें" },
  "explorer.stop": { en: "Stop", hi: "रुकें" },
  "explorer.subtitle": {
    en: "What devices and the hub say to each other, while you look",
    hi: "डिवाइस और हब एक-दूसरे से क्या कहते हैं, जब तक आप देखते हैं",
  },
  "explorer.title": { en: "MQTT explorer", hi: "MQTT एक्सप्लोरर" },
  "explorer.topic": { en: "Topic", hi: "विषय" },
  "explorer.what": {
    en: "A topic is the address of a message, such as gatehouse/plug/state. A client that subscribes later gets what is “kept” too.",
    hi: "विषय (टॉपिक) संदेश का पता है, जैसे gatehouse/plug/state। जो संदेश “रखा हुआ” है, वह बाद में पूछने वाले को भी मिलता है।",
  },
  "explorer.topics": { en: "Topics", hi: "विषय" },
  "field.payload": { en: "Message", hi: "संदेश" },
} as const satisfies Texts;
