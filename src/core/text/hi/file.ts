import type { file as english } from "../en/file.ts";

/** The texts of en/file.ts in Hindi. */
export const file: Readonly<Record<keyof typeof english, string>> = {
  "detail.file.damaged":
    "{what, select, backup {बैकअप क्षतिग्रस्त है} copy {डेटाबेस की कॉपी क्षतिग्रस्त है} update {अपडेट क्षतिग्रस्त है} picture {तस्वीर क्षतिग्रस्त है} other {फ़ाइल क्षतिग्रस्त है}}।",
  "detail.file.missing": "{file} नाम की कोई फ़ाइल नहीं है।",
  "detail.file.noRoom":
    "{what, select, backup {बैकअप} copy {डेटाबेस की कॉपी} update {अपडेट} picture {तस्वीर} other {फ़ाइल}} के लिए डिस्क पर जगह नहीं है।",
  "detail.file.notAFile": "{file} कोई फ़ाइल नहीं है।",
  "detail.file.unreadable":
    "{what, select, backup {बैकअप} copy {डेटाबेस की कॉपी} update {अपडेट} picture {तस्वीर} other {फ़ाइल}} को उसके माध्यम से पढ़ा नहीं जा सकता ({error})।",
  "detail.backup.bomb": "बैकअप क्षतिग्रस्त है: खोलने पर वह किसी बैकअप से कहीं बड़ा निकलता है।",
  "detail.backup.changed": "बैकअप क्षतिग्रस्त है: {name} वैसी नहीं है जैसी रखी गई थी।",
  "detail.backup.encrypted": "बैकअप एन्क्रिप्टेड है; उसका पासफ़्रेज़ चाहिए।",
  "detail.backup.keys": "बैकअप क्षतिग्रस्त है: उसकी Matter कुंजियाँ पढ़ी नहीं जा सकतीं।",
  "detail.backup.newer": "यह बैकअप किसी नए Gatehouse ({version}) ने बनाया है।",
  "detail.backup.noRoom": "{folder} में जगह कम है: {megabytes} MB चाहिए।",
  "detail.backup.noRoomToUnpack": "{folder} में बैकअप खोलने की जगह नहीं है।",
  "detail.backup.notUnpacked": "बैकअप क्षतिग्रस्त है: उसे खोला नहीं जा सकता।",
  "detail.backup.passphrase": "पासफ़्रेज़ ग़लत है।",
  "detail.backup.rehearsed":
    "{at} का बैकअप अलग जगह वापस लाया गया और ठीक है ({megabytes} MB{migrated, select, yes {, इस संस्करण के अनुरूप किया गया} other {}})।",
  "detail.backup.roomToUnpack": "{folder} में बैकअप खोलने की जगह नहीं है: {megabytes} MB ख़ाली होने चाहिए।",
  "detail.backup.unreadable": "{file} को पढ़ा नहीं जा सकता।",
  "detail.backup.unsound": "बैकअप क्षतिग्रस्त है: {why}।",
  "detail.backup.wrong": "{file} Gatehouse का बैकअप नहीं है।",
  "detail.place.folder": "हब का एक फ़ोल्डर।",
  "detail.place.local": "हब पर ही: उसका कार्ड ख़राब हो तो यह भी नहीं बचता।",
  "detail.place.noFolder": "{folder} नाम का कोई फ़ोल्डर नहीं है।",
  "detail.place.noStick": "{label} नाम की कोई स्टिक नहीं लगी है।",
  "detail.place.notMounted": "{folder} पर कुछ माउंट नहीं है।",
  "detail.place.share": "एक शेयर।",
  "detail.place.silent":
    "{kind, select, local {हब की अपनी डिस्क} mount {{place} पर का शेयर} usb {स्टिक {place}} other {फ़ोल्डर {place}}} से उत्तर नहीं मिलता।",
  "detail.place.stick": "एक स्टिक।",
  "detail.place.stickNotMounted": "स्टिक {label} माउंट नहीं है।",
  "detail.place.unknown": "यह ऐसी जगह नहीं जहाँ बैकअप जा सके: folder:/path, mount:/path या usb:LABEL लिखें।",
  "detail.place.unreadable":
    "{kind, select, local {हब की अपनी डिस्क} mount {{place} पर के शेयर} usb {स्टिक {place}} other {फ़ोल्डर {place}}} को पढ़ा नहीं जा सकता ({why})।",
};
