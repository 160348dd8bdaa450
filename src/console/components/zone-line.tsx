import { houseZone, t } from "../i18n/translate.ts";
import { zoneName } from "./zone-time.ts";

/** Names the time zone of the page if the reader's clock shows another time. */
export function ZoneLine() {
  return <p class="soft small">{t("history.zone", { zone: zoneName(houseZone.value ?? "UTC") })}</p>;
}
