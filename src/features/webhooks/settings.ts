import { flag, group, whole } from "../../core/settings/builders.ts";

export const webhooks = group(
  { name: { en: "Webhooks", hi: "वेबहुक" }, part: "network", at: 8 },
  {
    parallel: whole({
      default: 4,
      minimum: 1,
      maximum: 32,
      env: "GATEHOUSE_WEBHOOKS_PARALLEL",
      name: { en: "Webhooks served side by side", hi: "एक साथ चलने वाले वेबहुक" },
      help: {
        en: "Webhooks that are served side by side; each has one request in flight.",
        hi: "साथ-साथ सेवा पाने वाले वेबहुक; हर एक का एक अनुरोध चलता है।",
      },
      everyday: true,
    }),
    allowLoopback: flag({
      default: false,
      env: "GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK",
      name: { en: "Receivers on the hub itself", hi: "हब पर ही रिसीवर" },
      help: { en: "Allow receivers on this machine.", hi: "इसी मशीन पर रिसीवर स्वीकार करें।" },
    }),
    telemetryGapMs: whole({
      default: 1_000,
      minimum: 0,
      maximum: 3_600_000,
      env: "GATEHOUSE_WEBHOOKS_TELEMETRY_GAP_MS",
      name: { en: "Time between measurements of a device (ms)", hi: "एक डिवाइस के मापों के बीच का समय (मि.से.)" },
      help: {
        en: "Least time between two telemetry deliveries of one device.",
        hi: "एक डिवाइस की दो टेलीमेट्री डिलीवरी के बीच न्यूनतम समय।",
      },
      everyday: true,
    }),
    keepHours: whole({
      default: 72,
      minimum: 1,
      maximum: 720,
      env: "GATEHOUSE_WEBHOOKS_KEEP_HOURS",
      name: { en: "Keep deliveries of a disabled webhook (hours)", hi: "बंद वेबहुक की डिलीवरी रखें (घंटे)" },
      help: { en: "Hours that deliveries of a disabled webhook are kept.", hi: "बंद वेबहुक की डिलीवरी रखने के घंटे।" },
    }),
    keepRows: whole({
      default: 10_000,
      minimum: 100,
      maximum: 1_000_000,
      env: "GATEHOUSE_WEBHOOKS_KEEP_ROWS",
      name: { en: "Most deliveries of a disabled webhook", hi: "बंद वेबहुक की अधिकतम डिलीवरी" },
      help: { en: "Most deliveries kept for a disabled webhook.", hi: "बंद वेबहुक के लिए रखी जाने वाली अधिकतम डिलीवरी।" },
    }),
    logDays: whole({
      default: 30,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_WEBHOOKS_LOG_DAYS",
      name: { en: "Keep the delivery log (days)", hi: "डिलीवरी का लॉग रखें (दिन)" },
      help: { en: "Days that the delivery log is kept.", hi: "डिलीवरी लॉग रखने के दिन।" },
      restart: false,
    }),
  },
);
