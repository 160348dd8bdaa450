import { group, whole } from "../../core/settings/builders.ts";

export const devices = group(
  { name: { en: "Devices", hi: "डिवाइस" }, part: "home", at: 1 },
  {
    commandTtlSeconds: whole({
      default: 60,
      minimum: 0,
      maximum: 3_600,
      env: "COMMAND_TTL",
      common: true,
      name: { en: "A command waits for an offline device (seconds)", hi: "ऑफ़लाइन डिवाइस के लिए आदेश की प्रतीक्षा (सेकंड)" },
      help: {
        en: "How long a command waits for a device that is offline. A gate must not open an hour later because a device came back.",
        hi: "ऑफ़लाइन डिवाइस के लिए आदेश कितनी देर रुकता है। डिवाइस लौटने पर गेट एक घंटे बाद नहीं खुलना चाहिए।",
      },
      everyday: true,
    }),
    offlineAfterSeconds: whole({
      default: 5,
      minimum: 0,
      maximum: 300,
      env: "GATEHOUSE_DEVICES_OFFLINE_AFTER_SECONDS",
      common: true,
      name: { en: "Offline after an absence of (seconds)", hi: "इतनी अनुपस्थिति पर ऑफ़लाइन (सेकंड)" },
      words: { en: "offline online away unreachable timeout presence", hi: "ऑफ़लाइन ऑनलाइन दूर पहुँच" },
      help: {
        en: "Absence after which a device is announced as offline.",
        hi: "इतनी अनुपस्थिति के बाद डिवाइस को ऑफ़लाइन बताया जाता है।",
      },
      everyday: true,
      restart: false,
    }),
    stateDays: whole({
      default: 90,
      minimum: 1,
      maximum: 1_825,
      env: "GATEHOUSE_DEVICES_STATE_DAYS",
      common: true,
      name: { en: "Keep changes of states (days)", hi: "स्थिति-बदलाव रखें (दिन)" },
      words: { en: "history retention door lights on off bars", hi: "इतिहास अवधि दरवाज़ा बत्ती" },
      help: {
        en: "Days that changes of states (open, locked, on, motion, online) are kept.",
        hi: "स्थितियों (खुला, ताला, चालू, हलचल, ऑनलाइन) के बदलाव कितने दिन रखे जाते हैं।",
      },
      restart: false,
    }),
  },
);
