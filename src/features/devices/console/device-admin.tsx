import { useState } from "preact/hooks";
import { post, remove } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Confirm, Dialog } from "../../../console/components/dialog.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { go } from "../../../console/router.ts";
import { type Device, devices } from "../../../console/store.ts";
import { ConnectionWait } from "./connection-wait.tsx";
import { Credential } from "./credential.tsx";

/** An owner's actions on a device: a new MQTT password, removal. */
export function DeviceAdmin({ device }: { device: Device }) {
  const [password, setPassword] = useState<string | null>(null);
  const [removing, setRemoving] = useState(false);
  const renew = async (): Promise<void> => {
    try {
      setPassword((await post("/api/devices/{id}/password", { params: { id: device.id } })).password);
    } catch (error) {
      sayError(error);
    }
  };
  const drop = async (): Promise<void> => {
    await remove("/api/devices/{id}", { params: { id: device.id } });
    const next = new Map(devices.value);
    next.delete(device.id);
    devices.value = next;
    go("/");
  };
  return (
    <FoldCard title={t("device.connection")} value={device.id} starts="folded">
      <dl class="facts">
        <dt>{t("device.id")}</dt>
        <dd>
          <code>{device.id}</code>
        </dd>
        <dt>{t("device.type")}</dt>
        <dd>{keyedText(`type.${device.type}`, device.type)}</dd>
        <dt>{t("device.firmware")}</dt>
        <dd>{device.firmware ?? "–"}</dd>
      </dl>
      <div class="row">
        <Button text={t("device.newPassword")} onClick={() => void renew()} />
        <Button look="danger" text={t("device.remove")} onClick={() => setRemoving(true)} />
      </div>
      {password !== null && (
        <Dialog title={t("device.passwordTitle")} onClose={() => setPassword(null)}>
          <p>{t("device.passwordText")}</p>
          <Credential deviceId={device.id} password={password} />
          <ConnectionWait deviceId={device.id} />
          <div class="actions">
            <Button look="primary" text={t("action.done")} onClick={() => setPassword(null)} />
          </div>
        </Dialog>
      )}
      {removing && (
        <Confirm
          title={t("device.removeTitle", { name: device.name })}
          text={t("device.removeText")}
          action={t("device.remove")}
          danger
          onYes={drop}
          onClose={() => setRemoving(false)}
        />
      )}
    </FoldCard>
  );
}
