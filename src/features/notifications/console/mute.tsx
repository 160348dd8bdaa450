import { useState } from "preact/hooks";
import { patch } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t, timeOfDay } from "../../../console/i18n/translate.ts";

const AN_HOUR = 60;

/** Whether only what is urgent is sent until then. */
export function isMuted(until: string | null): until is string {
  return until !== null && Date.parse(until) > Date.now();
}

/** Begins a mute of an hour, or ends it. */
export async function mute(begins: boolean, onChanged: (until: string | null) => void): Promise<void> {
  try {
    const body = { muteMinutes: begins ? AN_HOUR : 0 };
    onChanged((await patch("/api/notifications/preferences", { body })).preferences.mutedUntil);
  } catch (error) {
    sayError(error);
  }
}

/** For an hour only what is urgent is sent to this person; and until when that is so. */
export function Mute({ until, onChanged }: { until: string | null; onChanged: (until: string | null) => void }) {
  const [isBusy, setBusy] = useState(false);
  const begins = !isMuted(until);
  const button = (
    <Button
      text={t(begins ? "mute.begin" : "mute.end")}
      disabled={isBusy}
      onClick={() => {
        setBusy(true);
        void mute(begins, onChanged).finally(() => setBusy(false));
      }}
    />
  );
  if (!isMuted(until)) return button;
  return (
    <div class="row">
      <p class="grow">{t("mute.until", { time: timeOfDay(until) })}</p>
      {button}
    </div>
  );
}
