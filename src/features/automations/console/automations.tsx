import { useEffect, useRef, useState } from "preact/hooks";
import { get, patch, post } from "../../../console/api.ts";
import { Card, Empty, PageHead, Switch } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { DeletedCard } from "../../../console/components/deleted-card.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { download } from "../../../console/components/download.ts";
import { FileField } from "../../../console/components/field.tsx";
import { FindList } from "../../../console/components/find-list.tsx";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { PlaceButton } from "../../../console/components/place-field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { ago, t } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { go } from "../../../console/router.ts";
import { devices } from "../../../console/store.ts";
import { loadPersons } from "./persons.ts";
import { isUnnamed, shownName } from "./rule-names.ts";
import { pauseRule, soonText } from "./rule-pause.tsx";
import { removeRule, restored, restoreRule } from "./rule-removal.ts";
import { takeSaved } from "./rule-saved.ts";
import { ruleSentence } from "./rule-sentence.ts";
import { Starters } from "./starters.tsx";
import { loadLanguagesOf } from "./stored-texts.ts";
import "./tap.css";

/** What a phone shows on three screens. */
const RULES_AT_FIRST = 12;
/** Who has more finds the ready ones where a new rule begins. */
const FEW_RULES = 12;

/** A rule as the hub answers it. */
export type Rule = AnswerTo<"GET", "/v1/automations">["automations"][number];

/** All rules: what each does in one sentence, whether it is on, when it last ran. */
export function AutomationsPage() {
  const [rules, setRules] = useState<readonly Rule[] | null>(null);
  /** The next times of rules that are started by time; null: not known yet. */
  const [next, setNext] = useState<ReadonlyMap<number, string> | null>(null);
  /** Until when the paused ones are. */
  const [pauses, setPauses] = useState<ReadonlyMap<number, string>>(new Map());
  const [importing, setImporting] = useState(false);
  /** The rule that was just stored, which is shown and said once. */
  const [saved] = useState(takeSaved);
  const isSaid = useRef(false);
  const load = (): void => {
    void get("/v1/automations")
      .then((answer) => {
        loadLanguagesOf(answer.automations.map(({ name }) => name));
        setRules(answer.automations);
      })
      .catch(sayError);
    void get("/api/automations/next")
      .then((answer) => {
        setPauses(new Map(answer.paused.map(({ id, until }) => [id, until])));
        setNext(new Map(answer.next.map(({ id, at }) => [id, at])));
      })
      .catch(() => setNext((known) => known ?? new Map())); // the list then lacks the next times
  };
  useEffect(() => {
    const rule = rules?.find(({ id }) => id === saved);
    if (rule === undefined || next === null || isSaid.current) return;
    isSaid.current = true;
    sayStored(rule, { at: next.get(rule.id), pausedUntil: pauses.get(rule.id) });
  }, [rules, next]);
  useEffect(loadPersons, []);
  useEffect(load, [restored.value]);
  useEffect(
    () => askAfter(["feed.added"], async () => load(), { concerns: ({ kind }) => kind.startsWith("automation.") }),
    [],
  );
  const toggle = async (rule: Rule, enabled: boolean): Promise<void> => {
    try {
      await patch("/v1/automations/{id}", { params: { id: rule.id }, body: { enabled } });
    } catch (error) {
      sayError(error);
    }
    load();
  };
  const removeOne = async (rule: Rule): Promise<void> => {
    try {
      await removeRule(rule);
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
          <FindList
            items={rules}
            label={t("rule.find")}
            wordsOf={(rule) => `${shownName(rule)} ${ruleSentence(rule)}`}
            orders={[
              // in the order in which they were made; the one that was just stored is in sight
              {
                name: t("rule.asMade"),
                compare: (a, b) => Number(b.id === saved) - Number(a.id === saved) || a.id - b.id,
              },
              {
                name: t("order.name"),
                compare: (a, b) => shownName(a).localeCompare(shownName(b), undefined, { numeric: true }),
              },
              {
                name: t("rule.latestRun"),
                compare: (a, b) => (b.lastTriggeredAt ?? "").localeCompare(a.lastTriggeredAt ?? ""),
              },
            ]}
            narrowings={[
              { name: t("device.on"), fits: ({ enabled }) => enabled },
              { name: t("device.off"), fits: ({ enabled }) => !enabled },
              { name: t("rule.lastFailed"), fits: ({ lastResult }) => lastResult === "failed" },
            ]}
            className="list rule-list"
            step={RULES_AT_FIRST}
            row={(rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                next={next}
                pausedUntil={pauses.get(rule.id)}
                isSaved={rule.id === saved}
                onToggle={(on) => void toggle(rule, on)}
                onGoOn={() => void pauseRule(rule.id, null).then(load)}
                onRemove={() => void removeOne(rule)}
              />
            )}
          />
        </Card>
      )}
      {rules !== null && rules.length <= FEW_RULES && <Starters without={rules.map((rule) => shownName(rule))} />}
      <DeletedCard kind="automation" restore={restoreRule} />
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

/** One rule: its name and its sentence, which lead to it from anywhere in the row, and its state. */
function RuleRow({
  rule,
  next,
  pausedUntil,
  isSaved,
  onToggle,
  onGoOn,
  onRemove,
}: {
  rule: Rule;
  next: ReadonlyMap<number, string> | null;
  pausedUntil: string | undefined;
  isSaved: boolean;
  onToggle: (on: boolean) => void;
  onGoOn: () => void;
  onRemove: () => void;
}) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSaved) row.current?.scrollIntoView({ block: "center" });
  }, []);
  const name = shownName(rule);
  const told = ruleSentence(rule);
  const isItsSentence = isUnnamed(rule);
  const at = next?.get(rule.id);
  return (
    <li ref={row} class={isSaved ? "rule-row just-saved" : "rule-row"}>
      <Switch label={t("rule.enable", { name })} on={rule.enabled} pending={false} onToggle={onToggle} />
      <div class="rule-words">
        <p class="clamp">
          <a class="rule-link" href={`/automations/${rule.id}`}>
            {isItsSentence ? told : name}
          </a>
        </p>
        {!isItsSentence && <p class="small clamp">{told}</p>}
        {next !== null && waitsForSun(rule) && !next.has(rule.id) && (
          <div class="stack">
            <p class="warn small">{t("now.neverRuns")}</p>
            <div>
              <PlaceButton />
            </div>
          </div>
        )}
        {pausedUntil !== undefined && (
          <div class="row">
            <span class="warn small">{t("pause.until", { when: soonText(pausedUntil) })}</span>
            <Button text={t("pause.end")} onClick={onGoOn} />
          </div>
        )}
        {rule.author && (
          <p class={rule.author.mayRun ? "soft small" : "warn small"}>
            {t(rule.author.mayRun ? "rule.byKey" : "rule.byKeyEnded", { name: rule.author.name })}
          </p>
        )}
        {rule.author?.mayRun === false && (
          <p>
            <Button text={t("rule.takeOver", { name })} onClick={() => onToggle(true)} />
          </p>
        )}
      </div>
      <p class="soft small rule-when">
        {rule.enabled && pausedUntil === undefined && at !== undefined && (
          <span>{t("rule.runsNext", { when: soonText(at) })}</span>
        )}
        <span>
          {rule.lastTriggeredAt === null
            ? t("rule.neverRan")
            : t("rule.lastRan", { ago: ago(rule.lastTriggeredAt), result: t(resultWord(rule.lastResult)) })}
        </span>
      </p>
      <IconButton icon="trash" label={t("rule.removeNamed", { name })} onClick={onRemove} />
    </li>
  );
}

