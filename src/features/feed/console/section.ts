import type { Section } from "../../../console/pages/section.ts";

/** The words by which Activity is found. */
export const section: Section = {
  places: [
    {
      title: "nav.activity",
      to: "/activity",
      words: {
        en: "activity events what happened log who opened offline today",
        hi: "गतिविधि घटनाएँ क्या हुआ किसने खोला ऑफ़लाइन आज",
      },
    },
  ],
};
