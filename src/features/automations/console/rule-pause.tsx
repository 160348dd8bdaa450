/** A rule that is paused until a moment and then goes on by itself: choosing the moment, and saying which it is. */

import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { dayOf, localMoment, momentOfField, shifted, shownZone } from "../../../console/components/zone-time.ts";
import { calendarDay, dateTime, duration, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { TapSheet } from "./tap-sheet.tsx";

/** For how long people pause a rule, in seconds. */
const LENGTHS = [3_600, 2 * 3_600, 4 * 3_600];
/** What is paused until tomorrow goes on in the morning: midnight would not do for a late evening. */
const MORNING = "06:00";

/** A moment to come: `today 6:30 PM`, `tomorrow 6:30 PM`, or its date. */
export function soonText(iso: string): string {
  const days = calendarDay(Date.parse(iso)) - calendarDay(Date.now());
  if (days === 0) return t("rule.today", { time: timeOfDay(iso) });
  return days === 1 ? t("rule.tomorrow", { time: timeOfDay(iso) }) : dateTime(iso);
}

/** Pauses a rule until a moment, or ends its pause (null), and says so. Returns whether the hub did. */
export async function pauseRule(id: number, until: string | null): Promise<boolean> {
  try {
    await post("/api/automations/{id}/pause", { params: { id }, body: { until } });
    say(until === null ? t("pause.ended") : t("pause.until", { when: soonText(until) }));
    return true;
  } catch (error) {
    sayError(error);
    return false;
  }
}

/** The moments until which a rule can be paused. */
export function PauseSheet({ onChoose, onClose }: { onChoose: (until: string) => void; onClose: () => void }) {
  const now = Date.now();
  const zone = shownZone();
  const inDays = (days: number): string => momentOfField(`${dayOf(shifted(now, "day", days, zone), zone)}T${MORNING}`);
  const moments = [
    ...LENGTHS.map((seconds) => ({
      text: t("tap.for", { time: duration(seconds) }),
      until: new Date(now + seconds * 1_000).toISOString(),
    })),
    ...[inDays(1), inDays(7)].map((until) => ({ text: t("pause.choice", { when: soonText(until) }), until })),
  ];
  return (
    <TapSheet
      sheet={{
        title: t("pause.open"),
        options: moments.map(({ text, until }) => ({ text, choose: () => onChoose(until) })),
        fields: (done) => (
          <MomentField
            onDone={(until) => {
              onChoose(until);
              done();
            }}
          />
        ),
      }}
      onClose={onClose}
    />
  );
}

/** A moment that the person enters. */
function MomentField({ onDone }: { onDone: (until: string) => void }) {
  const [typed, setTyped] = useState(() => localMoment(new Date(Date.now() + 24 * 3_600_000).toISOString()));
  const isGood = typed !== "" && Date.parse(momentOfField(typed)) > Date.now();
  return (
    <div class="row tap-field">
      <TextField type="datetime-local" label={t("pause.moment")} value={typed} onInput={setTyped} />
      <Button look="primary" text={t("tap.done")} disabled={!isGood} onClick={() => onDone(momentOfField(typed))} />
    </div>
  );
}
