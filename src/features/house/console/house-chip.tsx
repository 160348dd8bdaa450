import { Icon } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { later } from "../../../console/pages/later.tsx";
import { isOwner } from "../../../console/session.ts";
import { house } from "../../../console/store.ts";
import { isHouseOpen } from "./house-open.ts";
import { MODE_ICONS, modeWord } from "./modes.ts";

const Sheet = later(async () => (await import("./house-sheet.tsx")).HouseSheet, { isSilent: true });

/** What the house is set to, among the facts of Home: a tap opens {@link HousePlace}. */
export function ModeChip() {
  const now = house.value;
  if (now === null) return null;
  const known = now.persons.filter(({ is }) => is !== null);
  const about =
    isOwner.value && known.length > 0
      ? t("presence.homeCount", { n: known.filter(({ is }) => is === "home").length })
      : t("houseMode.label");
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={() => {
        isHouseOpen.value = true;
      }}
    >
      <Icon name={MODE_ICONS[now.mode]} />
      <span>
        <strong>{modeWord(now.mode)}</strong>
        <span class="soft small">{about}</span>
      </span>
    </button>
  );
}

/** Where the house is set, once somebody wants to. */
export function HousePlace() {
  return isHouseOpen.value ? <Sheet params={{}} /> : null;
}
