/** What updates records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.noVersionBefore": {
    en: "There is no version to go back to.",
    hi: "वापस जाने के लिए कोई संस्करण नहीं है।",
  },
  "detail.conflict.otherVersionRuns": {
    en: "What runs is not the version that was installed last.",
    hi: "जो चल रहा है, वह आख़िर में डाला गया संस्करण नहीं है।",
  },
  "detail.conflict.updateArch": {
    en: "It is for {arch}, this hub is {own}.",
    hi: "यह {arch} के लिए है, यह हब {own} है।",
  },
  "detail.conflict.updateForCard": {
    en: "It is for hubs that run from a card image; this one was installed by install.sh.",
    hi: "यह उन हब के लिए है जो कार्ड इमेज से चलते हैं; यह हब install.sh से लगाया गया है।",
  },
  "detail.conflict.updateForInstalled": {
    en: "It is for hubs that were installed by install.sh; this one runs from a card image.",
    hi: "यह install.sh से लगाए गए हब के लिए है; यह हब कार्ड इमेज से चलता है।",
  },
  "detail.conflict.updateLacks": { en: "The update lacks {file}.", hi: "अपडेट में {file} नहीं है।" },
  "detail.conflict.updateNone": { en: "What lies there is no update.", hi: "वहाँ जो है वह अपडेट नहीं है।" },
  "detail.conflict.updateOlder": {
    en: "Version {version} is older than {own}, which runs. Only a newer one is taken; going back is done here, to the version before.",
    hi: "संस्करण {version} चल रहे {own} से पुराना है। केवल नया लिया जाता है; पिछले संस्करण पर यहीं से लौटा जाता है।",
  },
  "detail.conflict.updateRuns": { en: "Version {version} is what runs.", hi: "संस्करण {version} ही चल रहा है।" },
  "detail.conflict.versionGone": {
    en: "Version {version} is not on the hub any more.",
    hi: "संस्करण {version} अब इस हब पर नहीं है।",
  },
  "detail.file.notAFile": { en: "{file} is not a file.", hi: "{file} कोई फ़ाइल नहीं है।" },
  "detail.forbidden.updateNotSigned": {
    en: "The update is not signed by a key that this hub trusts.",
    hi: "अपडेट पर ऐसी कुंजी के हस्ताक्षर नहीं हैं जिस पर यह हब भरोसा करता है।",
  },
  "detail.update.changed": {
    en: "The update is damaged: {name} is not what was signed.",
    hi: "अपडेट क्षतिग्रस्त है: {name} वैसी नहीं है जिस पर हस्ताक्षर हुए थे।",
  },
  "detail.update.checking": { en: "The update is being checked and copied.", hi: "अपडेट जाँचा और कॉपी किया जा रहा है।" },
  "detail.update.committed": { en: "Version {version} runs and stays.", hi: "संस्करण {version} चल रहा है और बना रहेगा।" },
  "detail.update.crashed": { en: "it crashed {n, plural, one {# time} other {# times}}", hi: "वह {n} बार बंद पड़ा" },
  "detail.update.cutOff": {
    en: "The update is cut off; copy or upload it again.",
    hi: "अपडेट अधूरा है; उसे फिर से कॉपी या अपलोड करें।",
  },
  "detail.update.databaseBefore": {
    en: "The database is the one from before the update ({taken} UTC); what was recorded since is not shown, and kept aside in {file}.",
    hi: "डेटाबेस अपडेट से पहले का है ({taken} UTC); उसके बाद जो दर्ज हुआ वह नहीं दिखता, और {file} में अलग रखा है।",
  },
  "detail.update.failed": { en: "{why} Nothing was changed.", hi: "{why} कुछ नहीं बदला।" },
  "detail.update.fits": { en: "Gatehouse {version}, signed.", hi: "Gatehouse {version}, हस्ताक्षर सहित।" },
  "detail.update.lacks": {
    en: "The update is damaged: {name} is missing or cut off.",
    hi: "अपडेट क्षतिग्रस्त है: {name} नहीं है या अधूरी है।",
  },
  "detail.update.neverStarted": {
    en: "The hub was switched off before the new version was started. Nothing was changed.",
    hi: "नया संस्करण शुरू होने से पहले हब बंद हो गया। कुछ नहीं बदला।",
  },
  "detail.update.newerForm": {
    en: "The update is of a form that this version does not know; install a version between first.",
    hi: "अपडेट ऐसे रूप में है जिसे यह संस्करण नहीं जानता; पहले बीच का कोई संस्करण लगाएँ।",
  },
  "detail.update.noAnswer": {
    en: "The stick or the share with the update does not answer.",
    hi: "जिस स्टिक या शेयर पर अपडेट है वह जवाब नहीं देता।",
  },
  "detail.update.noCopy": {
    en: "There was no copy of the database from before: the older version starts with an empty one. What was there is kept aside.",
    hi: "पहले के डेटाबेस की कॉपी नहीं थी: पुराना संस्करण ख़ाली डेटाबेस से शुरू होता है। जो था वह अलग रखा है।",
  },
  "detail.update.noRoom": {
    en: "There is not enough room in {folder} for the update: {megabytes} MB have to be free.",
    hi: "{folder} में अपडेट की जगह नहीं है: {megabytes} MB ख़ाली होने चाहिए।",
  },
  "detail.update.none": { en: "No update was installed yet.", hi: "अभी कोई अपडेट नहीं लगा।" },
  "detail.update.notHealthy": {
    en: "it was not healthy for two minutes within a quarter of an hour",
    hi: "पंद्रह मिनट में वह दो मिनट भी ठीक नहीं चला",
  },
  "detail.update.notProven": {
    en: "The new version did not prove itself; the one before runs again.",
    hi: "नया संस्करण खरा नहीं उतरा; पहले वाला फिर चल रहा है।",
  },
  "detail.update.notStarting": { en: "it does not start ({result})", hi: "वह शुरू नहीं होता ({result})" },
  "detail.update.nothingBefore": {
    en: "There is no version before this one on the hub.",
    hi: "हब पर इससे पहले का संस्करण नहीं है।",
  },
  "detail.update.nothingLost": { en: "No data was lost.", hi: "कोई डेटा नहीं खोया।" },
  "detail.update.personWanted": { en: "a person wanted the version before", hi: "किसी ने पिछला संस्करण चाहा" },
  "detail.update.rolledBack": {
    en: "Version {version} was given up, because {why}. {from} runs again. {data}",
    hi: "संस्करण {version} छोड़ दिया गया, क्योंकि {why}। {from} फिर चल रहा है। {data}",
  },
  "detail.update.threeStarts": {
    en: "the machine started three times without a healthy hub",
    hi: "मशीन तीन बार शुरू हुई पर हब ठीक नहीं चला",
  },
  "detail.update.trial": {
    en: "Version {version} is on trial: it stays once it was healthy for two minutes.",
    hi: "संस्करण {version} परीक्षण पर है: दो मिनट ठीक चलने पर बना रहेगा।",
  },
  "detail.update.tryAgain": {
    en: "The hub was switched off while the update was being copied. Nothing was changed; try again.",
    hi: "अपडेट कॉपी होते समय हब बंद हो गया। कुछ नहीं बदला; फिर कोशिश करें।",
  },
  "detail.update.underWay": {
    en: "An update is under way; wait until it is done.",
    hi: "एक अपडेट चल रहा है; पूरा होने तक रुकें।",
  },
  "detail.update.unmanaged": {
    en: "This hub was not installed by its installer; update it the way you installed it.",
    hi: "यह हब इंस्टॉलर से नहीं लगा; जैसे लगाया वैसे ही अपडेट करें।",
  },
  "detail.update.waiting": { en: "Waiting for the system to take it.", hi: "सिस्टम के लेने का इंतज़ार है।" },
  "detail.update.wrong": { en: "This is not an update of Gatehouse.", hi: "यह Gatehouse का अपडेट नहीं है।" },
} as const satisfies Texts;
