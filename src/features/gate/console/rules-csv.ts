import { letters } from "../../../console/components/short-names.ts";
import { csv } from "../../../core/kernel/csv.ts";
import type { PlateRule, PlateRuleInput } from "../resources/plate-rule.ts";

/** What a rule does, as the hub names it. */
const KINDS = ["allow", "deny", "watch"];

/** Columns of the file, in this order when written; when read, the first line says which is where. */
const COLUMNS = ["plate", "kind", "label", "camera", "valid_from", "valid_to", "times", "earns"] as const;

/** Rules as a CSV file (RFC 4180) that spreadsheets open and {@link readCsv} reads. */
export function toCsv(rules: readonly PlateRule[]): string {
  const lines = rules.map((rule) => [
    rule.formatted,
    rule.kind,
    rule.label,
    rule.deviceId ?? "",
    rule.validFrom ?? "",
    rule.validTo ?? "",
    rule.windows.map(written).join(" "),
    rule.earns ?? "",
  ]);
  return csv([[...COLUMNS], ...lines]);
}

/** A column of a file: what the hub takes it for. */
export type Column = (typeof COLUMNS)[number];

/** A column of which nothing is taken. */
export const NOTHING = "nothing";

/** What the column is called that says, of lines that were not accepted, why; it is left out when they come again. */
const REASON = { en: "what is wrong", hi: "क्या ग़लत है" } as const;

/** What a column that the hub does not know may be. */
export const MEANINGS = [
  "plate",
  "kind",
  "label",
  "camera",
  "valid_from",
  "valid_to",
  "times",
] as const satisfies readonly Column[];

/** Other names of the columns, as lists of caretakers, clubs and other systems have them. */
const ALSO: Readonly<Record<Column, readonly string[]>> = {
  plate: [
    ...["number plate", "licence plate", "license plate", "plate number", "plate no", "registration", "reg no", "reg"],
    ...["registration number", "vehicle number", "vehicle no", "vehicle", "car number", "car no", "car"],
    ...["प्लेट", "नंबर प्लेट", "गाड़ी नंबर", "गाड़ी का नंबर", "वाहन संख्या"],
  ],
  kind: ["list", "list type", "action", "decision", "access", "rule", "type", "status", "सूची", "क्या करना है", "अनुमति"],
  label: ["name", "owner", "who", "person", "resident", "flat", "note", "comment", "नाम", "मालिक", "फ़्लैट", "लेबल"],
  camera: ["device", "कैमरा"],
  valid_from: ["from", "start", "starts", "valid since", "कब से"],
  valid_to: ["to", "until", "till", "end", "ends", "expires", "expiry", "valid until", "कब तक"],
  times: ["hours", "windows", "समय"],
  earns: [],
};

/** Other words for what a rule does. */
const KINDS_ALSO: readonly (readonly [kind: PlateRule["kind"], words: readonly string[]])[] = [
  ["allow", ["allowed", "allowlist", "white", "whitelist", "yes", "permit", "permitted", "अनुमति", "हाँ"]],
  ["deny", ["denied", "denylist", "black", "blacklist", "block", "blocked", "banned", "no", "मना", "नहीं"]],
  ["watch", ["watched", "watchlist", "observe", "निगरानी", "निगरानी में"]],
];

