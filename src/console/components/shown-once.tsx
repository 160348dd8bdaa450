import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";
import { useShownOnce } from "./once.ts";

/** A secret that is not shown again, with a button to copy it. `copy`: that button's words. */
export function ShownOnce(props: CopyTextProps) {
  useShownOnce();
  return <CopyText {...props} />;
}

interface CopyTextProps {
  readonly text: string;
  readonly copy?: string;
}

/** A text to carry elsewhere, with a button to copy it. */
export function CopyText({ text, copy = t("secret.copy") }: CopyTextProps) {
  return (
    <div class="stack">
      <code class="secret">{text}</code>
      <div class="row">
        <Button text={copy} onClick={() => void copyText(text)} />
      </div>
    </div>
  );
}
