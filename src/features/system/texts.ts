/** What system records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.card-errors": { en: "Card", hi: "कार्ड" },
  "check.card-wear": { en: "Written today", hi: "आज लिखा गया" },
  "check.clock": { en: "Clock", hi: "घड़ी" },
  "check.disk-space": { en: "Disk space", hi: "डिस्क में जगह" },
  "check.encryption": { en: "Encryption", hi: "एन्क्रिप्शन" },
  "check.files": { en: "The hub's own files", hi: "हब की अपनी फ़ाइलें" },
  "check.history": { en: "History", hi: "इतिहास" },
  "check.modules": { en: "Parts of the program", hi: "प्रोग्राम के हिस्से" },
  "check.power": { en: "Power supply", hi: "बिजली सप्लाई" },
  "check.runtime": { en: "Node.js runtime", hi: "Node.js रनटाइम" },
  "check.settings": { en: "Settings", hi: "सेटिंग" },
  "check.sntp": { en: "Time server", hi: "समय सर्वर" },
  "check.storage": { en: "Storage", hi: "भंडारण" },
  "detail.aged.audit": {
    en: "{n, plural, one {# line} other {# lines}} of “Who did what”",
    hi: "“किसने क्या किया” की {n, plural, one {# पंक्ति} other {# पंक्तियाँ}}",
  },
  "detail.aged.feed": {
    en: "{n, plural, one {# line} other {# lines}} of the activity list",
    hi: "गतिविधि सूची की {n, plural, one {# पंक्ति} other {# पंक्तियाँ}}",
  },
  "detail.aged.openings": {
    en: "{n, plural, one {# opening of a gate} other {# openings of gates}}",
    hi: "{n, plural, one {गेट का # खुलना} other {गेटों का # बार खुलना}}",
  },
  "detail.aged.pictures": {
    en: "{n, plural, one {# picture} other {# pictures}} of vehicles",
    hi: "गाड़ियों की {n, plural, one {# तस्वीर} other {# तस्वीरें}}",
  },
  "detail.aged.reads": {
    en: "{n, plural, one {# plate read} other {# plate reads}}",
    hi: "{n, plural, one {# नंबर प्लेट पढ़त} other {# नंबर प्लेट पढ़तें}}",
  },
  "detail.aged.samples": {
    en: "{n, plural, one {# block} other {# blocks}} of up to 500 measurements",
    hi: "500 तक मापों के {n, plural, one {# खंड} other {# खंड}}",
  },
  "detail.aged.states": {
    en: "{n} {n, plural, one {change} other {changes}} of states",
    hi: "{n, plural, one {# स्थिति-बदलाव} other {# स्थिति-बदलाव}}",
  },
  "detail.aged.sums": {
    en: "{n} hourly {n, plural, one {sum} other {sums}}",
    hi: "{n, plural, one {# घंटेवार योग} other {# घंटेवार योग}}",
  },
  "detail.aged.visits": {
    en: "{n, plural, one {# visit} other {# visits}}",
    hi: "{n, plural, one {# आवाजाही} other {# आवाजाही}}",
  },
  "detail.conflict.givenAuthority": {
    en: "This authority was given to the hub; replace it where it came from.",
    hi: "यह प्राधिकरण हब को दिया गया था; इसे वहीं बदलें जहाँ से यह आया।",
  },
  "detail.conflict.noAuthority": {
    en: "This hub has no authority of its own.",
    hi: "इस हब का अपना कोई प्राधिकरण नहीं है।",
  },
  "detail.forbidden.logForOwners": {
    en: "Only an owner of the household sees the log.",
    hi: "लॉग केवल घर का कोई मालिक देख सकता है।",
  },
  "detail.refusal.feed.which": { en: "Name upToId or id.", hi: "upToId या id में से कोई एक दें।" },
  "detail.unavailable.check": { en: "{what}", hi: "जाँच में कमी मिली: {what}" },
  "feed.body.aged.audit": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.feed": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.openings": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.pictures": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.reads": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.samples": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.states": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.sums": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.aged.visits": {
    en: "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
    hi: "हर दिन एक हिस्सा मिटता है; बाकी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  },
  "feed.body.clock.back": {
    en: "It moved back by about {n, plural, one {# minute} other {# minutes}}. Schedules follow the new time.",
    hi: "यह लगभग {n} मिनट पीछे हुई। समय-सारणी नए समय से चलेगी।",
  },
  "feed.body.clock.back_hours": {
    en: "It moved back by about {n, plural, one {# hour} other {# hours}}. Schedules follow the new time.",
    hi: "यह लगभग {n, plural, one {# घंटा} other {# घंटे}} पीछे हुई। समय-सारणी नए समय से चलेगी।",
  },
  "feed.body.clock.forward": {
    en: "It moved forward by about {n, plural, one {# minute} other {# minutes}}. Schedules follow the new time.",
    hi: "यह लगभग {n} मिनट आगे बढ़ी। समय-सारणी नए समय से चलेगी।",
  },
  "feed.body.clock.forward_hours": {
    en: "It moved forward by about {n, plural, one {# hour} other {# hours}}. Schedules follow the new time.",
    hi: "यह लगभग {n, plural, one {# घंटा} other {# घंटे}} आगे बढ़ी। समय-सारणी नए समय से चलेगी।",
  },
  "feed.body.clock.known": { en: "Schedules run from now on.", hi: "समय-सारणी अब से चलेगी।" },
  "feed.body.clock.refused": {
    en: "The machine's own clock shows {at}. The hub keeps its own time until somebody confirms the new one.",
    hi: "मशीन की घड़ी {at} दिखा रही है। जब तक कोई नए समय की पुष्टि न करे, हब अपना समय रखेगा।",
  },
  "feed.body.clock.returned": {
    en: "The machine's own clock shows the hub's time again.",
    hi: "मशीन की घड़ी फिर हब का समय दिखा रही है।",
  },
  "feed.body.storage.files": {
    en: "{files}. System, Health says what the hub did.",
    hi: "{files}। हब ने क्या किया, यह सिस्टम, सेहत में है।",
  },
  "feed.title.aged.audit": {
    en: "Much of “Who did what” is too old at once",
    hi: "“किसने क्या किया” का बड़ा भाग एक साथ पुराना हो गया",
  },
  "feed.title.aged.feed": {
    en: "Much of the activity list is too old at once",
    hi: "गतिविधि सूची का बड़ा भाग एक साथ पुराना हो गया",
  },
  "feed.title.aged.openings": {
    en: "Many openings of gates are too old at once",
    hi: "गेट खुलने के बहुत-से ब्योरे एक साथ पुराने हो गए",
  },
  "feed.title.aged.pictures": { en: "Many pictures are too old at once", hi: "बहुत-सी तस्वीरें एक साथ पुरानी हो गईं" },
  "feed.title.aged.reads": { en: "Many plate reads are too old at once", hi: "बहुत-सी नंबर प्लेट पढ़तें एक साथ पुरानी हो गईं" },
  "feed.title.aged.samples": { en: "Many measurements are too old at once", hi: "बहुत-से माप एक साथ पुराने हो गए" },
  "feed.title.aged.sums": { en: "Many hourly sums are too old at once", hi: "बहुत-से घंटेवार योग एक साथ पुराने हो गए" },
  "feed.title.aged.visits": { en: "Many visits are too old at once", hi: "बहुत-सी आवाजाही एक साथ पुरानी हो गई" },
  "feed.title.clock.back": { en: "The clock was set", hi: "घड़ी मिलाई गई" },
  "feed.title.clock.back_hours": { en: "The clock was set", hi: "घड़ी मिलाई गई" },
  "feed.title.clock.forward": { en: "The clock was set", hi: "घड़ी मिलाई गई" },
  "feed.title.clock.forward_hours": { en: "The clock was set", hi: "घड़ी मिलाई गई" },
  "feed.title.clock.known": { en: "The time is known", hi: "समय ज्ञात हुआ" },
  "feed.title.clock.refused": { en: "The clock jumped", hi: "घड़ी अचानक बदल गई" },
  "feed.title.clock.returned": { en: "The clock is right again", hi: "घड़ी फिर सही है" },
  "feed.title.storage.files": { en: "Files of the hub could not be used", hi: "हब की कुछ फ़ाइलें काम में नहीं ली जा सकीं" },
  "health.card.errors": {
    en: "Errors were met (file system {files}, device {device}). Make a backup and replace the card.",
    hi: "गड़बड़ियाँ मिलीं (फ़ाइल सिस्टम {files}, कार्ड {device})। बैकअप बनाकर कार्ड बदलें।",
  },
  "feed.title.aged.states": {
    en: "Many changes of states are too old at once",
    hi: "बहुत-से स्थिति-बदलाव एक साथ पुराने हो गए",
  },
  "health.card.ok": { en: "No errors.", hi: "कोई गड़बड़ी नहीं।" },
  "health.card.unknown": { en: "The system does not report its condition.", hi: "सिस्टम इसका हाल नहीं बताता।" },
  "health.card.used": {
    en: "No errors; by its own account at most {percent} % of its life is used up.",
    hi: "कोई गड़बड़ी नहीं; कार्ड के अनुसार उम्र का {percent} % या कम बीता है।",
  },
  "health.card.worn": {
    en: "It reports that its life is nearly used up. Make a backup and replace it.",
    hi: "कार्ड कहता है कि उसकी उम्र पूरी होने को है। बैकअप बनाकर बदलें।",
  },
  "health.clock.doubted": {
    en: "One source says what time it is. Until a second one agrees, such as the console of an owner, nothing is deleted for its age.",
    hi: "समय अभी एक ही स्रोत से मिला है। जब तक दूसरा स्रोत, जैसे किसी मालिक का कंसोल, वही समय न बताए, पुराना होने के कारण कुछ नहीं मिटाया जाता।",
  },
  "health.clock.holdover": {
    en: "The time was trusted before; no time source answers now.",
    hi: "समय पर पहले भरोसा था; अब कोई स्रोत जवाब नहीं देता।",
  },
  "health.clock.refused": {
    en: "The machine's own clock jumped to {at}, and the hub keeps its own time. Open the console as an owner, on a device whose clock is right: that settles it.",
    hi: "मशीन की घड़ी अचानक {at} दिखाने लगी, इसलिए हब अपना ही समय रख रहा है। मालिक के रूप में कंसोल ऐसे डिवाइस पर खोलें जिसकी घड़ी सही हो: इससे बात तय हो जाएगी।",
  },
  "health.clock.trusted": { en: "The time is trusted.", hi: "समय पर भरोसा है।" },
  "health.clock.unknown": {
    en: "The time is not known, so schedules wait. Open the console once, or connect a time source.",
    hi: "समय ज्ञात नहीं, इसलिए समय-सारणी रुकी है। एक बार कंसोल खोलें, या समय का स्रोत जोड़ें।",
  },
  "health.disk.low": {
    en: "{free} of {total} free. Delete what you do not need, or shorten the retention in the settings.",
    hi: "{total} में से {free} ख़ाली। जो नहीं चाहिए हटाएँ, या सेटिंग में रखने के दिन घटाएँ।",
  },
  "health.disk.ok": { en: "{free} of {total} free", hi: "{total} में से {free} ख़ाली" },
  "health.encryption.boundless": {
    en: "The hub's authority was made by an earlier version and could vouch for any website. Renew it under System, Network, and trust it again.",
    hi: "हब का प्राधिकरण पुराने संस्करण ने बनाया था और किसी भी वेबसाइट की पहचान दे सकता है। सिस्टम, नेटवर्क में उसे नया बनाएँ और उस पर फिर भरोसा करें।",
  },
  "health.encryption.ends": {
    en: "The hub's authority ends within a year. Renew it under System, Network, and trust it again on each phone and computer.",
    hi: "हब का प्राधिकरण एक साल के भीतर ख़त्म होगा। सिस्टम, नेटवर्क में उसे नया बनाएँ और हर फ़ोन और कंप्यूटर पर उस पर फिर भरोसा करें।",
  },
  "health.encryption.lost": {
    en: "The hub's certificate authority cannot be used, and neither can its copy. https goes on with what is left, so browsers may warn. Restore a backup, or renew the authority under System, Network (“gatehouse doctor --new-authority” on a stopped hub), and trust it again on each phone and device.",
    hi: "हब का प्रमाणपत्र प्राधिकरण काम में नहीं लिया जा सकता, उसकी प्रति भी नहीं। https बची हुई फ़ाइलों से चल रहा है, इसलिए ब्राउज़र चेतावनी दे सकते हैं। कोई बैकअप वापस लाएँ, या सिस्टम, नेटवर्क में प्राधिकरण को नया करें (बंद हब पर “gatehouse doctor --new-authority”), और हर फ़ोन और डिवाइस पर उस पर फिर भरोसा करें।",
  },
  "health.encryption.off": {
    en: "Off: anybody on this network can read passwords as they are sent.",
    hi: "बंद: इस नेटवर्क में जो भी है वह रास्ते में पासवर्ड पढ़ सकता है।",
  },
  "health.encryption.only": { en: "https only.", hi: "सिर्फ़ https।" },
  "health.encryption.open": {
    en: "https is on; plain http is open too, and what is sent there can be read.",
    hi: "https चालू है; सादा http भी खुला है, और उस पर भेजी हर बात पढ़ी जा सकती है।",
  },
  "health.encryption.uncovered": {
    en: "The hub's authority vouches for the home network only; another name of the settings needs a certificate of your own (tls.mode files).",
    hi: "हब का प्राधिकरण सिर्फ़ घर के नेटवर्क की पहचान देता है; सेटिंग के किसी और नाम के लिए आपका अपना प्रमाणपत्र चाहिए (tls.mode files)।",
  },
  "health.files.key": {
    en: "hub.key is not the key with which this hub's secrets were sealed: second factors, passwords of cameras and webhooks cannot be opened. Bring hub.key back from a backup; or accept it with “gatehouse doctor --accept-key” on the stopped hub, and enter those secrets anew.",
    hi: "hub.key वह कुंजी नहीं है जिससे इस हब के रहस्य बंद किए गए थे: दूसरे चरण की जाँच, कैमरों और वेबहुक के रहस्य नहीं खुल सकते। hub.key को बैकअप से वापस लाएँ; या बंद हब पर “gatehouse doctor --accept-key” से इसे मान लें और वे रहस्य फिर से डालें।",
  },
  "health.files.ok": { en: "All could be read.", hi: "सब पढ़ी जा सकीं।" },
  "health.files.trouble": {
    en: "Some could not be used at the last start. {isCopied, select, yes {Taken from their copies: {copied}. } other {}}{isAnew, select, yes {Made anew: {anew}. } other {}}{isWithout, select, yes {The hub runs without: {without}. } other {}}Check the disk, and make a backup.",
    hi: "पिछली बार चालू होते समय कुछ काम में नहीं ली जा सकीं। {isCopied, select, yes {प्रति से ली गईं: {copied}। } other {}}{isAnew, select, yes {नई बनाई गईं: {anew}। } other {}}{isWithout, select, yes {हब इनके बिना चल रहा है: {without}। } other {}}डिस्क जाँचें और बैकअप बनाएँ।",
  },
  "health.history.ok": {
    en: "Nothing is waiting to be deleted because of its age.",
    hi: "आयु के कारण मिटाने के लिए कुछ प्रतीक्षा में नहीं है।",
  },
  "health.history.waiting": {
    en: "More of the history is too old than may be deleted in a day; {n, plural, one {# entry waits} other {# entries wait}} ({kinds}). A share is deleted each day. Check that the date is right; then an owner may delete them at once, under System.",
    hi: "इतिहास का इतना भाग पुराना हो चुका है जितना एक दिन में नहीं मिटता; {n, plural, one {# प्रविष्टि} other {# प्रविष्टियाँ}} ({kinds}) प्रतीक्षा में हैं। हर दिन एक हिस्सा मिटता है। देखें कि तारीख़ सही है या नहीं; तब मालिक सिस्टम में उन्हें तुरंत मिटाने दे सकता है।",
  },
  "health.modules.broken": {
    en: "Cannot be loaded: {names}. {reading, select, yes {Plates are not read. } other {}}{pictures, select, yes {Pictures of cameras are neither shown nor watched for motion. } other {}}{notifying, select, yes {systemd is notified through systemd-notify, which takes more work. } other {}}Install this version again.",
    hi: "लोड नहीं हो सकते: {names}। {reading, select, yes {प्लेट नहीं पढ़ी जातीं। } other {}}{pictures, select, yes {कैमरों की तस्वीरें न दिखाई जाती हैं, न उनमें हलचल देखी जाती है। } other {}}{notifying, select, yes {systemd को systemd-notify के ज़रिए बताया जाता है, जिसमें ज़्यादा काम लगता है। } other {}}इस संस्करण को फिर से इंस्टॉल करें।",
  },
  "health.modules.ok": { en: "All can be found.", hi: "सब मिल गए।" },
  "health.power.ok": { en: "Strong enough.", hi: "काफ़ी है।" },
  "health.power.sags": {
    en: "The voltage sags: use the supply and cable made for this board. Low voltage ruins cards.",
    hi: "वोल्टेज गिरता है: बोर्ड की अपनी बिजली सप्लाई और केबल लगाएँ। इससे कार्ड ख़राब होते हैं।",
  },
  "health.power.unknown": { en: "This board does not measure it.", hi: "यह बोर्ड इसे नहीं मापता।" },
  "health.runtime.new": { en: "Version {version}.", hi: "संस्करण {version}।" },
  "health.runtime.ok": {
    en: "Version {version}, with security updates until {end}.",
    hi: "संस्करण {version}; सुरक्षा अपडेट {end} तक मिलेंगे।",
  },
  "health.runtime.past": {
    en: "Version {version} has had no security updates since {end}: install the newest release of Gatehouse.",
    hi: "संस्करण {version} को {end} से सुरक्षा अपडेट नहीं मिलते: Gatehouse की सबसे नई रिलीज़ लगाएँ।",
  },
  "health.settings.ok": { en: "As saved.", hi: "जैसी सहेजी गई थीं।" },
  "health.settings.refused": {
    en: "The hub did not start with the settings saved last ({names}), so they were undone. This note goes away with the next change of a setting.",
    hi: "जो पिछली बार सहेजा गया ({names}), उससे हब शुरू नहीं हुआ, इसलिए उसे वापस ले लिया गया। अगली बार कोई सेटिंग बदलने पर यह सूचना हट जाएगी।",
  },
  "health.settings.unusable": {
    en: "The settings file cannot be read ({reason}). The hub runs with those with which it last started, or with the defaults if it has none. The next change of a setting writes the file anew and keeps the old one beside it.",
    hi: "सेटिंग की फ़ाइल पढ़ी नहीं जा सकती ({reason})। हब उन सेटिंग से चल रहा है जिनसे वह पिछली बार शुरू हुआ था; यदि वे नहीं हैं, तो मूल सेटिंग से। अगली बार कोई सेटिंग बदलने पर फ़ाइल नई लिखी जाएगी और पुरानी उसके पास रखी जाएगी।",
  },
  "health.sntp.off": { en: "Not served: {reason}.", hi: "समय नहीं दिया जा रहा: {reason}।" },
  "health.sntp.ok": {
    en: "Served to the local network on port {port}.",
    hi: "स्थानीय नेटवर्क को पोर्ट {port} पर समय दिया जा रहा है।",
  },
  "health.sntp.unknown": {
    en: "Port {port} answers that the time is not known.",
    hi: "पोर्ट {port} कहता है कि समय पता नहीं।",
  },
  "health.storage.damagedNow": {
    en: "A part of the database could not be read: nothing is stored. Commands still work. Restart the hub, which checks the whole file; if it is damaged, restore a backup then. ({reason})",
    hi: "डेटाबेस का एक हिस्सा पढ़ा नहीं जा सका: कुछ नहीं रखा जाता। आदेश फिर भी काम करते हैं। हब को फिर से शुरू करें, वह पूरी फ़ाइल जाँचता है; यदि वह क्षतिग्रस्त निकले, तब बैकअप वापस लाएँ। ({reason})",
  },
  "health.storage.full": {
    en: "The disk is full: nothing new is stored. Devices and commands still work. Free some space.{standIn, select, yes { Then restart the hub.} other {}} ({reason})",
    hi: "डिस्क भर गई है: नया कुछ नहीं रखा जाता। डिवाइस और आदेश फिर भी काम करते हैं। जगह ख़ाली करें।{standIn, select, yes { फिर हब को दोबारा शुरू करें।} other {}} ({reason})",
  },
  "health.storage.gone": {
    en: "The data folder was moved or deleted while the hub ran: nothing is stored. Put it back, or restart the hub and restore a backup.{standIn, select, yes { Then restart the hub.} other {}} ({reason})",
    hi: "हब के चलते समय डेटा फ़ोल्डर हटा दिया गया या मिटा दिया गया: कुछ नहीं रखा जाता। उसे वापस रखें, या हब को फिर से शुरू करके बैकअप वापस लाएँ।{standIn, select, yes { फिर हब को दोबारा शुरू करें।} other {}} ({reason})",
  },
  "health.storage.ok": { en: "The database can be written.", hi: "डेटाबेस लिखना स्वीकार कर रहा है।" },
  "health.storage.setAside": {
    en: "What could not be read was set aside: {names}. The hub runs without it; check that everything is as you want it, or restore a backup.",
    hi: "जो पढ़ा नहीं जा सका, उसे अलग रख दिया गया: {names}। हब उसके बिना चल रहा है; देख लें कि सब कुछ वैसा है जैसा आप चाहते हैं, या बैकअप वापस लाएँ।",
  },
  "health.storage.silent": {
    en: "The disk has not answered for {seconds} s: what is sent meanwhile is confirmed only when it does. Devices and commands still work. If it does not come back, it is failing: have a backup and another disk at hand.",
    hi: "डिस्क {seconds} सेकंड से जवाब नहीं दे रही: इस बीच भेजी गई चीज़ों की पुष्टि उसके जवाब देने पर ही होगी। डिवाइस और आदेश फिर भी काम करते हैं। अगर वह वापस न आए तो डिस्क ख़राब हो रही है: एक बैकअप और दूसरी डिस्क तैयार रखें।",
  },
  "health.storage.unwritable": {
    en: "The disk takes no writes: nothing new is stored. Devices and commands still work. Check whether it is read-only or failing.{standIn, select, yes { Then restart the hub.} other {}} ({reason})",
    hi: "डिस्क लिखना स्वीकार नहीं कर रही: नया कुछ नहीं रखा जाता। डिवाइस और आदेश फिर भी काम करते हैं। देखें कि डिस्क केवल पढ़ने के लिए तो नहीं है या ख़राब तो नहीं हो रही।{standIn, select, yes { फिर हब को दोबारा शुरू करें।} other {}} ({reason})",
  },
  "health.wear.months": {
    en: "{written} of {budget} MB a day. At this pace the card lasts about {n, plural, one {one month} other {# months}}.",
    hi: "दिन के {budget} में से {written} MB। इस तरह कार्ड क़रीब {n, plural, =1 {एक महीना} other {# महीने}} चलेगा।",
  },
  "health.wear.ok": { en: "{written} of {budget} MB a day.", hi: "दिन के {budget} में से {written} MB।" },
  "health.wear.over": {
    en: "{written} of {budget} MB. Find out what writes so much: cameras that capture too often, or many devices that report every second.",
    hi: "{budget} में से {written} MB। देखें कि इतना कौन लिखता है: कैमरे जो बहुत बार तस्वीर लेते हैं, या डिवाइस जो हर सेकंड बताते हैं।",
  },
  "health.wear.years": {
    en: "{written} of {budget} MB a day. At this pace the card lasts about {n} years.",
    hi: "दिन के {budget} में से {written} MB। इस तरह कार्ड क़रीब {n} साल चलेगा।",
  },
} as const satisfies Texts;
