import { t } from "../i18n/translate.ts";
import { say } from "./toast.tsx";

/** Copies a text to the clipboard and confirms it; browsers allow that only over https and on the host itself. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t("secret.copied"));
  } catch {
    say(t("secret.copyByHand"));
  }
}
