import { t } from "../../../console/i18n/translate.ts";
import type { SeenPlate } from "../../gate/api/console-camera-view.ts";

/** A picture with its plates drawn on it, whole: the shape of the frame is the picture's own. */
export function PlateOverlay({ picture, plates, alt }: { picture: string; plates: readonly SeenPlate[]; alt: string }) {
  return (
    <figure class="overlay">
      <div class="overlay-picture">
        <img src={picture} alt={alt} />
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {plates.map((plate) => (
            <polygon
              key={plate.corners.join()}
              class={plate.status === "recognised" ? "overlay-plate" : "overlay-plate unread"}
              points={plate.corners.map(([x, y]) => `${x * 100},${y * 100}`).join(" ")}
            />
          ))}
        </svg>
      </div>
      <figcaption>
        {plates.length === 0 ? (
          <span class="soft small">{t("preview.noPlates")}</span>
        ) : (
          <ul class="chips">
            {plates.map((plate) => (
              <li key={plate.corners.join()} class="row">
                <span class={plate.plate === null ? "plate none" : "plate"}>
                  {plate.formatted ?? (plate.text === "" ? t("plate.unread") : plate.text)}
                </span>
                <span class="soft small">
                  {plate.status === "recognised"
                    ? t("preview.sure", { percent: plate.confidence })
                    : t("reason.invalid_format")}
                </span>
              </li>
            ))}
          </ul>
        )}
      </figcaption>
    </figure>
  );
}
