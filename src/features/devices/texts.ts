/** What devices records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.deviceIdRemoved": {
    en: "The device id {id} belonged to a removed device whose history is kept.",
    hi: "डिवाइस आईडी {id} एक हटाए गए डिवाइस की थी, जिसका इतिहास रखा है।",
  },
  "detail.conflict.deviceIdTaken": {
    en: "The device id {id} is in use on this hub.",
    hi: "डिवाइस आईडी {id} इस हब पर पहले से काम में है।",
  },
  "detail.conflict.roomTaken": { en: "There is a room named {name} already.", hi: "{name} नाम का कमरा पहले से है।" },
  "detail.refusal.command.notAnObject": {
    en: "The command must be a JSON object.",
    hi: "आदेश एक JSON ऑब्जेक्ट होना चाहिए।",
  },
  "detail.refusal.command.notJson": { en: "The command is not valid JSON.", hi: "आदेश सही JSON नहीं है।" },
  "detail.refusal.command.tooDeep": {
    en: "The command is nested deeper than {limit} levels.",
    hi: "आदेश {limit} स्तरों से ज़्यादा गहरा है।",
  },
  "detail.refusal.device.id": {
    en: "a device id has 1 to 64 letters, digits, - or _",
    hi: "डिवाइस आईडी में 1 से 64 अंग्रेज़ी अक्षर, अंक, - या _ होते हैं",
  },
  "detail.refusal.device.password": {
    en: "a password has 6 to 128 visible ASCII characters",
    hi: "पासवर्ड में 6 से 128 दिखने वाले ASCII अक्षर होते हैं, बिना ख़ाली जगह के",
  },
  "detail.refusal.device.type": {
    en: "a type has 1 to 64 letters, digits, spaces, ., - or _",
    hi: "प्रकार में 1 से 64 अंग्रेज़ी अक्षर, अंक, ख़ाली जगह, ., - या _ होते हैं",
  },
  "detail.refusal.event.kind": { en: "An event needs a kind.", hi: "घटना का प्रकार बताना ज़रूरी है।" },
  "detail.refusal.most.devices": {
    en: "A household can have {limit} devices.",
    hi: "एक घर में अधिक से अधिक {limit} डिवाइस हो सकते हैं।",
  },
  "detail.refusal.most.rooms": {
    en: "A household can have {limit} rooms.",
    hi: "एक घर में अधिक से अधिक {limit} कमरे हो सकते हैं।",
  },
  "detail.refusal.state.tooDeep": {
    en: "The state is nested deeper than {limit} levels.",
    hi: "स्थिति {limit} स्तरों से ज़्यादा गहरी है।",
  },
  "detail.refusal.state.tooLarge": {
    en: "The state would be larger than {limit} bytes.",
    hi: "स्थिति {limit} बाइट से बड़ी हो जाएगी।",
  },
  "detail.refusal.state.tooManyKeys": {
    en: "The state would have more than {limit} keys.",
    hi: "स्थिति में {limit} से ज़्यादा मान हो जाएँगे।",
  },
  "feed.body.command.failed": {
    en: "The device was not there for {n, plural, one {# second} other {# seconds}}.",
    hi: "डिवाइस {n} सेकंड तक नहीं था।",
  },
  "feed.body.device.firmware": { en: "{before} → {after}", hi: "{before} → {after}" },
  "feed.title.command.failed": { en: "{name} did not get a command", hi: "{name} को आदेश नहीं मिला" },
  "feed.title.command.unconfirmed": { en: "{name} did not confirm a command", hi: "{name} ने आदेश की पुष्टि नहीं की" },
  "feed.title.device.added": { en: "{name} added", hi: "डिवाइस जोड़ा गया: {name}" },
  "feed.title.device.firmware": { en: "{name} has new firmware", hi: "{name} में नया फ़र्मवेयर है" },
  "feed.title.device.offline": { en: "{name} is offline", hi: "{name} ऑफ़लाइन है" },
  "feed.title.device.removed": { en: "{name} removed", hi: "डिवाइस हटाया गया: {name}" },
} as const satisfies Texts;
