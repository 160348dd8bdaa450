import { useState } from "preact/hooks";
import { patch } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t, timeOfDay } from "../../../console/i18n/translate.ts";

const AN_HOUR = 60;

/** For an hour only what is urgent is sent to this person; and until when that is so. */
export function Mute({ until, onChanged }: { until: string | null; onChanged: (until: string | null) => void }) {
  const [isBusy, setBusy] = useState(false);
  const isMuted = until !== null && Date.parse(until) > Date.now();
  const set = async (muteMinutes: number): Promise<void> => {
    setBusy(true);
    try {
      const { preferences } = await patch("/api/notifications/preferences", { body: { muteMinutes } });
      onChanged(preferences.mutedUntil);
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  const button = (
    <Button
      text={t(isMuted ? "mute.end" : "mute.begin")}
      disabled={isBusy}
      onClick={() => void set(isMuted ? 0 : AN_HOUR)}
    />
  );
  if (!isMuted) return button;
  return (
    <div class="row">
      <p class="grow">{t("mute.until", { time: timeOfDay(until) })}</p>
      {button}
    </div>
  );
}
