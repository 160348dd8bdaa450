import fc from "fast-check";
import t from "tap";
import { CLASS_COUNT, classOf, cleanPlateText } from "../../../src/domain/plates/alphabet.js";
import { analyse, analyseRead } from "../../../src/domain/plates/analyse.js";
import { formatPlate, formOf } from "../../../src/domain/plates/forms.js";
import { lookAlikeCost, lookAlikePairs, lookAlikesAreSound } from "../../../src/domain/plates/look-alikes.js";
import { CURRENT_STATES, RETIRED_STATES, STATES } from "../../../src/domain/plates/states.js";

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
    t.match(analyse(text), { plate, kind, formatted, status: "recognised", reason: null, confidence: 100 }, text);
});

t.test("every state and union territory, current and retired, with one and two lines of series", async (t) => {
  t.equal(CURRENT_STATES.length, 36);
  t.same([...RETIRED_STATES], ["DN", "OR", "TS", "UA"]);
  for (const state of STATES) {
    for (const rest of ["01AB1234", "5C1234", "12ABC0001", "011234", "1A1"]) {
      t.match(analyse(`${state}${rest}`), { plate: `${state}${rest}`, kind: "standard", confidence: 100 }, `${state}${rest}`);
    }
  }
});

t.test("misread characters are put right where the position demands it", async (t) => {
  for (const [text, plate, kind, formatted] of MISREAD) {
    const analysis = analyse(text);
    t.match(analysis, { plate, kind, formatted, status: "recognised", text: cleanPlateText(text) }, text);
    t.ok(analysis.confidence < 100, `${text} is not certain`);
  }
});

t.test("what cannot be a plate is refused", async (t) => {
  for (const text of REFUSED)
    t.match(analyse(text), { plate: null, formatted: null, kind: "unknown", status: "unrecognised", reason: "invalid_format", confidence: 0 }, text);
});

t.test("a tie is not guessed", async (t) => {
  // two readings that cost the same lead to two plates
  const slots = probabilities("MH12AB1234");
  share(slots, 4, { A: 0.5, H: 0.5 });
  t.match(analyseRead(slots), { plate: null, reason: "invalid_format" });
  share(slots, 4, { A: 0.7, H: 0.3 });
  t.match(analyseRead(slots), { plate: "MH12AB1234", status: "recognised" });
});

t.test("a letter in the number becomes the digit it is most easily mistaken for", async (t) => {
  t.ok(lookAlikesAreSound());
  for (const { pair } of lookAlikePairs()) {
    const digit = [...pair].find((character) => /[0-9]/.test(character));
    const letter = [...pair].find((character) => /[A-Z]/.test(character));
    if (digit === undefined || letter === undefined) continue;
    const nearest = [..."0123456789"].reduce((a, b) => (lookAlikeCost(letter, b) < lookAlikeCost(letter, a) ? b : a));
    t.equal(analyse(`KA15AX99${letter}9`).plate, `KA15AX99${nearest}9`, `${letter} for ${nearest}`);
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
    .map(([state, district, series, number]) => `${state}${String(district).padStart(2, "0")}${series}${String(number).padStart(4, "0")}`),
  fc
    .tuple(
      fc.integer({ min: 21, max: 99 }),
      fc.integer({ min: 1, max: 9999 }),
      fc.string({ unit: fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZ"), minLength: 1, maxLength: 2 }),
    )
    .map(([year, number, letters]) => `${year}BH${String(number).padStart(4, "0")}${letters}`),
  fc.constantFrom(...VALID.map(([text]) => text)),
);
const textArbitrary = fc.oneof(fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), maxLength: 13 }), fc.string(), plateArbitrary);

t.test("properties", async (t) => {
  fc.assert(
    fc.property(plateArbitrary, (plate) => analyse(plate).plate === plate),
    { numRuns: 2000 },
  );
  t.pass("a valid plate is never changed");
  fc.assert(
    fc.property(textArbitrary, (text) => {
      const { plate } = analyse(text);
      return plate === null || (analyse(plate).plate === plate && analyse(plate).formatted === formatPlate(plate));
    }),
    { numRuns: 3000 },
  );
  t.pass("what the analyser gives it takes back unchanged");
  fc.assert(
    fc.property(textArbitrary, fc.array(fc.tuple(fc.nat(20), fc.constantFrom(" ", "-", ".", "·", "\t", "_", "/")), { maxLength: 5 }), (text, marks) => {
      const characters = [...text];
      for (const [at, mark] of marks) characters.splice(at % (characters.length + 1), 0, mark);
      return same(analyse(characters.join("")), analyse(text)) && same(analyse(text.toLowerCase().toUpperCase()), analyse(text.toUpperCase()));
    }),
    { numRuns: 2000 },
  );
  t.pass("spacing, dashes and case never matter");
  fc.assert(
    fc.property(textArbitrary, (text) => {
      const { formatted, plate } = analyse(text);
      return formatted === null || (cleanPlateText(formatted) === plate && analyse(formatted).plate === plate);
    }),
    { numRuns: 2000 },
  );
  t.pass("the display form means the same plate");
  fc.assert(
    fc.property(plateArbitrary, fc.integer({ min: 0, max: 12 }), fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), (plate, at, character) => {
      const seen = plate.slice(0, at % plate.length) + character + plate.slice((at % plate.length) + 1);
      const got = analyse(seen).plate;
      return got === null || got === seen || [...got].every((meant, index) => Number.isFinite(lookAlikeCost(seen[index] ?? "", meant)));
    }),
    { numRuns: 2000 },
  );
  t.pass("only look-alikes are exchanged");
});

