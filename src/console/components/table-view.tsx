import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import "./history.css";

/** A chart's numbers as a table, drawn once it is opened, and as a file. `children`: the table's head and body. */
export function TableView({ children, onSave }: { children: () => ComponentChildren; onSave: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="table-view" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("history.table")}</summary>
      {isOpen && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse */}
          <div class="table-wrap" tabIndex={0} role="region" aria-label={t("history.table")}>
            <table class="table">{children()}</table>
          </div>
          <p>
            <Button text={t("history.csv")} onClick={onSave} />
          </p>
        </>
      )}
    </details>
  );
}
