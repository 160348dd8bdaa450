import { useEffect, useState } from "preact/hooks";
import { get, patch, post } from "../../../console/api.ts";
import { Card, Gone, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { go } from "../../../console/router.ts";
import type { Action, Condition, Trigger } from "../rules/rule.ts";
import { AutomationDryRun } from "./automation-dry-run.tsx";
import { AutomationTraces } from "./automation-traces.tsx";
import type { Rule } from "./automations.tsx";
import { type Block, BlockEditor } from "./block-editor.tsx";
import { BlockList } from "./block-list.tsx";
import { ACTIONS, CONDITIONS, TRIGGERS } from "./rule-blocks.ts";
import { ConditionNow, TriggerNow, useRuleNow, WholeNow } from "./rule-now.tsx";
import { sentence } from "./rule-sentence.ts";
import { starterRules } from "./starter-rules.ts";

interface Draft {
  readonly name: string;
  readonly trigger: Block;
  readonly conditions: readonly Block[];
  readonly actions: readonly Block[];
  readonly mode: Rule["mode"];
  readonly cooldownSeconds: string;
}

const FRESH: Draft = {
  name: "",
  trigger: { type: "time", at: "07:00", days: [] },
  conditions: [],
  actions: [],
  mode: "single",
  cooldownSeconds: "0",
};

/** The initial rule: empty, or a starter rule that the address names. */
function begun(): Draft {
  const key = new URLSearchParams(location.search).get("starter");
  const start = starterRules().find((one) => one.key === key);
  return start === undefined ? FRESH : { ...FRESH, name: start.name, trigger: start.trigger, actions: start.actions };
}

/** One rule, created or changed: when … and only if … then …. */
export function AutomationEditor({ params }: PageProps) {
  const id = params.id === "new" ? null : Number(params.id);
  const [draft, setDraft] = useState<Draft>(() => (id === null ? begun() : FRESH));
  const [isLoaded, setLoaded] = useState(id === null);
  const [missing, setMissing] = useState(false);
  const [trying, setTrying] = useState(false);
  const [runs, setRuns] = useState(0);
  useEffect(() => {
    if (id === null) return;
    void get("/v1/automations")
      .then((answer) => {
        const rule = answer.automations.find((candidate) => candidate.id === id);
        if (rule === undefined) setMissing(true);
        else {
          setDraft(draftOf(rule));
          setLoaded(true);
        }
      })
      .catch(sayError);
  }, [id]);
  const now = useRuleNow(draft.trigger, draft.conditions);
  const change = (part: Partial<Draft>): void => setDraft((known) => ({ ...known, ...part }));
  const save = async (): Promise<void> => {
    const body = inputOf(draft);
    await (id === null ? post("/v1/automations", { body }) : patch("/v1/automations/{id}", { params: { id }, body }));
    go("/automations");
  };
  const run = async (id: number): Promise<void> => {
    try {
      await post("/api/automations/{id}/run", { params: { id } });
      setRuns(runs + 1);
      say(t("rule.ran"));
    } catch (error) {
      sayError(error);
    }
  };
  const duplicate = async (id: number): Promise<void> => {
    try {
      const { automation } = await post("/api/automations/{id}/duplicate", { params: { id } });
      say(t("rule.duplicated"));
      go(`/automations/${automation.id}`);
    } catch (error) {
      sayError(error);
    }
  };
  if (missing) return <Gone text={t("rule.gone")} />;
  // a form shown before the rule is loaded would lose its input
  if (!isLoaded) return <PageHead title={t("state.loading")} />;
  return (
    <>
      <PageHead title={id === null ? t("rule.add") : draft.name}>
        {id !== null && (
          <>
            <Button text={t("dryRun.open")} onClick={() => setTrying(true)} />
            <Button text={t("rule.duplicate")} onClick={() => void duplicate(id)} />
            <Button text={t("rule.runNow")} onClick={() => void run(id)} />
          </>
        )}
      </PageHead>
      <Form submit={t("action.save")} send={save} onCancel={() => go("/automations")}>
        {(errors) => (
          <>
            <Card>
              <NameField value={draft.name} onInput={(name) => change({ name })} errors={errors} />
            </Card>
            <Card title={t("rule.when")}>
              <p class="soft">{sentence(draft.trigger)}</p>
              <SelectField
                label={t("rule.trigger")}
                value={draft.trigger.type}
                options={TRIGGERS.map((type) => [type.type, t(type.label)] as const)}
                onChange={(type) =>
                  change({ trigger: { type, ...TRIGGERS.find((candidate) => candidate.type === type)?.fresh } })
                }
              />
              <BlockEditor
                key={draft.trigger.type}
                block={draft.trigger}
                types={TRIGGERS}
                onChange={(trigger) => change({ trigger })}
              />
              <TriggerNow now={now} trigger={draft.trigger} />
            </Card>
            <Card title={t("rule.onlyIf")}>
              <BlockList
                blocks={draft.conditions}
                pointer="/conditions"
                types={CONDITIONS}
                addLabel={t("rule.addCondition")}
                onChange={(conditions) => change({ conditions })}
                about={(block, pointer) => <ConditionNow now={now} block={block} at={pointer} />}
              />
              <WholeNow now={now} conditions={draft.conditions} />
            </Card>
            <Card title={t("rule.then")}>
              <BlockList
                blocks={draft.actions}
                pointer="/actions"
                types={ACTIONS}
                addLabel={t("rule.addAction")}
                onChange={(actions) => change({ actions })}
              />
            </Card>
            <Card title={t("rule.more")}>
              <SelectField
                label={t("rule.mode")}
                value={draft.mode}
                onChange={(mode) => change({ mode })}
                options={[
                  ["single", t("mode.single")],
                  ["restart", t("mode.restart")],
                  ["queued", t("mode.queued")],
                  ["parallel", t("mode.parallel")],
                ]}
              />
              <TextField
                label={t("rule.cooldown")}
                inputMode="numeric"
                value={draft.cooldownSeconds}
                onInput={(cooldownSeconds) => change({ cooldownSeconds })}
                error={errors.cooldownSeconds}
              />
            </Card>
          </>
        )}
      </Form>
      {id !== null && <AutomationTraces id={id} version={runs} />}
      {id !== null && trying && <AutomationDryRun id={id} trigger={draft.trigger} onClose={() => setTrying(false)} />}
    </>
  );
}

function draftOf({ name, trigger, conditions, action, mode, cooldownSeconds }: Rule): Draft {
  const actions = action.type === "sequence" ? action.actions : [action];
  return {
    name,
    trigger: blockOf(trigger),
    conditions: conditions.map(blockOf),
    actions: actions.map(blockOf),
    mode,
    cooldownSeconds: String(cooldownSeconds),
  };
}

/** A part of a rule for the editor, which knows blocks only by their members' names. */
function blockOf(part: Trigger | Condition | Action): Block {
  return { ...part };
}

/** A block as a part of a rule; the hub checks what the editor made. */
function partOf<Part extends Trigger | Condition | Action>(block: { readonly type: string }): Part {
  return block as Part;
}

function inputOf(draft: Draft) {
  const actions = draft.actions.map(partOf<Action>);
  const [only, ...others] = actions;
  const action: Action = only !== undefined && others.length === 0 ? only : { type: "sequence", actions };
  const { name, mode, cooldownSeconds } = draft;
  return {
    name,
    trigger: partOf<Trigger>(draft.trigger),
    conditions: draft.conditions.map(partOf<Condition>),
    action,
    mode,
    cooldownSeconds: Number(cooldownSeconds),
  };
}
