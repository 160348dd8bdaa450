import { flag, group, text, whole } from "../../core/settings/builders.ts";

export const site = group(
  {
    name: { en: "New household", hi: "नया घर" },
    part: "home",
    at: 3,
  },
  {
    name: text({
      default: "Home",
      maxLength: 120,
      env: "GATEHOUSE_SITE_NAME",
      name: { en: "Name of a new household", hi: "नए घर का नाम" },
      help: { en: "Name that a new household gets.", hi: "नए घर को मिलने वाला नाम।" },
      everyday: true,
    }),
    timeZone: text({
      default: "",
      maxLength: 64,
      env: "GATEHOUSE_TIME_ZONE",
      name: { en: "Time zone of a new household", hi: "नए घर का समय क्षेत्र" },
      help: {
        en: "IANA time zone that a new household gets; empty = that of the machine.",
        hi: "नए घर को मिलने वाला IANA समय क्षेत्र; ख़ाली = मशीन का।",
      },
      everyday: true,
    }),
  },
);

export const metrics = group(
  { name: { en: "Metrics", hi: "आँकड़े" }, part: "upkeep", at: 4 },
  {
    enabled: flag({
      default: false,
      env: "GATEHOUSE_METRICS",
      name: { en: "Figures for Prometheus", hi: "Prometheus के आँकड़े" },
      words: { en: "prometheus grafana monitoring", hi: "निगरानी" },
      help: { en: "Serve Prometheus figures at /metrics.", hi: "/metrics पर Prometheus के आँकड़े दें।" },
    }),
  },
);

export const discovery = group(
  {
    name: { en: "Name on the network", hi: "नेटवर्क पर नाम" },
    part: "network",
    at: 1,
  },
  {
    mdns: flag({
      default: true,
      env: "GATEHOUSE_MDNS",
      name: { en: "Announce the hub by name", hi: "हब को नाम से घोषित करें" },
      words: { en: "bonjour local hostname find hub", hi: "खोज होस्टनेम" },
      help: { en: "Announce the hub on the local network.", hi: "स्थानीय नेटवर्क पर हब की सूचना दें।" },
    }),
    name: text({
      default: "gatehouse",
      pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
      env: "GATEHOUSE_NAME",
      common: true,
      name: { en: "Name on the network", hi: "नेटवर्क पर नाम" },
      words: { en: "hostname mdns local bonjour address url", hi: "पता होस्टनेम" },
      help: { en: "Host name announced, without .local.", hi: "सूचित नाम, .local के बिना।" },
    }),
  },
);

export const sntp = group(
  {
    name: { en: "Time for devices", hi: "डिवाइस के लिए समय" },
    part: "network",
    at: 6,
  },
  {
    enabled: flag({
      default: true,
      env: "GATEHOUSE_SNTP",
      name: { en: "Tell devices the time", hi: "डिवाइस को समय बताएँ" },
      words: { en: "clock ntp time server", hi: "घड़ी समय" },
      help: {
        en: "Serve the time to devices on the LAN, for those without internet. If the port is not available, the time is not served.",
        hi: "बिना इंटरनेट वाले डिवाइस को स्थानीय नेटवर्क पर समय दें। जहाँ पोर्ट न मिले, वहाँ समय नहीं दिया जाता।",
      },
      everyday: true,
    }),
    port: whole({
      default: 123,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_SNTP_PORT",
      name: { en: "Port of the time server", hi: "समय सर्वर का पोर्ट" },
      help: {
        en: "UDP port of the time server; 0 takes any free one.",
        hi: "समय सर्वर का UDP पोर्ट; 0 कोई भी ख़ाली पोर्ट लेता है।",
      },
      everyday: true,
    }),
  },
);

export const box = group(
  { name: { en: "This hub", hi: "यह हब" }, part: "upkeep", at: 2 },
  {
    clockRequest: text({
      default: "",
      env: "GATEHOUSE_CLOCK_REQUEST",
      name: { en: "File for setting the clock", hi: "घड़ी मिलाने की फ़ाइल" },
      help: {
        en: "File through which the hub asks the system's service to set the clock. Set by the installer; empty: the hub never sets it.",
        hi: "वह फ़ाइल जिससे सिस्टम के अपने हिस्से से घड़ी मिलाने को कहा जाता है। इंस्टॉलर इसे तय करता है; ख़ाली: हब घड़ी कभी नहीं मिलाता।",
      },
    }),
    dailyWriteMegabytes: whole({
      default: 400,
      minimum: 1,
      maximum: 1_000_000,
      env: "GATEHOUSE_DAILY_WRITE_MB",
      common: true,
      name: { en: "Most written to the card in a day (MB)", hi: "कार्ड पर एक दिन में अधिकतम लिखाई (MB)" },
      words: { en: "sd card wear limit flash", hi: "कार्ड घिसाई सीमा" },
      help: {
        en: "Most that the hub should write to the card in a day. If it has written more than its share so far, samples wait for a second to share a commit, or for three or six if far more; the health page says when a day exceeds it.",
        hi: "हब को कार्ड पर एक दिन में अधिक से अधिक कितना लिखना चाहिए। इससे आगे निकलने पर माप एक सेकंड रुककर साथ में लिखे जाते हैं, बहुत आगे निकलने पर तीन या छह सेकंड; और जानकारी सेहत पेज पर।",
      },
      everyday: true,
      restart: false,
    }),
  },
);
