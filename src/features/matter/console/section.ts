import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";

/** What the page of Matter says in one line, and the words by which it is found. */
export const section: Section = {
  standings: {
    "/system/matter": async () => {
      const { matter } = await get("/api/matter");
      if (!matter.enabled) return { text: t("matter.state.off") };
      return matter.fabrics.length === 0
        ? { text: t("matter.state.running") }
        : { text: matter.fabrics.map(({ name }) => name).join(", ") };
    },
  },
  places: [
    {
      title: "matter.title",
      to: "/system/matter",
      words: {
        en: "matter apple homekit siri google assistant alexa amazon smartthings pin code qr",
        hi: "मैटर एप्पल गूगल एलेक्सा सिरी पिन PIN कोड",
      },
    },
  ],
};
