import { t } from "../i18n/translate.js";
import { say } from "./toast.js";

/** Puts a text on the clipboard, and says so; browsers allow that over https and on the box itself only. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t("secret.copied"));
  } catch {
    say(t("secret.copyByHand"));
  }
}
