import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, patch, post } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { forgetUnsaved, go } from "../../../console/router.ts";
import { loaded } from "../../../console/store.ts";
import { AutomationDryRun } from "./automation-dry-run.tsx";
import { AutomationTraces } from "./automation-traces.tsx";
import type { Rule } from "./automations.tsx";
import { type Block, BlockEditor } from "./block-editor.tsx";
import { BlockList } from "./block-list.tsx";
import { DurationField } from "./duration-field.tsx";
import { loadPersons } from "./persons.ts";
import { ACTIONS, CONDITIONS, TRIGGERS } from "./rule-blocks.ts";
import { type Draft, draftOf, FRESH, inputOf, nameOf } from "./rule-draft.ts";
import { missingIn } from "./rule-missing.ts";
import { shownName } from "./rule-names.ts";
import { ConditionNow, TriggerNow, useRuleNow, WholeNow } from "./rule-now.tsx";
import { PauseSheet, pauseRule, soonText } from "./rule-pause.tsx";
import { removeRule } from "./rule-removal.ts";
import { noteSaved } from "./rule-saved.ts";
import { capital, sentence } from "./rule-sentence.ts";
import { twinOf } from "./rule-twin.ts";
import { starterRules } from "./starter-rules.ts";
import { Starters } from "./starters.tsx";
import { loadLanguagesOf } from "./stored-texts.ts";
import { TapSentence } from "./tap-sentence.tsx";
import { noteUsual } from "./usual-blocks.ts";

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
  const [isGone, setGone] = useState(false);
  const [stored, setStored] = useState<Rule | null>(null);
  /** The rules that the house has beside a new one. */
  const [others, setOthers] = useState<readonly Rule[]>([]);
  const [pausedUntil, setPausedUntil] = useState<string | null>(null);
  const [pausing, setPausing] = useState(false);
  /** How often somebody has tried to save it although something was missing. */
  const [tries, setTries] = useState(0);
  const [trying, setTrying] = useState(new URLSearchParams(location.search).has("try"));
  const [runs, setRuns] = useState(0);
  useEffect(loadPersons, []);
  useEffect(() => {
    void get("/v1/automations")
      .then(({ automations }) => {
        noteUsual(automations.filter((rule) => rule.id !== id));
        loadLanguagesOf(automations.map(({ name }) => name));
        if (id === null) return setOthers(automations);
        const rule = automations.find((candidate) => candidate.id === id);
        if (rule === undefined) return setGone(true);
        setStored(rule);
        setDraft(draftOf(rule));
        setLoaded(true);
      })
      .catch((error: unknown) => id !== null && sayError(error)); // a new rule can do without
    if (id !== null)
      void get("/api/automations/next")
        .then(({ paused }) => setPausedUntil(paused.find((one) => one.id === id)?.until ?? null))
        .catch(() => {}); // the page then lacks it
  }, [id]);
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true], .twin .button")?.focus();
  }, [tries]);
  const { triggers } = draft;
  const [trigger] = triggers;
  const now = useRuleNow(trigger ?? null, draft.conditions);
  const change = (part: Partial<Draft>): void => setDraft((known) => ({ ...known, ...part }));
  const isNew = id === null && triggers.length === 0 && draft.actions.length === 0 && !inDetail;
  const missing = tries === 0 ? [] : missingIn(draft);
  const { conditions, actions, otherwise } = draft;
  const twin = useMemo(
    () => (others.length === 0 || missingIn(draft).length > 0 ? null : twinOf(draft, others)),
    [others, triggers, conditions, actions, otherwise],
  );
  const isWhole = (): boolean => {
    if (missingIn(draft).length === 0 && twin === null) return true;
    setTries(tries + 1);
    return false;
  };
  const save = async (): Promise<void> => {
    const body = inputOf(draft);
    const { automation } = await (id === null
      ? post("/v1/automations", { body })
      : patch("/v1/automations/{id}", { params: { id }, body }));
    noteSaved(automation.id);
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
  const pause = async ({ id }: Rule, until: string | null): Promise<void> => {
    if (await pauseRule(id, until)) setPausedUntil(until);
  };
  const toggle = async ({ id }: Rule, enabled: boolean): Promise<void> => {
    try {
      await patch("/v1/automations/{id}", { params: { id }, body: { enabled } });
      setStored((known) => (known === null ? null : { ...known, enabled }));
      setPausedUntil(null); // ended by it
      say(t(enabled ? "rule.isOn" : "rule.isOff"));
    } catch (error) {
      sayError(error);
    }
  };
  const removeIt = async (rule: Rule): Promise<void> => {
    try {
      await removeRule(rule);
      forgetUnsaved(); // nothing is left to save it to
      go("/automations");
    } catch (error) {
      sayError(error);
    }
  };
  const standing =
    stored?.enabled === false
      ? t("rule.isOff")
      : pausedUntil === null
        ? null
        : t("pause.until", { when: soonText(pausedUntil) });
  if (isGone) return <Gone text={t("rule.gone")} />;
  // a form shown before the rule is loaded would lose its input
  if (!isLoaded) return <PageHead title={t("state.loading")} />;
  return (
    <>
      <PageHead
        title={stored === null ? t("rule.add") : shownName(stored)}
        {...(standing === null ? {} : { subtitle: standing })}
      >
        {stored !== null && (
          <PageActions
            primary={{ text: t("rule.runNow"), icon: "play", onClick: () => void run(stored.id) }}
            others={[
              {
                text: t(stored.enabled ? "rule.switchOff" : "rule.switchOn"),
                onClick: () => void toggle(stored, !stored.enabled),
              },
              ...(stored.enabled && pausedUntil === null
                ? [{ text: t("pause.open"), onClick: () => setPausing(true) }]
                : []),
              ...(pausedUntil === null ? [] : [{ text: t("pause.end"), onClick: () => void pause(stored, null) }]),
              { text: t("dryRun.open"), onClick: () => setTrying(true) },
              { text: t("rule.duplicate"), onClick: () => void duplicate(stored.id) },
              { text: t("rule.delete"), onClick: () => void removeIt(stored) },
            ]}
          />
        )}
      </PageHead>
      <div class="rule-form" ref={form}>
        <Form submit={t("action.save")} send={save} isWhole={isWhole} onCancel={() => go("/automations")}>
          {(errors) => (
            <>
              <Card>
                <TapSentence draft={draft} isTried={tries > 0} onChange={change} />
                {missing.length > 0 && (
                  <Notice tone="bad">{[...new Set(missing.map(({ text }) => text))].join(" ")}</Notice>
                )}
                {twin !== null && <Twin rule={twin} />}
                {!inDetail && trigger?.type === "sun" && triggers.length === 1 && (
                  <TriggerNow now={now} trigger={trigger} />
                )}
                {!inDetail && draft.conditions.length > 0 && <WholeNow now={now} conditions={draft.conditions} />}
                <TextField
                  label={t("field.name")}
                  value={draft.name}
                  onInput={(name) => change({ name })}
                  error={errors.name}
                  placeholder={missingIn(draft).length > 0 ? t("rule.nameMade") : nameOf(draft)}
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
                    <TriggersInDetail triggers={triggers} onChange={(next) => change({ triggers: next })} />
                    {trigger !== undefined && triggers.length === 1 && <TriggerNow now={now} trigger={trigger} />}
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
                    <DurationField
                      label={t("rule.cooldown")}
                      seconds={draft.cooldownSeconds}
                      error={errors.cooldownSeconds}
                      onChange={(cooldownSeconds = 0) => change({ cooldownSeconds })}
                    />
                  </Card>
                </>
              )}
            </>
          )}
        </Form>
      </div>
      {isNew && (
        <Starters
          without={others.map((rule) => shownName(rule))}
          onChoose={(start) => setDraft({ ...FRESH, ...start })}
        />
      )}
      {stored !== null && <AutomationTraces id={stored.id} lastRan={stored.lastTriggeredAt} version={runs} />}
      {stored !== null && pausing && (
        <PauseSheet onChoose={(until) => void pause(stored, until)} onClose={() => setPausing(false)} />
      )}
      {stored !== null && trying && (
        <AutomationDryRun id={stored.id} trigger={{ ...stored.trigger }} onClose={() => setTrying(false)} />
      )}
    </>
  );
}

