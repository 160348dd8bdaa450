import { useEffect, useState } from "preact/hooks";
import { get, patch, post } from "../../../console/api.ts";
import { Card, Gone, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { go } from "../../../console/router.ts";
import { loaded } from "../../../console/store.ts";
import { AutomationDryRun } from "./automation-dry-run.tsx";
import { AutomationTraces } from "./automation-traces.tsx";
import { type Block, BlockEditor } from "./block-editor.tsx";
import { BlockList } from "./block-list.tsx";
import { loadPersons } from "./persons.ts";
import { ACTIONS, CONDITIONS, TRIGGERS } from "./rule-blocks.ts";
import { type Draft, draftOf, FRESH, inputOf, nameOf } from "./rule-draft.ts";
import { ConditionNow, TriggerNow, useRuleNow, WholeNow } from "./rule-now.tsx";
import { sentence } from "./rule-sentence.ts";
import { starterRules } from "./starter-rules.ts";
import { Starters } from "./starters.tsx";
import { TapSentence } from "./tap-sentence.tsx";

/** What a rule in detail begins with. */
const NONE: Block = { type: "time", at: "07:00", days: [] };

/** The initial rule: empty, or a starter rule that the address names. */
function begun(): Draft {
  const key = new URLSearchParams(location.search).get("starter");
  const start = starterRules().find((one) => one.key === key);
  if (start === undefined) return FRESH;
  const { name, triggers, conditions, actions } = start;
  return { ...FRESH, name, triggers, conditions, actions };
}

/** One rule, created or changed: when … and only if … then …. */
export function AutomationEditor({ params }: PageProps) {
  // a starter is made of the house's own devices
  if (!loaded.value) return <PageHead title={t("state.loading")} />;
  return <LoadedEditor id={params.id === "new" ? null : Number(params.id)} />;
}

function LoadedEditor({ id }: { id: number | null }) {
  const [draft, setDraft] = useState<Draft>(() => (id === null ? begun() : FRESH));
  const [isLoaded, setLoaded] = useState(id === null);
  const [inDetail, setInDetail] = useState(new URLSearchParams(location.search).has("detail"));
  const [away, setAway] = useState<Block | null>(null);
  const [missing, setMissing] = useState(false);
  const [trying, setTrying] = useState(false);
  const [runs, setRuns] = useState(0);
  useEffect(loadPersons, []);
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
  useEffect(() => {
    void get("/api/gate-choices")
      .then(({ choices: { away: known } }) => {
        if (known === null) return;
        setAway({ type: "state", deviceId: known.deviceId, field: known.field, op: "eq", value: known.value });
      })
      .catch(() => {}); // the sentence then does not offer it
  }, []);
  const now = useRuleNow(draft.triggers[0] ?? NONE, draft.conditions);
  const change = (part: Partial<Draft>): void => setDraft((known) => ({ ...known, ...part }));
  const triggers = draft.triggers.length === 0 ? [NONE] : draft.triggers;
  const putTrigger = (index: number, next: Block): void =>
    change({ triggers: triggers.map((one, at) => (at === index ? next : one)) });
  const isNew = id === null && draft.triggers.length === 0 && draft.actions.length === 0 && !inDetail;
  const save = async (): Promise<void> => {
    const body = inputOf(inDetail ? { ...draft, triggers } : draft);
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
      <div class="rule-form">
        <Form submit={t("action.save")} send={save} onCancel={() => go("/automations")}>
          {(errors) => (
            <>
              <Card>
                <TapSentence draft={draft} away={away} onChange={change} />
                {!inDetail && draft.triggers[0]?.type === "sun" && draft.triggers.length === 1 && (
                  <TriggerNow now={now} trigger={draft.triggers[0]} />
                )}
                {!inDetail && draft.conditions.length > 0 && <WholeNow now={now} conditions={draft.conditions} />}
                <TextField
                  label={t("field.name")}
                  value={draft.name}
                  onInput={(name) => change({ name })}
                  error={errors.name}
                  placeholder={draft.triggers.length === 0 ? "" : nameOf(draft)}
                  maxLength={120}
                />
                <div>
                  <Button
                    text={inDetail ? t("tap.sentence") : t("tap.detail")}
                    aria-expanded={inDetail}
                    onClick={() => setInDetail(!inDetail)}
                  />
                </div>
              </Card>
              {inDetail && (
                <>
                  <Card title={t("rule.when")}>
                    {triggers.map((trigger, index) => (
                      <div class="stack" key={index}>
                        <p class="soft">{sentence(trigger)}</p>
                        <SelectField
                          label={t("rule.trigger")}
                          value={trigger.type}
                          options={TRIGGERS.map((type) => [type.type, t(type.label)] as const)}
                          onChange={(type) =>
                            putTrigger(index, { type, ...TRIGGERS.find((candidate) => candidate.type === type)?.fresh })
                          }
                        />
                        <BlockEditor
                          key={trigger.type}
                          block={trigger}
                          types={TRIGGERS}
                          onChange={(next) => putTrigger(index, next)}
                        />
                      </div>
                    ))}
                    {triggers.length === 1 && <TriggerNow now={now} trigger={triggers[0] ?? NONE} />}
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
            </>
          )}
        </Form>
      </div>
      {isNew && <Starters onChoose={(start) => setDraft({ ...FRESH, ...start })} />}
      {id !== null && <AutomationTraces id={id} version={runs} />}
      {id !== null && trying && (
        <AutomationDryRun id={id} trigger={draft.triggers[0] ?? NONE} onClose={() => setTrying(false)} />
      )}
    </>
  );
}
