import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { FileField } from "../../../console/components/field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { fromCsv } from "./rules-csv.ts";

type Outcome = AnswerTo<"POST", "/api/plate-rules/import">;

/** Adds the rules of a CSV file; what the hub refuses is named line by line. */
export function ImportRules({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const send = async (): Promise<void> => {
    const rules = file === null ? [] : fromCsv(await file.text());
    if (rules.length === 0) return say(t("rules.importEmpty"));
    setOutcome(await post("/api/plate-rules/import", { body: { rules } }));
  };
  return (
    <Dialog title={t("rules.import")} onClose={onClose}>
      {outcome === null ? (
        <Form submit={t("rules.importNow")} send={send} onCancel={onClose}>
          {() => (
            <FileField
              label={t("rules.file")}
              hint={t("rules.fileHint")}
              accept=".csv,text/csv"
              onFiles={(files) => setFile(files[0] ?? null)}
            />
          )}
        </Form>
      ) : (
        <>
          <Notice tone={outcome.refused.length === 0 ? "good" : "warn"}>
            {t("rules.imported", { n: outcome.added })}{" "}
            {outcome.refused.length > 0 && t("rules.refused", { n: outcome.refused.length })}
          </Notice>
          <ul class="list">
            {outcome.refused.map((line) => (
              <li key={line.index}>
                <code>{line.plate}</code>
                <span class="grow soft small">{line.message}</span>
              </li>
            ))}
          </ul>
          <div class="actions">
            <Button look="primary" text={t("action.done")} onClick={onClose} />
          </div>
        </>
      )}
    </Dialog>
  );
}
