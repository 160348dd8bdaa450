import type { health as english } from "../en/health.js";

/** The texts of en/health.ts in Hindi. */
export const health: Readonly<Record<keyof typeof english, string>> = {
  "check.backup-missing": "बैकअप",
  "check.backup-rehearsal": "वापसी का अभ्यास",
  "check.broker": "MQTT ब्रोकर",
  "check.card-errors": "कार्ड",
  "check.card-wear": "आज लिखा गया",
  "check.clock": "घड़ी",
  "check.disk-space": "डिस्क में जगह",
  "check.encryption": "एन्क्रिप्शन",
  "check.estate": "परिसर",
  "check.files": "हब की अपनी फ़ाइलें",
  "check.history": "इतिहास",
  "check.home-assistant": "Home Assistant से जुड़ाव",
  "check.matter": "Matter (घर-ऐप)",
  "check.modules": "प्रोग्राम के हिस्से",
  "check.outside-broker": "दूसरा MQTT ब्रोकर",
  "check.power": "बिजली सप्लाई",
  "check.recogniser": "प्लेट पहचान",
  "check.runtime": "Node.js रनटाइम",
  "check.series": "लंबी अवधि के माप",
  "check.settings": "सेटिंग्स",
  "check.sntp": "समय सर्वर",
  "check.storage": "भंडारण",
  "check.webhook-secrets": "वेबहुक के रहस्य",
  "check.webhooks": "वेबहुक",
  "health.backup.failed": "{destination} पर आख़िरी बैकअप नहीं हुआ: {why}",
  "health.backup.first": "पहला आज रात बनेगा।",
  "health.backup.late": "{n, plural, =1 {एक दिन} other {# दिन}} से बैकअप नहीं बना। बैकअप पेज पर बनाएँ।",
  "health.backup.off": "बंद है; आख़िरी {at} का है।",
  "health.backup.offNone": "बंद है; कोई बैकअप नहीं।",
  "health.backup.ok": "आख़िरी {at} का है।",
  "health.backup.unowned": "जब तक हब किसी का नहीं, रखने को कुछ नहीं।",
  "health.broker.failed": "ब्रोकर नहीं चल रहा; डिवाइस नहीं जुड़ सकते।",
  "health.broker.ok": "{n, plural, one {# क्लाइंट जुड़ा है} other {# क्लाइंट जुड़े हैं}}।",
  "health.card.errors": "गड़बड़ियाँ मिलीं (फ़ाइल सिस्टम {files}, कार्ड {device})। बैकअप बनाकर कार्ड बदलें।",
  "health.card.ok": "कोई गड़बड़ी नहीं।",
  "health.card.unknown": "सिस्टम इसका हाल नहीं बताता।",
  "health.card.used": "कोई गड़बड़ी नहीं; कार्ड के अनुसार उम्र का {percent} % या कम बीता है।",
  "health.card.worn": "कार्ड कहता है कि उसकी उम्र पूरी होने को है। बैकअप बनाकर बदलें।",
  "health.checkFailed": "जाँच ही नहीं हो सकी: {reason}",
  "health.clock.doubted":
    "समय अभी एक ही स्रोत से मिला है। जब तक दूसरा स्रोत, जैसे किसी मालिक का कंसोल, वही समय न बताए, पुराना होने के कारण कुछ नहीं मिटाया जाता।",
  "health.clock.holdover": "समय पर पहले भरोसा था; अब कोई स्रोत उत्तर नहीं देता।",
  "health.clock.refused":
    "बॉक्स की घड़ी अचानक {at} दिखाने लगी, इसलिए हब अपना ही समय रख रहा है। मालिक के रूप में कंसोल ऐसे उपकरण पर खोलें जिसकी घड़ी सही हो: इससे बात तय हो जाएगी।",
  "health.clock.trusted": "समय पर भरोसा है।",
  "health.clock.unknown": "समय ज्ञात नहीं, इसलिए समय-सारणी रुकी है। एक बार कंसोल खोलें, या समय का स्रोत जोड़ें।",
  "health.disk.low": "{total} में से {free} खाली। जो नहीं चाहिए हटाएँ, या सेटिंग्स में रखने के दिन घटाएँ।",
  "health.disk.ok": "{total} में से {free} खाली",
  "health.encryption.boundless":
    "हब का प्राधिकरण पुराने संस्करण ने बनाया था और किसी भी वेबसाइट की पहचान दे सकता है। सिस्टम, नेटवर्क में उसे नया बनाएँ और उस पर फिर भरोसा करें।",
  "health.encryption.ends":
    "हब का प्राधिकरण एक साल के भीतर ख़त्म होगा। सिस्टम, नेटवर्क में उसे नया बनाएँ और हर फ़ोन और कंप्यूटर पर उस पर फिर भरोसा करें।",
  "health.encryption.lost":
    "हब की प्रमाणपत्र प्राधिकारी काम में नहीं ली जा सकती, उसकी प्रति भी नहीं। https बची हुई फ़ाइलों से चल रहा है, इसलिए ब्राउज़र चेतावनी दे सकते हैं। कोई बैकअप वापस लाएँ, या सिस्टम, नेटवर्क में प्राधिकारी को नया करें (बंद हब पर “gatehouse doctor --new-authority”), और हर फ़ोन और डिवाइस पर उस पर फिर भरोसा करें।",
  "health.encryption.off": "बंद: इस नेटवर्क में जो भी है वह रास्ते में पासवर्ड पढ़ सकता है।",
  "health.encryption.only": "सिर्फ़ https।",
  "health.encryption.open": "https चालू है; सादा http भी खुला है, और उस पर भेजी हर बात पढ़ी जा सकती है।",
  "health.encryption.uncovered":
    "हब का प्राधिकरण सिर्फ़ घर के नेटवर्क की पहचान देता है; सेटिंग के किसी और नाम के लिए आपका अपना प्रमाणपत्र चाहिए (tls.mode files)।",
  "health.files.key":
    "hub.key वह कुंजी नहीं है जिससे इस हब के रहस्य बंद किए गए थे: दूसरे चरण की जाँच, कैमरों और वेबहुक के रहस्य नहीं खुल सकते। hub.key को बैकअप से वापस लाएँ; या बंद हब पर “gatehouse doctor --accept-key” से इसे मान लें और वे रहस्य फिर से डालें।",
  "health.files.ok": "सब पढ़ी जा सकीं।",
  "health.files.trouble":
    "पिछली बार चालू होते समय कुछ काम में नहीं ली जा सकीं। {isCopied, select, yes {प्रति से ली गईं: {copied}। } other {}}{isAnew, select, yes {नई बनाई गईं: {anew}। } other {}}{isWithout, select, yes {हब इनके बिना चल रहा है: {without}। } other {}}डिस्क जाँचें और बैकअप बनाएँ।",
  "health.history.ok": "आयु के कारण मिटाने के लिए कुछ प्रतीक्षा में नहीं है।",
  "health.history.waiting":
    "इतिहास का इतना भाग पुराना हो चुका है जितना एक दिन में नहीं मिटता; {n, plural, one {# प्रविष्टि} other {# प्रविष्टियाँ}} ({kinds}) प्रतीक्षा में हैं। हर दिन एक हिस्सा मिटता है। देखें कि तारीख़ सही है या नहीं; तब मालिक सिस्टम में उन्हें तुरंत मिटाने दे सकता है।",
  "health.homeAssistant.away":
    "{n, plural, =1 {एक मिनट} other {# मिनट}} से सूचना नहीं जा रही ({reason}): Home Assistant में यह घर अनुपलब्ध दिखता है। ब्रोकर और outsideBroker.* सेटिंग देखें।",
  "health.homeAssistant.off": "बंद है।",
  "health.homeAssistant.ok": "यह घर वहाँ दिखता है।",
  "health.homeAssistant.refused": "ब्रोकर हब को {topic} पर लिखने नहीं देता: उसके उपयोगकर्ता को वहाँ लिखने का अधिकार दें।",
  "health.homeAssistant.takingBack": "बंद किया गया; जो वहाँ दिखता था, हटाया जा रहा है।",
  "health.estate.away":
    "{n, plural, =0 {एक मिनट से कम समय} one {एक मिनट} other {# मिनट}} से परिसर से कटा हुआ है। गेट अपनी जानकारी से चल रहा है; {waiting, plural, =0 {भेजने को कुछ बाकी नहीं} one {एक रीड भेजनी बाकी है} other {# रीड भेजनी बाकी हैं}}।",
  "health.estate.broken": "यह हब अपने परिसर से नहीं जुड़ा: {reason}",
  "health.estate.clock":
    "इस हब की घड़ी परिसर की घड़ी से {n, plural, one {एक सेकंड} other {# सेकंड}} अलग है। इसकी रीड फिर भी सही क्रम में रखी जाती हैं; समय के स्रोत देख लें।",
  "health.estate.refused":
    "परिसर के सर्वर इस हब का भेजा हुआ नहीं ले रहे ({reason}): उनकी डिस्क और वहाँ परिसर के लिए रखी जगह देखें। कुछ खोया नहीं है; तब तक {waiting, plural, =0 {एक नियम यहाँ रुका है} one {एक रीड यहाँ रुकी है} other {# रीड यहाँ रुकी हैं}}।",
  "health.estate.ok": "{n, plural, =0 {एक मिनट से कम समय} one {एक मिनट} other {# मिनट}} से जुड़ा है।",
  "health.matter.ended":
    "इसकी प्रक्रिया बंद हो गई ({reason}) और फिर शुरू की जा रही है; अब तक {n} बार। तब तक फ़ोन डिवाइसों तक नहीं पहुँचते।",
  "health.matter.held":
    "बैकअप के साथ घरों और डिवाइसों की कुंजियाँ लौटीं, तब से रुका हुआ है। दूसरा बॉक्स हमेशा के लिए बंद हो जाए, तब सिस्टम › Matter में शुरू करें।",
  "health.matter.noIpv6":
    "फ़ोन, स्पीकर और Matter डिवाइस इस तक नहीं पहुँचते: इस बॉक्स का, या matter.networkInterface में लिखे इंटरफ़ेस का, कोई IPv6 पता नहीं है, और Matter उसी से चलता है। क्या करना है, यह “gatehouse doctor” बताता है; राउटर में IPv6 ज़रूरी नहीं।",
  "health.matter.off": "बंद है।",
  "health.matter.ok": "चल रहा है, अपनी {megabytes} MB मेमोरी के साथ।",
  "health.matter.starting": "शुरू हो रहा है।",
  "health.matter.trouble":
    "यह चल रहा है, पर जुड़े हुए घर इस तक नहीं पहुँचते: {why}। हर मिनट फिर कोशिश होती है; पोर्ट के लिए “gatehouse doctor” मदद करता है।",
  "health.modules.broken":
    "लोड नहीं हो सकते: {names}। {reading, select, yes {प्लेट नहीं पढ़ी जातीं। } other {}}{pictures, select, yes {कैमरों की तस्वीरें न दिखाई जाती हैं, न उनमें हलचल देखी जाती है। } other {}}{notifying, select, yes {systemd को systemd-notify के ज़रिए बताया जाता है, जिसमें ज़्यादा काम लगता है। } other {}}इस संस्करण को फिर से इंस्टॉल करें।",
  "health.modules.ok": "सब मिल गए।",
  "health.outside.away":
    "{n, plural, =1 {एक मिनट} other {# मिनट}} से नहीं मिल रहा ({reason}); {waiting, plural, one {# संदेश} other {# संदेश}} प्रतीक्षा में। उसके डिवाइस पहुँच में नहीं; ब्रोकर और outsideBroker.* सेटिंग देखें।",
  "health.outside.ok": "{n, plural, =1 {एक मिनट} other {# मिनट}} से जुड़ा है।",
  "health.power.ok": "काफ़ी है।",
  "health.power.sags": "वोल्टेज गिरता है: बोर्ड की अपनी बिजली सप्लाई और केबल लगाएँ। इससे कार्ड ख़राब होते हैं।",
  "health.power.unknown": "यह बोर्ड इसे नहीं मापता।",
  "health.recogniser.notReady": "{why}",
  "health.recogniser.ok": "प्लेट पढ़ी जाती हैं।",
  "health.rehearsal.failed": "आख़िरी बैकअप वापस नहीं लाया जा सका: {why} नया बनाएँ और माध्यम देखें।",
  "health.rehearsal.none": "अभी नहीं; पहला, पहले बैकअप के एक हफ़्ते में होगा।",
  "health.rehearsal.ok": "{at} को अलग से वापस लाकर देखा; सही है।",
  "health.runtime.new": "संस्करण {version}।",
  "health.runtime.ok": "संस्करण {version}; सुरक्षा अपडेट {end} तक मिलेंगे।",
  "health.runtime.past": "संस्करण {version} को {end} से सुरक्षा अपडेट नहीं मिलते: Gatehouse की सबसे नई रिलीज़ लगाएँ।",
  "health.series.catchingUp": "पुराने माप भेजे जा रहे हैं।",
  "health.series.nothing": "अभी भेजने को कुछ नहीं।",
  "health.series.off": "बंद है।",
  "health.series.ok": "पिछली बार भेजा: {at}।",
  "health.series.waiting":
    "{n, plural, =0 {एक मिनट से कम} one {एक मिनट} other {# मिनट}} पीछे: {reason}। जब तक हब के पास माप हैं, कुछ नहीं खोता।",
  "health.settings.ok": "जैसी सहेजी गई थीं।",
  "health.settings.refused":
    "जो पिछली बार सहेजा गया ({names}), उससे हब शुरू नहीं हुआ, इसलिए उसे वापस ले लिया गया। अगली बार कोई सेटिंग बदलने पर यह सूचना हट जाएगी।",
  "health.settings.unusable":
    "सेटिंग की फ़ाइल पढ़ी नहीं जा सकती ({reason})। हब उन सेटिंग से चल रहा है जिनसे वह पिछली बार शुरू हुआ था; यदि वे नहीं हैं, तो मूल सेटिंग से। अगली बार कोई सेटिंग बदलने पर फ़ाइल नई लिखी जाएगी और पुरानी उसके पास रखी जाएगी।",
  "health.sntp.off": "समय नहीं दिया जा रहा: {reason}।",
  "health.sntp.ok": "स्थानीय नेटवर्क को पोर्ट {port} पर समय दिया जा रहा है।",
  "health.sntp.unknown": "पोर्ट {port} कहता है कि समय पता नहीं।",
  "health.storage.damaged":
    "डेटाबेस क्षतिग्रस्त है: कुछ नहीं रखा जाता। आदेश फिर भी काम करते हैं। बैकअप वापस लाएँ: आप हमेशा की तरह साइन इन कर सकते हैं। ({reason})",
  "health.storage.damagedNow":
    "डेटाबेस का एक हिस्सा पढ़ा नहीं जा सका: कुछ नहीं रखा जाता। आदेश फिर भी काम करते हैं। हब को फिर से शुरू करें, वह पूरी फ़ाइल जाँचता है; यदि वह क्षतिग्रस्त निकले, तब बैकअप वापस लाएँ। ({reason})",
  "health.storage.full":
    "डिस्क भर गई है: नया कुछ नहीं रखा जाता। डिवाइस और आदेश फिर भी काम करते हैं। जगह खाली करें।{standIn, select, yes { फिर हब को दोबारा शुरू करें।} other {}} ({reason})",
  "health.storage.gone":
    "हब के चलते समय डेटा फ़ोल्डर हटा दिया गया या मिटा दिया गया: कुछ नहीं रखा जाता। उसे वापस रखें, या हब को फिर से शुरू करके बैकअप वापस लाएँ।{standIn, select, yes { फिर हब को दोबारा शुरू करें।} other {}} ({reason})",
  "health.storage.ok": "डेटाबेस लिखना स्वीकार कर रहा है।",
  "health.storage.setAside":
    "जो पढ़ा नहीं जा सका, उसे अलग रख दिया गया: {names}। हब उसके बिना चल रहा है; देख लें कि सब कुछ वैसा है जैसा आप चाहते हैं, या बैकअप वापस लाएँ।",
  "health.storage.silent":
    "डिस्क {seconds} सेकंड से जवाब नहीं दे रही: इस बीच भेजी गई चीज़ों की पुष्टि उसके जवाब देने पर ही होगी। डिवाइस और आदेश फिर भी काम करते हैं। अगर वह वापस न आए तो डिस्क खराब हो रही है: एक बैकअप और दूसरी डिस्क तैयार रखें।",
  "health.storage.unwritable":
    "डिस्क लिखना स्वीकार नहीं कर रही: नया कुछ नहीं रखा जाता। डिवाइस और आदेश फिर भी काम करते हैं। देखें कि डिस्क केवल पढ़ने के लिए तो नहीं है या खराब तो नहीं हो रही।{standIn, select, yes { फिर हब को दोबारा शुरू करें।} other {}} ({reason})",
  "health.wear.months":
    "दिन के {budget} में से {written} MB। इस तरह कार्ड क़रीब {n, plural, =1 {एक महीना} other {# महीने}} चलेगा।",
  "health.wear.ok": "दिन के {budget} में से {written} MB।",
  "health.wear.over":
    "{budget} में से {written} MB। देखें कि इतना कौन लिखता है: कैमरे जो बहुत बार तस्वीर लेते हैं, या डिवाइस जो हर सेकंड बताते हैं।",
  "health.wear.years": "दिन के {budget} में से {written} MB। इस तरह कार्ड क़रीब {n} साल चलेगा।",
  "health.webhooks.ok": "कुछ भी देर से नहीं रुका है।",
  "health.webhooks.pending":
    "{name}: {n, plural, one {# सूचना} other {# सूचनाएँ}} {at} से रुकी {n, plural, one {है} other {हैं}}{more, plural, =0 {} one {, और # वेबहुक भी रुका है} other {, और # वेबहुक भी रुके हैं}}। देखें कि रिसीवर चल रहा है और 2xx से उत्तर देता है; तब रुकी हुई सूचनाएँ भेज दी जाएँगी।",
  "health.webhookSecrets.ok": "हर एक पर हस्ताक्षर हो सकता है।",
  "health.webhookSecrets.unsigned":
    "{n, plural, one {# वेबहुक को} other {# वेबहुक को}} नहीं बुलाया जा रहा: hub.key फ़ाइल वह नहीं है जिससे {n, plural, =1 {उसका रहस्य} other {उनके रहस्य}} सील {n, plural, =1 {हुआ था} other {हुए थे}}। उसे बैकअप से वापस लाएँ, या {n, plural, =1 {उसे नया रहस्य} other {उन्हें नए रहस्य}} दें।",
};
