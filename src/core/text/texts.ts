/** What core records, reports and refuses, and the texts of several features. */
import type { Texts } from "./render.ts";

export const texts = {
  "detail.conflict.goneMeanwhile": {
    en: "What this names was removed meanwhile. Nothing was changed.",
    hi: "जिसका इसमें नाम है, वह इस बीच हटा दिया गया। कुछ भी नहीं बदला।",
  },
  "detail.conflict.noOwner": { en: "Nobody owns this hub yet.", hi: "इस हब का अभी कोई मालिक नहीं है।" },
  "detail.conflict.settingFixed": {
    en: "{setting} is set by the {by, select, folder {data folder} environment {environment} file {settings file} other {command line}} and cannot be changed here.",
    hi: "{setting} यहाँ नहीं बदला जा सकता: यह {by, select, folder {डेटा फ़ोल्डर} environment {एनवायरनमेंट} file {सेटिंग फ़ाइल} other {कमांड लाइन}} से तय है।",
  },
  "detail.file.damaged": {
    en: "{what, select, backup {The backup} copy {The copy of the database} update {The update} picture {The picture} other {The file}} is damaged.",
    hi: "{what, select, backup {बैकअप क्षतिग्रस्त है} copy {डेटाबेस की कॉपी क्षतिग्रस्त है} update {अपडेट क्षतिग्रस्त है} picture {तस्वीर क्षतिग्रस्त है} other {फ़ाइल क्षतिग्रस्त है}}।",
  },
  "detail.file.missing": { en: "There is no file {file}.", hi: "{file} नाम की कोई फ़ाइल नहीं है।" },
  "detail.file.noRoom": {
    en: "{what, select, backup {The backup} copy {The copy of the database} update {The update} picture {The picture} other {The file}} does not fit: there is not enough room on the disk.",
    hi: "{what, select, backup {बैकअप} copy {डेटाबेस की कॉपी} update {अपडेट} picture {तस्वीर} other {फ़ाइल}} के लिए डिस्क पर जगह नहीं है।",
  },
  "detail.file.unreadable": {
    en: "{what, select, backup {The backup} copy {The copy of the database} update {The update} picture {The picture} other {The file}} cannot be read from its medium ({error}).",
    hi: "{what, select, backup {बैकअप} copy {डेटाबेस की कॉपी} update {अपडेट} picture {तस्वीर} other {फ़ाइल}} को उसके माध्यम से पढ़ा नहीं जा सकता ({error})।",
  },
  "detail.forbidden.gatekeepersOnly": {
    en: "Only an owner or a gatekeeper of the household may do this.",
    hi: "यह केवल घर का कोई मालिक या गेट प्रबंधक कर सकता है।",
  },
  "detail.forbidden.ownersOnly": {
    en: "Only an owner of the household may do this.",
    hi: "यह केवल घर का कोई मालिक कर सकता है।",
  },
  "detail.forbidden.sessionOnly": {
    en: "This needs a console session; API keys are for /v1.",
    hi: "इसके लिए कंसोल में साइन इन होना चाहिए; API कुंजियाँ /v1 के लिए हैं।",
  },
  "detail.notify.noSecret": {
    en: "what was stored cannot be opened with this hub's key; an owner has to enter it again",
    hi: "जो रखा था वह इस हब की कुंजी से नहीं खुलता; किसी मालिक को उसे फिर से डालना होगा",
  },
  "detail.refusal.address": { en: "the address cannot be called: {why}", hi: "इस पते पर कुछ नहीं भेजा जा सकता: {why}" },
  "detail.refusal.address.hub": { en: "the hub does not call itself", hi: "हब ख़ुद अपने को नहीं पुकारता" },
  "detail.refusal.address.linkLocal": { en: "link-local addresses are not allowed", hi: "लिंक-लोकल पते नहीं चलते" },
  "detail.refusal.address.loopback": { en: "loopback addresses are not allowed", hi: "लूपबैक पते (localhost) नहीं चलते" },
  "detail.refusal.address.multicast": {
    en: "multicast and reserved addresses are not allowed",
    hi: "मल्टीकास्ट और आरक्षित पते नहीं चलते",
  },
  "detail.refusal.address.noAddress": { en: "this is not a web address", hi: "यह वेब पता नहीं है" },
  "detail.refusal.address.scheme": {
    en: "the address must begin with http:// or https://",
    hi: "पता http:// या https:// से शुरू होना चाहिए",
  },
  "detail.refusal.address.signIn": {
    en: "the address must not hold a user name or password",
    hi: "पते में उपयोगकर्ता नाम या पासवर्ड न हो",
  },
  "detail.refusal.address.tooLong": { en: "the address is too long", hi: "पता बहुत लंबा है" },
  "detail.refusal.address.unspecified": { en: "unspecified addresses are not allowed", hi: "0.0.0.0 जैसे पते नहीं चलते" },
  "detail.refusal.body.brokeOff": { en: "The body broke off.", hi: "अनुरोध बीच में टूट गया। फिर कोशिश करें।" },
  "detail.refusal.body.empty": { en: "The request needs a JSON body.", hi: "अनुरोध में JSON होना चाहिए।" },
  "detail.refusal.body.key": { en: "The key __proto__ is not allowed.", hi: "__proto__ नाम की कुंजी नहीं चलती।" },
  "detail.refusal.body.notAnObject": { en: "The body must be a JSON object.", hi: "अनुरोध एक JSON ऑब्जेक्ट होना चाहिए।" },
  "detail.refusal.body.notJson": { en: "The body is not valid JSON.", hi: "अनुरोध सही JSON नहीं है।" },
  "detail.refusal.body.notUtf8": { en: "The body is not valid UTF-8.", hi: "अनुरोध सही UTF-8 में नहीं है।" },
  "detail.refusal.body.tooDeep": {
    en: "The body is nested more than {limit} levels deep.",
    hi: "अनुरोध {limit} स्तरों से ज़्यादा गहरा है।",
  },
  "detail.refusal.noDevice": { en: "There is no device {id}.", hi: "{id} नाम का कोई डिवाइस नहीं है।" },
  "detail.refusal.noShape": { en: "None of the allowed shapes fits.", hi: "इसका रूप किसी भी स्वीकार्य रूप से मेल नहीं खाता।" },
  "detail.refusal.query.encoding": {
    en: "The query is not correctly percent-encoded.",
    hi: "इस पते का प्रश्न वाला हिस्सा सही नहीं है।",
  },
  "detail.refusal.secretOfOther": {
    en: "The server is another one: enter this again, or leave it empty.",
    hi: "सर्वर दूसरा है: इसे फिर से भरें, या ख़ाली छोड़ दें।",
  },
  "detail.refusal.setting.boolean": { en: "must be true or false", hi: "यह true या false होना चाहिए" },
  "detail.refusal.setting.choice": { en: "must be one of {choices}", hi: "यह इनमें से एक होना चाहिए: {choices}" },
  "detail.refusal.setting.control": { en: "must not hold control characters", hi: "इसमें न दिखने वाले अक्षर न हों" },
  "detail.refusal.setting.entry": { en: "has a wrong entry {entry}", hi: "यह प्रविष्टि सही नहीं है: {entry}" },
  "detail.refusal.setting.files": {
    en: "files needs tls.certificateFile and tls.keyFile",
    hi: "“files” के लिए tls.certificateFile और tls.keyFile भी चाहिए",
  },
  "detail.refusal.setting.form": {
    en: "does not have the form that is described here",
    hi: "इसका रूप वैसा नहीं है जैसा यहाँ बताया गया है",
  },
  "detail.refusal.setting.list": {
    en: "must be a list of at most {limit} texts",
    hi: "यह अधिक से अधिक {limit} पाठों की सूची होनी चाहिए",
  },
  "detail.refusal.setting.longest": {
    en: "must have at most {limit} characters",
    hi: "इसमें अधिक से अधिक {limit} अक्षर हो सकते हैं",
  },
  "detail.refusal.setting.noSetting": { en: "is not a setting", hi: "ऐसी कोई सेटिंग नहीं है" },
  "detail.refusal.setting.number": {
    en: "must be a number from {least} to {most}",
    hi: "यह {least} से {most} तक की संख्या होनी चाहिए",
  },
  "detail.refusal.setting.plain": {
    en: "off needs TLS, or no device could connect: set tls.mode to own",
    hi: "इसे बंद करने के लिए TLS चाहिए, नहीं तो कोई डिवाइस जुड़ नहीं पाएगा: tls.mode को own करें",
  },
  "detail.refusal.setting.shorter": {
    en: "must not be shorter than {other} ({days})",
    hi: "यह {other} ({days}) से कम नहीं हो सकता",
  },
  "detail.refusal.setting.text": { en: "must be a text", hi: "यहाँ पाठ चाहिए" },
  "detail.refusal.setting.whole": {
    en: "must be a whole number from {least} to {most}",
    hi: "यह {least} से {most} तक की पूरी संख्या होनी चाहिए",
  },
  "detail.refusal.setting.zone": {
    en: "is not a known IANA time zone: {zone}",
    hi: "यह जाना-पहचाना IANA समय क्षेत्र नहीं है: {zone}",
  },
  "detail.sntp.notAllowed": { en: "the hub may not use port {port}", hi: "हब पोर्ट {port} का उपयोग नहीं कर सकता" },
  "detail.sntp.notStarted": { en: "it has not started", hi: "अभी शुरू नहीं हुआ" },
  "detail.sntp.portTaken": { en: "another program serves the time already", hi: "कोई दूसरा प्रोग्राम पहले से समय बताता है" },
  "detail.sntp.stopped": { en: "it is stopped", hi: "रुका हुआ है" },
  "detail.unavailable.dataFolderGone": {
    en: "The hub's data folder was moved or deleted; nothing was changed.",
    hi: "हब का डेटा फ़ोल्डर हटाया या मिटाया गया है; कुछ नहीं बदला गया।",
  },
  "detail.unavailable.databaseClosed": { en: "The database is not open.", hi: "डेटाबेस खुला नहीं है।" },
  "detail.unavailable.databaseDamaged": {
    en: "The database is damaged; nothing can be stored.",
    hi: "डेटाबेस ख़राब है; कुछ भी सहेजा नहीं जा सकता।",
  },
  "detail.unavailable.diskRefuses": {
    en: "The hub's disk takes no writes; nothing was changed.",
    hi: "हब की डिस्क पर कुछ लिखा नहीं जा सकता; कुछ नहीं बदला गया।",
  },
  "detail.unavailable.largeRequests": {
    en: "Too many large requests at once; try again in a few seconds.",
    hi: "एक साथ बहुत से बड़े अनुरोध आए हैं; कुछ सेकंड में फिर कोशिश करें।",
  },
  "detail.unavailable.notConfirmed": {
    en: "The hub's disk did not confirm the write; it may be stored or not.",
    hi: "हब की डिस्क ने लिखे जाने की पुष्टि नहीं की; हो सकता है यह सहेजा गया हो या नहीं।",
  },
  "detail.unavailable.secret": {
    en: "A secret cannot be opened with this hub's key.",
    hi: "सहेजा गया एक गुप्त मान इस हब की कुंजी से नहीं खुलता।",
  },
  "detail.unavailable.settingsFile": {
    en: "The settings cannot be saved: their file cannot be written ({error}).",
    hi: "सेटिंग सहेजी नहीं जा सकतीं: उनकी फ़ाइल लिखी नहीं जा सकती ({error})।",
  },
  "detail.unavailable.writesWait": {
    en: "Too many writes are waiting for the disk.",
    hi: "डिस्क पर लिखे जाने के लिए बहुत कुछ पहले से रुका है।",
  },
  "feed.body.storage.damaged": {
    en: "Nothing more is stored. Restore a backup under System, Backups.",
    hi: "अब कुछ नहीं रखा जाता। सिस्टम, बैकअप में जाकर बैकअप वापस लाएँ।",
  },
  "feed.title.storage.damaged": { en: "The database is damaged", hi: "डेटाबेस क्षतिग्रस्त है" },
  "health.checkFailed": { en: "The check itself failed: {reason}", hi: "जाँच ही नहीं हो सकी: {reason}" },
  "health.storage.damaged": {
    en: "The database is damaged: nothing is stored. Commands still work. Restore a backup: you can sign in as always. ({reason})",
    hi: "डेटाबेस क्षतिग्रस्त है: कुछ नहीं रखा जाता। आदेश फिर भी काम करते हैं। बैकअप वापस लाएँ: आप हमेशा की तरह साइन इन कर सकते हैं। ({reason})",
  },
} as const satisfies Texts;