/** Says that a rule is stored and when it runs next, and offers to try it. */
function sayStored(
  rule: Rule,
  { at, pausedUntil }: { readonly at: string | undefined; readonly pausedUntil: string | undefined },
): void {
  if (!rule.enabled) {
    say(t("rule.storedOff"));
    return;
  }
  if (pausedUntil !== undefined) {
    say(t("pause.stored", { when: soonText(pausedUntil) }));
    return;
  }
  if (at === undefined && waitsForSun(rule)) {
    say(t("rule.storedNever"));
    return;
  }
  const tryIt = async (): Promise<void> => {
    // what lets somebody in is only played through
    if (opensSomething(rule)) return go(`/automations/${rule.id}?try`);
    try {
      await post("/api/automations/{id}/run", { params: { id: rule.id } });
      say(t("rule.tried"));
    } catch (error) {
      sayError(error);
    }
  };
  say(at === undefined ? t("rule.stored") : t("rule.storedNext", { when: soonText(at) }), {
    label: t("rule.try"),
    run: () => void tryIt(),
  });
}

/** Whether a rule commands a gate or a lock, or runs a scene, which may. */
function opensSomething({ action }: Rule): boolean {
  const text = JSON.stringify(action);
  return (
    text.includes('"type":"scene"') ||
    [...devices.value.values()].some(
      (device) => device.capabilities?.barrier && text.includes(JSON.stringify(device.id)),
    )
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
