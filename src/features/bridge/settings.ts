import { group, list, whole } from "../../core/settings/builders.ts";

export const bridge = group(
  {
    name: { en: "Other makes", hi: "दूसरी कंपनियाँ" },
    part: "network",
    at: 4,
  },
  {
    maxDevices: whole({
      default: 1_000,
      minimum: 0,
      maximum: 5_000,
      env: "GATEHOUSE_BRIDGE_MAX_DEVICES",
      name: { en: "Most devices of other makes", hi: "दूसरी कंपनियों के अधिकतम डिवाइस" },
      help: {
        en: "Most devices of other makes, those included that were withdrawn and not removed yet; 0 takes in none.",
        hi: "दूसरी कंपनियों के इतने डिवाइस लिए जाते हैं; जो वापस लिए जा चुके पर अभी हटाए नहीं गए, वे भी गिने जाते हैं। 0 किसी को नहीं लेता।",
      },
      restart: false,
    }),
    maxClients: whole({
      default: 500,
      minimum: 1,
      maximum: 5_000,
      env: "GATEHOUSE_BRIDGE_MAX_CLIENTS",
      name: { en: "Most credentials for other makes", hi: "दूसरी कंपनियों के अधिकतम नाम-पासवर्ड" },
      help: {
        en: "Most credentials under which devices of other makes connect.",
        hi: "दूसरी कंपनियों के डिवाइस अधिकतम कितने नाम-पासवर्ड से जुड़ सकते हैं।",
      },
      restart: false,
    }),
    messagesPerSecond: whole({
      default: 500,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_BRIDGE_MESSAGES_PER_SECOND",
      name: { en: "Messages per second of a gateway", hi: "एक गेटवे के प्रति सेकंड संदेश" },
      help: {
        en: "Messages per second of one such credential; a gateway speaks for many devices. 0 = no limit.",
        hi: "ऐसे एक नाम-पासवर्ड के प्रति सेकंड संदेश; एक गेटवे कई डिवाइस के लिए बोलता है। 0 = कोई सीमा नहीं।",
      },
    }),
    prefixes: list({
      default: [],
      item: "^[a-z0-9]{1,32}=[^#+\\s]{1,100}$",
      env: "GATEHOUSE_BRIDGE_PREFIXES",
      name: { en: "Unusual base topics", hi: "अलग मूल विषय" },
      help: {
        en: "Base topics that differ from a family's usual one, as family=topic, separated by commas: zigbee2mqtt=zigbee/upstairs.",
        hi: "वे मूल विषय जो किसी परिवार के सामान्य विषय से अलग हैं, family=topic के रूप में, अल्पविराम से अलग: zigbee2mqtt=zigbee/upstairs।",
      },
    }),
  },
);
