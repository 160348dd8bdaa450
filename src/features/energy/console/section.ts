import type { Section } from "../../../console/pages/section.ts";

/** The words by which Energy is found. */
export const section: Section = {
  places: [
    {
      title: "energy.settings",
      on: "energy.title",
      to: "/energy",
      words: {
        en: "price prices tariff cost money electricity kwh currency rupee rupees meter solar bill",
        hi: "दाम दर टैरिफ़ लागत ख़र्च पैसा बिजली यूनिट मुद्रा रुपये मीटर सौर बिल",
      },
    },
  ],
};
