import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Button, Chip } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../../console/components/field.tsx";
import { areWindowsWhole } from "../../../console/components/windows-field.tsx";
import { dayOf, localMoment, shownZone } from "../../../console/components/zone-time.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { deviceList } from "../../../console/store.ts";
import { PassLink } from "./pass-link.tsx";
import { boundsOf, type WhenDraft, WhenFields } from "./rule-form.tsx";

const WEEKS_MS = 28 * 86_400_000;

function tonight(): string {
  return `${dayOf(Date.now(), shownZone())}T23:59`;
}

const HOUR_MS = 3_600_000;
/** From this hour on, the rest of the day is too short for a guest. */
const LATE_HOUR = "22";

function inTwoHours(): string {
  return localMoment(new Date(Date.now() + 2 * HOUR_MS).toISOString());
}

function isLate(): boolean {
  return localMoment(new Date().toISOString()).slice(11, 13) >= LATE_HOUR;
}

/** The end of this week's Sunday. */
function sunday(): string {
  const now = Date.now();
  const weekday = new Date(`${dayOf(now, shownZone())}T12:00:00Z`).getUTCDay();
  return `${dayOf(now + ((7 - weekday) % 7) * 24 * HOUR_MS, shownZone())}T23:59`;
}

/** Ends that most passes have. */
const QUICK = [
  ["pass.twoHours", inTwoHours],
  ["pass.today", tonight],
  ["pass.weekend", sunday],
] as const satisfies readonly (readonly [TextKey, () => string])[];

/** Gives a guest a pass, and shows the link for it once. */
export function PassDialog({ plate: given = "", onClose }: { plate?: string; onClose: () => void }) {
  const [label, setLabel] = useState("");
  const [plate, setPlate] = useState(given);
  const [camera, setCamera] = useState("");
  /** Null: not chosen. Who may name the plate may let any car in, so it is only where nobody here knows the plate. */
  const [chosenMayTell, setMayTell] = useState<boolean | null>(null);
  const mayTell = chosenMayTell ?? plate.trim() === "";
  const [late] = useState(isLate);
  const [when, setWhen] = useState<WhenDraft>({
    kind: "until",
    from: "",
    to: late ? inTwoHours() : tonight(),
    windows: [],
  });
  /** The quick choice that set the end, until it is set otherwise. */
  const [quick, setQuick] = useState<TextKey | null>(late ? "pass.twoHours" : "pass.today");
  const [made, setMade] = useState<AnswerTo<"POST", "/api/passes"> | null>(null);
  const change = (next: WhenDraft): void => {
    const isNewlyWeekly = next.kind === "weekly" && when.kind !== "weekly" && next.to === tonight();
    if (next.to !== when.to || next.kind !== when.kind) setQuick(null);
    setWhen(isNewlyWeekly ? { ...next, to: localMoment(new Date(Date.now() + WEEKS_MS).toISOString()) } : next);
  };
  const send = async (): Promise<void> => {
    const { validTo, ...bounds } = boundsOf(when);
    const body = {
      label,
      plate: plate.trim() === "" ? null : plate,
      deviceId: camera === "" ? null : camera,
      guestMayTellPlate: mayTell,
      ...bounds,
    };
    setMade(await post("/api/passes", { body: { ...body, validTo: validTo ?? "" } }));
  };
  if (made !== null) {
    return (
      <Dialog title={t("pass.made", { name: label })} onClose={onClose}>
        <PassLink token={made.token} name={label} plate={made.pass.formatted} />
        <div class="actions">
          <Button look="primary" text={t("action.done")} onClick={onClose} />
        </div>
      </Dialog>
    );
  }
  const cameras = deviceList.value
    .filter((device) => device.type === "camera")
    .map((device) => [device.id, device.name] as const);
  const isWhole =
    label.trim() !== "" &&
    when.to !== "" &&
    (plate.trim() !== "" || mayTell) &&
    (when.kind !== "weekly" || areWindowsWhole(when.windows));
  return (
    <Dialog title={t("pass.title")} onClose={onClose}>
      <Form submit={t("pass.make")} send={send} onCancel={onClose} disabled={!isWhole}>
        {(errors) => (
          <>
            <TextField
              label={t("pass.guest")}
              hint={t("pass.guestHint")}
              value={label}
              onInput={setLabel}
              error={errors.label}
              maxLength={80}
              required
            />
            <TextField
              label={t("pass.plate")}
              hint={t("pass.plateHint")}
              value={plate}
              onInput={setPlate}
              error={errors.plate}
            />
            <CheckField
              label={t("pass.mayTell")}
              hint={t("pass.mayTellHint")}
              checked={mayTell}
              onChange={setMayTell}
            />
            {when.kind === "until" && (
              <div class="chips" role="group" aria-label={t("pass.quick")}>
                {/* on a Sunday the two are the same */}
                {QUICK.filter(([key]) => key !== "pass.weekend" || sunday() !== tonight()).map(([key, end]) => (
                  <Chip
                    key={key}
                    text={t(key)}
                    pressed={quick === key}
                    onClick={() => {
                      setQuick(key);
                      setWhen({ ...when, to: end() });
                    }}
                  />
                ))}
              </div>
            )}
            <WhenFields draft={when} errors={errors} needsEnd onChange={change} />
            {cameras.length > 1 && (
              <SelectField
                label={t("rules.camera")}
                value={camera}
                onChange={setCamera}
                options={[["", t("rules.everyCamera")], ...cameras]}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
