import { useEffect, useState } from "preact/hooks";
import { ApiError, post } from "../../../console/api.ts";
import { Decision, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { FileField, SelectField } from "../../../console/components/field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { momentOfField } from "../../../console/components/zone-time.ts";
import { faultWithName, problemText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type Column, type CsvTable, type LineRule, MEANINGS, readCsv, rulesOf } from "./rules-csv.ts";

type Problem = AnswerTo<"POST", "/api/plate-rules/import">["refused"][number]["problem"];

/** What the hub makes of the lines of a file. */
interface Outcome {
  readonly added: number;
  readonly refused: ReadonlyMap<LineRule, Problem>;
}

/** Rules that one request takes. */
const MOST_AT_ONCE = 1_000;

/** Adds the rules of lines; a rehearsal only says what would become of each. */
async function importLines(lines: readonly LineRule[], rehearsal: boolean): Promise<Outcome> {
  let added = 0;
  const refused = new Map<LineRule, Problem>();
  for (let at = 0; at < lines.length; at += MOST_AT_ONCE) {
    const some = lines.slice(at, at + MOST_AT_ONCE);
    const answer = await post("/api/plate-rules/import", { body: { rules: some.map(({ rule }) => rule), rehearsal } });
    added += answer.added;
    for (const { index, problem } of answer.refused) {
      const line = some[index];
      if (line !== undefined) refused.set(line, problem);
    }
  }
  return { added, refused };
}

/** The answer to "what is in this column": nothing that rules have. */
const NOTHING = "nothing";
type Meaning = Column | typeof NOTHING | "";

/**
 * Adds the rules of a CSV file. Before that, the hub looks at each of them and says at its line what it refuses, and the
 * person says what the columns are that nobody knows.
 */
export function ImportRules({ onClose }: { onClose: () => void }) {
  const [table, setTable] = useState<CsvTable | null>(null);
  /** What the person said about columns, by their places. */
  const [said, setSaid] = useState<ReadonlyMap<number, Meaning>>(new Map());
  const [looked, setLooked] = useState<Outcome | null>(null);
  const [done, setDone] = useState<Outcome | null>(null);
  const asked = table?.columns.flatMap((column, at) => (column === null ? [at] : [])) ?? [];
  const isClear = asked.every((at) => (said.get(at) ?? "") !== "");
  const meant = (table?.columns ?? []).map((column, at) => {
    const meaning = column ?? said.get(at);
    return meaning === undefined || meaning === "" || meaning === NOTHING ? null : meaning;
  });
  const lines = table === null ? [] : rulesOf(table, meant, momentOfField);
  const hasPlates = meant.includes("plate");
  const isReady = table !== null && isClear && hasPlates && lines.length > 0;
  useEffect(() => {
    setLooked(null);
    if (!isReady) return;
    let isCurrent = true;
    importLines(lines, true).then((outcome) => {
      if (isCurrent) setLooked(outcome);
    }, sayError);
    return () => {
      isCurrent = false;
    };
  }, [table, said]);
  const refusedLines = new Set([...(looked?.refused.keys() ?? [])].map(({ line }) => line));
  const good = lines.filter(({ line }) => !refusedLines.has(line));
  const look = async (file: File | undefined): Promise<void> => {
    setSaid(new Map());
    setTable(file === undefined ? null : readCsv(await file.text()));
  };
  if (done !== null)
    return (
      <Dialog title={t("rules.import")} onClose={onClose}>
        <Notice tone={done.refused.size === 0 ? "good" : "warn"}>
          {t("rules.imported", { n: done.added })}{" "}
          {done.refused.size > 0 && t("rules.refused", { n: done.refused.size })}
        </Notice>
        <RefusedLines refused={done.refused} />
        <div class="actions">
          <Button look="primary" text={t("action.done")} onClick={onClose} />
        </div>
      </Dialog>
    );
  return (
    <Dialog title={t("rules.import")} onClose={onClose}>
      <Form
        submit={
          looked === null
            ? t("rules.importNow")
            : t(looked.refused.size > 0 && good.length > 0 ? "rules.importOther" : "rules.importSome", {
                n: good.length,
              })
        }
        disabled={looked === null || good.length === 0}
        send={async () => setDone(await importLines(good, false))}
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
            {asked.map((at) => (
              <SelectField<Meaning>
                key={at}
                label={t("rules.whichColumn", { name: table?.head?.[at] || String(at + 1) })}
                hint={t("rules.columnHas", { values: examples(table, at) })}
                value={said.get(at) ?? ""}
                options={[
                  ["", t("rules.columnChoose")],
                  ...MEANINGS.map((column) => [column, t(`ruleColumn.${column}`)] as const),
                  [NOTHING, t("ruleColumn.nothing")],
                ]}
                onChange={(meaning) => setSaid(new Map(said).set(at, meaning))}
              />
            ))}
            {table !== null && isClear && (lines.length === 0 || !hasPlates) && (
              <Notice tone="warn">{t(lines.length === 0 ? "rules.importEmpty" : "rules.noPlates")}</Notice>
            )}
            {isReady && looked === null && <p aria-busy="true">{t("state.loading")}</p>}
            {looked !== null && <Preview good={good} refused={looked.refused} />}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** A few of the things that a column has. */
function examples(table: CsvTable | null, at: number): string {
  const some = new Set((table?.lines ?? []).flatMap(({ cells }) => cells[at] || []));
  return [...some].slice(0, 3).join(", ");
}

/** Lines that are shown before they are imported. */
const PREVIEWED = 5;
/** Lines with a mistake that are shown; more of them have the same one. */
const REFUSED_SHOWN = 40;

const LISTED = "plate_already_listed";

/** What would become of a file: first what is refused, each at its line, then what is added. */
function Preview({ good, refused }: { good: readonly LineRule[]; refused: Outcome["refused"] }) {
  const count = (kind: string): number => good.filter(({ rule }) => (rule.kind ?? "allow") === kind).length;
  const listed = [...refused.values()].filter(({ code }) => code === LISTED).length;
  const wrong = new Map([...refused].filter(([, { code }]) => code !== LISTED));
  return (
    <section class="stack" aria-label={t("rules.preview")} role="status">
      <p>{t("rules.previewCounts", { allow: count("allow"), deny: count("deny"), watch: count("watch") })}</p>
      {listed > 0 && <p class="soft small">{t("rules.previewAgain", { n: listed })}</p>}
      {wrong.size > 0 && <Notice tone="warn">{t("rules.previewRefused", { n: wrong.size })}</Notice>}
      <RefusedLines refused={wrong} />
      <ul class="list import-lines">
        {good.slice(0, PREVIEWED).map(({ line, rule }) => (
          <li key={line}>
            <span class="soft small">{t("rules.line", { n: line })}</span>
            <code>{rule.plate}</code>
            <Decision decision={rule.kind ?? "allow"} />
            {rule.label && <span class="import-label">{rule.label}</span>}
          </li>
        ))}
      </ul>
      {good.length > PREVIEWED && <p class="soft small">{t("rules.previewMore", { n: good.length - PREVIEWED })}</p>}
    </section>
  );
}

/** Lines that the hub does not take, with the reason at each. */
function RefusedLines({ refused }: { refused: Outcome["refused"] }) {
  if (refused.size === 0) return null;
  return (
    <>
      <ul class="list import-lines">
        {[...refused].slice(0, REFUSED_SHOWN).map(([{ line, rule }, problem]) => (
          <li key={line} class="refused">
            <span class="soft small">{t("rules.line", { n: line })}</span>
            <code>{rule.plate || t("rules.emptyPlate")}</code>
            <span class="import-label error-text">{reasonOf(problem)}</span>
          </li>
        ))}
      </ul>
      {refused.size > REFUSED_SHOWN && (
        <p class="soft small">{t("rules.previewMore", { n: refused.size - REFUSED_SHOWN })}</p>
      )}
    </>
  );
}

/** Why the hub refuses a line: the fields that are wrong, or what is wrong with the whole. */
function reasonOf(problem: Problem): string {
  const error = new ApiError(400, problem);
  return error.code === "invalid_body" && error.faults.length > 0
    ? error.faults.map(faultWithName).join(" ")
    : problemText(error);
}
