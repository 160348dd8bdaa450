/** Texts of these pages. */
import type { Texts } from "../../../core/text/render.ts";

export const texts = {
  "command.failed": { en: "Failed", hi: "विफल" },
  "feed.all": { en: "All", hi: "सब" },
  "feed.carOutcome": { en: "{who} · {outcome}", hi: "{who} · {outcome}" },
  "feed.devices": { en: "Devices", hi: "डिवाइस" },
  "feed.empty": { en: "Nothing has happened yet.", hi: "अभी कुछ नहीं हुआ।" },
  "feed.filter": { en: "Show", hi: "दिखाएँ" },
  "feed.namedCar": { en: "{label}, {plate}", hi: "{label}, {plate}" },
  "feed.noneSuch": { en: "Nothing of this kind is kept.", hi: "इस तरह का कुछ दर्ज नहीं है।" },
  "feed.noise": {
    en: "{n, plural, one {One more line} other {# more lines}} of devices and automations",
    hi: "डिवाइसों और स्वचालन की {n, plural, =1 {एक और पंक्ति} other {# और पंक्तियाँ}}",
  },
  "feed.overSince": { en: "Over since {time}", hi: "{time} से ख़त्म" },
  "feed.since": { en: "Since {time}", hi: "{time} से" },
  "feed.plates": { en: "Gate", hi: "गेट" },
  "feed.security": { en: "Security", hi: "सुरक्षा" },
  "many.device.added": { en: "{n} devices were added", hi: "{n} डिवाइस जोड़े गए" },
  "many.device.battery_low": { en: "{n} batteries are nearly empty", hi: "{n} बैटरियाँ लगभग ख़त्म हैं" },
  "many.device.firmware": { en: "{n} devices have new firmware", hi: "{n} डिवाइसों में नया फ़र्मवेयर है" },
  "many.device.offline": { en: "{n} devices went offline", hi: "{n} डिवाइस ऑफ़लाइन हुए" },
  "many.device.online": { en: "{n} devices came online", hi: "{n} डिवाइस ऑनलाइन आए" },
  "many.device.removed": { en: "{n} devices were removed", hi: "{n} डिवाइस हटाए गए" },
} as const satisfies Texts;
