import type { Section } from "../../../console/pages/section.ts";

/** The words by which notifications are found. */
export const section: Section = {
  places: [
    {
      title: "notify.settings",
      to: "/notifications/settings",
      words: {
        en: "notify notification notifications push message messages ntfy e-mail email quiet hours silent alert phone sound mute snooze alarm leak battery",
        hi: "सूचना सूचनाएँ पुश संदेश ईमेल शांत चुप अलर्ट फ़ोन आवाज़ अलार्म रिसाव बैटरी",
      },
    },
  ],
};
