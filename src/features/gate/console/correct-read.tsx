import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type GateRead, refreshGate } from "../../../console/store.ts";
import { picturesOf } from "../rules/read-picture.ts";

async function correct(id: number, plate: string): Promise<void> {
  await post("/api/plates/{id}/correct", { params: { id }, body: { plate } });
  await refreshGate();
}

/** Corrects a misread plate, which can be taken back; the camera's own reading is kept, and visits are paired again. */
export function CorrectRead({ read, onClose }: { read: GateRead; onClose: () => void }) {
  const [plate, setPlate] = useState(read.plate ?? "");
  const send = async (): Promise<void> => {
    await correct(read.id, plate);
    onClose();
    const { plate: before, formatted } = read;
    say(
      t("read.correctedTo", { plate: plate.toUpperCase() }),
      before === null
        ? null
        : {
            label: t("action.undo"),
            run: () => {
              correct(read.id, formatted ?? before).catch(sayError);
            },
          },
    );
  };
  return (
    <Dialog title={t("read.correctTitle")} onClose={onClose}>
      {read.hasImage && (
        <img
          key={picturesOf(read).plate}
          class={read.box === null ? "read-image" : "read-image plate-large"}
          src={read.box === null ? picturesOf(read).whole : picturesOf(read).plate}
          alt={t("read.plateAlt")}
        />
      )}
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <TextField
            label={t("read.plate")}
            hint={t("read.correctHint")}
            value={plate}
            onInput={setPlate}
            error={errors.plate}
            required
          />
        )}
      </Form>
    </Dialog>
  );
}
