import { decimal, flag, group } from "../../core/settings/builders.ts";

export const demo = group(
  { name: { en: "Demo", hi: "डेमो" }, part: "home", at: 4 },
  {
    enabled: flag({
      default: false,
      env: "GATEHOUSE_DEMO",
      name: { en: "Simulated household", hi: "नक़ली घर" },
      words: { en: "demo example simulation fake pretend", hi: "डेमो नमूना नक़ली" },
      help: {
        en: "Run a simulated household (also: gatehouse start --demo).",
        hi: "नक़ली घर चलाएँ (या: gatehouse start --demo)।",
      },
      everyday: true,
    }),
    speed: decimal({
      default: 1,
      minimum: 0.1,
      maximum: 60,
      env: "GATEHOUSE_DEMO_SPEED",
      name: { en: "Speed of the simulated devices", hi: "नक़ली डिवाइस की गति" },
      help: { en: "How fast time passes for the simulated devices.", hi: "नक़ली डिवाइस कितनी तेज़ी से चलते हैं।" },
      everyday: true,
    }),
  },
);
