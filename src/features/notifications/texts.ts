/** What notifications records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.browserNotSignedIn": {
    en: "Only a browser in which somebody is signed in takes messages.",
    hi: "संदेश वही ब्राउज़र लेता है जिसमें कोई साइन इन है।",
  },
  "detail.conflict.pushOff": { en: "Web Push is switched off on this hub.", hi: "इस हब पर Web Push बंद है।" },
  "detail.notify.answered": { en: "answered {status}{why}", hi: "जवाब {status}{why}" },
  "detail.notify.away": { en: "cannot be reached: {why}", hi: "पहुँच में नहीं: {why}" },
  "detail.notify.delivered": { en: "Delivered.", hi: "पहुँच गया।" },
  "detail.notify.forbidden": {
    en: "answered {status}: the token is wrong, or may not write to this topic",
    hi: "जवाब {status}: टोकन ग़लत है, या इस विषय पर लिख नहीं सकता",
  },
  "detail.notify.mailAnswer": { en: "the mail server answered: {why}", hi: "मेल सर्वर का जवाब: {why}" },
  "detail.notify.mailEncryption": {
    en: "no encrypted connection to the mail server: {why}",
    hi: "मेल सर्वर से एन्क्रिप्टेड कनेक्शन नहीं बना: {why}",
  },
  "detail.notify.mailLogin": {
    en: "the mail server refused the user name or the password: {why}",
    hi: "मेल सर्वर ने नाम या पासवर्ड नहीं माना: {why}",
  },
  "detail.notify.notSetUp": { en: "this way is not set up", hi: "यह रास्ता तैयार नहीं है" },
  "detail.notify.pushEnded": {
    en: "answered {status}: the browser does not take messages any more; switch it on there again",
    hi: "जवाब {status}: ब्राउज़र अब संदेश नहीं लेता; वहाँ फिर से चालू करें",
  },
  "detail.notify.pushKey": {
    en: "answered {status}: the push service does not accept the hub's key; switch it on in the browser again",
    hi: "जवाब {status}: पुश सेवा हब की कुंजी नहीं मानती; ब्राउज़र में फिर से चालू करें",
  },
  "detail.notify.refused": { en: "this address is not called: {why}", hi: "इस पते पर नहीं भेजा जाता: {why}" },
  "detail.notify.tooMany": {
    en: "answered {status}: too many messages for this server at the moment",
    hi: "जवाब {status}: इस सर्वर के लिए अभी बहुत संदेश हैं",
  },
  "detail.refusal.most.browsers": {
    en: "At most {limit} browsers of one person take messages.",
    hi: "एक व्यक्ति के अधिक से अधिक {limit} ब्राउज़र संदेश ले सकते हैं।",
  },
  "detail.refusal.notify.browserKeys": { en: "These are no keys of a browser.", hi: "ये किसी ब्राउज़र की कुंजियाँ नहीं हैं।" },
  "detail.refusal.notify.clear": {
    en: "A password is never sent without encryption: choose TLS or STARTTLS, or a server that wants none.",
    hi: "पासवर्ड कभी बिना एन्क्रिप्शन के नहीं भेजा जाता: TLS या STARTTLS चुनें, या ऐसा सर्वर जो पासवर्ड न माँगे।",
  },
  "detail.refusal.notify.pushService": {
    en: "This push service is not one that the hub sends to.",
    hi: "हब इस पुश सेवा पर नहीं भेजता।",
  },
  "detail.refusal.notify.together": {
    en: "User name and password go together.",
    hi: "उपयोगकर्ता नाम और पासवर्ड दोनों साथ में दें।",
  },
  "detail.refusal.notify.topicInAddress": {
    en: "Only the address of the server, without a question mark or a topic.",
    hi: "केवल सर्वर का पता दें, बिना प्रश्नचिह्न या विषय के।",
  },
  "notify.batteries": { en: "{n} batteries are nearly empty", hi: "{n} बैटरियाँ लगभग ख़त्म हैं" },
  "notify.footer": {
    en: "You get this from your Gatehouse. Choose what you are told under Notifications.",
    hi: "यह आपके Gatehouse से आया है। क्या बताया जाए, यह “सूचनाएँ” में चुनें।",
  },
  "notify.keepShut": { en: "Keep it shut", hi: "बंद रखें" },
  "notify.letIn": { en: "Open", hi: "खोलें" },
  "notify.many": {
    en: "{n, plural, one {One thing} other {# things}} happened",
    hi: "{n, plural, =1 {एक बात हुई} other {# बातें हुईं}}",
  },
  "notify.more": { en: "and {n, plural, one {one more} other {# more}}", hi: "और {n, plural, =1 {एक} other {#}}" },
  "notify.test": { en: "Gatehouse can reach you", hi: "Gatehouse आप तक पहुँच सकता है" },
  "notify.testBody": { en: "This is a test of your notifications.", hi: "यह आपकी सूचनाओं की जाँच है।" },
} as const satisfies Texts;
