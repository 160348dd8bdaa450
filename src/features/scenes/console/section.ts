import type { Section } from "../../../console/pages/section.ts";

/** The words by which scenes are found. */
export const section: Section = {
  places: [
    {
      title: "nav.scenes",
      to: "/scenes",
      words: {
        en: "scene scenes one tap several all lights off good night away",
        hi: "दृश्य एक टैप सब बत्तियाँ बंद शुभ रात्रि बाहर",
      },
    },
  ],
};
