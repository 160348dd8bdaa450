import { useEffect, useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { momentOfField } from "../../../console/components/zone-time.ts";
import { dateTime, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { Block } from "./block-editor.tsx";
import { sentence } from "./rule-sentence.ts";
import { sawThen } from "./saw-text.ts";

type DryRun = AnswerTo<"POST", "/api/automations/{id}/dry-run">["dryRun"];

/** Runs through a saved rule at a chosen moment; nothing is sent. */
export function AutomationDryRun({ id, trigger, onClose }: { id: number; trigger: Block; onClose: () => void }) {
  const [at, setAt] = useState("");
  const [answer, setAnswer] = useState<DryRun | null>(null);
  useEffect(() => {
    void post("/api/automations/{id}/dry-run", { params: { id }, body: at === "" ? {} : { at: momentOfField(at) } })
      .then(({ dryRun }) => setAnswer(dryRun))
      .catch(sayError);
  }, [id, at]);
  return (
    <Dialog title={t("dryRun.title")} onClose={onClose}>
      <p class="soft small">{t("dryRun.text")}</p>
      <TextField label={t("dryRun.at")} type="datetime-local" value={at} onInput={setAt} />
      {answer !== null && (
        <div class="stack" aria-live="polite">
          <Notice tone={answer.wouldRun ? "good" : "warn"}>
            {answer.wouldRun ? t("dryRun.would") : t("dryRun.wouldNot")}
          </Notice>
          <ol class="trace">
            <li class="good">{sentence(trigger)}</li>
            {answer.conditions.map(({ condition, holds, saw }) => (
              <li key={JSON.stringify(condition)} class={holds ? "good" : "bad"}>
                {sentence(condition)} <span class="soft">({sawThen(condition, saw)})</span>
              </li>
            ))}
            {answer.steps.map(({ step, note }) => (
              <li key={JSON.stringify(step)} class={answer.wouldRun ? "good" : ""}>
                {sentence(step)}
                {note !== null && <span class="soft"> ({note})</span>}
              </li>
            ))}
          </ol>
          {answer.nextRuns.length > 0 && (
            <p class="soft small">
              {t("dryRun.next", { times: answer.nextRuns.slice(0, 3).map(dateTime).join(" · ") })}
            </p>
          )}
        </div>
      )}
      <div class="actions">
        <Button look="primary" text={t("action.done")} onClick={onClose} />
      </div>
    </Dialog>
  );
}