t.test("a reader's answer that is sure gives its own text, with the reader's confidence", async (t) => {
  for (const [text] of VALID.filter(([text]) => text.length >= 7)) t.match(analyseRead(probabilities(text)), { plate: text, status: "recognised", text }, text);
  t.ok(analyseRead(probabilities("MH12AB1234", 0.999)).confidence > 95);
  t.ok(analyseRead(probabilities("MH12AB1234", 0.9)).confidence < 75);
});

t.test("the grammar settles a doubtful character, and its rival is not lost", async (t) => {
  const slots = probabilities("MHI2AB1234");
  share(slots, 2, { I: 0.7, 1: 0.28 });
  t.match(analyseRead(slots), { plate: "MH12AB1234", text: "MHI2AB1234" });
});

t.test("a doubtful blank is tried both ways", async (t) => {
  const slots = probabilities("MH12AB1234");
  const gone = new Float32Array(slots);
  for (let classIndex = 0; classIndex < CLASS_COUNT; classIndex++) gone[4 * CLASS_COUNT + classIndex] = 0.002;
  gone[4 * CLASS_COUNT] = 0.55;
  gone[4 * CLASS_COUNT + classOf("A")] = 0.4;
  t.equal(analyseRead(gone).plate, "MH12B1234", "both are plates: the likelier wins");
  const broken = probabilities("22BH1234AA");
  broken[3 * CLASS_COUNT] = 0.55;
  broken[3 * CLASS_COUNT + classOf("H")] = 0.44;
  t.equal(analyseRead(broken).plate, "22BH1234AA", "only one is a plate");
});

t.test("a number that may be cut off is less certain than a whole one, and a character said twice counts once where only that gives a plate", async (t) => {
  const [whole, cut] = [analyseRead(probabilities("MH12AB1234")), analyseRead(probabilities("MH12AB123"))];
  t.equal(cut.plate, "MH12AB123");
  t.ok(cut.confidence < whole.confidence * 0.7);
  t.match(analyseRead(probabilities("JH10S53788")), { plate: "JH10S5378", text: "JH10S53788" });
  t.match(analyseRead(probabilities("JH10SS5377")), { plate: "JH10SS5377" }, "what is a plate already is left alone");
});

t.test("pieces of plates and guesses are not recognised", async (t) => {
  for (const piece of ["MH12AB", "MH12", "12AB1234", "1234", "KA011"]) t.equal(analyseRead(probabilities(piece)).plate, null, piece);
  t.equal(analyseRead(probabilities("MH12AB1234", 0.6)).plate, null, "ten characters at 60 % each are a guess");
  t.equal(analyseRead(new Float32Array(13 * CLASS_COUNT)).plate, null);
  t.equal(analyseRead(new Float32Array()).plate, null);
});

t.test("whatever the reader says, a recognised plate is one that the analyser leaves alone", async (t) => {
  const slotsArbitrary = fc
    .array(
      fc.tuple(
        fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
        fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
        fc.double({ min: 0.4, max: 0.99, noNaN: true }),
      ),
      { maxLength: 13 },
    )
    .map((cells) => {
      const slots = probabilities("");
      for (const [index, [first, second, probability]] of cells.entries()) share(slots, index, { [second]: 1 - probability, [first]: probability });
      return slots;
    });
  fc.assert(
    fc.property(slotsArbitrary, (slots) => {
      const { plate, kind, formatted } = analyseRead(slots);
      if (plate === null) return true;
      const again = analyse(plate);
      return again.plate === plate && again.kind === kind && again.formatted === formatted;
    }),
    { numRuns: 1000 },
  );
  t.pass();
});

t.test("layouts do not overlap in what they show", async (t) => {
  for (const [text, , kind] of VALID) t.equal(formOf(text)?.kind ?? "unknown", kind, text);
});

/** Thirteen slots that say `text` with the given certainty. */
function probabilities(text: string, certainty = 0.99): Float32Array {
  const slots = new Float32Array(13 * CLASS_COUNT).fill((1 - certainty) / (CLASS_COUNT - 1));
  for (let slot = 0; slot < 13; slot++) slots[slot * CLASS_COUNT + classOf(text[slot] ?? "")] = certainty;
  return slots;
}

function share(slots: Float32Array, slot: number, shares: Readonly<Record<string, number>>): void {
  slots.fill(1e-5, slot * CLASS_COUNT, (slot + 1) * CLASS_COUNT);
  for (const [character, probability] of Object.entries(shares)) slots[slot * CLASS_COUNT + classOf(character)] = probability;
}

function same(a: ReturnType<typeof analyse>, b: ReturnType<typeof analyse>): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

t.test("O and 0, I and 1 of another country's plate are spelt as its shape has them; others are not exchanged", async (t) => {
  const texts: Readonly<Record<string, string | null>> = { BB135B0: "BB135BO", BA2681M: "BA2681M", X0X0X0X: null };
  for (const [seen, plate] of Object.entries(texts)) {
    const analysis = analyseRead(probabilities(seen, 0.9));
    if (plate === null) t.not(analysis.plate, "XOXOXOX", seen);
    else t.match(analysis, { plate, text: seen }, seen);
  }
});
