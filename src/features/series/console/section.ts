import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";

/** What the page of long-term series says in one line, and the words by which it is found. */
export const section: Section = {
  standings: {
    "/system/series": async () => {
      const { series } = await get("/api/series");
      if (series.export.state === "waiting") return { text: t("series.waiting"), tone: "bad" };
      if (series.export.state !== "off") return { text: t("series.sending") };
      return { text: series.prometheus.enabled ? "Prometheus" : t("series.off") };
    },
  },
  places: [
    {
      title: "series.title",
      to: "/system/series",
      words: {
        en: "influxdb prometheus grafana export database long-term metrics",
        hi: "इन्फ़्लक्स ग्राफ़ाना निर्यात डेटाबेस लंबे समय",
      },
    },
  ],
};
