import { useState } from "preact/hooks";
import { ApiError, post } from "../../../console/api.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AskedGate } from "./estate.tsx";

/** The codes' meaning here; elsewhere they refer to this hub's rules and devices. */
const REFUSALS: Readonly<Record<string, TextKey>> = {
  estate_unreachable: "estate.noAnswer",
  conflict: "estate.notTaken",
  forbidden: "estate.refused",
  device_not_found: "estate.gateGone",
};

/** Asks for a reason, then has another hub's gate opened. */
export function OpenGateDialog({ asked: { hub, gate }, onClose }: { asked: AskedGate; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const send = async (): Promise<void> => {
    try {
      await post("/api/estate/open", { body: { hub: hub.hub, deviceId: gate.deviceId, reason: reason.trim() } });
    } catch (error) {
      const refusal = error instanceof ApiError ? REFUSALS[error.code] : undefined;
      if (refusal === undefined) throw error;
      say(t(refusal));
      onClose();
      return;
    }
    say(t("estate.opened", { gate: gate.name, name: hub.name }));
    onClose();
  };
  return (
    <Dialog title={t("estate.openTitle", { gate: gate.name, name: hub.name })} onClose={onClose}>
      <p>{t("estate.openText")}</p>
      <Form submit={t("gate.openNow")} send={send} onCancel={onClose} disabled={reason.trim() === ""}>
        {(errors) => (
          <TextField
            label={t("estate.reason")}
            hint={t("estate.reasonHint")}
            error={errors.reason}
            value={reason}
            onInput={setReason}
            maxLength={200}
            required
          />
        )}
      </Form>
    </Dialog>
  );
}
