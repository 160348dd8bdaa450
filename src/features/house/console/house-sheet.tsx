import { useEffect } from "preact/hooks";
import { put } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Dialog } from "../../../console/components/dialog.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { ago, t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { devices, type House, house, refreshHouse, scenes, set } from "../../../console/store.ts";
import { HOUSE_MODES, type HouseMode } from "../../../core/api/house.ts";
import { refusedLever } from "../../gate/console/opening.tsx";
import { isHouseOpen } from "./house-open.ts";
import { MODE_ICONS, modeWord } from "./modes.ts";
import "../../../console/components/sheet-rows.css";
import "./house.css";

type Person = House["persons"][number];

async function take(change: Promise<{ readonly house: House }>): Promise<void> {
  try {
    set(house, (await change).house);
  } catch (error) {
    sayError(error);
    await refreshHouse().catch(() => {});
  }
}

/** Sets the house, and says who is home. */
export function HouseSheet() {
  const onClose = (): void => {
    isHouseOpen.value = false;
  };
  const now = house.value;
  useEffect(() => onClose, []); // it does not come back with the page
  if (now === null) return null;
  const [noMode, noPresence] = [refusedLever("mode"), refusedLever("presence")];
  const choose = (mode: HouseMode): void => {
    onClose();
    if (mode !== now.mode) void take(put("/api/house/mode", { body: { mode } }));
  };
  return (
    <Dialog title={t("houseMode.title")} isSheet onClose={onClose}>
      <ul class="sheet-rows">
        {HOUSE_MODES.map((mode) => (
          <li key={mode}>
            <button
              type="button"
              class="sheet-row"
              aria-pressed={mode === now.mode}
              disabled={noMode !== null && mode !== now.mode}
              onClick={() => choose(mode)}
            >
              <Icon name={MODE_ICONS[mode]} />
              <span class="grow">
                {modeWord(mode)}
                <SetBy mode={mode} />
              </span>
              {mode === now.mode && <Icon name="check" small />}
            </button>
          </li>
        ))}
      </ul>
      <p class="soft small">
        {setLine(now)} {noMode ?? t("houseMode.text")}
      </p>
      <h3>{t("presence.title")}</h3>
      <ul class="list">
        {now.persons.map((one) => (
          <li key={one.id} class="house-person">
            <div class="grow">
              <p>{one.name}</p>
              <p class="soft small">{presenceLine(one)}</p>
              {one.you && noPresence !== null && <p class="soft small">{noPresence}</p>}
            </div>
            {one.you && (
              <span class="row">
                {one.is !== "home" && (
                  <Button
                    text={t("presence.imHome")}
                    disabled={noPresence !== null}
                    onClick={() => take(put("/api/house/presence", { body: { is: "home" } }))}
                  />
                )}
                {one.is !== "away" && (
                  <Button
                    text={t("presence.imLeaving")}
                    disabled={noPresence !== null}
                    onClick={() => take(put("/api/house/presence", { body: { is: "away" } }))}
                  />
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      <div class="actions">
        {isOwner.value && (
          <a class="button outline" href="/system/presence" onClick={onClose}>
            {t("presence.edit")}
          </a>
        )}
        <Button text={t("action.done")} onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** The scenes that set a mode: one of the same name does more than that. */
function SetBy({ mode }: { mode: HouseMode }) {
  const names = scenes.value.filter(({ houseMode }) => houseMode === mode).map(({ name }) => `“${name}”`);
  if (names.length === 0) return null;
  return <span class="row-text">{t("houseMode.byScene", { n: names.length, names: names.join(", ") })}</span>;
}

function setLine({ since, by }: House): string {
  if (since === null) return "";
  return by === null
    ? `${t("houseMode.setAt", { ago: ago(since) })}.`
    : `${t("houseMode.set", { who: by, ago: ago(since) })}.`;
}

/** Where somebody is, since when, and what says so. */
export function presenceLine({ is, since, by, deviceId }: Person): string {
  if (is === null || since === null) return t("presence.unknown");
  const where = t(is === "home" ? "presence.home" : "presence.away", { ago: ago(since) });
  if (by === "device" && deviceId === null) return where; // not for this reader
  const how =
    by === "device"
      ? t("presence.by.device", { device: devices.value.get(deviceId ?? "")?.name ?? String(deviceId) })
      : t(by === "car" ? "presence.by.car" : "presence.by.hand");
  return `${where} · ${how}`;
}
