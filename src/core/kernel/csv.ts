/** What a cell of a table can hold; null: nothing. */
type Cell = string | number | boolean | null;

/** A table as a CSV file (RFC 4180) that spreadsheets open. */
export function csv(lines: readonly (readonly Cell[])[]): string {
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  // A leading = + - @ would run as a formula in a spreadsheet, and so would one after a character at which it splits
  // cells.
  const safe = value.replace(/^(?=[=+\-@\t\r\n])/, "'").replaceAll(/([;\t\r\n])( *)(?=[=+\-@])/g, "$1$2'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
