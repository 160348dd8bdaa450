import type { Section } from "../../../console/pages/section.ts";

/** The words by which automations are found. */
export const section: Section = {
  places: [
    {
      title: "nav.automations",
      to: "/automations",
      words: {
        en: "automation automations rule rules schedule timer when then sunset sunrise trigger",
        hi: "स्वचालन नियम समय टाइमर जब तब सूर्यास्त सूर्योदय",
      },
    },
  ],
};
