import { t } from "../i18n/translate.js";
import { copyText } from "./copy.js";
import { Dialog } from "./dialog.js";

/** A secret that is shown once. */
export function Secret({ title, text, secret, onClose }: { title: string; text: string; secret: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <code class="secret">{secret}</code>
      <div class="actions">
        <button type="button" class="button" onClick={() => void copyText(secret)}>
          {t("secret.copy")}
        </button>
        <button type="button" class="button primary" onClick={onClose}>
          {t("action.done")}
        </button>
      </div>
    </Dialog>
  );
}
