/** What scenes records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.conflict.sceneOff": {
    en: "The scene “{name}” is off: the owner who wrote it is an owner no more. An owner who looks at it and saves it has it run again.",
    hi: "दृश्य “{name}” बंद है: जिस मालिक ने इसे लिखा था, वह अब मालिक नहीं है। कोई मालिक इसे देखकर सहेजे, तो यह फिर चलेगा।",
  },
  "detail.refusal.most.scenes": {
    en: "A household can have {limit} scenes.",
    hi: "एक घर में अधिक से अधिक {limit} दृश्य हो सकते हैं।",
  },
  "feed.body.scene.activated": {
    en: "{sent, plural, one {# command} other {# commands}} sent",
    hi: "{sent, plural, one {# आदेश भेजा गया} other {# आदेश भेजे गए}}",
  },
  "feed.body.scene.partly": {
    en: "{sent, plural, one {# command} other {# commands}} sent{skipped, plural, =0 {} other {, # skipped}}{refused, plural, =0 {} other {, # refused}}",
    hi: "{sent, plural, one {# आदेश भेजा गया} other {# आदेश भेजे गए}}{skipped, plural, =0 {} other {, # छोड़े}}{refused, plural, =0 {} other {, # अस्वीकार}}",
  },
  "feed.body.scene.run": {
    en: "{sent, plural, one {# command} other {# commands}} sent",
    hi: "{sent, plural, one {# आदेश भेजा गया} other {# आदेश भेजे गए}}",
  },
  "feed.title.scene.activated": { en: "Scene {name} activated", hi: "दृश्य “{name}” चलाया गया" },
  "feed.title.scene.partly": { en: "Scene {name} activated", hi: "दृश्य “{name}” चलाया गया" },
  "feed.title.scene.run": { en: "{who} ran the scene {name}", hi: "{who} ने दृश्य “{name}” चलाया" },
} as const satisfies Texts;
