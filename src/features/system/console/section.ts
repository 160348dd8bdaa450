import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";
import { language, theme } from "../../../console/preferences.ts";
import { adviceOf, askHealth, isAmiss } from "./health-card.tsx";

/** What the pages about the hub itself say in one line, and the words by which they are found. */
export const section: Section = {
  standings: {
    "/system/site": async () => ({ text: (await get("/api/site")).site.name }),
    "/system/browser": async () => {
      const shown = language.value === "hi" ? "हिन्दी" : "English";
      return { text: theme.value === "auto" ? shown : `${t(`theme.${theme.value}`)} · ${shown}` };
    },
    "/system/network": async () => {
      const { name, hostname } = (await get("/api/network")).network;
      return { text: name ?? hostname };
    },
    "/system/health": async () => {
      const health = await askHealth();
      if (isAmiss(health)) return { text: t("level.degraded"), tone: "bad" };
      const n = adviceOf(health).length;
      return n === 0 ? { text: t("health.allFine") } : { text: t("health.advice", { n }), tone: "advice" };
    },
  },
  places: [
    {
      title: "system.theme",
      on: "system.appearance",
      to: "/system/browser",
      words: {
        en: "theme dark light night mode colour color appearance contrast",
        hi: "रंग रूप गहरा हल्का डार्क लाइट रात",
      },
    },
    {
      title: "system.language",
      on: "system.appearance",
      to: "/system/browser",
      words: { en: "language hindi english translation", hi: "भाषा हिन्दी हिंदी अंग्रेज़ी" },
    },
    {
      title: "site.timeZone",
      on: "system.site",
      to: "/system/site",
      words: { en: "time zone timezone clock hour utc kolkata", hi: "समय क्षेत्र घड़ी टाइमज़ोन" },
    },
    {
      title: "system.place",
      on: "system.site",
      to: "/system/site",
      words: {
        en: "place location latitude longitude city sunset sunrise sun address gps map",
        hi: "जगह स्थान अक्षांश देशांतर शहर सूर्यास्त सूर्योदय पता नक्शा",
      },
    },
    {
      title: "site.name",
      on: "system.site",
      to: "/system/site",
      words: { en: "name house home site rename parking places capacity", hi: "नाम घर जगह पार्किंग गाड़ियाँ" },
    },
    {
      title: "network.title",
      to: "/system/network",
      words: {
        en: "network address ip port wifi https http certificate encryption tls ssl lock mdns hostname",
        hi: "नेटवर्क पता पोर्ट वाईफ़ाई प्रमाणपत्र एन्क्रिप्शन ताला",
      },
    },
    {
      title: "system.health",
      to: "/system/health",
      words: {
        en: "health status problem disk card wear power clock memory sd",
        hi: "सेहत हाल समस्या डिस्क कार्ड घिसाई बिजली घड़ी",
      },
    },
    {
      title: "reset.title",
      on: "system.site",
      to: "/system/site",
      words: { en: "factory reset erase wipe delete everything sell start over", hi: "फ़ैक्टरी रीसेट मिटाएँ सब कुछ नया" },
    },
    {
      title: "log.title",
      to: "/system/log",
      words: { en: "log logs messages debug error", hi: "लॉग त्रुटि डीबग" },
    },
    {
      title: "dev.keys",
      on: "nav.developer",
      to: "/developer",
      words: { en: "api key keys token webhook webhooks developer integration", hi: "कुंजी टोकन वेबहुक डेवलपर" },
    },
  ],
};
