import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";

/**
 * A secret that is not shown again, with a button to copy it. A dialog that holds one is not closed by a tap beside it.
 */
export function ShownOnce({ text }: { text: string }) {
  return (
    <div class="stack" data-shown-once>
      <code class="secret">{text}</code>
      <div class="row">
        <Button text={t("secret.copy")} onClick={() => void copyText(text)} />
      </div>
    </div>
  );
}
