/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "update.version": { en: "Version {version}", hi: "संस्करण {version}" },
  "update.waits": { en: "One is ready to install", hi: "एक इंस्टॉल के लिए तैयार है" },
  "audit.update.installed": { en: "{who} installed an update", hi: "{who} ने अपडेट लगाया" },
  "audit.update.rolled_back": { en: "{who} went back to version {what}", hi: "{who} ने संस्करण {what} वापस लगाया" },
  "phase.committed": { en: "done", hi: "पूरा" },
  "phase.failed": { en: "failed", hi: "विफल" },
  "phase.installing": { en: "installing", hi: "लग रहा है" },
  "phase.none": { en: "nothing", hi: "कुछ नहीं" },
  "phase.rolledBack": { en: "rolled back", hi: "वापस लिया" },
  "phase.trial": { en: "on trial", hi: "परीक्षण में" },
  "phase.waiting": { en: "waits", hi: "प्रतीक्षा में" },
  "update.choose": { en: "Choose an update file first.", hi: "पहले अपडेट फ़ाइल चुनें।" },
  "update.file": { en: "Update file", hi: "अपडेट फ़ाइल" },
  "update.fileHint": {
    en: "The bundle for this kind of hub, as it was published.",
    hi: "इस तरह के हब का बंडल, जैसा प्रकाशित हुआ।",
  },
  "update.found": { en: "Found on this hub and its sticks", hi: "इस हब और इसकी स्टिक पर मिले" },
  "update.install": { en: "Install an update", hi: "अपडेट लगाएँ" },
  "update.installNow": { en: "Install", hi: "लगाएँ" },
  "update.installText": {
    en: "Its signature is checked first. The hub restarts; unless the new version runs well for two minutes, the old one comes back automatically.",
    hi: "पहले हस्ताक्षर जाँचा जाता है। हब फिर शुरू होता है; नया संस्करण दो मिनट ठीक न रहे तो पुराना अपने आप लौट आता है।",
  },
  "update.installed": { en: "Versions on this hub", hi: "इस हब पर संस्करण" },
  "update.last": { en: "Last update", hi: "पिछला अपडेट" },
  "update.noneFound": {
    en: "None. Copy a bundle to a stick, or send one above.",
    hi: "कोई नहीं। बंडल स्टिक पर रखें, या ऊपर भेजें।",
  },
  "update.notManaged": {
    en: "This hub was started from its sources, so there is nothing to update here.",
    hi: "यह हब अपने स्रोत से शुरू हुआ है, इसलिए यहाँ अपडेट करने को कुछ नहीं।",
  },
  "update.now": { en: "running now", hi: "अभी चल रहा है" },
  "update.progress": { en: "The update is on its way", hi: "अपडेट चल रहा है" },
  "update.rollBack": { en: "Go back to the version before", hi: "पिछले संस्करण पर लौटें" },
  "update.rollBackText": {
    en: "The hub restarts with the version before. Where the newer one changed the database, the copy from before is used; what was recorded since is kept aside.",
    hi: "हब पिछले संस्करण से शुरू होगा। जहाँ नए ने डेटाबेस बदला, वहाँ पहले की प्रति ली जाएगी; तब से दर्ज चीज़ें अलग रखी जाएँगी।",
  },
  "update.running": { en: "Version {version}", hi: "संस्करण {version}" },
} as const satisfies Texts;
