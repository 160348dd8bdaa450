import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";

/**
 * A secret that is not shown again, with a button to copy it. `copy`: that button's words. A dialog that holds one is not closed by a tap beside it.
 */
export function ShownOnce({ text, copy = t("secret.copy") }: { text: string; copy?: string }) {
  return (
    <div class="stack" data-shown-once>
      <code class="secret">{text}</code>
      <div class="row">
        <Button text={copy} onClick={() => void copyText(text)} />
      </div>
    </div>
  );
}
