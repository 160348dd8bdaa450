import { choice, flag, group, whole } from "../../core/settings/builders.ts";

export const plates = group(
  { name: { en: "Plates", hi: "प्लेट" }, part: "gate", at: 2 },
  {
    imageRetentionDays: whole({
      default: 30,
      minimum: 0,
      maximum: 365,
      env: "ANPR_IMAGE_RETENTION_DAYS",
      common: true,
      name: { en: "Keep pictures of cars (days)", hi: "गाड़ियों की तस्वीरें रखें (दिन)" },
      words: {
        en: "photo photos image images picture camera retention delete privacy storage",
        hi: "फ़ोटो चित्र कैमरा मिटाना निजता अवधि",
      },
      help: {
        en: "Days that the picture of a plate read is kept; 0 = pictures are never stored.",
        hi: "प्लेट पढ़त की तस्वीर रखने के दिन; 0 = तस्वीरें कभी नहीं रखी जातीं।",
      },
      restart: false,
    }),
    readRetentionDays: whole({
      default: 365,
      minimum: 7,
      maximum: 1_825,
      env: "ANPR_READ_RETENTION_DAYS",
      common: true,
      name: { en: "Keep plates and visits (days)", hi: "प्लेटें और आवाजाही रखें (दिन)" },
      words: { en: "number plate license retention visits history privacy delete", hi: "नंबर प्लेट निजता अवधि मिटाना" },
      help: {
        en: "Days that plate reads and visits are kept; never shorter than their pictures.",
        hi: "प्लेट पढ़तें और आवाजाही रखने के दिन; तस्वीरों से कम कभी नहीं।",
      },
      restart: false,
    }),
    keepCorrected: choice(["never", "with_picture", "always"], {
      default: "never",
      env: "GATEHOUSE_PLATES_KEEP_CORRECTED",
      common: true,
      restart: false,
      name: { en: "Keep pictures of corrected plates", hi: "सुधारी गई प्लेटों की तस्वीरें रखें" },
      words: { en: "photo training learn corrections", hi: "फ़ोटो सुधार सीखना" },
      help: {
        en: "When somebody corrects a read, keep the picture of its plate with the right text, on this hub: for as long as the whole picture is kept, or always (the last 2,000). `gatehouse plates export` writes them out; nothing else does.",
        hi: "जब कोई पढ़त सुधारी जाए, तो उसकी प्लेट की तस्वीर सही पाठ के साथ इसी हब पर रखें: पूरी तस्वीर जितने दिन, या हमेशा (पिछली 2,000)। `gatehouse plates export` उन्हें फ़ाइलों में लिखता है; और कुछ नहीं।",
      },
      choices: {
        always: { en: "Always", hi: "हमेशा" },
        never: { en: "Never", hi: "कभी नहीं" },
        with_picture: { en: "As long as the picture of the car", hi: "जब तक गाड़ी की तस्वीर रहे" },
      },
    }),
  },
);

export const gate = group(
  { name: { en: "Gate", hi: "गेट" }, part: "gate", at: 1 },
  {
    passSeconds: whole({
      default: 30,
      minimum: 0,
      maximum: 600,
      env: "GATEHOUSE_GATE_PASS_SECONDS",
      common: true,
      name: { en: "One car, one pass within (seconds)", hi: "इतने समय में एक गाड़ी एक बार (सेकंड)" },
      words: { en: "twice duplicate repeat same car again", hi: "दोबारा दोहराव" },
      help: {
        en: "Reads of one plate at one camera within this time are one pass.",
        hi: "एक कैमरे पर एक प्लेट के इतने समय की पढ़तें एक ही फेरा हैं।",
      },
      everyday: true,
    }),
    minConfidence: whole({
      default: 90,
      minimum: 0,
      maximum: 100,
      env: "GATEHOUSE_GATE_MIN_CONFIDENCE",
      common: true,
      restart: false,
      name: { en: "Least confidence to open (%)", hi: "खोलने के लिए न्यूनतम भरोसा (%)" },
      words: { en: "accuracy threshold certainty sure wrong read", hi: "सटीकता सीमा पक्का" },
      help: {
        en: "Lowest confidence with which a read may open a gate. 93 of 100 correct reads of a single picture reach 90, and most wrong ones do not; 0: every read opens.",
        hi: "गेट खोल सकने वाली पढ़त का न्यूनतम भरोसा। एक तस्वीर की 100 सही पढ़तों में से 93 का भरोसा 90 या अधिक होता है, और अधिकतर ग़लत पढ़तों का नहीं; 0: हर पढ़त खोलती है।",
      },
    }),
    openFromEstate: flag({
      default: true,
      env: "GATEHOUSE_GATE_OPEN_FROM_ESTATE",
      restart: false,
      name: { en: "Managers of the estate open gates here", hi: "परिसर के प्रबंधक यहाँ के गेट खोल सकते हैं" },
      help: {
        en: "In an estate: hubs with the role of a manager may open this hub's gates.",
        hi: "परिसर में: प्रबंधक की भूमिका वाले हब इस हब के गेट खोल सकते हैं।",
      },
    }),
  },
);
