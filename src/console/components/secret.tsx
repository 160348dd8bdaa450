import { t } from "../i18n/translate.js";
import { Dialog } from "./dialog.js";
import { say } from "./toast.js";

/** A secret that is shown once. */
export function Secret({ title, text, secret, onClose }: { title: string; text: string; secret: string; onClose: () => void }) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(secret);
      say(t("secret.copied"));
    } catch {
      say(t("secret.copyByHand")); // browsers allow the clipboard over https only
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <code class="secret">{secret}</code>
      <div class="actions">
        <button type="button" class="button" onClick={() => void copy()}>
          {t("secret.copy")}
        </button>
        <button type="button" class="button primary" onClick={onClose}>
          {t("action.done")}
        </button>
      </div>
    </Dialog>
  );
}
