import { shownNow } from "../../../console/clock.ts";
import { Plate } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { isOpen } from "../../../console/components/device-tile.tsx";
import { HadLeft } from "../../../console/components/had-left.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { dayName, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { keepsGate } from "../../../console/session.ts";
import { type Device, devices, type GateRead, questions, reads } from "../../../console/store.ts";
import { pictureOf } from "../rules/read-picture.ts";
import { correctionText, hasBeenFollowed, isNamed, waitsAtGate, whoOf, whyUnread } from "./gate-story.ts";
import { sendOrAsk } from "./opening.tsx";
import { Chain } from "./read-row.tsx";

/** Whether a person has put a read right, and has not taken that back. */
function isCorrected({ correction, plate }: GateRead): boolean {
  return correction !== null && correction.saw.replaceAll(/[^0-9A-Z]/g, "") !== plate;
}

/** How sure the reader was, or why it read nothing; of a read that a person has put right, who did and what was seen. */
export function surenessText(read: GateRead): string {
  if (read.correction !== null && isCorrected(read)) {
    const { by, saw } = read.correction;
    return t(saw === "" ? "read.filledIn" : "read.corrected", { who: by ?? t("read.somebody"), saw });
  }
  if (read.status === "recognised")
    return t("read.sure", { percent: read.confidence, votes: read.votes, samples: read.samples });
  return whyUnread(read);
}

/** The picture of a sighting with a frame around the plate. */
export function FramedPicture({ read, camera }: { read: GateRead; camera: string }) {
  if (!read.hasImage)
    return (
      <span class="read-image none">
        <Icon name="camera" />
        <span class="small">{t("read.noImage")}</span>
      </span>
    );
  const [left = 0, top = 0, right = 0, bottom = 0] = read.box ?? [];
  return (
    <span class="framed">
      <img
        key={pictureOf(read).src}
        {...pictureOf(read)}
        sizes="(max-width: 640px) 100vw, 520px"
        alt={t("read.imageAlt", { camera })}
        width="640"
        height="360"
      />
      {read.box !== null && (
        <span
          class="plate-frame"
          style={{
            left: `${left * 100}%`,
            top: `${top * 100}%`,
            width: `${(right - left) * 100}%`,
            height: `${(bottom - top) * 100}%`,
          }}
        />
      )}
    </span>
  );
}

/** One sighting beside the list: its picture, the whole chain, and what to do about it. */
export function ReadPane({ read, onList }: { read: GateRead; onList: (kind: "allow" | "deny" | "watch") => void }) {
  const camera = devices.value.get(read.deviceId)?.name ?? read.deviceId;
  const corrected = correctionText(read);
  return (
    <article class="read-pane" aria-label={t("day.shown", { who: whoOf(read) })}>
      <a href={`/gate/reads/${read.id}`} aria-label={t("read.review", { plate: whoOf(read), camera })}>
        <FramedPicture read={read} camera={camera} />
      </a>
      <div class="stack">
        <div class="row between">
          <h2>{whoOf(read)}</h2>
          {read.label !== "" && <Plate text={read.formatted ?? read.plate} />}
        </div>
        <p class="soft small">{[dayName(read.at), timeOfDay(read.at), camera].join(" · ")}</p>
        <Chain read={read} />
        {corrected !== null && <p class="soft small">{corrected}</p>}
        {read.gate?.reason === "already_inside" && <HadLeft plate={read.plate ?? ""} />}
        <OpenNow read={read} />
        {keepsGate.value && read.plate !== null && (
          <div class="row pane-lists">
            {read.listedNow !== "allow" && (
              <Button icon="check" text={t("bulk.allow")} aria-keyshortcuts="a" onClick={() => onList("allow")} />
            )}
            {read.listedNow !== "deny" && (
              <Button icon="x" text={t("bulk.deny")} aria-keyshortcuts="d" onClick={() => onList("deny")} />
            )}
            <a class="button" href={`/gate/reads/${read.id}`}>
              {t("day.more")}
            </a>
          </div>
        )}
        <p class="soft small">{surenessText(read)}</p>
      </div>
    </article>
  );
}

/** The gate that can be opened for a vehicle that may be standing at it; null: there is none. */
export function gateFor(read: GateRead): Device | null {
  const gate = read.opens === null ? undefined : devices.value.get(read.opens);
  const isAsked = questions.value.some((question) => question.readId === read.id); // the question above has its own buttons
  return gate === undefined ||
    isOpen(gate) ||
    isAsked ||
    !waitsAtGate(read, shownNow()) ||
    hasBeenFollowed(read, reads.value)
    ? null
    : gate;
}

/** Opens for a vehicle that may be standing at the gate; nothing otherwise. */
export function OpenNow({ read }: { read: GateRead }) {
  const gate = gateFor(read);
  if (gate === null) return null;
  return (
    <Button
      look="primary"
      icon="fence"
      text={isNamed(read) ? t("day.openFor", { who: whoOf(read) }) : t("day.openNow")}
      disabled={!gate.online}
      onClick={() => sendOrAsk(gate, { open: true })}
    />
  );
}
