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
  "feed.body.danger.alarm": { en: "Look at the cameras before you go there.", hi: "वहाँ जाने से पहले कैमरे देखें।" },
  "feed.body.danger.carbonMonoxide": {
    en: "Open the windows, leave the house, and call for help.",
    hi: "खिड़कियाँ खोलें, घर से बाहर निकलें और मदद बुलाएँ।",
  },
  "feed.body.danger.forced": { en: "Look at the cameras before you go there.", hi: "वहाँ जाने से पहले कैमरे देखें।" },
  "feed.body.danger.gas": {
    en: "Touch no switch. Open the windows, close the gas valve, and leave the house.",
    hi: "कोई स्विच न छुएँ। खिड़कियाँ खोलें, गैस का वाल्व बंद करें और घर से बाहर निकलें।",
  },
  "feed.body.danger.jammed": {
    en: "Close the door and turn the lock again, by hand if need be.",
    hi: "दरवाज़ा बंद करके ताला फिर लगाएँ, ज़रूरत हो तो हाथ से।",
  },
  "feed.body.danger.notClosed": {
    en: "See what is in its way, then close it again.",
    hi: "देखें कि बीच में क्या अटका है, फिर दोबारा बंद करें।",
  },
  "feed.body.danger.siren": { en: "Find out why before you switch it off.", hi: "बंद करने से पहले कारण जानें।" },
  "feed.body.danger.smoke": {
    en: "If something burns, get everybody out and call for help.",
    hi: "कुछ जल रहा हो तो सबको बाहर निकालें और मदद बुलाएँ।",
  },
  "feed.body.danger.tamper": {
    en: "Somebody moved or opened it. Go and look.",
    hi: "किसी ने इसे हिलाया या खोला है। जाकर देखें।",
  },
  "feed.body.danger.warm": {
    en: "See whether its door is shut and it has power.",
    hi: "देखें कि इसका दरवाज़ा बंद है और बिजली आ रही है।",
  },
  "feed.body.danger.water": { en: "Close the water valve, then look.", hi: "पानी का वाल्व बंद करें, फिर जाकर देखें।" },
  "feed.body.dangerOver": { en: "Since {at}.", hi: "{at} से।" },
  "feed.body.device.firmware": { en: "{before} → {after}", hi: "{before} → {after}" },
  "feed.title.batteryLow": { en: "Battery nearly empty: {place}", hi: "बैटरी लगभग ख़त्म: {place}" },
  "feed.title.command.failed": { en: "{name} did not get a command", hi: "{name} को आदेश नहीं मिला" },
  "feed.title.command.unconfirmed": { en: "{name} did not confirm a command", hi: "{name} ने आदेश की पुष्टि नहीं की" },
  "feed.title.danger.alarm": { en: "Alarm: {place}", hi: "अलार्म: {place}" },
  "feed.title.danger.carbonMonoxide": { en: "Carbon monoxide: {place}", hi: "कार्बन मोनोऑक्साइड: {place}" },
  "feed.title.danger.forced": { en: "Forced open: {place}", hi: "ज़बरदस्ती खोला गया: {place}" },
  "feed.title.danger.gas": { en: "Gas: {place}", hi: "गैस: {place}" },
  "feed.title.danger.jammed": { en: "Stuck: {place}", hi: "अटक गया: {place}" },
  "feed.title.danger.notClosed": { en: "Did not close: {place}", hi: "बंद नहीं हुआ: {place}" },
  "feed.title.danger.siren": { en: "The siren sounds: {place}", hi: "सायरन बज रहा है: {place}" },
  "feed.title.danger.smoke": { en: "Smoke: {place}", hi: "धुआँ: {place}" },
  "feed.title.danger.tamper": { en: "Tampered with: {place}", hi: "छेड़छाड़ हुई: {place}" },
  "feed.title.danger.warm": { en: "Too warm: {place}", hi: "तापमान ज़्यादा: {place}" },
  "feed.title.danger.water": { en: "Water: {place}", hi: "पानी: {place}" },
  "feed.title.dangerOver": {
    en: "{kind, select, water {Dry again} smoke {No more smoke} carbonMonoxide {No more carbon monoxide} gas {No more gas} alarm {Alarm over} siren {The siren is silent} warm {Cold enough again} jammed {No longer stuck} other {Over}}: {place}",
    hi: "{kind, select, water {फिर सूखा} smoke {अब धुआँ नहीं} carbonMonoxide {अब कार्बन मोनोऑक्साइड नहीं} gas {अब गैस नहीं} alarm {अलार्म ख़त्म} siren {सायरन बंद} warm {फिर ठंडा} jammed {अब अटका नहीं} other {ख़त्म}}: {place}",
  },
  "feed.title.device.added": { en: "{name} added", hi: "डिवाइस जोड़ा गया: {name}" },
  "feed.title.device.firmware": { en: "{name} has new firmware", hi: "{name} में नया फ़र्मवेयर है" },
  "feed.title.device.offline": { en: "{name} is offline", hi: "{name} ऑफ़लाइन है" },
  "feed.title.device.removed": { en: "{name} removed", hi: "डिवाइस हटाया गया: {name}" },
} as const satisfies Texts;
