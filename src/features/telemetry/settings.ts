import { group, whole } from "../../core/settings/builders.ts";

export const telemetry = group(
  { name: { en: "Measurements", hi: "माप" }, part: "kept", at: 2 },
  {
    rawDays: whole({
      default: 35,
      minimum: 1,
      maximum: 1_825,
      env: "GATEHOUSE_TELEMETRY_RAW_DAYS",
      common: true,
      name: { en: "Keep single measurements (days)", hi: "हर माप रखें (दिन)" },
      words: {
        en: "measurements samples temperature retention history chart sensor",
        hi: "तापमान इतिहास चार्ट अवधि सेंसर",
      },
      help: { en: "Days that single samples are kept.", hi: "एक-एक माप रखने के दिन।" },
      restart: false,
    }),
    hourlyDays: whole({
      default: 1_095,
      minimum: 35,
      maximum: 7_300,
      env: "GATEHOUSE_TELEMETRY_HOURLY_DAYS",
      common: true,
      name: { en: "Keep hourly figures (days)", hi: "घंटेवार आँकड़े रखें (दिन)" },
      words: {
        en: "measurements temperature energy retention history chart sensor",
        hi: "तापमान ऊर्जा इतिहास चार्ट अवधि",
      },
      help: { en: "Days that hourly sums are kept.", hi: "घंटेवार जोड़ रखने के दिन।" },
      restart: false,
    }),
    maxMegabytes: whole({
      default: 2_000,
      minimum: 50,
      maximum: 1_000_000,
      env: "GATEHOUSE_TELEMETRY_MAX_MB",
      name: { en: "Most space for measurements (MB)", hi: "मापों के लिए अधिकतम जगह (MB)" },
      words: { en: "disk space database size", hi: "डिस्क जगह आकार" },
      help: { en: "Most space for samples; the oldest go first.", hi: "मापों के लिए अधिकतम जगह; सबसे पुराने पहले हटते हैं।" },
      restart: false,
    }),
  },
);
