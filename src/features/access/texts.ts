/** What access records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.emailTaken": {
    en: "There is an account with this e-mail address already.",
    hi: "इस ईमेल पते से पहले से एक खाता है।",
  },
  "detail.conflict.firstOwner": {
    en: "The first owner of a household stays its owner.",
    hi: "घर का पहला मालिक उसका मालिक बना रहता है।",
  },
  "detail.conflict.firstOwnerStays": {
    en: "The first owner of a household stays its owner; their access has no end.",
    hi: "घर का पहला मालिक उसका मालिक बना रहता है; उसके प्रवेश का कोई अंत नहीं है।",
  },
  "detail.conflict.hasOwner": { en: "This hub has an owner already.", hi: "इस हब का मालिक पहले से है।" },
  "detail.conflict.keepsOwn": {
    en: "Nobody who leaves or stops being an owner keeps what they gave to others on their own word; another owner can keep it.",
    hi: "जो घर छोड़ता है या मालिक नहीं रहता, वह अपनी दी गई पहुँच ख़ुद चालू नहीं रख सकता; यह कोई दूसरा मालिक कर सकता है।",
  },
  "detail.conflict.keyEnded": { en: "The key has ended; make a new one.", hi: "यह कुंजी समाप्त हो चुकी है; नई बनाएँ।" },
  "detail.conflict.keyReplaced": { en: "The key has a successor already.", hi: "इस कुंजी की जगह नई कुंजी पहले से है।" },
  "detail.conflict.nameTaken": {
    en: "Somebody of the household has this name already; choose one that tells you apart.",
    hi: "घर में किसी का यह नाम पहले से है; ऐसा नाम चुनें जिससे आप अलग पहचाने जाएँ।",
  },
  "detail.conflict.ownerLost": {
    en: "This hub had an owner, and its accounts are lost: it cannot be claimed anew.",
    hi: "इस हब का मालिक था और उसके खाते खो गए हैं: इसे फिर से अपना नहीं बनाया जा सकता।",
  },
  "detail.conflict.passkeyKnown": { en: "This passkey is known already.", hi: "यह पासकी पहले से दर्ज है।" },
  "detail.conflict.passkeysNeedName": {
    en: "Passkeys work where the page is opened by a name of the hub over TLS, not by an address.",
    hi: "पासकी तभी चलती है जब पेज हब के नाम से और TLS पर खोला जाए, IP पते से नहीं।",
  },
  "detail.conflict.secondFactorAgain": {
    en: "Begin the set-up of the second factor again.",
    hi: "दूसरे चरण की स्थापना फिर से शुरू करें।",
  },
  "detail.forbidden.accessEnded": {
    en: "Your access to this house ended on {at}. An owner can give it to you again.",
    hi: "इस घर में आपका प्रवेश {at} को समाप्त हो गया। कोई मालिक इसे फिर से दे सकता है।",
  },
  "detail.forbidden.claimElsewhere": {
    en: "A hub can be claimed from its own network only.",
    hi: "हब को केवल उसके अपने नेटवर्क से अपनाया जा सकता है।",
  },
  "detail.refusal.most.keys": {
    en: "An account has at most {limit} active keys; revoke one that is not used.",
    hi: "एक खाते में अधिक से अधिक {limit} चालू कुंजियाँ हो सकती हैं; जो काम में नहीं है उसे रद्द करें।",
  },
  "detail.refusal.most.passkeys": {
    en: "A person has at most {limit} passkeys.",
    hi: "एक व्यक्ति की अधिक से अधिक {limit} पासकी हो सकती हैं।",
  },
  "detail.refusal.most.persons": {
    en: "A household has at most {limit} persons and invitations.",
    hi: "एक घर में न्योतों समेत अधिक से अधिक {limit} लोग हो सकते हैं।",
  },
  "detail.refusal.password.guessable": {
    en: "is made of words and rows that are tried first; take something longer or less usual",
    hi: "यह ऐसे शब्दों और क्रमों से बना है जो सबसे पहले आज़माए जाते हैं; कुछ लंबा या कम प्रचलित चुनें",
  },
  "detail.refusal.password.longest": {
    en: "must have at most {limit} characters",
    hi: "इसमें अधिक से अधिक {limit} अक्षर हो सकते हैं",
  },
  "detail.refusal.password.shortest": {
    en: "must have at least {limit} characters",
    hi: "इसमें कम से कम {limit} अक्षर चाहिए",
  },
  "detail.refusal.password.shortestAlone": {
    en: "must have at least {limit} characters ({less} once a second factor is set up)",
    hi: "इसमें कम से कम {limit} अक्षर चाहिए (दूसरा चरण लगा हो तो {less})",
  },
  "detail.forbidden.boundByEnd": {
    en: "The access of {name} has an end, and you are an owner because of them. Only an owner who is not may do this.",
    hi: "{name} के प्रवेश का अंत तय है, और आप उन्हीं की वजह से मालिक हैं। यह वही मालिक कर सकता है जो उनकी वजह से मालिक नहीं बना।",
  },
  "detail.forbidden.notAtAll": {
    en: "You may not open anything here at the moment. An owner can change that.",
    hi: "अभी आप यहाँ कुछ नहीं खोल सकते। कोई मालिक इसे बदल सकता है।",
  },
  "detail.forbidden.otherGate": {
    en: "You may open other gates of this house, not this one.",
    hi: "आप इस घर के दूसरे गेट खोल सकते हैं, यह वाला नहीं।",
  },
  "detail.forbidden.lever": {
    en: "Whether this house opens depends on this, so you cannot change it now. An owner can, or can change your times and gates, or what opens by it.",
    hi: "यह घर खुलेगा या नहीं, यह इस पर निर्भर है, इसलिए अभी आप इसे नहीं बदल सकते। कोई मालिक इसे बदल सकता है, या आपके समय और गेट, या वह जो इसके अनुसार खुलता है।",
  },
  "detail.forbidden.upkeep": {
    en: "This does more than use the device: it may set it up anew, or act on other devices. Only an owner may do it.",
    hi: "यह डिवाइस को केवल चलाता नहीं है: यह उसकी सेटिंग बदल सकता है या दूसरे डिवाइसों पर असर डाल सकता है। यह केवल मालिक कर सकते हैं।",
  },
  "detail.forbidden.outsideTimes": {
    en: "You can open here {times}. Next time from {at}.",
    hi: "आप यहाँ {times} खोल सकते हैं। अगली बार {at} से।",
  },
  "detail.forbidden.ownLimits": {
    en: "Nobody lets themselves open more, nor the person who made them an owner.",
    hi: "कोई भी अपने खोलने के समय या गेट ख़ुद नहीं बढ़ा सकता, और न ही उस व्यक्ति के जिसने उसे मालिक बनाया।",
  },
  "detail.forbidden.limitsRest": {
    en: "You, or the person who made you an owner, have times or gates that rest with this role. So you cannot let others open more, nor invite somebody who could open more. The first owner can.",
    hi: "आपके या आपको मालिक बनाने वाले व्यक्ति के समय या गेट तय हैं, जो इस भूमिका में लागू नहीं होते। इसलिए आप न किसी को और ज़्यादा खोलने दे सकते हैं, न ऐसे किसी को बुला सकते हैं जो ज़्यादा खोल सके। पहला मालिक यह कर सकता है।",
  },
  "detail.forbidden.timeUnknown": {
    en: "You may open at certain times only, and the hub does not know for sure what time it is. Ask an owner.",
    hi: "आप केवल तय समय पर खोल सकते हैं, और हब को अभी पक्का समय पता नहीं है। किसी मालिक से पूछें।",
  },
  "detail.forbidden.ownEnd": {
    en: "Nobody makes their own access longer, nor that of the person who made them an owner.",
    hi: "कोई भी अपना प्रवेश ख़ुद लंबा नहीं कर सकता, और न ही उस व्यक्ति का जिसने उसे मालिक बनाया।",
  },
  "detail.refusal.untilPast": { en: "must be in the future", hi: "यह आगे का समय होना चाहिए" },
  "detail.refusal.noGate": {
    en: "There is no gate, lock or alarm {id} in this house.",
    hi: "इस घर में {id} नाम का कोई गेट, ताला या अलार्म नहीं है।",
  },
  "detail.weekTime.between": { en: "{days} {from}–{to}", hi: "{days} {from}–{to}" },
  "detail.weekTime.wholeDay": { en: "{days}, the whole day", hi: "{days}, पूरे दिन" },
  "detail.weekday.1": { en: "Mon", hi: "सोम" },
  "detail.weekday.2": { en: "Tue", hi: "मंगल" },
  "detail.weekday.3": { en: "Wed", hi: "बुध" },
  "detail.weekday.4": { en: "Thu", hi: "गुरु" },
  "detail.weekday.5": { en: "Fri", hi: "शुक्र" },
  "detail.weekday.6": { en: "Sat", hi: "शनि" },
  "detail.weekday.7": { en: "Sun", hi: "रवि" },
  "detail.weekday.every": { en: "every day", hi: "हर दिन" },
  "detail.unavailable.signIns": {
    en: "Too many sign-ins at once; try again in a few seconds.",
    hi: "एक साथ बहुत से साइन इन हो रहे हैं; कुछ सेकंड में फिर कोशिश करें।",
  },
  "feed.body.key.created": {
    en: "{key}, {n, plural, one {# scope} other {# scopes}}",
    hi: "{key}, {n, plural, one {# अधिकार} other {# अधिकार}}",
  },
  "feed.body.key.revoked": { en: "{key}", hi: "{key}" },
  "feed.body.security.grants_ended": {
    en: "{n, plural, one {# access} other {# accesses}}: {list}",
    hi: "{n, plural, one {# प्रवेश} other {# प्रवेश}}: {list}",
  },
  "feed.body.security.grants_ended_devices": {
    en: "Renew the passwords of: {list}",
    hi: "इनके पासवर्ड नए बनाएँ: {list}",
  },
  "feed.body.security.grants_ended_gone": {
    en: "{n, plural, one {# access} other {# accesses}}: {list}",
    hi: "{n, plural, one {# प्रवेश} other {# प्रवेश}}: {list}",
  },
  "feed.body.security.grants_ended_here": {
    en: "{n, plural, one {# access} other {# accesses}}: {list}",
    hi: "{n, plural, one {# प्रवेश} other {# प्रवेश}}: {list}",
  },
  "feed.body.security.login": { en: "From {address}", hi: "{address} से" },
  "feed.body.security.loginNew": { en: "From {address}", hi: "{address} से" },
  "feed.body.security.login_failed": {
    en: "Somebody at {address} tried to sign in as {email}",
    hi: "{address} से किसी ने {email} बनकर साइन इन करना चाहा",
  },
  "feed.body.security.passkey_added": { en: "{passkey}", hi: "{passkey}" },
  "feed.body.security.passkey_removed": { en: "{passkey}", hi: "{passkey}" },
  "feed.body.security.password_changed": {
    en: "{name}; {n, plural, one {# other session} other {# other sessions}} ended",
    hi: "{name}; {n, plural, one {# और सत्र समाप्त} other {# और सत्र समाप्त}}",
  },
  "feed.body.security.restored": {
    en: "{n, plural, one {# access that the backup brought back} other {# accesses that the backup brought back}} and {sessions, plural, one {# session} other {# sessions}} ended",
    hi: "बैकअप के साथ लौटे {n, plural, one {# प्रवेश} other {# प्रवेश}} और {sessions, plural, one {# सत्र} other {# सत्र}} समाप्त",
  },
  "feed.title.key.created": { en: "Key “{name}” created", hi: "कुंजी “{name}” बनी" },
  "feed.title.key.revoked": { en: "Key “{name}” revoked", hi: "कुंजी “{name}” रद्द हुई" },
  "feed.title.security.grants_ended": {
    en: "Access ended that {name} had given",
    hi: "{name} की दी पहुँच समाप्त हुई",
  },
  "feed.title.security.grants_ended_devices": {
    en: "The access of {name} has ended; they may know passwords of devices",
    hi: "{name} का प्रवेश समाप्त हुआ; उन्हें डिवाइसों के पासवर्ड पता हो सकते हैं",
  },
  "feed.title.security.grants_ended_gone": {
    en: "Access ended that somebody had given who was removed",
    hi: "हटाए गए व्यक्ति की दी पहुँच समाप्त हुई",
  },
  "feed.title.security.grants_ended_here": {
    en: "Access ended at this hub; the other gates follow once the estate is reached",
    hi: "इस हब पर प्रवेश समाप्त हुआ; बाकी गेट परिसर से जुड़ते ही इसे मानेंगे",
  },
  "feed.title.security.login": { en: "{name} signed in", hi: "{name} ने साइन इन किया" },
  "feed.title.security.loginNew": {
    en: "{name} signed in with a new browser",
    hi: "{name} ने नए ब्राउज़र से साइन इन किया",
  },
  "feed.title.security.login_failed": { en: "Sign-in refused", hi: "साइन इन अस्वीकार" },
  "feed.title.security.passkey_added": { en: "{name} added a passkey", hi: "{name} ने एक पासकी जोड़ी" },
  "feed.title.security.passkey_removed": { en: "{name} removed a passkey", hi: "{name} ने एक पासकी हटाई" },
  "feed.title.security.password_changed": { en: "Password changed", hi: "पासवर्ड बदला" },
  "feed.title.security.restored": {
    en: "A backup was restored: what was revoked since stays revoked",
    hi: "बैकअप वापस लाया गया: तब से जो रद्द हुआ, वह रद्द ही रहेगा",
  },
} as const satisfies Texts;
