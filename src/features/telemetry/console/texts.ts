/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "audit.history.allowed": { en: "Old history allowed to go at once", hi: "पुराने इतिहास को तुरंत मिटाने की अनुमति" },
  "device.metric": { en: "What to show", hi: "क्या दिखाएँ" },
  "device.noHistory": { en: "Nothing has been measured yet.", hi: "अभी कुछ मापा नहीं गया।" },
  "history.chart": { en: "History of {what}", hi: "{what} का इतिहास" },
  "history.compare": { en: "Compare", hi: "तुलना करें" },
  "history.compareWith": { en: "Compare with", hi: "किससे तुलना करें" },
  "history.device": { en: "Device", hi: "डिवाइस" },
  "history.empty": { en: "Nothing was measured in this time.", hi: "इस समय में कुछ नहीं मापा गया।" },
  "history.file": { en: "Every sample as a file", hi: "हर माप एक फ़ाइल में" },
  "history.fileAll": { en: "All values", hi: "सभी मान" },
  "history.fileFrom": { en: "From", hi: "इस दिन से" },
  "history.fileSave": { en: "Save as CSV", hi: "CSV में सहेजें" },
  "history.fileText": {
    en: "One line for each value, with the exact time, for spreadsheets and other programs. Only what the hub still keeps.",
    hi: "हर मान की एक पंक्ति, सही समय के साथ, स्प्रेडशीट और दूसरे प्रोग्रामों के लिए। सिर्फ़ वही जो हब के पास अब भी है।",
  },
  "history.fileTo": { en: "To and with", hi: "इस दिन तक" },
  "history.fileValue": { en: "Value", hi: "मान" },
  "history.fileWrong": { en: "Must not be before the first day.", hi: "पहले दिन से पहले नहीं हो सकता।" },
  "history.hour": { en: "Hour", hi: "घंटा" },
  "history.keys": {
    en: "Arrow keys go from value to value, plus and minus zoom",
    hi: "तीर कुंजियाँ एक मान से दूसरे पर ले जाती हैं, प्लस और माइनस से ज़ूम",
  },
  "history.nothing": { en: "Nothing", hi: "किसी से नहीं" },
  "history.otherValue": { en: "Its value", hi: "उसका मान" },
  "history.pointHint": {
    en: "Point at the chart for values, drag across it to zoom.",
    hi: "मान देखने के लिए चार्ट पर इशारा करें, ज़ूम के लिए खींचें।",
  },
  "history.summary": {
    en: "{what}: {mean} on average; lowest {low} ({lowAt}), highest {high} ({highAt}).",
    hi: "{what}: औसत {mean}; सबसे कम {low} ({lowAt}), सबसे ज़्यादा {high} ({highAt})।",
  },
  "history.upTo": { en: "up to {max}", hi: "{max} तक" },
  "history.zoomIn": { en: "Zoom in", hi: "ज़ूम करें" },
  "history.zoomOut": { en: "Zoom out", hi: "ज़ूम घटाएँ" },
} as const satisfies Texts;
