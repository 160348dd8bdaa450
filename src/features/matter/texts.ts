/** What matter records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.matter": { en: "Matter", hi: "Matter (घर-ऐप)" },
  "detail.conflict.matterJoining": { en: "A device is joining already.", hi: "एक डिवाइस पहले से जुड़ रहा है।" },
  "detail.conflict.matterNoWord": {
    en: "Matter has no word for what this device does.",
    hi: "यह डिवाइस जो करता है, उसके लिए Matter में कुछ नहीं है।",
  },
  "detail.conflict.matterPinFirst": {
    en: "Choose first whether opening asks for a PIN.",
    hi: "पहले चुनें कि खोलते समय PIN माँगा जाए या नहीं।",
  },
  "detail.conflict.matterSceneOpens": {
    en: "This scene opens something; Matter could run it without a PIN.",
    hi: "यह दृश्य कुछ खोलता है; Matter इसे बिना PIN के चला सकता था।",
  },
  "detail.forbidden.matterHome": { en: "This home has not joined.", hi: "यह होम जुड़ा नहीं है।" },
  "detail.forbidden.matterOpens": { en: "Nobody opens by Matter here.", hi: "यहाँ Matter से कुछ नहीं खोला जाता।" },
  "detail.forbidden.matterPinNeeded": { en: "Opening needs the PIN.", hi: "खोलने के लिए PIN चाहिए।" },
  "detail.forbidden.matterPinWrong": { en: "The PIN is wrong.", hi: "PIN ग़लत है।" },
  "detail.forbidden.matterScene": { en: "This scene is not for Matter.", hi: "यह दृश्य Matter के लिए नहीं है।" },
  "detail.refusal.matter.cannot": { en: "The device cannot do that.", hi: "डिवाइस यह नहीं कर सकता।" },
  "detail.refusal.matter.noSpeaker": { en: "Nobody speaks for this device now.", hi: "इस डिवाइस से अभी संपर्क नहीं है।" },
  "detail.refusal.matter.notHeard": {
    en: "The device was not heard since the hub started; try again in a moment.",
    hi: "हब शुरू होने के बाद से इस डिवाइस से कुछ नहीं सुना गया; थोड़ी देर में फिर कोशिश करें।",
  },
  "health.matter.ended": {
    en: "Its process ended ({reason}) and is started again; {n, plural, one {once} other {# times}} so far. Phones do not reach the devices meanwhile.",
    hi: "इसकी प्रक्रिया बंद हो गई ({reason}) और फिर शुरू की जा रही है; अब तक {n} बार। तब तक फ़ोन डिवाइसों तक नहीं पहुँचते।",
  },
  "health.matter.held": {
    en: "Rests since a backup was restored with the keys of homes and devices. Start it under System, Matter when the other hub is off for good.",
    hi: "बैकअप के साथ घरों और डिवाइसों की कुंजियाँ लौटीं, तब से रुका हुआ है। दूसरा हब हमेशा के लिए बंद हो जाए, तब सिस्टम, Matter में शुरू करें।",
  },
  "health.matter.noIpv6": {
    en: "Phones, speakers and Matter devices do not reach it: this hub, or the interface in matter.networkInterface, has no IPv6 address, which Matter works by. “gatehouse doctor” says what to do; the router needs no IPv6.",
    hi: "फ़ोन, स्पीकर और Matter डिवाइस इस तक नहीं पहुँचते: इस हब का, या matter.networkInterface में लिखे इंटरफ़ेस का, कोई IPv6 पता नहीं है, और Matter उसी से चलता है। क्या करना है, यह “gatehouse doctor” बताता है; राउटर में IPv6 ज़रूरी नहीं।",
  },
  "health.matter.off": { en: "Switched off.", hi: "बंद है।" },
  "health.matter.ok": {
    en: "Running, with {megabytes} MB of memory of its own.",
    hi: "चल रहा है, अपनी {megabytes} MB मेमोरी के साथ।",
  },
  "health.matter.starting": { en: "Starting.", hi: "शुरू हो रहा है।" },
  "health.matter.trouble": {
    en: "It runs, and homes that joined do not reach it: {why}. It is tried again every minute; “gatehouse doctor” helps with ports.",
    hi: "यह चल रहा है, पर जुड़े हुए घर इस तक नहीं पहुँचते: {why}। हर मिनट फिर कोशिश होती है; पोर्ट के लिए “gatehouse doctor” मदद करता है।",
  },
} as const satisfies Texts;
