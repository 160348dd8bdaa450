import { type TextKey, t } from "../i18n/translate.js";
import { devices, type PlateRead } from "../store.js";
import { Decision, Plate } from "./basics.js";
import { HadLeft } from "./had-left.js";
import { Icon } from "./icon.js";
import { Moment } from "./moment.js";
import { OutcomeLine } from "./outcome.js";
import { isUnread } from "./seen-reads.js";

const REASONS: Readonly<Record<string, TextKey>> = {
  no_recogniser: "reason.no_recogniser",
  no_plate: "reason.no_plate",
  invalid_format: "reason.invalid_format",
  timeout: "reason.timeout",
  provider_error: "reason.provider_error",
};

/** How sure the reader was, or why it read nothing. */
export function surenessText(read: PlateRead): string {
  if (read.status === "recognised")
    return t("read.sure", { percent: read.confidence, votes: read.votes, samples: read.samples });
  const reason = REASONS[read.reason ?? ""];
  return reason === undefined ? t("plate.unread") : t(reason);
}

/**
 * One plate sighting: its whole picture, who it is, what was decided and what happened at the gate. Leads to the large
 * picture.
 */
export function ReadCard({ read }: { read: PlateRead }) {
  const camera = devices.value.get(read.deviceId)?.name ?? read.deviceId;
  const plate = read.formatted ?? read.plate;
  const review = t("read.review", { plate: plate ?? t("plate.unread"), camera });
  return (
    <article class="card read-card">
      <a
        class="read-picture"
        href={`/gate/reads/${read.id}`}
        // who speaks to the console says what is written there
        aria-label={read.hasImage ? review : `${t("read.noImage")} · ${review}`}
      >
        {read.hasImage ? (
          <img
            class="read-image"
            src={`/v1/plates/${read.id}/image`}
            alt={t("read.imageAlt", { camera })}
            loading="lazy"
            width="640"
            height="360"
          />
        ) : (
          <span class="read-image none">
            <Icon name="camera" />
            <span class="small">{t("read.noImage")}</span>
          </span>
        )}
      </a>
      <div class="row between">
        <Plate text={plate} />
        <div class="row">
          {isUnread(read) && <span class="badge good">{t("gate.new")}</span>}
          <Decision decision={read.decision} />
        </div>
      </div>
      {read.label !== "" && <p class="read-label">{read.label}</p>}
      <OutcomeLine read={read} />
      {read.gate?.reason === "already_inside" && <HadLeft plate={read.plate ?? ""} />}
      <p class="soft small">
        <Moment iso={read.at} />
        {" · "}
        {camera}
        {read.direction !== null && ` · ${read.direction === "in" ? t("read.in") : t("read.out")}`}
      </p>
      <p class="soft small sure">{surenessText(read)}</p>
    </article>
  );
}
