/** What backups records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "health.backup.clear": {
    en: "The last is of {at}. Anyone who gets hold of its stick or share can read it: no passphrase is set.",
    hi: "आख़िरी {at} का है। जिसके हाथ उसकी पेन-ड्राइव या शेयर लगे वह उसे पढ़ सकता है: कोई पासफ़्रेज़ तय नहीं है।",
  },
  "health.backup.onlyHere": {
    en: "The last is of {at}, and all of them are on this hub: they would be lost with its card.",
    hi: "आख़िरी {at} का है, और सब इसी हब पर हैं: इसके कार्ड के साथ वे भी खो जाएँगे।",
  },
  "check.backup-missing": { en: "Backups", hi: "बैकअप" },
  "check.backup-rehearsal": { en: "Restore rehearsal", hi: "वापसी का अभ्यास" },
  "detail.backup.bomb": {
    en: "The backup is damaged: it unpacks to far more than a backup can hold.",
    hi: "बैकअप क्षतिग्रस्त है: खोलने पर वह किसी बैकअप से कहीं बड़ा निकलता है।",
  },
  "detail.backup.changed": {
    en: "The backup is damaged: {name} is not what was put in.",
    hi: "बैकअप क्षतिग्रस्त है: {name} वैसी नहीं है जैसी रखी गई थी।",
  },
  "detail.backup.encrypted": {
    en: "The backup is encrypted; its passphrase is needed.",
    hi: "बैकअप एन्क्रिप्टेड है; उसका पासफ़्रेज़ चाहिए।",
  },
  "detail.backup.keys": {
    en: "The backup is damaged: its Matter keys cannot be read.",
    hi: "बैकअप क्षतिग्रस्त है: उसकी Matter कुंजियाँ पढ़ी नहीं जा सकतीं।",
  },
  "detail.backup.newer": {
    en: "The backup was made by a newer Gatehouse ({version}).",
    hi: "यह बैकअप किसी नए Gatehouse ({version}) ने बनाया है।",
  },
  "detail.backup.noRoom": {
    en: "There is not enough room in {folder}: {megabytes} MB are needed.",
    hi: "{folder} में जगह कम है: {megabytes} MB चाहिए।",
  },
  "detail.backup.noRoomToUnpack": {
    en: "There is not enough room in {folder} to unpack the backup.",
    hi: "{folder} में बैकअप खोलने की जगह नहीं है।",
  },
  "detail.backup.notUnpacked": {
    en: "The backup is damaged: it cannot be unpacked.",
    hi: "बैकअप क्षतिग्रस्त है: उसे खोला नहीं जा सकता।",
  },
  "detail.backup.passphrase": { en: "The passphrase is wrong.", hi: "पासफ़्रेज़ ग़लत है।" },
  "detail.backup.rehearsed": {
    en: "The backup of {at} was restored aside and is sound ({megabytes} MB{migrated, select, yes {, brought up to this version} other {}}).",
    hi: "{at} का बैकअप अलग जगह वापस लाया गया और ठीक है ({megabytes} MB{migrated, select, yes {, इस संस्करण के अनुरूप किया गया} other {}})।",
  },
  "detail.backup.roomToUnpack": {
    en: "There is not enough room in {folder} to unpack the backup: {megabytes} MB have to be free.",
    hi: "{folder} में बैकअप खोलने की जगह नहीं है: {megabytes} MB ख़ाली होने चाहिए।",
  },
  "detail.backup.unreadable": { en: "{file} cannot be read.", hi: "{file} को पढ़ा नहीं जा सकता।" },
  "detail.backup.unsound": { en: "The backup is damaged: {why}.", hi: "बैकअप क्षतिग्रस्त है: {why}।" },
  "detail.backup.wrong": { en: "{file} is not a backup of Gatehouse.", hi: "{file} Gatehouse का बैकअप नहीं है।" },
  "detail.conflict.backupAway": {
    en: "Its stick or share is away: plug it in first.",
    hi: "इसकी स्टिक या शेयर जुड़ा नहीं है: पहले उसे जोड़ें।",
  },
  "detail.conflict.backupStays": { en: "The file cannot be removed.", hi: "फ़ाइल हटाई नहीं जा सकती।" },
  "detail.conflict.backupUnderWay": {
    en: "A backup is being worked on; try again in a minute.",
    hi: "एक बैकअप पर काम चल रहा है; एक मिनट बाद फिर कोशिश करें।",
  },
  "detail.conflict.databaseNotWhole": {
    en: "The database could not be read whole: a backup of what is left would pass for a good one.",
    hi: "डेटाबेस पूरा नहीं पढ़ा जा सका: बचे हुए का बैकअप अच्छा बैकअप समझ लिया जाता।",
  },
  "detail.conflict.fileExists": { en: "{file} exists already.", hi: "{file} पहले से मौजूद है।" },
  "detail.conflict.noBackup": { en: "There is no backup to rehearse with.", hi: "अभ्यास के लिए कोई बैकअप नहीं है।" },
  "detail.conflict.noFolder": { en: "There is no folder {folder}.", hi: "{folder} नाम का कोई फ़ोल्डर नहीं है।" },
  "detail.conflict.uploadKind": {
    en: "The upload is no {kind, select, backup {backup} other {update}}.",
    hi: "भेजी गई फ़ाइल {kind, select, backup {बैकअप} other {अपडेट}} नहीं है।",
  },
  "detail.conflict.uploadNext": {
    en: "The next piece begins at {received}.",
    hi: "अगला हिस्सा {received} से शुरू होता है।",
  },
  "detail.conflict.uploadPieces": {
    en: "Only {received} of {bytes} bytes have arrived.",
    hi: "{bytes} में से केवल {received} बाइट पहुँचे हैं।",
  },
  "detail.conflict.uploadStoring": {
    en: "The piece before it is still being stored.",
    hi: "इससे पहले का हिस्सा अभी सहेजा जा रहा है।",
  },
  "detail.conflict.uploadTooMuch": { en: "That is more than was announced.", hi: "यह बताए गए आकार से ज़्यादा है।" },
  "detail.place.folder": { en: "A folder of the hub.", hi: "हब का एक फ़ोल्डर।" },
  "detail.place.local": {
    en: "On the hub itself: it does not survive the loss of its card.",
    hi: "हब पर ही: उसका कार्ड ख़राब हो तो यह भी नहीं बचता।",
  },
  "detail.place.noFolder": { en: "There is no folder {folder}.", hi: "{folder} नाम का कोई फ़ोल्डर नहीं है।" },
  "detail.place.noStick": { en: "No stick named {label} is plugged in.", hi: "{label} नाम की कोई स्टिक नहीं लगी है।" },
  "detail.place.notMounted": { en: "Nothing is mounted at {folder}.", hi: "{folder} पर कुछ माउंट नहीं है।" },
  "detail.place.share": { en: "A share.", hi: "एक शेयर।" },
  "detail.place.silent": {
    en: "{kind, select, local {The hub's own disk} mount {The share at {place}} usb {The stick {place}} other {The folder {place}}} does not answer.",
    hi: "{kind, select, local {हब की अपनी डिस्क} mount {{place} का शेयर} usb {स्टिक {place}} other {फ़ोल्डर {place}}} से जवाब नहीं मिलता।",
  },
  "detail.place.stick": { en: "A stick.", hi: "एक स्टिक।" },
  "detail.place.stickNotMounted": { en: "The stick {label} is not mounted.", hi: "स्टिक {label} माउंट नहीं है।" },
  "detail.place.unknown": {
    en: "This is not a destination: use folder:/path, mount:/path or usb:LABEL.",
    hi: "यह ऐसी जगह नहीं जहाँ बैकअप जा सके: folder:/path, mount:/path या usb:LABEL लिखें।",
  },
  "detail.place.unreadable": {
    en: "{kind, select, local {The hub's own disk} mount {The share at {place}} usb {The stick {place}} other {The folder {place}}} cannot be read ({why}).",
    hi: "{kind, select, local {हब की अपनी डिस्क} mount {{place} के शेयर} usb {स्टिक {place}} other {फ़ोल्डर {place}}} को पढ़ा नहीं जा सकता ({why})।",
  },
  "detail.refusal.most.uploads": {
    en: "Three uploads are under way; finish one, or wait an hour.",
    hi: "तीन फ़ाइलें पहले से चढ़ रही हैं; एक पूरी करें, या एक घंटा रुकें।",
  },
  "detail.refusal.passphrase": {
    en: "The passphrase needs at least {limit} characters.",
    hi: "पासफ़्रेज़ में कम से कम {limit} अक्षर चाहिए।",
  },
  "detail.unavailable.copyDamaged": { en: "The database is damaged: {why}.", hi: "डेटाबेस ख़राब है: {why}।" },
  "detail.unavailable.place": { en: "The place {folder} does not answer.", hi: "{folder} से कोई जवाब नहीं मिल रहा।" },
  "detail.unavailable.readBack": {
    en: "What was read back is not what was written: the medium is damaged.",
    hi: "जो लिखा गया था और जो वापस पढ़ा गया, वे एक नहीं हैं: स्टिक या डिस्क ख़राब है।",
  },
  "detail.unavailable.restoredDamaged": {
    en: "The restored database is damaged: {why}.",
    hi: "बहाल किया गया डेटाबेस ख़राब है: {why}।",
  },
  "health.backup.failed": {
    en: "The last backup to {destination} failed: {why}",
    hi: "{destination} पर आख़िरी बैकअप नहीं हुआ: {why}",
  },
  "health.backup.first": { en: "The first is made tonight.", hi: "पहला आज रात बनेगा।" },
  "health.backup.late": {
    en: "No backup was made for {n, plural, one {one day} other {# days}}. Make one on the backups page.",
    hi: "{n, plural, =1 {एक दिन} other {# दिन}} से बैकअप नहीं बना। बैकअप पेज पर बनाएँ।",
  },
  "health.backup.off": { en: "Switched off; the last is of {at}.", hi: "बंद है; आख़िरी {at} का है।" },
  "health.backup.offNone": { en: "Switched off; there is none.", hi: "बंद है; कोई बैकअप नहीं।" },
  "health.backup.ok": { en: "The last is of {at}.", hi: "आख़िरी {at} का है।" },
  "health.backup.unowned": {
    en: "Nothing to keep before somebody owns the hub.",
    hi: "जब तक हब किसी का नहीं, रखने को कुछ नहीं।",
  },
  "health.rehearsal.failed": {
    en: "The last backup could not be restored: {why} Make a new one, and check the medium.",
    hi: "आख़िरी बैकअप वापस नहीं लाया जा सका: {why} नया बनाएँ और माध्यम देखें।",
  },
  "health.rehearsal.none": {
    en: "None yet; the first one follows within a week of the first backup.",
    hi: "अभी नहीं; पहला, पहले बैकअप के एक हफ़्ते में होगा।",
  },
  "health.rehearsal.ok": {
    en: "Restored to a separate folder on {at}, and intact.",
    hi: "{at} को अलग से वापस लाकर देखा; सही है।",
  },
} as const satisfies Texts;
