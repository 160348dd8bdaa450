import { type TextKey, t } from "../i18n/translate.js";
import { devices, type PlateRead } from "../store.js";
import { Decision, Plate } from "./basics.js";
import { Icon } from "./icon.js";
import { Moment } from "./moment.js";
import { ReadPicture } from "./read-picture.js";

const REASONS: Readonly<Record<string, TextKey>> = {
  no_recogniser: "reason.no_recogniser",
  no_plate: "reason.no_plate",
  invalid_format: "reason.invalid_format",
  timeout: "reason.timeout",
  provider_error: "reason.provider_error",
};

/** One plate sighting: picture, plate, what was decided and how sure the reader was. */
export function ReadCard({ read, onCorrect }: { read: PlateRead; onCorrect?: () => void }) {
  const camera = devices.value.get(read.deviceId)?.name ?? read.deviceId;
  const reason = REASONS[read.reason ?? ""];
  return (
    <article class="card read-card">
      <ReadPicture read={read} camera={camera} />
      <div class="row between">
        <Plate text={read.formatted ?? read.plate} />
        <Decision decision={read.decision} />
      </div>
      <p class="soft small">
        <Moment iso={read.at} />
        {" · "}
        {camera}
        {read.direction !== null && (
          <>
            {" · "}
            {read.direction === "in" ? t("read.in") : t("read.out")}
          </>
        )}
      </p>
      <div class="row between">
        <p class="soft small sure">
          {read.status === "recognised"
            ? t("read.sure", { percent: read.confidence, votes: read.votes, samples: read.samples })
            : reason === undefined
              ? t("plate.unread")
              : t(reason)}
        </p>
        {onCorrect && (
          <button type="button" class="button plain" onClick={onCorrect}>
            <Icon name="pencil" small />
            {t("read.correct")}
          </button>
        )}
      </div>
    </article>
  );
}
