/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "audit.person.presence": {
    en: "{who} changed what tells whether {what} is home",
    hi: "{who} ने बदला कि {what} के घर पर होने का पता कैसे चले",
  },
  "houseMode.away": { en: "Away", hi: "बाहर" },
  "houseMode.home": { en: "Home", hi: "घर पर" },
  "houseMode.holiday": { en: "Holiday", hi: "छुट्टी" },
  "houseMode.label": { en: "mode of the house", hi: "घर का मोड" },
  "houseMode.night": { en: "Night", hi: "रात" },
  "houseMode.set": { en: "Set by {who}, {ago}", hi: "{who} ने रखा, {ago}" },
  "houseMode.setAt": { en: "Set {ago}", hi: "{ago} रखा गया" },
  "houseMode.byScene": {
    en: "{n, plural, one {The scene {names} sets it too} other {The scenes {names} set it too}}",
    hi: "{n, plural, =1 {दृश्य {names} भी यही रखता है} other {दृश्य {names} भी यही रखते हैं}}",
  },
  "houseMode.text": {
    en: "By itself it switches nothing and opens nothing: only your automations follow it.",
    hi: "यह अपने आप न कुछ चालू-बंद करता है, न खोलता है: बस आपके स्वचालन इसके अनुसार चलते हैं।",
  },
  "houseMode.title": { en: "What the house is set to", hi: "घर किस पर रखा है" },
  "presence.away": { en: "Left {ago}", hi: "{ago} बाहर गए" },
  "presence.by.car": { en: "by the car", hi: "गाड़ी से" },
  "presence.by.device": { en: "by {device}", hi: "{device} से" },
  "presence.by.hand": { en: "said so", hi: "ख़ुद बताया" },
  "presence.car": { en: "Car", hi: "गाड़ी" },
  "presence.carHint": {
    en: "Home from when it comes in, away from when it leaves. Opens nothing.",
    hi: "अंदर आने पर घर पर, जाने पर बाहर। इससे कुछ खुलता नहीं।",
  },
  "presence.device": { en: "A device that follows them", hi: "साथ रहने वाला डिवाइस" },
  "presence.deviceHint": {
    en: "A phone or a tag that reports presence. Away counts after five minutes.",
    hi: "मौजूदगी बताने वाला फ़ोन या टैग। बाहर होना पाँच मिनट बाद माना जाता है।",
  },
  "presence.edit": { en: "How the hub knows", hi: "हब को कैसे पता चले" },
  "presence.home": { en: "Came home {ago}", hi: "{ago} घर आए" },
  "presence.homeCount": {
    en: "{n, plural, =0 {nobody is home} one {one is home} other {# are home}}",
    hi: "{n, plural, =0 {घर पर कोई नहीं} one {एक घर पर} other {# घर पर}}",
  },
  "presence.imHome": { en: "I’m home", hi: "घर पर हूँ" },
  "presence.imLeaving": { en: "I’m leaving", hi: "बाहर जाना है" },
  "presence.none": { en: "Nothing", hi: "कुछ नहीं" },
  "presence.private": {
    en: "Owners see who is home; others see themselves, unless the settings show them everybody.",
    hi: "कौन घर पर है, यह मालिक देखते हैं; बाकी लोग अपना देखते हैं, जब तक सेटिंग उन्हें सब न दिखाए।",
  },
  "presence.sharing": { en: "Settings", hi: "सेटिंग" },
  "presence.standing": {
    en: "{n, plural, =0 {Nobody is known yet} one {One is known} other {# are known}}",
    hi: "{n, plural, =0 {अभी किसी का पता नहीं} one {एक का पता है} other {# का पता है}}",
  },
  "presence.subtitle": {
    en: "What tells the hub that somebody comes or goes",
    hi: "हब को कैसे पता चले कि कौन आया या गया",
  },
  "presence.title": { en: "Who is home", hi: "कौन घर पर है" },
  "presence.unknown": { en: "Not known", hi: "पता नहीं" },
} as const satisfies Texts;
