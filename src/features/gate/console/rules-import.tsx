import { useEffect, useState } from "preact/hooks";
import { ApiError, type Fault, post } from "../../../console/api.ts";
import { Decision, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { download } from "../../../console/components/download.ts";
import { FileField, SelectField } from "../../../console/components/field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { momentOfField } from "../../../console/components/zone-time.ts";
import { faultWithName, problemText } from "../../../console/i18n/hub-texts.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language } from "../../../console/preferences.ts";
import { LONGEST_LABEL } from "../../../core/plates/decide.ts";
import {
  type Column,
  type CsvTable,
  type LineRule,
  MEANINGS,
  NOTHING,
  readCsv,
  refusedCsv,
  rulesOf,
  withShortLabel,
} from "./rules-csv.ts";

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

/** The answer to "what is in this column"; empty: none yet. */
type Meaning = Column | typeof NOTHING | "";

/**
 * Adds the rules of a CSV file. Before that, the hub looks at each of them and says which lines it refuses and why, and
 * the person says what the columns are that nobody knows. What was refused can be taken home as a file.
 */
export function ImportRules({ onClose }: { onClose: () => void }) {
  const [table, setTable] = useState<CsvTable | null>(null);
  /** What the person said about columns, by their places. */
  const [said, setSaid] = useState<ReadonlyMap<number, Meaning>>(new Map());
  const [looked, setLooked] = useState<Outcome | null>(null);
  const [done, setDone] = useState<Outcome | null>(null);
  /** Labels that are too long are cut. */
  const [shortens, setShortens] = useState(false);
  const asked = table?.columns.flatMap((column, at) => (column === null ? [at] : [])) ?? [];
  const isClear = asked.every((at) => (said.get(at) ?? "") !== "");
  const meant = (table?.columns ?? []).map((column, at) => {
    const meaning = column ?? said.get(at);
    return meaning === undefined || meaning === "" ? null : meaning;
  });
  const read = table === null ? [] : rulesOf(table, meant, momentOfField);
  const lines = shortens ? read.map((one) => ({ ...one, rule: withShortLabel(one.rule, LONGEST_LABEL) })) : read;
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
  }, [table, said, shortens]);
  const refusedLines = new Set([...(looked?.refused.keys() ?? [])].map(({ line }) => line));
  const good = lines.filter(({ line }) => !refusedLines.has(line));
  const look = async (file: File | undefined): Promise<void> => {
    setSaid(new Map());
    setShortens(false);
    setTable(file === undefined ? null : readCsv(await file.text()));
  };
  if (done !== null && table !== null) {
    const leftOut = new Map([...wrongOf(looked?.refused ?? new Map()), ...wrongOf(done.refused)]);
    return (
      <Dialog title={t("rules.import")} onClose={onClose}>
        <Notice tone={leftOut.size === 0 ? "good" : "warn"}>
          {t("rules.imported", { n: done.added })} {leftOut.size > 0 && t("rules.refused", { n: leftOut.size })}
        </Notice>
        <RefusedLines table={table} refused={leftOut} />
        <div class="actions">
          <Button look="primary" text={t("action.done")} onClick={onClose} />
        </div>
      </Dialog>
    );
  }
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
              onFiles={(files) => void look(files[0]).catch(sayError)}
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
            {table !== null && looked !== null && (
              <Preview table={table} good={good} refused={looked.refused} onShorten={() => setShortens(true)} />
            )}
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
/** Lines of one cause that are shown. */
const REFUSED_SHOWN = 40;
/** Causes with no more lines than this are unfolded. */
const FEW = 5;

const LISTED = "plate_already_listed";

/** Those with a mistake: a plate that is listed already is none. */
function wrongOf(refused: Outcome["refused"]): Outcome["refused"] {
  return new Map([...refused].filter(([, { code }]) => code !== LISTED));
}

