import { useEffect, useState } from "preact/hooks";
import { get, patch, post, remove } from "../../../console/api.ts";
import { Card, Empty, PageHead, Switch } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { DeletedCard, sayDeleted } from "../../../console/components/deleted-card.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { download } from "../../../console/components/download.ts";
import { FileField } from "../../../console/components/field.tsx";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import type { Deleted } from "../../../console/components/trash.ts";
import { ago, dateTime, t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { loadPersons } from "./persons.ts";
import { sentence } from "./rule-sentence.ts";
import { Starters } from "./starters.tsx";

/** A rule as the hub answers it. */
export type Rule = AnswerTo<"GET", "/v1/automations">["automations"][number];

/** The body that creates a rule. */
type RuleInput = Pick<Rule, "name" | "enabled" | "trigger" | "conditions" | "action" | "mode" | "cooldownSeconds">;

/** All rules: what each does in one sentence, whether it is on, when it last ran. */
export function AutomationsPage() {
  const [rules, setRules] = useState<readonly Rule[] | null>(null);
  /** The next times of rules that are started by time; null: not known yet. */
  const [next, setNext] = useState<ReadonlyMap<number, string> | null>(null);
  const [importing, setImporting] = useState(false);
  const load = (): void => {
    void get("/v1/automations")
      .then((answer) => setRules(answer.automations))
      .catch(sayError);
    void get("/api/automations/next")
      .then((answer) => setNext(new Map(answer.next.map(({ id, at }) => [id, at]))))
      .catch(() => {}); // the list then lacks the next times
  };
  useEffect(loadPersons, []);
  useEffect(() => {
    load();
    return onFact("feed.added", ({ kind }) => kind.startsWith("automation.") && load());
  }, []);
  const toggle = async (rule: Rule, enabled: boolean): Promise<void> => {
    try {
      await patch("/v1/automations/{id}", { params: { id: rule.id }, body: { enabled } });
    } catch (error) {
      sayError(error);
    }
    load();
  };
  const restore = async ({ body }: Deleted): Promise<void> => {
    await post("/v1/automations", { body: body as RuleInput }); // kept by removeRule
    load();
  };
  /** Immediate, with an undo: people seldom delete by mistake, and would click a question away. */
  const removeRule = async (rule: Rule): Promise<void> => {
    const { name, enabled, trigger, conditions, action, mode, cooldownSeconds } = rule;
    const body: RuleInput = { name, enabled, trigger, conditions, action, mode, cooldownSeconds };
    try {
      await remove("/v1/automations/{id}", { params: { id: rule.id } });
      sayDeleted({ kind: "automation", name, body }, restore);
    } catch (error) {
      sayError(error);
    }
    load();
  };
  return (
    <>
      <PageHead title={t("nav.automations")} subtitle={t("rule.subtitle")}>
        <PageActions
          primary={{ text: t("rule.add"), icon: "plus", href: "/automations/new" }}
          others={[
            { text: t("rules.import"), icon: "upload", onClick: () => setImporting(true) },
            {
              text: t("rules.export"),
              icon: "download",
              disabled: (rules ?? []).length === 0,
              onClick: () => void exportRules(),
            },
          ]}
        />
      </PageHead>
      {rules !== null && rules.length === 0 && (
        <Card>
          <Empty icon="wand" text={t("rule.none")} />
        </Card>
      )}
      {rules !== null && rules.length > 0 && (
        <Card>
          <ul class="list rule-list">
            {rules.map((rule) => (
              <li key={rule.id}>
                <Switch
                  label={t("rule.enable", { name: rule.name })}
                  on={rule.enabled}
                  pending={false}
                  onToggle={(on) => void toggle(rule, on)}
                />
                <p class="grow clamp">
                  <a href={`/automations/${rule.id}`}>
                    <strong>{rule.name}</strong>
                  </a>
                </p>
                <div class="rule-words">
                  <a class="soft small clamp rule-said" href={`/automations/${rule.id}`}>
                    {t("rule.sentence", {
                      when: sentence(rule.trigger),
                      only:
                        rule.conditions.length === 0
                          ? ""
                          : t("rule.only", { conditions: rule.conditions.map(sentence).join(` ${t("say.and")} `) }),
                      what: sentence(rule.action),
                    })}
                  </a>
                  <p class="soft small">
                    {rule.lastTriggeredAt === null
                      ? t("rule.neverRan")
                      : t("rule.lastRan", { ago: ago(rule.lastTriggeredAt), result: t(resultWord(rule.lastResult)) })}
                    {nextTurn(rule, next?.get(rule.id))}
                  </p>
                  {next !== null && waitsForSun(rule) && !next.has(rule.id) && (
                    <p class="warn small">
                      {t("now.neverRuns")} <a href="/system">{t("now.toPlace")}</a>
                    </p>
                  )}
                  {rule.author && (
                    <p class={rule.author.mayRun ? "soft small" : "warn small"}>
                      {t(rule.author.mayRun ? "rule.byKey" : "rule.byKeyEnded", { name: rule.author.name })}
                    </p>
                  )}
                </div>
                {rule.author?.mayRun === false && (
                  <Button text={t("rule.takeOver", { name: rule.name })} onClick={() => void toggle(rule, true)} />
                )}
                <IconButton
                  icon="trash"
                  label={t("rule.removeNamed", { name: rule.name })}
                  onClick={() => void removeRule(rule)}
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {rules !== null && <Starters without={rules.map(({ name }) => name)} />}
      <DeletedCard kind="automation" restore={restore} />
      {importing && (
        <ImportAutomations
          onClose={() => {
            setImporting(false);
            load();
          }}
        />
      )}
    </>
  );
}

async function exportRules(): Promise<void> {
  try {
    download("automations.json", "application/json", JSON.stringify(await get("/api/automations/export"), null, 2));
  } catch (error) {
    sayError(error);
  }
}

function ImportAutomations({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const send = async (): Promise<void> => {
    if (file === null) return;
    let document: object;
    try {
      document = JSON.parse(await file.text());
    } catch {
      return say(t("rule.notJson"));
    }
    const { automations } = await post("/api/automations/import", { body: document });
    say(t("rule.imported", { n: automations.length }));
    onClose();
  };
  return (
    <Dialog title={t("rules.import")} onClose={onClose}>
      <Form submit={t("rules.importNow")} send={send} onCancel={onClose}>
        {() => (
          <FileField
            label={t("rule.file")}
            hint={t("rule.fileHint")}
            accept="application/json,.json"
            onFiles={(files) => setFile(files[0] ?? null)}
          />
        )}
      </Form>
    </Dialog>
  );
}

function resultWord(
  result: string | null,
): "result.ok" | "result.failed" | "result.stopped" | "result.paused" | "result.none" {
  return result === "ok" || result === "failed" || result === "stopped" || result === "paused"
    ? `result.${result}`
    : "result.none";
}

/** Whether only the sun starts a rule that is on. */
function waitsForSun({ enabled, trigger }: Rule): boolean {
  return enabled && trigger.type === "sun";
}

/** When a rule runs next, if its schedule determines that. */
function nextTurn({ enabled }: Rule, at: string | undefined): string {
  return enabled && at !== undefined ? ` · ${t("rule.runsNext", { when: ago(at), at: dateTime(at) })}` : "";
}
