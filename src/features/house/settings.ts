import { flag, group } from "../../core/settings/builders.ts";

export const house = group(
  {
    name: { en: "Who is home", hi: "कौन घर पर है" },
    part: "home",
    at: 5,
  },
  {
    shared: flag({
      default: false,
      env: "GATEHOUSE_HOUSE_SHARED",
      common: true,
      name: { en: "Everybody sees who is home", hi: "सब देखें कि कौन घर पर है" },
      words: { en: "presence privacy location whereabouts away members family", hi: "मौजूदगी निजता सदस्य परिवार बाहर" },
      help: {
        en: "Whether members and gatekeepers also see who of the household is home. Otherwise only owners do; everybody sees what the hub knows of themselves.",
        hi: "सदस्य और गेट प्रबंधक भी देखें कि घर का कौन व्यक्ति घर पर है। नहीं तो केवल मालिक देखते हैं; अपने बारे में हब जो जानता है, वह हर कोई देखता है।",
      },
      restart: false,
    }),
  },
);
