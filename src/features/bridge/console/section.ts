import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";
import { deviceList } from "../../../console/store.ts";

/** What the page of other makes says in one line, and the words by which it is found. */
export const section: Section = {
  standings: {
    "/system/bridge": async () => {
      const { devices } = await get("/api/bridge/devices");
      // beside the list of all devices it says that these are some of them
      const all = deviceList.value.length;
      return devices.length === 0 ? null : { text: t("bridge.standing", { n: devices.length, all }) };
    },
  },
  places: [
    {
      title: "bridge.title",
      to: "/system/bridge",
      words: {
        en: "other makes tasmota shelly zigbee zigbee2mqtt esphome pair pairing add device brand",
        hi: "दूसरी कंपनी टासमोटा शेली ज़िगबी जोड़ें पेयरिंग डिवाइस ब्रांड",
      },
    },
  ],
};
