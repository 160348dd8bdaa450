import { houseZone, t } from "../i18n/translate.ts";
import { zoneName } from "./zone-time.ts";

/** Says whose clock the times on the page follow, if the reader's shows another time. */
export function ZoneLine() {
  return <p class="soft small">{t("history.zone", { zone: zoneName(houseZone.value ?? "UTC") })}</p>;
}
