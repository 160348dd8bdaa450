/** What bridge records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.clientContested": {
    en: "Others came under the name {name} with another password: the first need not be yours. Forget it, and make this client by hand, with a password of its own.",
    hi: "{name} नाम से दूसरे भी किसी और पासवर्ड के साथ आए: पहला आपका होना ज़रूरी नहीं। इसे हटाएँ और यह क्लाइंट ख़ुद, अपने पासवर्ड के साथ बनाएँ।",
  },
  "detail.conflict.clientNotAccepted": {
    en: "A client that is not accepted has no password to renew.",
    hi: "जो क्लाइंट स्वीकार नहीं हुआ, उसका पासवर्ड बदला नहीं जा सकता।",
  },
  "detail.conflict.deviceKnownByOther": {
    en: "{key} of {family} is known by another make as well: {device}.",
    hi: "{family} का {key} किसी दूसरी कंपनी के नाम से भी जाना जाता है: {device}।",
  },
  "detail.conflict.deviceOfOther": {
    en: "{key} of {family} is the device {device} already, or another client's.",
    hi: "{family} का {key} पहले से डिवाइस {device} है, या किसी दूसरे क्लाइंट का है।",
  },
  "detail.conflict.deviceStandsFor": {
    en: "{device} is {key} of {family} already.",
    hi: "{device} पहले से {family} का {key} है।",
  },
  "detail.conflict.userNameTaken": {
    en: "There is a client with the user name {username} already.",
    hi: "{username} उपयोगकर्ता नाम का एक क्लाइंट पहले से है।",
  },
  "detail.refusal.bridge.family": {
    en: "The client {client} is not accepted for {family}.",
    hi: "क्लाइंट {client} को {family} के लिए स्वीकार नहीं किया गया है।",
  },
  "detail.refusal.bridge.noClient": {
    en: "There is no client with the user name {client}.",
    hi: "{client} उपयोगकर्ता नाम का कोई क्लाइंट नहीं है।",
  },
  "detail.refusal.bridge.userName": {
    en: "{username} cannot be a user name.",
    hi: "{username} उपयोगकर्ता नाम नहीं हो सकता।",
  },
  "detail.refusal.most.clients": {
    en: "There can be {limit} clients of other makes.",
    hi: "दूसरी कंपनियों के अधिक से अधिक {limit} क्लाइंट हो सकते हैं।",
  },
} as const satisfies Texts;
