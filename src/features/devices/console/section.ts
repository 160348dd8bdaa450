import { isAway } from "../../../console/components/device-tile.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";
import { deviceList, loaded, rooms } from "../../../console/store.ts";

/** What the lists of devices and rooms say in one line, and the words by which they are found. */
export const section: Section = {
  standings: {
    "/devices": async () => {
      if (!loaded.value) return null;
      const away = deviceList.value.filter(isAway).length;
      const parts = [
        t("rooms.devices", { n: deviceList.value.length }),
        away > 0 ? t("home.countOffline", { n: away }) : "",
      ];
      return { text: parts.filter((part) => part !== "").join(" · ") };
    },
    "/system/rooms": async () =>
      rooms.value.length === 0 ? null : { text: t("rooms.count", { n: rooms.value.length }) },
  },
  places: [
    {
      title: "home.devices",
      to: "/devices",
      words: {
        en: "device add remove delete rename offline sensor lamp plug",
        hi: "डिवाइस जोड़ें हटाएँ नाम बदलें ऑफ़लाइन सेंसर लैंप",
      },
    },
    {
      title: "rooms.title",
      to: "/system/rooms",
      words: { en: "room rename order floor kitchen bedroom", hi: "कमरा कमरे नाम क्रम रसोई" },
    },
  ],
};
