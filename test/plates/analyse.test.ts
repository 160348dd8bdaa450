import fc from "fast-check";
import t from "tap";
import { cleanPlateText } from "../../src/core/plates/alphabet.ts";
import { analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { formatPlate, formOf } from "../../src/core/plates/forms.ts";
import { lookAlikeCost, lookAlikePairs, lookAlikesAreSound } from "../../src/core/plates/look-alikes.ts";
import { CURRENT_STATES, RETIRED_STATES, STATES } from "../../src/core/plates/states.ts";

/** Text, plate (null: refused), kind, display. */
type Row = readonly [text: string, plate: string | null, kind: string, formatted: string | null];

/** Valid plates of every layout: none may be changed. */
const VALID: readonly Row[] = [
  ["MH12AB1234", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["MH12A1234", "MH12A1234", "standard", "MH 12 A 1234"],
  ["MH12ABC1234", "MH12ABC1234", "standard", "MH 12 ABC 1234"],
  ["KA012345", "KA012345", "standard", "KA 01 2345"],
  ["KA1F7", "KA1F7", "standard", "KA 1 F 7"],
  ["TN07BV12", "TN07BV12", "standard", "TN 07 BV 12"],
  ["DL8CAF5031", "DL8CAF5031", "standard", "DL 8 CAF 5031"],
  ["DL3CAY9324", "DL3CAY9324", "standard", "DL 3 CAY 9324"],
  ["DL1LT1234", "DL1LT1234", "standard", "DL 1 LT 1234"],
  ["DL10SA0007", "DL10SA0007", "standard", "DL 10 SA 0007"],
  ["GJ5AB1234", "GJ5AB1234", "standard", "GJ 5 AB 1234"],
  ["MH1ZAB1234", "MH1ZAB1234", "standard", "MH 1 ZAB 1234"],
  ["HR26DK8337", "HR26DK8337", "standard", "HR 26 DK 8337"],
  ["MH14TCF460", "MH14TCF460", "standard", "MH 14 TCF 460"],
  ["22BH1234AA", "22BH1234AA", "bharat", "22 BH 1234 AA"],
  ["21BH0001A", "21BH0001A", "bharat", "21 BH 0001 A"],
  ["25BH9999ZZ", "25BH9999ZZ", "bharat", "25 BH 9999 ZZ"],
  ["MMC8259", "MMC8259", "legacy", "MMC 8259"],
  ["DLA12", "DLA12", "legacy", "DLA 12"],
  ["CAA999", "CAA999", "legacy", "CAA 999"],
  ["KLR5555", "KLR5555", "legacy", "KLR 5555"],
  ["T0523MH1234A", "T0523MH1234A", "unknown", "T 0523 MH 1234 A"],
  ["T1222DL0001AB", "T1222DL0001AB", "unknown", "T 1222 DL 0001 AB"],
  ["MHVAAB1234", "MHVAAB1234", "unknown", "MH VA AB 1234"],
  ["MH12TC1234A", "MH12TC1234A", "unknown", "MH 12 TC 1234 A"],
  ["77CD12", "77CD12", "unknown", "77 CD 12"],
  ["7CC1", "7CC1", "unknown", "7 CC 1"],
  ["155UN1234", "155UN1234", "unknown", "155 UN 1234"],
  ["03D123456W", "03D123456W", "unknown", "03 D 123456 W"],
  ["98B12345X", "98B12345X", "unknown", "98 B 12345 X"],
  ["BRA2E19", "BRA2E19", "unknown", "BRA2E19"],
  ["XYZ1234", "XYZ1234", "unknown", "XYZ1234"],
  ["AB123CD", "AB123CD", "unknown", "AB123CD"],
  ["BD51SMR", "BD51SMR", "unknown", "BD51SMR"],
  ["1234BCD", "1234BCD", "unknown", "1234BCD"],
  ["7ABC123", "7ABC123", "unknown", "7ABC123"],
];

/** Misread plates and what they must mean. */
const MISREAD: readonly Row[] = [
  ["MHI2AB1234", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["MH12A81234", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["MH124B1234", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["MH12AB12E4", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["MH12ABIZ34", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["NH12AB1234", "MH12AB1234", "standard", "MH 12 AB 1234"],
  ["KAO1AB1234", "KA01AB1234", "standard", "KA 01 AB 1234"],
  ["KAD1AB1234", "KA01AB1234", "standard", "KA 01 AB 1234"],
  ["KAQ1AB1234", "KA01AB1234", "standard", "KA 01 AB 1234"],
  ["XA01AB1234", "KA01AB1234", "standard", "KA 01 AB 1234"],
  ["K401AB1234", "KA01AB1234", "standard", "KA 01 AB 1234"],
  ["0D02AB1234", "OD02AB1234", "standard", "OD 02 AB 1234"],
  ["0R02AB1234", "OR02AB1234", "standard", "OR 02 AB 1234"],
  ["DL8CAF5O31", "DL8CAF5031", "standard", "DL 8 CAF 5031"],
  ["DLBCAF5031", "DL8CAF5031", "standard", "DL 8 CAF 5031"],
  ["0L8CAF5031", "DL8CAF5031", "standard", "DL 8 CAF 5031"],
  ["DI8CAF5031", "DL8CAF5031", "standard", "DL 8 CAF 5031"],
  ["DL8CAFSO31", "DL8CAF5031", "standard", "DL 8 CAF 5031"],
  ["TN07BVI234", "TN07BV1234", "standard", "TN 07 BV 1234"],
  ["7N07BV1234", "TN07BV1234", "standard", "TN 07 BV 1234"],
  ["W8O2A1234", "WB02A1234", "standard", "WB 02 A 1234"],
  ["6J01AB1234", "GJ01AB1234", "standard", "GJ 01 AB 1234"],
  ["G101AB1234", "GJ01AB1234", "standard", "GJ 01 AB 1234"],
  ["A511AB1234", "AS11AB1234", "standard", "AS 11 AB 1234"],
  ["M212A1234", "MZ12A1234", "standard", "MZ 12 A 1234"],
  ["MH120B1234", "MH12DB1234", "standard", "MH 12 DB 1234"],
  ["MH12O1234", "MH12D1234", "standard", "MH 12 D 1234"],
  ["MH12AI1234", "MH12AL1234", "standard", "MH 12 AL 1234"],
  ["MH12AB123G", "MH12AB1236", "standard", "MH 12 AB 1236"],
  ["MH12AB123T", "MH12AB1237", "standard", "MH 12 AB 1237"],
  ["MH12AB123B", "MH12AB1238", "standard", "MH 12 AB 1238"],
  ["Z2BH1234AA", "22BH1234AA", "bharat", "22 BH 1234 AA"],
  ["228H1234AA", "22BH1234AA", "bharat", "22 BH 1234 AA"],
  ["MH12ABC123B", "MH12ABC1238", "standard", "MH 12 ABC 1238"],
  ["22BHI234AA", "22BH1234AA", "bharat", "22 BH 1234 AA"],
  ["22BH12344A", "22BH1234AA", "bharat", "22 BH 1234 AA"],
  ["MMCB259", "MMC8259", "legacy", "MMC 8259"],
];

/** What no plate can be. */
const REFUSED = [
  "",
  " ",
  "?",
  "???",
  "-- --",
  "A",
  "AB",
  "ABC",
  "HELLO",
  "HELLO WORLD",
  "NOPLATE",
  "1234",
  "12345678",
  "9876543210",
  "MH12AB0000",
  "MH00AB1234",
  "ZZ12AB1234",
  "20BH1234AA",
  "22BH0000AA",
  "MH12AB12345",
  "MH12ABCD1234",
  "MH12AB1234MH12AB1234",
  "MH12AB1234X",
  "XXXXXXXXXX",
  "T9923MH1234A5",
  "मराठी",
  "𝕄",
];

t.test("valid plates of every layout stay as they are", async (t) => {
  for (const [text, plate, kind, formatted] of VALID)
    t.hasStrict(
      analyse(text, Countries.all),
      { plate, kind, formatted, status: "recognised", reason: null, confidence: 100 },
      text,
    );
});

t.test("every state and union territory, current and retired, with one and two lines of series", async (t) => {
  t.equal(CURRENT_STATES.length, 36);
  t.same([...RETIRED_STATES], ["DN", "OR", "TS", "UA"]);
  for (const state of STATES) {
    for (const rest of ["01AB1234", "5C1234", "12ABC0001", "011234", "1A1"]) {
      t.hasStrict(
        analyse(`${state}${rest}`, Countries.all),
        { plate: `${state}${rest}`, kind: "standard", confidence: 100 },
        `${state}${rest}`,
      );
    }
  }
});

t.test("misread characters are put right where the position demands it", async (t) => {
  for (const [text, plate, kind, formatted] of MISREAD) {
    const analysis = analyse(text, Countries.all);
    t.hasStrict(analysis, { plate, kind, formatted, status: "recognised", text: cleanPlateText(text) }, text);
    t.ok(analysis.confidence < 100, `${text} is not certain`);
  }
});

t.test("letters of other scripts that look the same, and other digits, are those of the plate", async (t) => {
  for (const text of ["МН12АВ1234", "MΗ12AΒ1234", "MH१२AB१२३४", "ＭＨ１２ＡＢ１２３４", "MH12А\u200bB1234"])
    t.equal(analyse(text, Countries.all).plate, "MH12AB1234", text);
});

t.test("what cannot be a plate is refused", async (t) => {
  for (const text of REFUSED)
    t.match(
      analyse(text, Countries.all),
      {
        plate: null,
        formatted: null,
        kind: /^unknown$/,
        status: /^unrecognised$/,
        reason: /^invalid_format$/,
        confidence: 0,
      },
      text,
    );
});

t.test("a letter in the number becomes the digit it is most easily mistaken for", async (t) => {
  t.ok(lookAlikesAreSound());
  for (const { pair } of lookAlikePairs()) {
    const digit = [...pair].find((character) => /[0-9]/.test(character));
    const letter = [...pair].find((character) => /[A-Z]/.test(character));
    if (digit === undefined || letter === undefined) continue;
    const nearest = [..."0123456789"].reduce((a, b) => (lookAlikeCost(letter, b) < lookAlikeCost(letter, a) ? b : a));
    t.equal(analyse(`KA15AX99${letter}9`, Countries.all).plate, `KA15AX99${nearest}9`, `${letter} for ${nearest}`);
  }
});

const plateArbitrary = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...STATES),
      fc.integer({ min: 1, max: 99 }),
      fc.string({ unit: fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZ"), minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9999 }),
    )
    .map(
      ([state, district, series, number]) =>
        `${state}${String(district).padStart(2, "0")}${series}${String(number).padStart(4, "0")}`,
    ),
  fc
    .tuple(
      fc.integer({ min: 21, max: 99 }),
      fc.integer({ min: 1, max: 9999 }),
      fc.string({ unit: fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZ"), minLength: 1, maxLength: 2 }),
    )
    .map(([year, number, letters]) => `${year}BH${String(number).padStart(4, "0")}${letters}`),
  fc.constantFrom(...VALID.map(([text]) => text)),
);
const textArbitrary = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), maxLength: 13 }),
  fc.string(),
  plateArbitrary,
);

t.test("properties", async (t) => {
  fc.assert(
    fc.property(plateArbitrary, (plate) => analyse(plate, Countries.all).plate === plate),
    { numRuns: 2000 },
  );
  t.pass("a valid plate is never changed");
  fc.assert(
    fc.property(textArbitrary, (text) => {
      const { plate } = analyse(text, Countries.all);
      return (
        plate === null ||
        (analyse(plate, Countries.all).plate === plate &&
          analyse(plate, Countries.all).formatted === formatPlate(plate))
      );
    }),
    { numRuns: 3000 },
  );
  t.pass("what the analyser gives it takes back unchanged");
  fc.assert(
    fc.property(
      textArbitrary,
      fc.array(fc.tuple(fc.nat(20), fc.constantFrom(" ", "-", ".", "·", "\t", "_", "/")), { maxLength: 5 }),
      (text, marks) => {
        const characters = [...text];
        for (const [at, mark] of marks) characters.splice(at % (characters.length + 1), 0, mark);
        return (
          same(analyse(characters.join(""), Countries.all), analyse(text, Countries.all)) &&
          same(analyse(text.toLowerCase().toUpperCase(), Countries.all), analyse(text.toUpperCase(), Countries.all))
        );
      },
    ),
    { numRuns: 2000 },
  );
  t.pass("spacing, dashes and case never matter");
  fc.assert(
    fc.property(textArbitrary, (text) => {
      const { formatted, plate } = analyse(text, Countries.all);
      return (
        formatted === null || (cleanPlateText(formatted) === plate && analyse(formatted, Countries.all).plate === plate)
      );
    }),
    { numRuns: 2000 },
  );
  t.pass("the display form means the same plate");
  fc.assert(
    fc.property(
      plateArbitrary,
      fc.integer({ min: 0, max: 12 }),
      fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
      (plate, at, character) => {
        const seen = plate.slice(0, at % plate.length) + character + plate.slice((at % plate.length) + 1);
        const got = analyse(seen, Countries.all).plate;
        return (
          got === null ||
          got === seen ||
          [...got].every((meant, index) => Number.isFinite(lookAlikeCost(seen[index] ?? "", meant)))
        );
      },
    ),
    { numRuns: 2000 },
  );
  t.pass("only look-alikes are exchanged");
});

t.test("layouts do not overlap in what they show", async (t) => {
  for (const [text, , kind] of VALID) t.equal(formOf(text)?.kind ?? "unknown", kind, text);
});

function same(a: ReturnType<typeof analyse>, b: ReturnType<typeof analyse>): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
