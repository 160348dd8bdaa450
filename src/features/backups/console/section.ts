import { get } from "../../../console/api.ts";
import { ago, t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";

/** What the page of backups says in one line, and the words by which it is found. */
export const section: Section = {
  standings: {
    "/system/backups": async () => {
      const { backups } = await get("/api/backups");
      const [newest] = backups;
      if (newest?.problem != null) return { text: t("backup.failed"), tone: "bad" };
      const good = backups.find(({ present }) => present);
      return { text: good === undefined ? t("backup.noneYet") : t("backup.last", { ago: ago(good.at) }) };
    },
  },
  places: [
    {
      title: "backup.title",
      to: "/system/backups",
      words: {
        en: "backup restore copy save download passphrase encryption rehearse usb stick share move new hub",
        hi: "बैकअप वापस लाएँ प्रति सहेजें डाउनलोड पासफ़्रेज़ एन्क्रिप्शन अभ्यास पेन-ड्राइव नया हब",
      },
    },
  ],
};
