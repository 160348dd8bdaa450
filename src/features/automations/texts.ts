/** What automations records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.authorMayNot": {
    en: "The key that wrote this automation may not do what it does (any more). Take it over first.",
    hi: "यह स्वचालन लिखने वाली कुंजी को इसकी अनुमति नहीं (या अब नहीं) है। पहले इसे अपने नाम करें।",
  },
  "detail.conflict.pausedOff": {
    en: "This automation is switched off; there is nothing to pause.",
    hi: "यह स्वचालन बंद है; रोकने को कुछ नहीं।",
  },
  "detail.refusal.pauseTooLong": { en: "must be within a year", hi: "यह एक साल के भीतर का समय होना चाहिए" },
  "detail.conflict.runWaiting": {
    en: "A run of this automation is still waiting, and its mode allows no other.",
    hi: "इस स्वचालन का पिछला चलना अभी बाकी है, और इसका ढंग दूसरे की अनुमति नहीं देता।",
  },
  "detail.refusal.automations.none": { en: "The document holds no automations.", hi: "इस फ़ाइल में कोई स्वचालन नहीं है।" },
  "detail.refusal.automations.notAnExport": {
    en: "This is no export of automations.",
    hi: "यह स्वचालनों की निर्यात फ़ाइल नहीं है।",
  },
  "detail.refusal.automations.tooMany": {
    en: "The document holds more than {limit} automations.",
    hi: "इस फ़ाइल में {limit} से ज़्यादा स्वचालन हैं।",
  },
  "detail.refusal.automations.tooNew": {
    en: "This export was written by a newer Gatehouse.",
    hi: "यह फ़ाइल Gatehouse के नए संस्करण ने लिखी है।",
  },
  "detail.refusal.most.automations": {
    en: "An account may have at most {limit} automation rules.",
    hi: "एक खाते में अधिक से अधिक {limit} स्वचालन हो सकते हैं।",
  },
  "detail.step.besideDenied": {
    en: "Left out: the same picture shows a banned vehicle.",
    hi: "छोड़ा गया: उसी तस्वीर में मना की गई गाड़ी भी है।",
  },
  "detail.step.opensNothing": {
    en: "Left out: nothing opens or is disarmed because of a plate, a device, the mode of the house, a clock in doubt or somebody who may not open everything now. The lists of the gate do that, or a person.",
    hi: "छोड़ा गया: प्लेट, डिवाइस, घर के मोड, शक वाली घड़ी या ऐसे व्यक्ति से, जो अभी सब कुछ नहीं खोल सकता, कुछ नहीं खुलता और पहरा नहीं हटता। यह गेट की सूचियाँ करती हैं, या कोई व्यक्ति।",
  },
  "detail.step.house": {
    en: "house set to {mode, select, home {Home} away {Away} night {Night} other {Holiday}}",
    hi: "घर “{mode, select, home {घर पर} away {बाहर} night {रात} other {छुट्टी}}” पर",
  },
  "detail.step.aMessage": { en: "a message", hi: "एक संदेश" },
  "detail.step.command": { en: "command to {device}", hi: "{device} को आदेश" },
  "detail.step.message": { en: "message “{title}”", hi: "संदेश “{title}”" },
  "detail.step.nobody": {
    en: "nobody whom the message is for is in the household any more",
    hi: "यह संदेश जिनके लिए है, उनमें से कोई अब घर में नहीं है",
  },
  "detail.step.notAllowed": {
    en: "Left out: the key that wrote this rule may not do it (any more).",
    hi: "छोड़ा गया: यह स्वचालन लिखने वाली कुंजी को इसकी अनुमति नहीं (या अब नहीं) है।",
  },
  "detail.step.scene": { en: "scene {scene}", hi: "दृश्य “{scene}”" },
  "detail.step.timeDoubted": {
    en: "Left out: whether this house opens depends on this, and the hub's clock is in doubt.",
    hi: "छोड़ा गया: यह घर खुलेगा या नहीं, यह इस पर निर्भर है, और हब की घड़ी पर अभी शक है।",
  },
  "detail.step.tooLate": {
    en: "Left out: it came too late for a gate or a lock, or the plate seemed to be presented.",
    hi: "छोड़ा गया: गेट या ताले के लिए बहुत देर हो चुकी थी, या लगा कि नंबर प्लेट गाड़ी पर नहीं थी।",
  },
  "detail.step.tooManyMessages": {
    en: "Left out: too many messages in a short time.",
    hi: "छोड़ा गया: थोड़े समय में बहुत अधिक संदेश।",
  },
  "detail.unavailable.automations": { en: "Automations are not running.", hi: "स्वचालन नहीं चल रहे हैं।" },
  "feed.body.automation.failed": { en: "{what}: {why}", hi: "{what}: {why}" },
  "feed.body.automation.fired": {
    en: "{n, plural, =0 {Nothing was to be sent.} other {Done: {steps}{more, plural, =0 {.} other { and # more.}}}}",
    hi: "{n, plural, =0 {भेजने को कुछ नहीं था।} other {हो गया: {steps}{more, plural, =0 {।} other { और # और।}}}}",
  },
  "feed.body.automation.paused": {
    en: "It ran more than {n} times within a minute. Look at its trigger, then switch it on again.",
    hi: "यह एक मिनट में {n} से अधिक बार चला। इसका कारण देखें, फिर चालू करें।",
  },
  "feed.title.automation.failed": { en: "{name} did not do all it should", hi: "{name} सब कुछ नहीं कर सका" },
  "feed.title.automation.fired": { en: "{name}", hi: "{name}" },
  "feed.title.automation.paused": { en: "{name} was switched off", hi: "{name} बंद किया गया" },
} as const satisfies Texts;
