import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { FileField } from "../../../console/components/field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { sendFile } from "../../../console/components/upload.ts";
import { t } from "../../../console/i18n/translate.ts";

/** Restores a backup from this computer. With `code`, on an unclaimed hub. */
export function RestoreFields({
  code,
  onStarted,
  onCancel,
}: {
  code?: string;
  onStarted: (plan: { restarts: boolean }) => void;
  onCancel: () => void;
}) {
  const [file, setFile] = useState<File | null>(null);
  const [passphrase, setPassphrase] = useState("");
  const [share, setShare] = useState<number | null>(null);
  const send = async (): Promise<void> => {
    if (file === null) return say(t("backup.choose"));
    const open = (bytes: number) =>
      code === undefined
        ? post("/api/uploads", { body: { kind: "backup", bytes } })
        : post("/api/claim/uploads", { body: { code, bytes } });
    setShare(0);
    try {
      const uploadId = await sendFile(file, open, setShare);
      const body = { uploadId, ...(passphrase === "" ? {} : { passphrase }) };
      const { restore } = await (code === undefined
        ? post("/api/restore", { body })
        : post("/api/claim/restore", { body: { ...body, code } }));
      onStarted(restore);
    } finally {
      setShare(null);
    }
  };
  return (
    <Form submit={t("backup.restoreNow")} danger={code === undefined} send={send} onCancel={onCancel}>
      {(errors) => (
        <>
          <FileField
            label={t("backup.file")}
            hint={t("backup.fileHint")}
            accept=".backup,.age,application/octet-stream"
            onFiles={([first]) => setFile(first ?? null)}
          />
          <PasswordField
            label={t("backup.itsPassphraseOptional")}
            autocomplete="off"
            value={passphrase}
            onInput={setPassphrase}
            error={errors.passphrase}
          />
          {share !== null && <progress class="gauge" max={1} value={share} aria-label={t("upload.progress")} />}
        </>
      )}
    </Form>
  );
}

/** The same in a dialog, for an owner. */
export function RestoreFile({
  onClose,
  onStarted,
}: {
  onClose: () => void;
  onStarted: (plan: { restarts: boolean }) => void;
}) {
  return (
    <Dialog title={t("backup.restoreFile")} onClose={onClose}>
      <p>{t("backup.restoreText")}</p>
      <RestoreFields
        onCancel={onClose}
        onStarted={(plan) => {
          onClose();
          onStarted(plan);
        }}
      />
    </Dialog>
  );
}
