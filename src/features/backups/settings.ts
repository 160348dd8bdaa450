import { flag, group, list, text, whole } from "../../core/settings/builders.ts";

export const backups = group(
  {
    name: { en: "Backups", hi: "बैकअप" },
    part: "kept",
    at: 1,
  },
  {
    scheduled: flag({
      default: true,
      env: "GATEHOUSE_BACKUPS",
      common: true,
      name: { en: "Make a backup every day", hi: "हर दिन बैकअप बनाएँ" },
      words: { en: "automatic nightly copy restore", hi: "अपने आप रात प्रति" },
      help: { en: "Make a backup every day.", hi: "हर दिन एक बैकअप बनाएँ।" },
      restart: false,
    }),
    time: text({
      default: "03:15",
      pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
      env: "GATEHOUSE_BACKUPS_TIME",
      common: true,
      name: { en: "Time of the daily backup", hi: "रोज़ के बैकअप का समय" },
      words: { en: "nightly hour when automatic", hi: "रात घंटा कब" },
      help: { en: "Local time of the daily backup.", hi: "रोज़ के बैकअप का स्थानीय समय।" },
      everyday: true,
      restart: false,
    }),
    keepDaily: whole({
      default: 7,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_BACKUPS_KEEP_DAILY",
      common: true,
      name: { en: "Keep daily backups (days)", hi: "रोज़ के बैकअप रखें (दिन)" },
      words: { en: "retention how long old copies", hi: "अवधि कितने पुराने" },
      help: {
        en: "Days whose newest scheduled backup is kept, at each destination.",
        hi: "हर गंतव्य पर इतने दिनों का सबसे नया तय बैकअप रखा जाता है।",
      },
      restart: false,
    }),
    keepWeekly: whole({
      default: 4,
      minimum: 0,
      maximum: 260,
      env: "GATEHOUSE_BACKUPS_KEEP_WEEKLY",
      common: true,
      name: { en: "Keep weekly backups (weeks)", hi: "साप्ताहिक बैकअप रखें (हफ़्ते)" },
      help: {
        en: "Weeks whose newest scheduled backup is kept, at each destination.",
        hi: "हर गंतव्य पर इतने हफ़्तों का सबसे नया तय बैकअप रखा जाता है।",
      },
      restart: false,
    }),
    destinations: list({
      default: [],
      item: "^(local|folder:/[^,]+|mount:/[^,]+|usb:[^/,]{1,64})$",
      env: "GATEHOUSE_BACKUPS_DESTINATIONS",
      common: true,
      name: { en: "Where backups go", hi: "बैकअप कहाँ जाते हैं" },
      words: {
        en: "usb stick nas share smb drive external disk second place elsewhere",
        hi: "पेन-ड्राइव यूएसबी शेयर बाहरी डिस्क दूसरी",
      },
      help: {
        en: "Where backups go: local (the data folder), folder:/path, mount:/path (only while something is mounted there) or usb:LABEL (a stick). None: local.",
        hi: "बैकअप कहाँ जाते हैं: local (डेटा फ़ोल्डर), folder:/path, mount:/path (केवल जब वहाँ कुछ माउंट हो) या usb:LABEL (एक स्टिक)। कुछ नहीं: local।",
      },
      restart: false,
    }),
  },
);
