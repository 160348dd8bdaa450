import type { Section } from "../../../console/pages/section.ts";

/** What Activity is found by. */
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
