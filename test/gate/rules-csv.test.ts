import t from "tap";
import { partOf } from "../../src/features/gate/console/plate-part.ts";
import { readCsv, refusedCsv, rulesOf, withShortLabel } from "../../src/features/gate/console/rules-csv.ts";

function read(text: string) {
  const table = readCsv(text);
  return { ...table, rules: rulesOf(table, table.columns, (wall) => `${wall}:00.000Z`) };
}

t.test("a column is known by its usual names, and the words in it by theirs", async (t) => {
  const { columns, rules } = read(
    "\uFEFFVehicle No;List;Name;Flat;valid until\nMH12AB1234;Denied;Asha;B 4;\n\nMH12AB1235;white;;B 5;2026-12-01 00:00",
  );
  t.strictSame(columns, ["plate", "kind", "label", "label", "valid_to"]);
  t.strictSame(rules, [
    { line: 2, rule: { plate: "MH12AB1234", kind: "deny", label: "Asha, B 4" } },
    {
      line: 4,
      rule: { plate: "MH12AB1235", kind: "allow", label: "B 5", validTo: "2026-12-01T00:00:00.000Z" },
    },
  ]);
  t.strictSame(read("नंबर प्लेट,सूची\nMH12AB1234,मना").rules, [{ line: 2, rule: { plate: "MH12AB1234", kind: "deny" } }]);
});

t.test("what is not known is not guessed", async (t) => {
  t.strictSame(read("plate,colour\nMH12AB1234,red").columns, ["plate", null]);
  t.strictSame(read("plate,type\nMH12AB1234,SUV").columns, ["plate", null], "the type of the car");
  t.strictSame(read("plate,type\nMH12AB1234,watch").columns, ["plate", "kind"]);
  t.strictSame(
    read("plate,kind\nMH12AB1234,sometimes").rules[0]?.rule.kind as string,
    "sometimes",
    "the hub refuses it",
  );
  t.strictSame(read("which,what\nMH12AB1234,Asha").columns, [null, null], "a first line without digits has names");
});

t.test("without a head the columns are those of an export", async (t) => {
  const { head, rules } = read('MH12AB1234,watch,"Asha, the ""first"""\r\nMH12AB1235\r\n');
  t.equal(head, null);
  t.strictSame(rules, [
    { line: 1, rule: { plate: "MH12AB1234", kind: "watch", label: 'Asha, the "first"' } },
    { line: 2, rule: { plate: "MH12AB1235" } },
  ]);
});

t.test("lines that were refused are saved with the reason, and read again as they were", async (t) => {
  const text = 'Vehicle No;Name;colour\nMH12AB1234;Asha;red\n=MH12;"Rao, ""A""";\n;Ravi\n';
  const saved = refusedCsv(
    readCsv(text),
    new Map([
      [3, "This cannot be a number plate."],
      [4, "This is needed, said the hub."],
    ]),
    "en",
  );
  t.equal(
    saved,
    [
      "\uFEFFVehicle No,Name,colour,what is wrong",
      `'=MH12,"Rao, ""A""",,This cannot be a number plate.`,
      ',Ravi,,"This is needed, said the hub."',
      "",
    ].join("\r\n"),
  );
  const again = read(saved.replace("'=MH12", "MH12AB1235"));
  t.strictSame(again.columns, ["plate", "label", null, "nothing"], "the reason is asked about no more");
  t.strictSame(again.rules[0]?.rule, { plate: "MH12AB1235", label: 'Rao, "A"' });
  const hindi = refusedCsv(again, new Map([[2, "नंबर प्लेट"]]), "hi");
  t.match(hindi, /^\uFEFFVehicle No,Name,colour,क्या ग़लत है\r\nMH12AB1235,/, "with one reason, the new one");
  t.strictSame(read(hindi).columns, ["plate", "label", null, "nothing"]);
});

t.test("of a file without a head the columns get their names with what is refused", async (t) => {
  const saved = refusedCsv(readCsv("MH12AB1234,watch\r\n??,deny\r\n"), new Map([[2, "no"]]), "en");
  t.equal(saved, "\uFEFFplate,kind,what is wrong\r\n??,deny,no\r\n");
});

t.test("a label that is too long is cut between letters, and counts as the hub counts", async (t) => {
  const short = (label: string): string => withShortLabel({ plate: "X", label }, 80).label ?? "";
  t.equal(short("a".repeat(80)), "a".repeat(80), "as it is");
  t.equal(short("a".repeat(81)), `${"a".repeat(79)}…`);
  t.equal(short("🚗".repeat(80)), "🚗".repeat(80), "characters, not halves of them");
  const hindi = short("कि".repeat(60));
  t.equal(hindi, `${"कि".repeat(39)}…`, "no letter loses its vowel");
  t.strictSame(withShortLabel({ plate: "X" }, 80), { plate: "X" });
});

t.test("what was searched for is found in a plate however it is written", async (t) => {
  const marked = (formatted: string, searched: string): string | null => {
    const part = partOf(formatted, searched);
    return part === null ? null : formatted.slice(part.from, part.to);
  };
  t.equal(marked("MH 12 AB 1234", "MH12"), "MH 12");
  t.equal(marked("MH 12 AB 1234", "mh-12a"), "MH 12 A");
  t.equal(marked("MH 12 AB 1234", "1234"), "1234");
  t.equal(marked("MH 12 AB 1234", "Asha"), null);
  t.equal(marked("MH 12 AB 1234", " "), null);
});
