import { useState } from "preact/hooks";
import { put } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField } from "../../../console/components/field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { Matter } from "./matter.tsx";

/** The PIN for opening over Matter, or none. */
export function MatterPinDialog({ onChange, onClose }: { onChange: (matter: Matter) => void; onClose: () => void }) {
  const [asks, setAsks] = useState(true);
  const [pin, setPin] = useState("");
  const send = async (): Promise<void> => {
    onChange((await put("/api/matter/pin", { body: { pin: asks ? pin : null } })).matter);
    say(t("action.saved"));
    onClose();
  };
  return (
    <Dialog title={t("matter.pin.title")} onClose={onClose}>
      <p>{t("matter.pin.text")}</p>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <CheckField label={t("matter.pin.asks")} checked={asks} onChange={setAsks} />
            {asks ? (
              <PasswordField
                label={t("matter.pin.pin")}
                hint={t("matter.pin.hint")}
                value={pin}
                onInput={setPin}
                error={errors.pin}
                inputMode="numeric"
                maxLength={8}
                autocomplete="off"
                required
              />
            ) : (
              <Notice tone="warn">{t("matter.pin.warning")}</Notice>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
