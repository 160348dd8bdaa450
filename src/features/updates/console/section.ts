import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";

/** Which version runs, and the words by which updates are found. */
export const section: Section = {
  standings: {
    "/system/updates": async () => {
      const { updates } = await get("/api/updates");
      return { text: updates.found.length > 0 ? t("update.waits") : t("update.version", { version: updates.version }) };
    },
  },
  places: [
    {
      title: "update.title",
      to: "/system/updates",
      words: {
        en: "update upgrade version install firmware roll back new release",
        hi: "अपडेट नया संस्करण इंस्टॉल पिछला लौटें",
      },
    },
  ],
};
