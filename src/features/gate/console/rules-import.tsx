import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Decision, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { FileField } from "../../../console/components/field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { PlateRule, PlateRuleInput } from "../resources/plate-rule.ts";
import { fromCsv } from "./rules-csv.ts";

type Outcome = AnswerTo<"POST", "/api/plate-rules/import">;

/** Adds the rules of a CSV file; what the hub refuses is named line by line. */
export function ImportRules({ known, onClose }: { known: readonly PlateRule[]; onClose: () => void }) {
  const [rules, setRules] = useState<readonly PlateRuleInput[] | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const send = async (): Promise<void> => {
    if (rules === null || rules.length === 0) return say(t("rules.importEmpty"));
    setOutcome(await post("/api/plate-rules/import", { body: { rules: [...rules] } }));
  };
  const listed = listedPlates(known);
  const fresh = rules?.filter((rule) => !isListed(rule, listed)) ?? [];
  const look = async (file: File | undefined): Promise<void> =>
    setRules(file === undefined ? null : fromCsv(await file.text()));
  return (
    <Dialog title={t("rules.import")} onClose={onClose}>
      {outcome === null ? (
        <Form
          submit={rules === null ? t("rules.importNow") : t("rules.importSome", { n: fresh.length })}
          send={send}
          onCancel={onClose}
        >
          {() => (
            <>
              <FileField
                label={t("rules.file")}
                hint={t("rules.fileHint")}
                accept=".csv,text/csv"
                onFiles={(files) => void look(files[0])}
              />
              {rules !== null && <Preview rules={rules} fresh={fresh} />}
            </>
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

function bare(plate: string): string {
  return plate.toUpperCase().replaceAll(/[^0-9A-Z]/g, "");
}

/** Plates that are on the list of all cameras. */
function listedPlates(known: readonly PlateRule[]): ReadonlySet<string> {
  return new Set(known.filter(({ deviceId }) => deviceId === null).map(({ plate }) => plate));
}

function isListed({ plate, deviceId }: PlateRuleInput, listed: ReadonlySet<string>): boolean {
  return !deviceId && listed.has(bare(plate));
}

/** Whether a text is hardly a plate: the hub, which knows the countries, says so when it is sent. */
function isHardlyPlate({ plate }: PlateRuleInput): boolean {
  return bare(plate).length < 3 || !/\d/.test(plate);
}

/** Lines of the file that are shown before it is imported. */
const PREVIEWED = 6;

/** What would be added, before anything is: `fresh` are those of the rules that are not on the list yet. */
function Preview({ rules, fresh }: { rules: readonly PlateRuleInput[]; fresh: readonly PlateRuleInput[] }) {
  const again = rules.length - fresh.length;
  const count = (kind: string): number => fresh.filter((rule) => (rule.kind ?? "allow") === kind).length;
  return (
    <section class="stack" aria-label={t("rules.preview")}>
      <p>{t("rules.previewCounts", { allow: count("allow"), deny: count("deny"), watch: count("watch") })}</p>
      {again > 0 && <p class="soft small">{t("rules.previewAgain", { n: again })}</p>}
      <ul class="list">
        {rules.slice(0, PREVIEWED).map((rule) => (
          <li key={rule.plate}>
            <code>{rule.plate}</code>
            <span class="grow">{rule.label}</span>
            {!fresh.includes(rule) ? (
              <span class="soft small">{t("rules.previewListed")}</span>
            ) : isHardlyPlate(rule) ? (
              <span class="warn small">{t("rules.previewNoPlate")}</span>
            ) : (
              <Decision decision={rule.kind === "deny" || rule.kind === "watch" ? rule.kind : "allow"} />
            )}
          </li>
        ))}
      </ul>
      {rules.length > PREVIEWED && <p class="soft small">{t("rules.previewMore", { n: rules.length - PREVIEWED })}</p>}
    </section>
  );
}
