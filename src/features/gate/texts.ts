/** What gate records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.contactItself": {
    en: "A gate is not its own contact sensor.",
    hi: "कोई गेट ख़ुद अपना कॉन्टैक्ट सेंसर नहीं हो सकता।",
  },
  "detail.conflict.contactOf": {
    en: "Only gates, garage doors and locks have a contact sensor.",
    hi: "कॉन्टैक्ट सेंसर केवल गेट, गैराज के दरवाज़े और तालों का होता है।",
  },
  "detail.conflict.passEnded": { en: "The pass has ended.", hi: "यह पास समाप्त हो चुका है।" },
  "detail.conflict.passPlateFixed": {
    en: "The plate of this pass cannot be changed any more. Ask your host.",
    hi: "इस पास की प्लेट अब बदली नहीं जा सकती। अपने मेज़बान से कहें।",
  },
  "detail.conflict.passPlateRefused": {
    en: "This plate cannot be used with the pass. Ask your host.",
    hi: "यह प्लेट इस पास के साथ नहीं चल सकती। अपने मेज़बान से कहें।",
  },
  "detail.conflict.question.kept_shut": {
    en: "Somebody has decided already: the gate is not opened.",
    hi: "किसी ने पहले ही तय कर दिया है: गेट नहीं खुलेगा।",
  },
  "detail.conflict.question.next_vehicle": {
    en: "Too late: the next vehicle is at the gate. It is not opened.",
    hi: "देर हो गई: अगली गाड़ी गेट पर है। गेट नहीं खुलेगा।",
  },
  "detail.conflict.question.opened": { en: "Somebody has let it in already.", hi: "किसी ने इसे पहले ही आने दिया है।" },
  "detail.conflict.question.opened_otherwise": {
    en: "Somebody has opened the gate meanwhile.",
    hi: "इस बीच किसी ने गेट खोल दिया है।",
  },
  "detail.conflict.question.rule_changed": {
    en: "Its rule, or the camera, has changed since the question. The gate is not opened.",
    hi: "सवाल के बाद उसका नियम या कैमरा बदल गया है। गेट नहीं खुलेगा।",
  },
  "detail.conflict.question.unanswered": { en: "Too late: the gate is not opened.", hi: "देर हो गई: गेट नहीं खुलेगा।" },
  "detail.conflict.visitClosed": { en: "The visit is not open.", hi: "यह गाड़ी अब भीतर दर्ज नहीं है।" },
  "detail.opening.no_answer": { en: "It did not answer.", hi: "उसने जवाब नहीं दिया।" },
  "detail.opening.not_moved": { en: "It took the command and did not move.", hi: "उसने आदेश लिया, पर हिला नहीं।" },
  "detail.opening.not_sent": { en: "The message broker did not take the command.", hi: "संदेश ब्रोकर ने आदेश नहीं लिया।" },
  "detail.opening.offline": { en: "It is offline.", hi: "वह ऑफ़लाइन है।" },
  "detail.refusal.gate.awayUnknown": {
    en: "name the device that says that the house is away first",
    hi: "पहले वह डिवाइस बताएँ जिससे पता चलता है कि घर पर कोई नहीं है",
  },
  "detail.refusal.gate.pinMissing": { en: "needs a PIN", hi: "PIN चाहिए" },
  "detail.refusal.import.waiting": {
    en: "Other lists of yours are still being looked at. Wait a moment.",
    hi: "आपकी दूसरी सूचियाँ अभी देखी जा रही हैं। थोड़ा रुकें।",
  },
  "detail.refusal.most.confirming": {
    en: "There can be at most {limit} devices that confirm.",
    hi: "पुष्टि करने वाले अधिक से अधिक {limit} डिवाइस हो सकते हैं।",
  },
  "detail.refusal.most.gateDefaults": {
    en: "There can be at most {limit} defaults.",
    hi: "अधिक से अधिक {limit} सामान्य नियम हो सकते हैं।",
  },
  "detail.refusal.most.passes": {
    en: "There can be at most {limit} guest passes.",
    hi: "अधिक से अधिक {limit} मेहमान पास हो सकते हैं।",
  },
  "detail.refusal.most.passesOwn": {
    en: "You have given {limit} guest passes, as many as are left for everybody else. Take some back, or ask an owner.",
    hi: "आपने {limit} मेहमान पास दिए हैं, जितने बाकी सबके लिए बचे हैं। कुछ वापस लें, या किसी मालिक से कहें।",
  },
  "detail.refusal.most.plateRules": {
    en: "There can be at most {limit} plate rules.",
    hi: "प्लेटों के अधिक से अधिक {limit} नियम हो सकते हैं।",
  },
  "detail.refusal.most.plateRulesEnded": {
    en: "{limit} plate rules have ended. Remove some of them first.",
    hi: "प्लेटों के {limit} नियम समाप्त हो चुके हैं। पहले उनमें से कुछ हटाएँ।",
  },
  "detail.refusal.most.plateRulesOwn": {
    en: "You have made {limit} plate rules, as many as are left for everybody else. Remove some, or ask an owner.",
    hi: "आपने प्लेटों के {limit} नियम बनाए हैं, जितने बाकी सबके लिए बचे हैं। कुछ हटाएँ, या किसी मालिक से कहें।",
  },
  "detail.refusal.pass.inPast": { en: "A pass ends in the future.", hi: "पास का अंत आगे के समय में होना चाहिए।" },
  "detail.refusal.pass.noName": { en: "A pass needs a name.", hi: "पास को नाम चाहिए।" },
  "detail.refusal.pass.order": { en: "A pass must begin before it ends.", hi: "पास की शुरुआत उसके अंत से पहले होनी चाहिए।" },
  "detail.refusal.pass.tooLong": { en: "A pass ends within a year.", hi: "पास एक साल के भीतर समाप्त होना चाहिए।" },
  "detail.refusal.window.days": {
    en: "needs days from 1 (Monday) to 7, and two times HH:MM",
    hi: "दिन (सोमवार से रविवार) और HH:MM में दो समय चाहिए",
  },
  "detail.refusal.window.same": {
    en: "must differ from the time at which it begins; 00:00 to 00:00 is the whole day",
    hi: "अंत का समय शुरुआत के समय से अलग हो; 00:00 से 00:00 पूरा दिन है",
  },
  "detail.refusal.window.tooMany": {
    en: "has more than {limit} windows",
    hi: "{limit} से ज़्यादा समय अवधियाँ नहीं हो सकतीं",
  },
  "detail.unavailable.addressesTried": {
    en: "Other addresses are being tried; try again in a moment.",
    hi: "दूसरे पते आज़माए जा रहे हैं; थोड़ी देर में फिर कोशिश करें।",
  },
  "detail.unavailable.exporting": {
    en: "Another export is running; try again when it has ended.",
    hi: "एक और निर्यात चल रहा है; उसके पूरा होने पर फिर कोशिश करें।",
  },
  "detail.unavailable.passNotStored": {
    en: "The pass that this read joins is not stored.",
    hi: "जिस फेरे से यह पढ़त जुड़ती है वह सहेजा नहीं गया।",
  },
  "detail.unavailable.recogniserBusy": {
    en: "The recogniser is busy; try again in a moment.",
    hi: "प्लेट पढ़ने वाला अभी व्यस्त है; थोड़ी देर में फिर कोशिश करें।",
  },
  "feed.body.gate.asked": {
    en: "{near, select, yes {On no list, but it may be {meant}. } other {}}{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}. It is not opened unless somebody answers within a minute.",
    hi: "{near, select, yes {किसी सूची में नहीं, पर शायद यह {meant} है। } other {}}{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}। एक मिनट में कोई जवाब न दे तो गेट नहीं खुलेगा।",
  },
  "feed.body.gate.failed": { en: "{why}", hi: "{why}" },
  "feed.body.gate.followed": {
    en: "{seen, select, yes {{plate} was there while it was open for another vehicle.} other {The loop behind it counted more vehicles than were let in.}}",
    hi: "{seen, select, yes {जब गेट दूसरी गाड़ी के लिए खुला था तब {plate} वहाँ थी।} other {पीछे के लूप ने जितनी आने दी गईं उनसे ज़्यादा गाड़ियाँ गिनीं।}}",
  },
  "feed.body.gate.kept_shut": {
    en: "{why, select, unanswered {Nobody answered within a minute.} kept_shut {{who} said no.} key {An app said no.} next_vehicle {The next vehicle came before anybody answered.} already_inside {It is inside already: it came in and was not seen to leave.} elsewhere {It was at another gate just now.} presented {It may not have been on a vehicle.} rule_changed {Its rule, or the camera, changed before the answer came.} other {The hub stopped before an answer was recorded.}}",
    hi: "{why, select, unanswered {एक मिनट में किसी ने जवाब नहीं दिया।} kept_shut {{who} ने मना किया।} key {किसी ऐप ने मना किया।} next_vehicle {जवाब से पहले अगली गाड़ी आ गई।} already_inside {यह पहले से अंदर है: अंदर आई थी और बाहर जाते नहीं दिखी।} elsewhere {यह अभी-अभी दूसरे गेट पर थी।} presented {शायद यह गाड़ी पर नहीं थी।} rule_changed {जवाब आने से पहले उसका नियम या कैमरा बदल गया।} other {जवाब दर्ज होने से पहले हब रुक गया।}}",
  },
  "feed.body.gate.not_closed": {
    en: "{why}{kind, select, hub {} automation { Asked by the automation {who}.} scene { Asked by the scene {who}.} other { Asked by {who}.}}",
    hi: "{why}{kind, select, hub {} automation { स्वचालन “{who}” ने कहा था।} scene { दृश्य “{who}” ने कहा था।} other { {who} ने कहा था।}}",
  },
  "feed.body.gate.not_opened": {
    en: "{why}{kind, select, device {} hub {} automation { Asked by the automation {who}.} scene { Asked by the scene {who}.} plate { For {who}.} other { Asked by {who}.}}",
    hi: "{why}{kind, select, device {} hub {} automation { स्वचालन “{who}” ने कहा था।} scene { दृश्य “{who}” ने कहा था।} plate { {who} के लिए।} other { {who} ने कहा था।}}",
  },
  "feed.body.gate.opened": {
    en: "{late, select, yes {Later than expected: it did after all.} other {}}",
    hi: "{late, select, yes {उम्मीद से देर से: आख़िर खुल गया।} other {}}",
  },
  "feed.body.guest.plate": {
    en: "{kind, select, refused {The guest told it by the link of the pass; it is on a list already.} other {The guest told it by the link of the pass.}}",
    hi: "{kind, select, refused {मेहमान ने पास के लिंक से बताया; यह पहले से सूची में है।} other {मेहमान ने पास के लिंक से बताया।}}",
  },
  "feed.body.occupancy.full": {
    en: "{inside} of {capacity} places are taken. The gate still opens for allowed vehicles.",
    hi: "{capacity} में से {inside} जगहें भरी हैं। अनुमति वाले गाड़ियों के लिए गेट फिर भी खुलता है।",
  },
  "feed.body.plate.allowed": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  },
  "feed.body.plate.denied_open": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}. The gate was standing open.",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}। गेट खुला पड़ा था।",
  },
  "feed.body.plate.denied": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  },
  "feed.body.plate.invalid_format": {
    en: "A plate was seen that could not be made out.",
    hi: "प्लेट दिखी पर पढ़ी नहीं जा सकी।",
  },
  "feed.body.plate.no_plate": { en: "No plate was seen.", hi: "कोई प्लेट नहीं दिखी।" },
  "feed.body.plate.no_recogniser": { en: "No recogniser is loaded.", hi: "पहचान उपलब्ध नहीं है।" },
  "feed.body.plate.noted": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  },
  "feed.body.plate.provider_error": { en: "The pictures could not be read.", hi: "तस्वीरें पढ़ी नहीं जा सकीं।" },
  "feed.body.plate.timeout": { en: "Reading took too long.", hi: "पढ़ने में बहुत समय लगा।" },
  "feed.body.plate.unknown_open": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}. The gate was standing open.",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}। गेट खुला पड़ा था।",
  },
  "feed.body.plate.unknown": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  },
  "feed.body.plate.watch_open": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}. The gate was standing open.",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}। गेट खुला पड़ा था।",
  },
  "feed.body.plate.watch": {
    en: "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
    hi: "{labelled, select, yes {{label}, } other {}}{camera}{way, select, in {, अंदर आते हुए} out {, बाहर जाते हुए} other {}}",
  },
  "feed.title.gate.asked": { en: "May {plate} come in?", hi: "क्या {plate} को आने दें?" },
  "feed.title.gate.failed": {
    en: "The gate did not take its command for {plate}",
    hi: "गेट ने {plate} के लिए आदेश नहीं लिया",
  },
  "feed.title.gate.followed": {
    en: "{n, plural, one {A vehicle} other {# vehicles}} followed through {gate}",
    hi: "{gate} से {n, plural, one {एक गाड़ी पीछे-पीछे निकली} other {# गाड़ियाँ पीछे-पीछे निकलीं}}",
  },
  "feed.title.gate.kept_shut": { en: "The gate was not opened for {plate}", hi: "{plate} के लिए गेट नहीं खोला गया" },
  "feed.title.gate.not_closed": {
    en: "{gate} {what, select, lock {was not locked} other {did not close}}",
    hi: "{gate} {what, select, lock {का ताला नहीं लगा} other {बंद नहीं हुआ}}",
  },
  "feed.title.gate.not_opened": {
    en: "{gate} {what, select, lock {was not unlocked} other {did not open}}",
    hi: "{gate} {what, select, lock {का ताला नहीं खुला} other {नहीं खुला}}",
  },
  "feed.title.gate.opened": {
    en: "{kind, select, device {{gate} was {what, select, lock {unlocked} other {opened}} by hand or remote control} hub {{gate} {what, select, lock {was unlocked} other {opened}}} automation {The automation {who} {what, select, lock {unlocked} other {opened}} {gate}} scene {The scene {who} {what, select, lock {unlocked} other {opened}} {gate}} plate {{gate} opened for {who}} other {{who} {what, select, lock {unlocked} other {opened}} {gate}}}",
    hi: "{kind, select, device {{gate} {what, select, lock {का ताला} other {}} हाथ से या रिमोट से खोला गया} hub {{gate} {what, select, lock {का ताला} other {}} खुला} automation {स्वचालन “{who}” ने {gate} {what, select, lock {का ताला} other {}} खोला} scene {दृश्य “{who}” ने {gate} {what, select, lock {का ताला} other {}} खोला} plate {{who} के लिए {gate} खुला} other {{who} ने {gate} {what, select, lock {का ताला} other {}} खोला}}",
  },
  "feed.title.guest.plate": {
    en: "{kind, select, refused {{label} could not use the plate {plate}} other {{label} comes with {plate}}}",
    hi: "{kind, select, refused {{label} नंबर {plate} इस्तेमाल नहीं कर सके} other {{label} {plate} से आएँगे}}",
  },
  "feed.title.occupancy.full": { en: "The site is full", hi: "जगह भर गई है" },
  "feed.title.plate.allowed": { en: "{plate} allowed", hi: "{plate} को अनुमति" },
  "feed.title.plate.denied_open": {
    en: "{plate} came to the open gate (denied)",
    hi: "{plate} खुले गेट पर आई (मना है)",
  },
  "feed.title.plate.denied": { en: "{plate} denied", hi: "{plate} को मनाही" },
  "feed.title.plate.invalid_format": { en: "Plate not recognised at {camera}", hi: "{camera} पर प्लेट नहीं पहचानी गई" },
  "feed.title.plate.no_plate": { en: "Plate not recognised at {camera}", hi: "{camera} पर प्लेट नहीं पहचानी गई" },
  "feed.title.plate.no_recogniser": { en: "Plate not recognised at {camera}", hi: "{camera} पर प्लेट नहीं पहचानी गई" },
  "feed.title.plate.noted": { en: "{plate} seen (on the list, only noted)", hi: "{plate} दिखी (सूची में, सिर्फ़ दर्ज हुआ)" },
  "feed.title.plate.provider_error": { en: "Plate not recognised at {camera}", hi: "{camera} पर प्लेट नहीं पहचानी गई" },
  "feed.title.plate.timeout": { en: "Plate not recognised at {camera}", hi: "{camera} पर प्लेट नहीं पहचानी गई" },
  "feed.title.plate.unknown_open": {
    en: "{plate} came to the open gate (on no list)",
    hi: "{plate} खुले गेट पर आई (किसी सूची में नहीं)",
  },
  "feed.title.plate.unknown": { en: "{plate} seen (on no list)", hi: "{plate} दिखी (किसी सूची में नहीं)" },
  "feed.title.plate.watch_open": {
    en: "{plate} came to the open gate (watch list)",
    hi: "{plate} खुले गेट पर आई (निगरानी सूची)",
  },
  "feed.title.plate.watch": { en: "{plate} seen (watch list)", hi: "{plate} दिखी (निगरानी सूची)" },
} as const satisfies Texts;
