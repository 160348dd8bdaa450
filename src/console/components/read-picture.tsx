import { useState } from "preact/hooks";
import { t } from "../i18n/translate.js";
import type { PlateRead } from "../store.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icon.js";
import { Moment } from "./moment.js";

/** The whole picture of a read, never cut; a tap shows it as large as the screen allows. */
export function ReadPicture({ read, camera }: { read: PlateRead; camera: string }) {
  const [isLarge, setLarge] = useState(false);
  if (!read.hasImage || read.imageUrl === null) {
    return (
      <div class="read-image none">
        <Icon name="camera" />
        <span class="small">{t("read.noImage")}</span>
      </div>
    );
  }
  const source = `/v1/plates/${read.id}/image`;
  return (
    <>
      <button type="button" class="read-picture" aria-label={t("read.enlarge", { camera })} onClick={() => setLarge(true)}>
        <img class="read-image" src={source} alt={t("read.imageAlt", { camera })} loading="lazy" width="640" height="360" />
      </button>
      {isLarge && (
        <Dialog title={read.formatted ?? read.plate ?? camera} wide onClose={() => setLarge(false)}>
          <img class="read-image large" src={source} alt={t("read.imageAlt", { camera })} />
          <div class="row between">
            <Moment iso={read.at} />
            <button type="button" class="button primary" onClick={() => setLarge(false)}>
              {t("action.done")}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
