import type { Section } from "../../../console/pages/section.ts";

/** The words by which the history of the house is found. */
export const section: Section = {
  places: [
    {
      title: "states.lastNight",
      on: "device.history",
      to: "/history?of=night",
      words: {
        en: "last night tonight gate door opened came who happened history lock light sleep",
        hi: "पिछली रात बीती रात गेट दरवाज़ा खुला आया कौन इतिहास ताला बत्ती",
      },
    },
    {
      title: "device.history",
      to: "/history",
      words: {
        en: "history today yesterday day when opened closed door gate lock light motion movement how long open timeline chart",
        hi: "इतिहास आज कल दिन कब खुला बंद दरवाज़ा गेट ताला बत्ती हलचल कितनी देर",
      },
    },
    {
      title: "states.values",
      on: "device.history",
      to: "/history/values",
      words: {
        en: "measurement measurements temperature humidity power watts chart graph compare csv export value",
        hi: "माप मापे मान तापमान नमी बिजली वाट चार्ट तुलना",
      },
    },
  ],
};
