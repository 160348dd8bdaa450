import type { feed as english } from "../en/feed.ts";

/** The texts of en/feed.ts in Hindi. */
export const feed: Readonly<Record<keyof typeof english, string>> = {
  "feed.title.aged.audit": "ऑडिट सूची का बड़ा भाग एक साथ पुराना हो गया",
  "feed.body.aged.audit":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.feed": "गतिविधि सूची का बड़ा भाग एक साथ पुराना हो गया",
  "feed.body.aged.feed":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.openings": "गेट खुलने के बहुत-से ब्योरे एक साथ पुराने हो गए",
  "feed.body.aged.openings":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.pictures": "बहुत-से चित्र एक साथ पुराने हो गए",
  "feed.body.aged.pictures":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.reads": "बहुत-सी नंबर-प्लेट पढ़तें एक साथ पुरानी हो गईं",
  "feed.body.aged.reads":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.samples": "बहुत-से माप एक साथ पुराने हो गए",
  "feed.body.aged.samples":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.states": "बहुत-से स्थिति-बदलाव एक साथ पुराने हो गए",
  "feed.body.aged.states":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.sums": "बहुत-से घंटेवार योग एक साथ पुराने हो गए",
  "feed.body.aged.sums":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.aged.visits": "बहुत-सी आवाजाही एक साथ पुरानी हो गई",
  "feed.body.aged.visits":
    "हर दिन एक हिस्सा मिटता है; बाक़ी ({n}) तब तक रहता है। यदि तारीख़ सही है, तो मालिक सिस्टम में उसे तुरंत मिटाने दे सकता है।",
  "feed.title.automation.failed": "{name} सब कुछ नहीं कर सका",
  "feed.body.automation.failed": "{what}: {why}",
  "feed.title.automation.fired": "{name}",
  "feed.body.automation.fired":
    "{n, plural, =0 {भेजने को कुछ नहीं था।} other {हो गया: {steps}{more, plural, =0 {।} other { और # और।}}}}",
  "feed.title.automation.paused": "{name} बंद किया गया",
  "feed.body.automation.paused": "यह एक मिनट में {n} से अधिक बार चला। इसका कारण देखें, फिर चालू करें।",
  "feed.title.clock.back": "घड़ी मिलाई गई",
  "feed.body.clock.back": "यह लगभग {n} मिनट पीछे हुई। समय-सारणी नए समय से चलेगी।",
  "feed.title.clock.back_hours": "घड़ी मिलाई गई",
  "feed.body.clock.back_hours": "यह लगभग {n, plural, one {# घंटा} other {# घंटे}} पीछे हुई। समय-सारणी नए समय से चलेगी।",
  "feed.title.clock.forward": "घड़ी मिलाई गई",
  "feed.body.clock.forward": "यह लगभग {n} मिनट आगे बढ़ी। समय-सारणी नए समय से चलेगी।",
  "feed.title.clock.forward_hours": "घड़ी मिलाई गई",
  "feed.body.clock.forward_hours": "यह लगभग {n, plural, one {# घंटा} other {# घंटे}} आगे बढ़ी। समय-सारणी नए समय से चलेगी।",
  "feed.title.clock.known": "समय ज्ञात हुआ",
  "feed.body.clock.known": "समय-सारणी अब से चलेगी।",
  "feed.title.clock.refused": "घड़ी अचानक बदल गई",
  "feed.body.clock.refused": "बॉक्स की घड़ी {at} दिखा रही है। जब तक कोई नए समय की पुष्टि न करे, हब अपना समय रखेगा।",
  "feed.title.clock.returned": "घड़ी फिर सही है",
  "feed.body.clock.returned": "बॉक्स की घड़ी फिर हब का समय दिखा रही है।",
  "feed.title.command.failed": "{name} को आदेश नहीं मिला",
  "feed.body.command.failed": "डिवाइस {n} सेकंड तक नहीं था।",
  "feed.title.command.unconfirmed": "{name} ने आदेश की पुष्टि नहीं की",
  "feed.title.device.added": "{name} जोड़ा गया",
  "feed.title.device.firmware": "{name} में नया फ़र्मवेयर है",
  "feed.body.device.firmware": "{before} → {after}",
  "feed.title.device.offline": "{name} ऑफ़लाइन है",
  "feed.title.device.online": "{name} ऑनलाइन है",
  "feed.title.device.removed": "{name} हटाया गया",
  "feed.title.gate.failed": "गेट ने {plate} के लिए आदेश नहीं लिया",
  "feed.body.gate.failed": "{why}",
  "feed.title.gate.asked": "क्या {plate} को आने दें?",
  "feed.body.gate.asked":
    "{near, select, yes {किसी सूची में नहीं, पर शायद यह {meant} है। } other {}}{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}। एक मिनट में कोई जवाब न दे तो गेट बंद रहेगा।",
  "feed.title.gate.followed": "{gate} से {n, plural, one {एक वाहन} other {# वाहन}} पीछे-पीछे निकले",
  "feed.body.gate.followed":
    "{seen, select, yes {जब गेट दूसरे वाहन के लिए खुला था तब {plate} वहाँ था।} other {पीछे के लूप ने जितनों को आने दिया गया उनसे ज़्यादा वाहन गिने।}}",
  "feed.title.gate.kept_shut": "{plate} के लिए गेट बंद रहा",
  "feed.body.gate.kept_shut":
    "{why, select, unanswered {एक मिनट में किसी ने जवाब नहीं दिया।} kept_shut {{who} ने बंद रखा।} key {किसी ऐप ने बंद रखा।} next_vehicle {जवाब से पहले अगला वाहन आ गया।} already_inside {यह पहले से अंदर है: अंदर आया था और बाहर जाते नहीं दिखा।} elsewhere {यह अभी-अभी दूसरे गेट पर था।} rule_changed {जवाब आने से पहले उसका नियम या कैमरा बदल गया।} other {जवाब दर्ज होने से पहले हब रुक गया।}}",
  "feed.title.key.created": "कुंजी “{name}” बनी",
  "feed.body.key.created": "{key}, {n, plural, one {# अधिकार} other {# अधिकार}}",
  "feed.title.key.revoked": "कुंजी “{name}” रद्द हुई",
  "feed.body.key.revoked": "{key}",
  "feed.title.occupancy.full": "जगह भर गई है",
  "feed.body.occupancy.full": "{capacity} में से {inside} जगहें भरी हैं। अनुमति वाले वाहनों के लिए गेट फिर भी खुलता है।",
  "feed.title.gate.not_opened": "{gate} {what, select, lock {का ताला नहीं खुला} other {नहीं खुला}}",
  "feed.body.gate.not_opened":
    "{why}{kind, select, device {} hub {} automation { ऑटोमेशन {who} ने कहा था।} scene { सीन {who} ने कहा था।} plate { {who} के लिए।} other { {who} ने कहा था।}}",
  "feed.title.gate.opened":
    "{kind, select, device {{gate} {what, select, lock {का ताला} other {}} हाथ से या रिमोट से खोला गया} hub {{gate} {what, select, lock {का ताला} other {}} खुला} automation {ऑटोमेशन {who} ने {gate} {what, select, lock {का ताला} other {}} खोला} scene {सीन {who} ने {gate} {what, select, lock {का ताला} other {}} खोला} plate {{who} के लिए {gate} खुला} other {{who} ने {gate} {what, select, lock {का ताला} other {}} खोला}}",
  "feed.body.gate.opened": "{late, select, yes {उम्मीद से देर से: आख़िर खुल गया।} other {}}",
  "feed.title.estate.late_ban": "मनाही पहुँचने से पहले {plate} अंदर आ चुका था",
  "feed.body.estate.late_ban":
    "दूसरे गेट ने {minutes, plural, one {# मिनट} other {# मिनट}} पहले इसे मना किया था; यह हब कटा हुआ था और उसे अब पता चला। इस बीच इसे {camera} पर अंदर आने दिया गया।",
  "feed.title.estate.rule_dropped": "{plate} के लिए दूसरे गेट का नियम लागू है",
  "feed.body.estate.rule_dropped":
    "{labelled, select, yes {{label}: } other {}}इस हब पर बना नियम उसी नंबर के लिए दूसरे गेट पर बने नियम से टकराया। हर जगह दूसरे गेट का नियम लागू है।",
  "feed.title.estate.rule_settled": "{plate} के लिए गेटों पर अलग-अलग नियम थे",
  "feed.body.estate.rule_settled":
    "आख़िरी बदलाव हर गेट तक नहीं पहुँचा था। {kind, select, deny {अब सभी गेटों पर इसे मना है} allow {अब सभी गेटों पर इसे अनुमति है} watch {अब सभी गेटों पर इस पर नज़र रखी जाती है} other {अब किसी गेट पर इसका कोई नियम नहीं है}}: दो बदलाव एक-दूसरे को जाने बिना हुए थे, और बाद वाला लागू है। देख लें कि आप यही चाहते हैं।",
  "feed.title.guest.plate":
    "{kind, select, refused {{label} नंबर {plate} इस्तेमाल नहीं कर सके} other {{label} {plate} से आएँगे}}",
  "feed.body.guest.plate":
    "{kind, select, refused {मेहमान ने पास के लिंक से बताया; यह पहले से सूची में है।} other {मेहमान ने पास के लिंक से बताया।}}",
  "feed.title.plate.allowed": "{plate} को अनुमति",
  "feed.body.plate.allowed":
    "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  "feed.title.plate.denied": "{plate} को मनाही",
  "feed.body.plate.denied":
    "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  "feed.title.plate.invalid_format": "{camera} पर प्लेट नहीं पहचानी गई",
  "feed.body.plate.invalid_format": "प्लेट दिखी पर पढ़ी नहीं जा सकी।",
  "feed.title.plate.no_plate": "{camera} पर प्लेट नहीं पहचानी गई",
  "feed.body.plate.no_plate": "कोई प्लेट नहीं दिखी।",
  "feed.title.plate.no_recogniser": "{camera} पर प्लेट नहीं पहचानी गई",
  "feed.body.plate.no_recogniser": "पहचान उपलब्ध नहीं है।",
  "feed.title.plate.provider_error": "{camera} पर प्लेट नहीं पहचानी गई",
  "feed.body.plate.provider_error": "चित्र पढ़े नहीं जा सके।",
  "feed.title.plate.timeout": "{camera} पर प्लेट नहीं पहचानी गई",
  "feed.body.plate.timeout": "पढ़ने में बहुत समय लगा।",
  "feed.title.plate.noted": "{plate} दिखा (सूची में, सिर्फ़ दर्ज हुआ)",
  "feed.body.plate.noted":
    "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  "feed.title.plate.unknown": "{plate} दिखा (किसी सूची में नहीं)",
  "feed.body.plate.unknown":
    "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  "feed.title.plate.watch": "{plate} दिखा (निगरानी सूची)",
  "feed.body.plate.watch":
    "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  "feed.title.scene.activated": "दृश्य {name} चलाया गया",
  "feed.body.scene.activated": "{sent, plural, one {# आदेश भेजा गया} other {# आदेश भेजे गए}}",
  "feed.title.scene.partly": "दृश्य {name} चलाया गया",
  "feed.body.scene.partly":
    "{sent, plural, one {# आदेश भेजा गया} other {# आदेश भेजे गए}}{skipped, plural, =0 {} other {, # छोड़े}}{refused, plural, =0 {} other {, # अस्वीकार}}",
  "feed.title.security.login": "{name} ने साइन इन किया",
  "feed.body.security.login": "{address} से",
  "feed.title.security.login_failed": "साइन इन अस्वीकार",
  "feed.body.security.login_failed": "{address} से किसी ने {email} बनकर साइन इन करना चाहा",
  "feed.title.security.passkey_added": "{name} ने एक पासकी जोड़ी",
  "feed.body.security.passkey_added": "{passkey}",
  "feed.title.security.passkey_removed": "{name} ने एक पासकी हटाई",
  "feed.body.security.passkey_removed": "{passkey}",
  "feed.title.security.password_changed": "पासवर्ड बदला",
  "feed.body.security.password_changed": "{name}; {n, plural, one {# और सत्र समाप्त} other {# और सत्र समाप्त}}",
  "feed.title.security.restored": "बैकअप वापस लाया गया: तब से जो रद्द हुआ, वह रद्द ही रहेगा",
  "feed.body.security.restored":
    "बैकअप के साथ लौटे {n, plural, one {# प्रवेश} other {# प्रवेश}} और {sessions, plural, one {# सत्र} other {# सत्र}} समाप्त",
  "feed.title.security.grants_ended": "{name} का दिया हुआ प्रवेश समाप्त हुआ",
  "feed.body.security.grants_ended": "{n, plural, one {# प्रवेश} other {# प्रवेश}}: {list}",
  "feed.title.security.grants_ended_gone": "हटाए गए व्यक्ति का दिया हुआ प्रवेश समाप्त हुआ",
  "feed.body.security.grants_ended_gone": "{n, plural, one {# प्रवेश} other {# प्रवेश}}: {list}",
  "feed.title.storage.damaged": "डेटाबेस क्षतिग्रस्त है",
  "feed.body.storage.damaged": "अब कुछ नहीं रखा जाता। सिस्टम, बैकअप में जाकर बैकअप वापस लाएँ।",
  "feed.title.storage.files": "हब की कुछ फ़ाइलें काम में नहीं ली जा सकीं",
  "feed.body.storage.files": "{files}। हब ने क्या किया, यह सिस्टम, स्वास्थ्य में है।",
  "feed.title.webhook.disabled_failures": "वेबहुक बंद हुआ",
  "feed.body.webhook.disabled_failures": "{name}: लगातार 20 प्रयास विफल रहे",
  "feed.title.webhook.disabled_gone": "वेबहुक बंद हुआ",
  "feed.body.webhook.disabled_gone": "{name}: प्राप्तकर्ता ने कहा कि वह अब नहीं है",
  "feed.title.webhook.disabled_owner": "वेबहुक बंद हुआ",
  "feed.body.webhook.disabled_owner": "{name}: मालिक ने बंद किया",
  "feed.title.webhook.enabled": "वेबहुक चालू हुआ",
  "feed.body.webhook.enabled": "{name}",
};