/** What would become of a file: first what is refused and why, then what is added. */
function Preview({
  table,
  good,
  refused,
  onShorten,
}: {
  table: CsvTable;
  good: readonly LineRule[];
  refused: Outcome["refused"];
  onShorten: () => void;
}) {
  const count = (kind: string): number => good.filter(({ rule }) => (rule.kind ?? "allow") === kind).length;
  const wrong = wrongOf(refused);
  const listed = refused.size - wrong.size;
  const tooLong = [...wrong.values()].filter(isOnlyTooLong).length;
  return (
    <section class="stack" aria-label={t("rules.preview")}>
      <div class="stack" role="status">
        <p>{t("rules.previewCounts", { allow: count("allow"), deny: count("deny"), watch: count("watch") })}</p>
        {listed > 0 && <p class="soft small">{t("rules.previewAgain", { n: listed })}</p>}
        {wrong.size > 0 && <Notice tone="warn">{t("rules.previewRefused", { n: wrong.size })}</Notice>}
      </div>
      {tooLong > 0 && (
        <div class="row">
          <Button text={t("rules.shorten", { n: tooLong, most: LONGEST_LABEL })} onClick={onShorten} />
        </div>
      )}
      <RefusedLines table={table} refused={wrong} />
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

/** Lines that the hub does not take, by what is wrong with them, and as a file to correct and import again. */
function RefusedLines({ table, refused }: { table: CsvTable; refused: Outcome["refused"] }) {
  if (refused.size === 0) return null;
  const reasons = new Map([...refused].map(([line, problem]) => [line, reasonOf(problem)]));
  const byCause = new Map<string, LineRule[]>();
  for (const [line, reason] of reasons) byCause.set(reason, [...(byCause.get(reason) ?? []), line]);
  const causes = [...byCause].sort(([, one], [, other]) => other.length - one.length);
  const save = (): void => {
    const byLine = new Map([...reasons].map(([{ line }, reason]) => [line, reason]));
    download("plate-rules-to-correct.csv", "text/csv", refusedCsv(table, byLine, language.value));
  };
  return (
    <div class="stack">
      {causes.map(([reason, lines]) => (
        <details key={reason} class="group" open={lines.length <= FEW}>
          <summary>
            <span class="grow">{reason}</span>
            <span class="soft small">{t("rules.causeLines", { n: lines.length })}</span>
          </summary>
          <ul class="list import-lines">
            {lines.slice(0, REFUSED_SHOWN).map((line) => (
              <li key={line.line} class="refused">
                <span class="soft small">{t("rules.line", { n: line.line })}</span>
                <code>{line.rule.plate || t("rules.emptyPlate")}</code>
              </li>
            ))}
          </ul>
          {lines.length > REFUSED_SHOWN && (
            <p class="soft small">{t("rules.previewMore", { n: lines.length - REFUSED_SHOWN })}</p>
          )}
        </details>
      ))}
      <div class="row">
        <Button icon="download" text={t("rules.refusedFile")} onClick={save} />
      </div>
    </div>
  );
}

/** What is said of a cell that cannot be read, by its field: with what it should look like. */
const CELL_TEXTS: Readonly<Record<string, TextKey>> = {
  kind: "ruleCell.kind",
  validFrom: "ruleCell.time",
  validTo: "ruleCell.time",
  windows: "ruleCell.windows",
  deviceId: "ruleCell.camera",
};
/** Faults that say no more than that. */
const UNREAD = /^(?:bad_format|not_allowed|wrong_type|out_of_range|range|too_few|too_short|unknown_device|unknown)$/;

/** Whether a shorter label is all that a line needs. */
function isOnlyTooLong(problem: Problem): boolean {
  const { faults } = new ApiError(400, problem);
  return faults.length > 0 && faults.every(({ field, code }) => field === "label" && code === "too_long");
}

/** Why the hub refuses a line: the cells that are wrong, or what is wrong with the whole. */
function reasonOf(problem: Problem): string {
  const error = new ApiError(400, problem);
  if (error.code !== "invalid_body" || error.faults.length === 0) return problemText(error);
  return [...new Set(error.faults.map(cellText))].join(" ");
}

function cellText(fault: Fault): string {
  const key = CELL_TEXTS[fault.field.split(".")[0] ?? ""];
  return key !== undefined && UNREAD.test(fault.code) ? t(key) : faultWithName(fault);
}