/** Says that the house has this rule already, and leads there. */
function Twin({ rule }: { rule: Rule }) {
  const open = (): void => {
    forgetUnsaved(); // it is stored there
    go(`/automations/${rule.id}`);
  };
  return (
    <div class="twin">
      <Notice tone="warn">
        <div class="stack">
          <p>{t(rule.enabled ? "rule.exists" : "rule.existsOff", { name: shownName(rule) })}</p>
          <div>
            <Button text={t("rule.openIt")} onClick={open} />
          </div>
        </div>
      </Notice>
    </div>
  );
}

/** What starts a rule, in all detail: nothing until somebody chooses it. */
function TriggersInDetail({
  triggers,
  onChange,
}: {
  triggers: readonly Block[];
  onChange: (triggers: readonly Block[]) => void;
}) {
  const types = TRIGGERS.map((type) => [type.type, t(type.label)] as const);
  const fresh = (type: string): Block => ({
    type,
    ...TRIGGERS.find((candidate) => candidate.type === type)?.fresh,
  });
  const put = (index: number, next: Block): void => onChange(triggers.map((one, at) => (at === index ? next : one)));
  return (
    <>
      {triggers.map((trigger, index) => (
        <div class="stack" key={index}>
          <div class="row between trigger-head">
            <strong>{capital(sentence(trigger))}</strong>
            <IconButton
              icon="trash"
              label={t("block.remove", { name: sentence(trigger) })}
              small
              onClick={() => onChange(triggers.filter((_one, at) => at !== index))}
            />
          </div>
          <SelectField
            label={t("rule.trigger")}
            value={trigger.type}
            options={types}
            onChange={(type) => put(index, fresh(type))}
          />
          <BlockEditor key={trigger.type} block={trigger} types={TRIGGERS} onChange={(next) => put(index, next)} />
        </div>
      ))}
      <SelectField
        label={triggers.length === 0 ? t("rule.trigger") : t("rule.addTrigger")}
        value=""
        options={[["", t("block.choose")], ...types]}
        onChange={(type) => type !== "" && onChange([...triggers, fresh(type)])}
      />
    </>
  );
}