/** A file of comma-separated values, before anybody has said what its columns are. */
export interface CsvTable {
  /** The names of its columns, if its first line has them. */
  readonly head: readonly string[] | null;
  /** What the hub takes each column for; null: it does not know. */
  readonly columns: readonly (Column | typeof NOTHING | null)[];
  /** Its lines with their numbers in the file. */
  readonly lines: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

/** A rule and the line of the file that it is from. */
export interface LineRule {
  readonly line: number;
  readonly rule: PlateRuleInput;
}

/**
 * Reads a CSV file. Its first line names the columns if one of them is known, or if none of its cells has a digit;
 * otherwise they are taken as {@link toCsv} writes them.
 */
export function readCsv(text: string): CsvTable {
  const lines = cells(text.replace(/^\uFEFF/, ""))
    .map((line, index) => ({ line: index + 1, cells: line.map((cell) => cell.trim()) }))
    .filter((line) => line.cells.some((cell) => cell !== ""));
  const first = lines[0]?.cells ?? [];
  const known = first.map((name, at) => {
    const column = columnOf(name);
    // a "type" may be that of the car
    const isKinds = lines.slice(1).every(({ cells }) => isKind(cells[at] ?? ""));
    return column === "kind" && bare(name) !== "kind" && !isKinds ? null : column;
  });
  const isHead = known.some((column) => column !== null) || !first.some((cell) => /\d/.test(cell));
  return isHead ? { head: first, columns: known, lines: lines.slice(1) } : { head: null, columns: [...COLUMNS], lines };
}

/**
 * The rules of a file. `meant` says what the columns are, by their places; one without a meaning is left out. Empty
 * cells get the hub's defaults; the hub checks each rule. `momentAt` reads a time of the house's clock.
 */
export function rulesOf(
  { lines }: CsvTable,
  meant: CsvTable["columns"],
  momentAt: (wallTime: string) => string,
): LineRule[] {
  return lines.map(({ line, cells }) => {
    const filledOf = (column: Column): string[] => cells.filter((cell, at) => meant[at] === column && cell !== "");
    const cell = (column: Column): string => filledOf(column)[0] ?? "";
    const given = {
      kind: kindOf(cell("kind")),
      label: filledOf("label").join(", "), // a name and a flat
      deviceId: cell("camera"),
      validFrom: moment(cell("valid_from"), momentAt),
      validTo: moment(cell("valid_to"), momentAt),
      earns: cell("earns").toLowerCase(),
    };
    const times = cell("times");
    const windows = times === "" ? {} : { windows: times.split(/\s+/).map(windowIn) };
    const filled = { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")), ...windows };
    return { line, rule: { plate: cell("plate"), ...filled } };
  });
}

/** A rule whose label, if it is too long, ends with "…" where `most` characters are over. */
export function withShortLabel(rule: PlateRuleInput, most: number): PlateRuleInput {
  const { label = "" } = rule;
  if ([...label].length <= most) return rule;
  let short = "";
  for (const { segment } of letters.segment(label)) {
    if ([...short, ...segment].length >= most) break;
    short += segment;
  }
  return { ...rule, label: `${short.trimEnd()}…` };
}

/**
 * The lines of a file that were not accepted, as they are in it, each with the reason in a last column: to be corrected
 * and imported again. `reasons`: by the numbers of the lines.
 */
export function refusedCsv(
  { head, lines }: CsvTable,
  reasons: ReadonlyMap<number, string>,
  language: keyof typeof REASON,
): string {
  const refused = lines.filter(({ line }) => reasons.has(line));
  const widest = Math.max(0, ...refused.map(({ cells }) => cells.length));
  const names = [...(head ?? COLUMNS.slice(0, widest))].filter((name) => !isReason(name));
  const rows = refused.map(({ line, cells }) => {
    const kept = cells.filter((_, at) => !isReason(head?.[at] ?? ""));
    return [...names.map((_, at) => kept[at] ?? ""), reasons.get(line) ?? ""];
  });
  // with the mark by which spreadsheets know the letters
  return `\uFEFF${csv([[...names, REASON[language]], ...rows])}`;
}

function isReason(name: string): boolean {
  return Object.values(REASON).some((reason) => bare(reason) === bare(name));
}

function bare(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, " ")
    .trim();
}

function columnOf(name: string): Column | typeof NOTHING | null {
  const wanted = bare(name);
  if (isReason(name)) return NOTHING;
  return (
    COLUMNS.find((column) => bare(column) === wanted || ALSO[column].some((also) => bare(also) === wanted)) ?? null
  );
}

function isKind(cell: string): boolean {
  return cell === "" || KINDS.includes(kindOf(cell));
}

function kindOf(cell: string): string {
  const wanted = bare(cell);
  return KINDS_ALSO.find(([, words]) => words.some((word) => bare(word) === wanted))?.[0] ?? wanted;
}

/** A time of the week as `12345@07:00-09:00`: the days, 1 = Monday, and from when until when. */
function written({ days, from, to }: PlateRule["windows"][number]): string {
  return `${days.join("")}@${from}-${to}`;
}

function windowIn(text: string): PlateRule["windows"][number] {
  const [days = "", times = ""] = text.split("@");
  const [from = "", to = ""] = times.split("-");
  return { days: [...days].map(Number), from, to }; // the hub refuses what is invalid
}

function moment(cell: string, momentAt: (wallTime: string) => string): string {
  // A spreadsheet writes the house's wall time; our own export includes the zone.
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(cell)) return momentAt(cell.replace(" ", "T"));
  const at = Date.parse(cell);
  return Number.isNaN(at) ? cell : new Date(at).toISOString();
}

function cells(text: string): string[][] {
  const lines: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  const separator = /^[^\n]*;/.test(text) && !/^[^\n]*,/.test(text) ? ";" : ",";
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    if (isQuoted && char === '"' && text[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === separator || char === "\n")) {
      lines.at(-1)?.push(cell);
      if (char === "\n") lines.push([]);
      cell = "";
    } else if (isQuoted || char !== "\r") cell += char;
  }
  lines.at(-1)?.push(cell);
  return lines;
}
