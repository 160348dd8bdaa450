/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "audit.scene.created": { en: "{who} added the scene “{what}”", hi: "{who} ने दृश्य “{what}” जोड़ा" },
  "audit.scene.edited": { en: "{who} changed the scene “{what}”", hi: "{who} ने दृश्य “{what}” बदला" },
  "audit.scene.removed": { en: "{who} removed the scene “{what}”", hi: "{who} ने दृश्य “{what}” हटाया" },
  "scene.add": { en: "New scene", hi: "नया दृश्य" },
  "scene.addCommand": { en: "Add a command", hi: "आदेश जोड़ें" },
  "scene.capture": { en: "From how it is now", hi: "जैसा अभी है वैसा" },
  "scene.captureText": {
    en: "Keeps the present state of these devices, to bring it back with one tap.",
    hi: "इन डिवाइसों की मौजूदा स्थिति रखता है, ताकि एक टैप में लौट आए।",
  },
  "scene.done": {
    en: "{name}: {n, plural, one {one command} other {# commands}} sent",
    hi: "{name}: {n, plural, =1 {एक आदेश भेजा} other {# आदेश भेजे}}",
  },
  "scene.editNamed": { en: "Change {name}", hi: "{name} बदलें" },
  "scene.editTitle": { en: "Edit scene", hi: "दृश्य बदलें" },
  "scene.houseMode": { en: "Also set the house to", hi: "घर को इस पर भी रखें" },
  "scene.leavesHouse": { en: "Leave it as it is", hi: "जैसा है वैसा रहने दें" },
  "scene.lastRan": { en: "Last run {ago}", hi: "आख़िरी बार {ago}" },
  "scene.neverRan": { en: "Not run yet", hi: "अभी नहीं चला" },
  "scene.none": {
    en: "No scenes yet. A scene sends several commands with one tap.",
    hi: "अभी कोई दृश्य नहीं। दृश्य एक टैप में कई आदेश भेजता है।",
  },
  "scene.off": {
    en: "Off: the owner who wrote it is an owner no more. Look at what it does and save it to have it again.",
    hi: "बंद है: जिस मालिक ने इसे लिखा था, वह अब मालिक नहीं है। देखें कि यह क्या करता है, और फिर से चलाने के लिए सहेजें।",
  },
  "scene.removeText": {
    en: "Automations that run it will report that it no longer exists; a scene that you restore is chosen in them again.",
    hi: "इसे चलाने वाले स्वचालन बताएँगे कि यह नहीं रहा; वापस लाया गया दृश्य उनमें फिर से चुनना होगा।",
  },
  "scene.devices": {
    en: "{n, plural, one {# device} other {# devices}}",
    hi: "{n, plural, one {# डिवाइस} other {# डिवाइस}}",
  },
  "scene.fans": { en: "{n, plural, one {# fan} other {# fans}}", hi: "{n, plural, one {# पंखा} other {# पंखे}}" },
  "scene.gates": { en: "{n, plural, one {# gate} other {# gates}}", hi: "{n, plural, one {# गेट} other {# गेट}}" },
  "scene.lights": {
    en: "{n, plural, one {# light} other {# lights}}",
    hi: "{n, plural, =1 {# बत्ती} other {# बत्तियाँ}}",
  },
  "scene.locks": { en: "{n, plural, one {# lock} other {# locks}}", hi: "{n, plural, =1 {# ताला} other {# ताले}}" },
  "scene.plugs": {
    en: "{n, plural, one {# smart plug} other {# smart plugs}}",
    hi: "{n, plural, one {# स्मार्ट प्लग} other {# स्मार्ट प्लग}}",
  },
  "scene.sets.device": { en: "sets {name} to {value}", hi: "{name} को {value} पर रखता है" },
  "scene.sets.house": { en: "sets the house to {mode}", hi: "घर को “{mode}” पर रखता है" },
  "scene.sets.many": {
    en: "adjusts {n, plural, one {# device} other {# devices}}",
    hi: "{n, plural, one {# डिवाइस} other {# डिवाइस}} तय मान पर रखता है",
  },
  "scene.shutters": {
    en: "{n, plural, one {# shutter} other {# shutters}}",
    hi: "{n, plural, =1 {# शटर} other {# शटर}}",
  },
  "scene.switches": {
    en: "{n, plural, one {# switch} other {# switches}}",
    hi: "{n, plural, one {# स्विच} other {# स्विच}}",
  },
  "scene.skipped": { en: "{name}: {n} sent, left out: {skipped}", hi: "{name}: {n} भेजे, छूटे: {skipped}" },
  "sceneDoes.arm": { en: "arms {what}", hi: "{what} की निगरानी चालू करता है" },
  "sceneDoes.close": { en: "closes {what}", hi: "{what} बंद करता है" },
  "sceneDoes.disarm": { en: "disarms {what}", hi: "{what} की निगरानी बंद करता है" },
  "sceneDoes.lock": { en: "locks {what}", hi: "{what} में ताला लगाता है" },
  "sceneDoes.nothing": { en: "does nothing yet", hi: "अभी कुछ नहीं करता" },
  "sceneDoes.off": { en: "turns {what} off", hi: "{what} बंद करता है" },
  "sceneDoes.on": { en: "turns {what} on", hi: "{what} चालू करता है" },
  "sceneDoes.open": { en: "opens {what}", hi: "{what} खोलता है" },
  "sceneDoes.unlock": { en: "unlocks {what}", hi: "{what} का ताला खोलता है" },
} as const satisfies Texts;
