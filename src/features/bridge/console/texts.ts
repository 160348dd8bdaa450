/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "audit.bridge.client_accepted": {
    en: "{who} let {what} in, a device of another make",
    hi: "{who} ने दूसरी कंपनी के {what} को अंदर लिया",
  },
  "audit.bridge.client_made": {
    en: "{who} made a password for {what}, a device of another make",
    hi: "{who} ने दूसरी कंपनी के {what} का पासवर्ड बनाया",
  },
  "audit.bridge.client_password_renewed": {
    en: "{who} made a new password for {what}, a device of another make",
    hi: "{who} ने दूसरी कंपनी के {what} का नया पासवर्ड बनाया",
  },
  "audit.bridge.client_refused": {
    en: "{who} refused {what}, a device of another make",
    hi: "{who} ने दूसरी कंपनी के {what} को मना किया",
  },
  "audit.bridge.client_removed": {
    en: "{who} removed {what}, a device of another make",
    hi: "{who} ने दूसरी कंपनी का {what} हटाया",
  },
  "audit.bridge.ghosts_cleared": { en: "{who} cleared messages left behind", hi: "{who} ने छूटे संदेश साफ़ किए" },
  "audit.bridge.pairing_closed": {
    en: "{who} closed the hub to new devices of other makes",
    hi: "{who} ने दूसरी कंपनियों के नए डिवाइसों के लिए हब बंद किया",
  },
  "audit.bridge.pairing_opened": {
    en: "{who} opened the hub to new devices of other makes",
    hi: "{who} ने दूसरी कंपनियों के नए डिवाइसों के लिए हब खोला",
  },
  "bridge.abilities": { en: "What it may do", hi: "यह क्या कर सकता है" },
  "bridge.accept": { en: "Accept", hi: "स्वीकार करें" },
  "bridge.acceptText": {
    en: "From now on it may connect with the password that it tried. It is disconnected once and reconnects on its own; only then do its devices appear.",
    hi: "अब से यह उसी पासवर्ड से जुड़ सकता है जिससे उसने दस्तक दी। इसे एक बार काटा जाता है और यह अपने आप वापस आता है; उसके बाद ही इसके डिवाइस दिखते हैं।",
  },
  "bridge.acceptTitle": { en: "Let {name} in?", hi: "{name} को आने दें?" },
  "bridge.add": { en: "Add a device of another make", hi: "दूसरी कंपनी का डिवाइस जोड़ें" },
  "bridge.addText": {
    en: "Creates a user name and a password for it, with the lines to paste into its own settings.",
    hi: "इसके लिए उपयोगकर्ता नाम और पासवर्ड बनाता है, और वे पंक्तियाँ देता है जो इसकी सेटिंग में चिपकानी हैं।",
  },
  "bridge.alsoSeenBy": { en: "also announced by {families}", hi: "{families} ने भी बताया" },
  "bridge.clear": { en: "Clear", hi: "साफ़ करें" },
  "bridge.clearGhostsText": {
    en: "{n, plural, one {One message goes} other {# messages go}}. A device that is still there announces itself again.",
    hi: "{n, plural, =1 {एक संदेश हटेगा} other {# संदेश हटेंगे}}। जो डिवाइस अब भी है वह फिर अपनी सूचना देगा।",
  },
  "bridge.clients": { en: "What connects", hi: "क्या जुड़ता है" },
  "bridge.estimated": { en: "energy estimated", hi: "ऊर्जा अनुमानित" },
  "bridge.families": { en: "Makes that are understood", hi: "समझी जाने वाली कंपनियाँ" },
  "bridge.family": { en: "Make", hi: "कंपनी" },
  "bridge.ghosts": { en: "Messages left behind", hi: "छूटे हुए संदेश" },
  "bridge.ghostsCleared": { en: "Cleared", hi: "साफ़ हुआ" },
  "bridge.ghostsText": {
    en: "{n, plural, one {One message is} other {# messages are}} still kept of devices that are gone.",
    hi: "{n, plural, =1 {एक संदेश} other {# संदेश}} ऐसे डिवाइस के हैं जो अब नहीं हैं।",
  },
  "bridge.address": { en: "Address of the device", hi: "डिवाइस का पता" },
  "bridge.addressHint": {
    en: "As your router or the device’s own app shows it, for example 192.168.1.40. It goes into the lines below.",
    hi: "जैसा आपका राउटर या डिवाइस का अपना ऐप दिखाता है, जैसे 192.168.1.40। यह नीचे की पंक्तियों में लग जाता है।",
  },
  "bridge.areHere": { en: "{n} devices are here.", hi: "{n} डिवाइस आ गए।" },
  "bridge.isHere": { en: "It is here: {names}.", hi: "आ गया: {names}।" },
  "bridge.letIn": { en: "Let new devices in for {n} minutes", hi: "{n} मिनट के लिए नए डिवाइस आने दें" },
  "bridge.madeText": {
    en: "Copy the password now; it is not shown again.",
    hi: "पासवर्ड अभी कॉपी करें; यह फिर नहीं दिखेगा।",
  },
  "bridge.madeTitle": { en: "How {name} connects", hi: "{name} कैसे जुड़ता है" },
  "bridge.make": { en: "Create a password", hi: "पासवर्ड बनाएँ" },
  "bridge.mayAnnounce": {
    en: "It may announce devices of {makes}, and then report for them.",
    hi: "यह {makes} के डिवाइस बता सकता है, और फिर उनकी जानकारी दे सकता है।",
  },
  "bridge.mayGateway": {
    en: "All messages that begin with {topic} are its own; nothing else gets them.",
    hi: "{topic} के नीचे सब कुछ इसी का है; किसी और को नहीं मिलता।",
  },
  "bridge.mayNotCommand": {
    en: "It cannot command other devices, and hears nothing from them.",
    hi: "यह दूसरे डिवाइसों को आदेश नहीं दे सकता, और उनके बारे में कुछ नहीं सुनता।",
  },
  "bridge.mayNotPlates": { en: "It cannot send number plates.", hi: "यह नंबर प्लेट नहीं भेज सकता।" },
  "bridge.mayNothing": {
    en: "Say what make it is: without that it may do nothing.",
    hi: "बताएँ कि यह किस कंपनी का है: उसके बिना यह कुछ नहीं कर सकता।",
  },
  "bridge.mayPlates": {
    en: "It may send number plates, and by your plate rules these open the gate.",
    hi: "यह नंबर प्लेट भेज सकता है, और आपके प्लेट नियमों के अनुसार वे गेट खोलती हैं।",
  },
  "bridge.mayReport": {
    en: "It may report for: {devices} ({makes}).",
    hi: "यह इनकी जानकारी दे सकता है: {devices} ({makes})।",
  },
  "bridge.moves": { en: "{name} moves the gate", hi: "गेट {name} से चलता है" },
  "bridge.noClients": { en: "Nothing of another make connects yet.", hi: "अभी दूसरी कंपनी का कुछ नहीं जुड़ता।" },
  "bridge.notKnown": { en: "Not known", hi: "ज्ञात नहीं" },
  "bridge.open": { en: "open", hi: "खुला" },
  "bridge.openUntil": { en: "New devices may knock until {at}.", hi: "{at} तक नए डिवाइस दस्तक दे सकते हैं।" },
  "bridge.openUrl": { en: "Open it", hi: "इसे खोलें" },
  "bridge.pairing": { en: "New devices", hi: "नए डिवाइस" },
  "bridge.pairingText": {
    en: "While this is open, a device that already knows this hub's address may knock with any user name and password. It says what it is, does nothing else, and waits here until you accept it. When the window closes it is cut off.",
    hi: "जब तक यह खुला है, इस हब का पता जानने वाला डिवाइस किसी भी नाम और पासवर्ड से दस्तक दे सकता है। वह बताता है कि वह क्या है, और कुछ नहीं करता, और यहाँ आपकी स्वीकृति की प्रतीक्षा करता है। समय समाप्त होने पर उसे काट दिया जाता है।",
  },
  "bridge.problems": { en: "Not understood", hi: "समझ में नहीं आया" },
  "bridge.refuse": { en: "Refuse", hi: "मना करें" },
  "bridge.refused": { en: "refused", hi: "मना किया" },
  "bridge.relayName": { en: "Gate relay", hi: "गेट की रिले" },
  "bridge.removeText": {
    en: "It is disconnected and forgotten; its devices stay until they are removed.",
    hi: "इसे काटकर भुला दिया जाता है; इसके डिवाइस हटाए जाने तक रहते हैं।",
  },
  "bridge.removeTitle": { en: "Forget {name}?", hi: "{name} को भूलें?" },
  "bridge.saysNothing": {
    en: "It is connected. Waiting for it to say what it is …",
    hi: "जुड़ गया। यह क्या है, इसके बताने का इंतज़ार है …",
  },
  "bridge.showTopics": { en: "Show the topics", hi: "विषय दिखाएँ" },
  "bridge.shut": { en: "Close it now", hi: "अभी बंद करें" },
  "bridge.standing": { en: "{n} of all {all} devices", hi: "सभी {all} डिवाइसों में से {n}" },
  "bridge.subtitle": {
    en: "How devices of Tasmota, Shelly, ESPHome, Zigbee2MQTT and more get in",
    hi: "Tasmota, Shelly, ESPHome, Zigbee2MQTT वग़ैरह के डिवाइस कैसे जुड़ें",
  },
  "bridge.times": { en: "{n, plural, one {once} other {# times}}", hi: "{n, plural, =1 {एक बार} other {# बार}}" },
  "bridge.waiting": { en: "waiting", hi: "प्रतीक्षा में" },
  "bridge.waitsFor": {
    en: "Waiting for it. It appears here by itself once it has these lines.",
    hi: "इसका इंतज़ार है। ये पंक्तियाँ मिलते ही यह यहाँ अपने आप दिखेगा।",
  },
  "bridge.wouldBring": { en: "Would bring: {devices}", hi: "साथ लाएगा: {devices}" },
  "field.family": { en: "Make", hi: "कंपनी" },
  "secret.copyNamed": { en: "Copy: {name}", hi: "कॉपी करें: {name}" },
} as const satisfies Texts;
