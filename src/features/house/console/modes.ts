import type { IconName } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { HOUSE_MODES, type HouseMode } from "../../../core/api/house.ts";

/** The icon of each mode. */
export const MODE_ICONS: Readonly<Record<HouseMode, IconName>> = {
  home: "house",
  away: "doorOpen",
  night: "moon",
  holiday: "sunset",
};

/** The name of a mode; anything that is not a mode is shown as it is. */
export function modeWord(mode: unknown): string {
  const known = HOUSE_MODES.find((one) => one === mode);
  return known === undefined ? String(mode) : t(`houseMode.${known}`);
}
