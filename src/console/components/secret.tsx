import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ShownOnce } from "./shown-once.tsx";

/** A secret that is shown once. */
export function Secret({
  title,
  text,
  secret,
  onClose,
}: {
  title: string;
  text: string;
  secret: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <ShownOnce text={secret} />
      <div class="actions">
        <Button look="primary" text={t("action.done")} onClick={onClose} />
      </div>
    </Dialog>
  );
}
