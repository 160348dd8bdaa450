/** What estate records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.estate": { en: "Estate", hi: "परिसर" },
  "detail.conflict.estateHub": {
    en: "There is a hub {hub} in the estate already.",
    hi: "परिसर में {hub} नाम का हब पहले से है।",
  },
  "detail.conflict.estateStreams": {
    en: "The servers did not make the streams: {why}",
    hi: "सर्वरों ने स्ट्रीम नहीं बनाए: {why}",
  },
  "detail.conflict.gateNotTaken": {
    en: "The request took too long, or the gate did not take it.",
    hi: "अनुरोध में बहुत देर लगी, या गेट ने उसे नहीं लिया।",
  },
  "detail.conflict.gateOffline": { en: "The gate is offline.", hi: "गेट ऑफ़लाइन है।" },
  "detail.conflict.ruleElsewhere": {
    en: "It was changed at another gate just now. Look at it again before you change it.",
    hi: "इसे अभी-अभी किसी दूसरे गेट पर बदला गया है। बदलने से पहले इसे फिर से देखें।",
  },
  "detail.forbidden.gatesOfOther": {
    en: "The other hub does not open its gates for this one.",
    hi: "दूसरा हब इस हब के लिए अपने गेट नहीं खोलता।",
  },
  "detail.forbidden.invitationEnded": {
    en: "This invitation does not count: it was used, it has ended, or it was withdrawn. Ask for another.",
    hi: "यह न्योता अब मान्य नहीं है: यह इस्तेमाल हो चुका है, समाप्त हो गया है या वापस ले लिया गया है। दूसरा माँगें।",
  },
  "detail.forbidden.managerOnly": {
    en: "Only a hub with the role of a manager sees and opens the gates of others.",
    hi: "दूसरे हब के गेट केवल प्रबंधक की भूमिका वाला हब देखता और खोलता है।",
  },
  "detail.refusal.estate.capacity": { en: "The capacity is out of range.", hi: "गाड़ियों की यह संख्या सीमा से बाहर है।" },
  "detail.refusal.estate.code": { en: "This is no code of an invitation.", hi: "यह किसी न्योते का कोड नहीं है।" },
  "detail.refusal.estate.hub": {
    en: "The name of a hub must have 1 to 32 small letters, digits or hyphens, not {value}.",
    hi: "हब के नाम में 1 से 32 छोटे अंग्रेज़ी अक्षर, अंक या हाइफ़न होने चाहिए, {value} नहीं।",
  },
  "detail.refusal.estate.hubName": {
    en: "A hub's name for people must have 1 to 80 characters.",
    hi: "लोगों को दिखने वाले हब के नाम में 1 से 80 अक्षर होने चाहिए।",
  },
  "detail.refusal.estate.notTaken": {
    en: "The estate's servers do not take it now ({reason}). A rule for one camera of this hub can be changed at any time.",
    hi: "परिसर के सर्वर इसे अभी नहीं ले रहे ({reason})। इस हब के किसी एक कैमरे का नियम कभी भी बदला जा सकता है।",
  },
  "detail.refusal.estate.part": {
    en: "The part must have 1 to 32 small letters, digits or hyphens, not {value}.",
    hi: "हिस्से के नाम में 1 से 32 छोटे अंग्रेज़ी अक्षर, अंक या हाइफ़न होने चाहिए, {value} नहीं।",
  },
  "detail.refusal.estate.partName": {
    en: "A part needs a name of 1 to 80 characters.",
    hi: "हिस्से को 1 से 80 अक्षरों का नाम चाहिए।",
  },
  "detail.refusal.most.hubs": {
    en: "An estate has room for {limit} hubs.",
    hi: "एक परिसर में अधिक से अधिक {limit} हब हो सकते हैं।",
  },
  "detail.refusal.query.cursor": {
    en: "The cursor did not come from an answer.",
    hi: "सूची की यह जगह अब नहीं मिलती; सूची फिर से खोलें।",
  },
  "detail.unavailable.estateAnswer": {
    en: "The inviting hub answered something else than an admission.",
    hi: "न्योता देने वाले हब ने प्रवेश के बदले कुछ और जवाब दिया।",
  },
  "detail.unavailable.estateInviter": {
    en: "The inviting hub could not be reached ({why}).",
    hi: "न्योता देने वाले हब तक नहीं पहुँचा जा सका ({why})।",
  },
  "detail.unavailable.estateServers": {
    en: "No server of the estate answers at {servers} ({why}).",
    hi: "{servers} पर परिसर का कोई सर्वर जवाब नहीं देता ({why})।",
  },
  "detail.unavailable.estateServersKept": {
    en: "The estate's servers did not take the change.",
    hi: "परिसर के सर्वरों ने बदलाव नहीं लिया।",
  },
  "feed.body.estate.late_ban": {
    en: "Another gate denied it {minutes, plural, one {# minute} other {# minutes}} ago, and this hub, cut off, heard of it only now. Since then it was let in at {camera}.",
    hi: "दूसरे गेट ने {minutes, plural, one {# मिनट} other {# मिनट}} पहले इसे मना किया था; यह हब कटा हुआ था और उसे अब पता चला। इस बीच इसे {camera} पर अंदर आने दिया गया।",
  },
  "feed.body.estate.rule_dropped": {
    en: "{labelled, select, yes {{label}: the} other {The}} rule made on this hub met one that another gate had made for the same plate. The other gate's rule holds everywhere.",
    hi: "{labelled, select, yes {{label}: } other {}}इस हब पर बना नियम उसी नंबर के लिए दूसरे गेट पर बने नियम से टकराया। हर जगह दूसरे गेट का नियम लागू है।",
  },
  "feed.body.estate.rule_settled": {
    en: "Not every gate had heard of the last edit. {kind, select, deny {Now it is denied at all gates} allow {Now it is allowed at all gates} watch {Now it is watched for at all gates} other {Now there is no rule for it at any gate}}: of two edits that knew nothing of each other the later one holds. Look whether it is what you want.",
    hi: "आख़िरी बदलाव हर गेट तक नहीं पहुँचा था। {kind, select, deny {अब सभी गेटों पर इसे मना है} allow {अब सभी गेटों पर इसे अनुमति है} watch {अब सभी गेटों पर इस पर नज़र रखी जाती है} other {अब किसी गेट पर इसका कोई नियम नहीं है}}: दो बदलाव एक-दूसरे को जाने बिना हुए थे, और बाद वाला लागू है। देख लें कि आप यही चाहते हैं।",
  },
  "feed.title.estate.late_ban": {
    en: "{plate} was let in before the ban came",
    hi: "मनाही पहुँचने से पहले {plate} अंदर आ चुकी थी",
  },
  "feed.title.estate.rule_dropped": {
    en: "The rule for {plate} is another gate's",
    hi: "{plate} के लिए दूसरे गेट का नियम लागू है",
  },
  "feed.title.estate.rule_settled": {
    en: "Gates had different rules for {plate}",
    hi: "{plate} के लिए गेटों पर अलग-अलग नियम थे",
  },
  "health.estate.away": {
    en: "Cut off from the estate for {n, plural, =0 {less than a minute} one {one minute} other {# minutes}}. The gate goes on with what it knows; {waiting, plural, =0 {nothing waits} one {one read waits} other {# reads wait}} to be sent.",
    hi: "{n, plural, =0 {एक मिनट से कम समय} one {एक मिनट} other {# मिनट}} से परिसर से कटा हुआ है। गेट अपनी जानकारी से चल रहा है; {waiting, plural, =0 {भेजने को कुछ बाकी नहीं} one {एक पढ़त भेजनी बाकी है} other {# पढ़तें भेजनी बाकी हैं}}।",
  },
  "health.estate.broken": {
    en: "This hub has not joined its estate: {reason}",
    hi: "यह हब अपने परिसर से नहीं जुड़ा: {reason}",
  },
  "health.estate.clock": {
    en: "This hub's clock is {n, plural, one {one second} other {# seconds}} off the estate's. Its reads are put in order all the same; look at its time sources.",
    hi: "इस हब की घड़ी परिसर की घड़ी से {n, plural, one {एक सेकंड} other {# सेकंड}} अलग है। इसकी पढ़तें फिर भी सही क्रम में रखी जाती हैं; समय के स्रोत देख लें।",
  },
  "health.estate.ok": {
    en: "Joined for {n, plural, =0 {less than a minute} one {one minute} other {# minutes}}.",
    hi: "{n, plural, =0 {एक मिनट से कम समय} one {एक मिनट} other {# मिनट}} से जुड़ा है।",
  },
  "health.estate.refused": {
    en: "The estate's servers do not take what this hub sends ({reason}): look at their disk and the room that the estate has there. Nothing is lost; {waiting, plural, =0 {a rule waits} one {one read waits} other {# reads wait}} here until they do.",
    hi: "परिसर के सर्वर इस हब का भेजा हुआ नहीं ले रहे ({reason}): उनकी डिस्क और वहाँ परिसर के लिए रखी जगह देखें। कुछ खोया नहीं है; तब तक {waiting, plural, =0 {एक नियम यहाँ रुका है} one {एक पढ़त यहाँ रुकी है} other {# पढ़तें यहाँ रुकी हैं}}।",
  },
} as const satisfies Texts;
