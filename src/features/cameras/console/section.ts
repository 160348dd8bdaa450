import type { Section } from "../../../console/pages/section.ts";

/** The words by which cameras are found. */
export const section: Section = {
  places: [
    {
      title: "gate.cameras",
      to: "/gate/cameras",
      words: {
        en: "camera cameras picture video rtsp onvif mask add set up",
        hi: "कैमरा कैमरे तस्वीर वीडियो जोड़ें",
      },
    },
  ],
};
