import type { PlateRule, PlateRuleInput } from "../../contract/resources/plate-rule.js";
import { momentOfField } from "../components/zone-time.js";

/** Columns of the file, in this order when written; when read, the first line says which is where. */
const COLUMNS = ["plate", "kind", "label", "camera", "valid_from", "valid_to", "times", "earns"] as const;

/** Rules as a CSV file (RFC 4180) that spreadsheets open and {@link fromCsv} reads. */
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
  return [[...COLUMNS], ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

/**
 * Rules of a CSV file. Without a header line the columns are taken as {@link toCsv} writes them. Empty cells get the
 * hub's defaults.
 */
export function fromCsv(text: string): PlateRuleInput[] {
  const lines = cells(text.replace(/^\uFEFF/, "")).filter((line) => line.some((cell) => cell.trim() !== ""));
  const first = lines[0]?.map((cell) => cell.trim().toLowerCase()) ?? [];
  const hasHead = first.includes("plate");
  const place = (column: (typeof COLUMNS)[number]): number =>
    hasHead ? first.indexOf(column) : COLUMNS.indexOf(column);
  return lines.slice(hasHead ? 1 : 0).map((line) => {
    const cell = (column: (typeof COLUMNS)[number]): string => line[place(column)]?.trim() ?? "";
    const given = {
      kind: cell("kind").toLowerCase(),
      label: cell("label"),
      deviceId: cell("camera"),
      validFrom: moment(cell("valid_from")),
      validTo: moment(cell("valid_to")),
      earns: cell("earns").toLowerCase(),
    };
    const times = cell("times");
    const windows = times === "" ? {} : { windows: times.split(/\s+/).map(windowIn) };
    const filled = { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")), ...windows };
    return { plate: cell("plate"), ...filled }; // the hub checks each and names those it refuses
  });
}

/** A time of the week as `12345@07:00-09:00`: the days, 1 = Monday, and from when until when. */
function written({ days, from, to }: PlateRule["windows"][number]): string {
  return `${days.join("")}@${from}-${to}`;
}

function windowIn(text: string): PlateRule["windows"][number] {
  const [days = "", times = ""] = text.split("@");
  const [from = "", to = ""] = times.split("-");
  return { days: [...days].map(Number), from, to }; // the hub refuses what is none
}

function moment(cell: string): string {
  // A spreadsheet writes the house's wall time; our own export includes the zone.
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(cell)) return momentOfField(cell.replace(" ", "T"));
  const at = Date.parse(cell);
  return Number.isNaN(at) ? cell : new Date(at).toISOString();
}

function quoted(cell: string): string {
  // A leading = + - @ would run as a formula in a spreadsheet.
  const safe = /^[=+\-@]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
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
