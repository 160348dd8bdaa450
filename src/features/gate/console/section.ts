import type { Section } from "../../../console/pages/section.ts";

/** The words by which the pages of the gate are found. */
export const section: Section = {
  places: [
    {
      title: "gate.tab.reads",
      to: "/gate",
      words: {
        en: "gate plate read reads car cars picture pictures seen came visit day open opened last",
        hi: "गेट प्लेट गाड़ी गाड़ियाँ तस्वीर आई दिखी दिन खुला",
      },
    },
    {
      title: "gate.vehicles",
      to: "/gate/vehicles",
      words: {
        en: "vehicle vehicles car cars inside parking visits",
        hi: "वाहन गाड़ी गाड़ियाँ अंदर पार्किंग",
      },
    },
    {
      title: "gate.guests",
      to: "/gate/guests",
      words: {
        en: "guest guests pass passes visitor visitors delivery link invite temporary plumber cleaner",
        hi: "मेहमान पास आगंतुक डिलीवरी लिंक बुलाना",
      },
    },
    {
      title: "gate.rules",
      to: "/gate/rules",
      words: {
        en: "rule rules allow allowed deny denied watch list import csv plate plates who may enter",
        hi: "नियम अनुमति मना निगरानी सूची आयात प्लेट कौन आ सकता",
      },
    },
  ],
};
