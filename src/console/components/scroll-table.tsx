import type { ComponentChildren } from "preact";
import { t } from "../i18n/translate.js";
import "./history.css";

/** A long table in a window of its own, which the keyboard scrolls too. */
export function ScrollTable({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse
    <div class="table-wrap" tabIndex={0} role="region" aria-label={t("history.table")}>
      {children}
    </div>
  );
}
