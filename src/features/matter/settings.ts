import { flag, group, text, whole } from "../../core/settings/builders.ts";

export const matter = group(
  {
    name: { en: "Matter", hi: "Matter (घर-ऐप)" },
    part: "network",
    at: 7,
  },
  {
    enabled: flag({
      default: false,
      env: "GATEHOUSE_MATTER",
      common: true,
      restart: false,
      name: { en: "Speak Matter", hi: "Matter चालू" },
      words: { en: "apple homekit google alexa siri", hi: "एप्पल गूगल एलेक्सा" },
      help: {
        en: "Speak Matter with phones, speakers and devices on the LAN. It runs in a process of its own, which takes 130 to 180 MB of memory.",
        hi: "स्थानीय नेटवर्क पर फ़ोन, स्पीकर और डिवाइस से Matter में बात करें। यह अपनी अलग प्रक्रिया में चलता है, जो 130 से 180 MB मेमोरी लेती है।",
      },
    }),
    port: whole({
      default: 5540,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MATTER_PORT",
      name: { en: "UDP port", hi: "UDP पोर्ट" },
      help: {
        en: "UDP port of the Matter bridge; 0 takes any free one.",
        hi: "Matter ब्रिज का UDP पोर्ट; 0 कोई भी ख़ाली पोर्ट लेता है।",
      },
    }),
    networkInterface: text({
      default: "",
      env: "GATEHOUSE_MATTER_INTERFACE",
      pattern: "^[A-Za-z0-9._:-]{0,15}$",
      name: { en: "Network interface", hi: "नेटवर्क इंटरफ़ेस" },
      help: {
        en: "Network interface that Matter keeps to, such as eth0; empty: all.",
        hi: "वह नेटवर्क इंटरफ़ेस जिस पर Matter रहता है, जैसे eth0; ख़ाली: सभी।",
      },
    }),
  },
);
