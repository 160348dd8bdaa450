import fc from "fast-check";
import t from "tap";
import { laidOver, legibility, weighed } from "../../src/core/plates/agree.ts";
import { CLASS_COUNT, classOf } from "../../src/core/plates/alphabet.ts";
import { type Analysis, analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import {
  analyseTogether,
  analyseViews,
  isRareLayout,
  isWorthAnotherLook,
  judge,
  weigh,
} from "../../src/core/plates/read.ts";
import { sighting } from "../support/sighting.ts";

t.test("a reader's answer that is sure gives its own text, and less certainty gives less confidence", async (t) => {
  for (const text of ["MH12AB1234", "DL8CAF5030", "KL16J3636", "22BH1234AA", "GJ1A1234"]) {
    t.hasStrict(read(text, 0.999), { plate: text, status: "recognised", text }, text);
  }
  t.ok(read("MH12AB1234", 0.999).confidence >= 90);
  t.ok(read("MH12AB1234", 0.8).confidence < read("MH12AB1234", 0.95).confidence);
});

t.test("the grammar settles a doubtful character, and its rival is not lost", async (t) => {
  const slots = probabilities("MHI2AB1234");
  share(slots, 2, { I: 0.7, 1: 0.28 });
  t.match(weigh([slots], Countries.all), {
    text: "MHI2AB1234",
    proposals: [{ family: /^indian$/, plate: /^MH12AB1234$/ }],
  });
});

t.test(
  "plates of other countries are put right by the listed shapes, and what is drawn alike costs nothing",
  async (t) => {
    const foreign = (slots: Float32Array): string | undefined =>
      weigh([slots], Countries.all).proposals.find(({ family }) => family === "foreign")?.plate;
    const misread = probabilities("P60Z849");
    share(misread, 3, { Z: 0.5, 2: 0.48 });
    t.equal(foreign(misread), "P602849", "a letter and six digits: the Z is a 2");
    share(misread, 3, { K: 0.5, 2: 0.48 });
    t.equal(foreign(misread), "P60K849", "nobody takes a 2 for a K");
    t.equal(foreign(probabilities("P60Z849")), "P60Z849", "not against what is seen for sure");
    t.equal(foreign(probabilities("0ZV6697")), "OZV6697", "no Indian district is 0");
    t.equal(foreign(probabilities("MH12AB")), undefined, "a piece of an Indian plate is not made a foreign one");
    const [likely, unlikely] = [probabilities("QZO6697"), probabilities("QZO6697")];
    share(likely, 2, { 0: 0.5, O: 0.49 });
    share(unlikely, 2, { D: 0.5, O: 0.49 });
    const cost = (slots: Float32Array): number | undefined =>
      weigh([slots], new Countries(["BR"])).proposals.find(({ family }) => family === "foreign")?.evidence.cost;
    t.ok((cost(likely) ?? 9) < (cost(unlikely) ?? 0));
  },
);

t.test("a tie is not guessed", async (t) => {
  const slots = probabilities("MH12AB1234");
  share(slots, 5, { B: 0.5, H: 0.5 });
  t.match(analyseViews([slots], Countries.all), { plate: null, reason: /^invalid_format$/ });
  share(slots, 5, { B: 0.97, H: 0.03 });
  t.hasStrict(analyseViews([slots], Countries.all), { plate: "MH12AB1234", status: "recognised" });
});

t.test("of plates that the view shows alike, the one that is likelier on the road stands", async (t) => {
  const between = (text: string, place: number, other: string): string | undefined => {
    const slots = probabilities(text);
    share(slots, place, { [text[place] ?? ""]: 0.5, [other]: 0.45 });
    return weigh([slots], Countries.all).proposals[0]?.plate;
  };
  t.equal(between("MH01QP0323", 4, "D"), "MH01DP0323", "few offices have come to series with Q");
  t.equal(between("MH01DP0323", 4, "Q"), "MH01DP0323");
  t.equal(between("DL01QP0323", 4, "D"), "DL01QP0323", "in Delhi the first letter is the class of the vehicle");
  t.equal(between("MN01AX1113", 1, "H"), "MH01AX1113", "Manipur has few vehicles for a series of two letters");
  t.equal(between("MN01X1113", 1, "H"), "MN01X1113", "and no fewer series of one letter");
  t.equal(between("MH01CY6333", 5, "V"), "MH01CV6333", "a V is seen as a Y more often than a Y is there");
  t.equal(between("MH01CV6333", 5, "Y"), "MH01CV6333");
});

t.test("outside Delhi, a district of one digit is doubted: a digit was mostly overlooked", async (t) => {
  const rarity = (text: string): number =>
    weigh([probabilities(text, 0.9999)], Countries.all).proposals[0]?.evidence.rarity ?? Number.NaN;
  t.ok(rarity("DL1CAA7347") < rarity("KL1AA7347"), "Kerala has them on older plates");
  t.ok(rarity("KL1AA7347") < rarity("PB1AA7347"));
  t.same(["DL1CAA7347", "PB11AA7347", "PB11AA734"].map(isRareLayout), [true, false, true], "one look is never enough");
  t.ok(read("PB1AA7347", 0.9999).confidence < read("KL1AA7347", 0.9999).confidence);
});

t.test("a doubtful blank is tried both ways", async (t) => {
  const broken = probabilities("22BH1234AA");
  share(broken, 3, { H: 0.44 });
  broken[3 * CLASS_COUNT] = 0.55;
  t.equal(weigh([broken], Countries.all).proposals[0]?.plate, "22BH1234AA", "only one is a plate");
});

t.test(
  "a number that may be cut off is less certain than a whole one, and a character said twice counts once where only that gives a plate",
  async (t) => {
    const [whole, cut] = [likelihood("MH12AB1234"), likelihood("MH12AB123")];
    t.ok(cut < whole);
    t.equal(weigh([probabilities("JH10S53788")], Countries.all).proposals[0]?.plate, "JH10S5378");
    t.equal(
      weigh([probabilities("JH10SS5377")], Countries.all).proposals[0]?.plate,
      "JH10SS5377",
      "what is a plate already is left alone",
    );
  },
);

t.test("pieces of plates and guesses are not recognised", async (t) => {
  for (const piece of ["MH12AB", "MH12", "12AB1234", "1234", "KA011"]) t.equal(read(piece).plate, null, piece);
  t.equal(read("MH12AB1234", 0.5).plate, null, "ten characters at 50 % each are a guess");
  t.equal(analyseViews([new Float32Array(13 * CLASS_COUNT)], Countries.all).plate, null);
  t.same(weigh([], Countries.all), { text: "", proposals: [] });
  t.equal(analyseViews([new Float32Array()], Countries.all).plate, null);
});

t.test("whatever the reader says, a recognised plate is one that the analyser leaves alone", async (t) => {
  const character = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  const slotsArbitrary = fc
    .array(fc.tuple(character, character, fc.double({ min: 0.4, max: 0.99, noNaN: true })), { maxLength: 13 })
    .map((cells) => {
      const slots = probabilities("");
      for (const [index, [first, second, probability]] of cells.entries())
        share(slots, index, { [second]: 1 - probability, [first]: probability });
      return slots;
    });
  fc.assert(
    fc.property(fc.array(slotsArbitrary, { minLength: 1, maxLength: 3 }), (views) => {
      const { plate, kind, formatted, confidence } = analyseViews(views, Countries.all);
      if (!(confidence >= 0 && confidence <= 100)) return false;
      if (plate === null) return true;
      const again = analyse(plate, Countries.all);
      return again.plate === plate && again.kind === kind && again.formatted === formatted;
    }),
    { numRuns: 500 },
  );
  t.pass();
});

t.test(
  "O and 0, I and 1 of another country's plate are spelt as its shape has them; others are not exchanged",
  async (t) => {
    for (const [seen, plate] of Object.entries({ BB135B0: "BB135BO", BA2681M: "BA2681M" })) {
      t.hasStrict(
        weigh([probabilities(seen)], Countries.all),
        { text: seen, proposals: [{ family: "foreign", plate }] },
        seen,
      );
    }
    t.notOk(weigh([probabilities("X0X0X0X")], Countries.all).proposals.some(({ plate }) => plate === "XOXOXOX"));
  },
);

t.test("views of unlike length are laid over each other", async (t) => {
  const first = (views: readonly Float32Array[]) => weigh(views, Countries.all).proposals[0]?.plate;
  t.equal(
    first([probabilities("MH12AB1234"), probabilities("MH12AB123"), probabilities("MH12AB1234")]),
    "MH12AB1234",
    "cut off in one view only",
  );
  t.equal(
    first([probabilities("MH12AB1234", 0.95), probabilities("MH12AAB1234", 0.6)]),
    "MH12AB1234",
    "said twice in one view",
  );
  t.equal(
    first([probabilities("MH12AB1284", 0.7), probabilities("MH12AB1234", 0.7), probabilities("MH12AB1234", 0.7)]),
    "MH12AB1234",
    "two outvote one",
  );
  t.equal(
    first([probabilities("MH12AB1234"), probabilities("MH12AB1234"), probabilities("EXIT")]),
    "MH12AB1234",
    "one shows something else",
  );
});

t.test("a plate that one view has and the others nearly wins over views that differ", async (t) => {
  const doubtful = (text: string, place: number, meant: string) => {
    const slots = probabilities(text, 0.97);
    share(slots, place, { [text[place] ?? ""]: 0.55, [meant]: 0.44 });
    return slots;
  };
  const views = [doubtful("MH12AR1234", 5, "B"), doubtful("MH12AB1284", 8, "3"), doubtful("MH12AB7234", 6, "1")];
  t.equal(weigh(views, Countries.all).proposals[0]?.plate, "MH12AB1234");
});

t.test(
  "what speaks for a read: views that agree, a rival far behind, a usual layout, letters that are not mixed up",
  async (t) => {
    const evidence = (...views: readonly Float32Array[]) => weigh(views, Countries.all).proposals[0]?.evidence;
    const agreed = evidence(probabilities("MH12AB1234"), probabilities("MH12AB1234"));
    const split = evidence(probabilities("MH12AB1234"), probabilities("MH12AB1284", 0.9));
    t.match(agreed, { support: 1, rarity: 0, bent: 0, mixable: 0 });
    t.ok(
      (split?.support ?? 1) < 1 &&
        (split?.margin ?? 9) < (agreed?.margin ?? 0) &&
        (split?.cost ?? 0) > (agreed?.cost ?? 9),
    );
    t.ok((evidence(probabilities("MH12AB123"))?.rarity ?? 0) > 0, "a number of three digits");
    t.ok((evidence(probabilities("MH12AB12Z4"))?.bent ?? 0) > 0, "a letter where a digit belongs");
    t.equal(evidence(probabilities("MHI2AB1234"))?.bent, 0, "what is drawn alike is no correction");
    t.ok(
      (evidence(probabilities("MH12AB1234", 0.6))?.legible ?? 1) < (agreed?.legible ?? 0),
      "of what no view shows well, little is believed",
    );
    t.match(evidence(probabilities("MH12YY1234")), { mixable: 2 });
  },
);

t.test(
  "a text is laid over what a view shows, place by place, whatever else is before, between or after",
  async (t) => {
    const plate = "MH12AB1234";
    for (const shown of [plate, "XMH12AB1234", "MH12AXB1234", "MH12AB1234X", "H12AB1234", "MH12B1234", "MH12AB123"]) {
      const slots = laidOver(weighed([probabilities(shown)]), plate);
      const shares = [...plate].map((character, place) => slots[place * CLASS_COUNT + classOf(character)] ?? 0);
      const lacking = shares.filter((share) => share < 0.5).length;
      t.equal(lacking, Math.max(0, plate.length - shown.length), shown);
    }
  },
);

t.test("a plate of a rare layout is certain once three views show all of it", async (t) => {
  const [rare, usual] = [probabilities("MH12AB123"), probabilities("MH12AB1234")];
  const looks = [[rare], [rare, rare], [rare, rare, rare], [rare, usual, rare, rare]];
  t.same(
    looks.map((views) => isWorthAnotherLook(judge(views, Countries.all, rare), true)),
    [true, true, false, true],
    "one view that shows more of it keeps the doubt",
  );
  t.notOk(isWorthAnotherLook(judge([usual, usual], Countries.all, usual), true), "of a usual one fewer are enough");
});

t.test("what is plainly a plate is looked at again unless nothing speaks for any reading of it", async (t) => {
  const { analysis, isUnanimous } = judge([probabilities("MH12AB1234", 0.5)], Countries.all);
  t.equal(analysis.plate, null);
  const worth = (chance: number, isPlainly: boolean) =>
    isWorthAnotherLook({ analysis, isUnanimous, chance }, isPlainly);
  t.same(
    [0.01, 0.1, 0.4].map((chance) => worth(chance, true)),
    [false, true, true],
  );
  t.same(
    [0.01, 0.1, 0.4].map((chance) => worth(chance, false)),
    [false, false, true],
  );
});

t.test("frames that agree raise the confidence, one that gives another plate lowers it", async (t) => {
  const doubtful = (frame: number) => sighting(frame, "MH12AB1234", { doubt: { 4: { A: 0.72, R: 0.26 } } });
  const one = analyseTogether([doubtful(0)], Countries.all).confidence;
  t.equal(one, doubtful(0).analysis.confidence, "a frame alone counts as it does by itself");
  const three = analyseTogether([0, 1, 2].map(doubtful), Countries.all);
  t.hasStrict(three, { plate: "MH12AB1234" });
  t.ok(three.confidence > one);
  const sure = [0, 1, 2, 3].map((frame) => sighting(frame, "MH12AB1234"));
  const against = analyseTogether([...sure, sighting(4, "MH12AB1284")], Countries.all);
  t.hasStrict(against, { plate: "MH12AB1234" }, "one frame with bad corners does not silence four");
  t.ok(against.confidence < analyseTogether(sure, Countries.all).confidence);
});

t.test("legibility grows with certainty", async (t) => {
  t.ok(legibility(probabilities("MH12", 0.9)) > legibility(probabilities("MH12", 0.6)));
  t.equal(legibility(new Float32Array()), 0);
});

function read(text: string, certainty = 0.99): Analysis {
  return analyseViews([probabilities(text, certainty)], Countries.all);
}

/** Confidence, as far as it is believed. */
function likelihood(text: string): number {
  return read(text).confidence;
}

/** Thirteen slots that say `text` with the given certainty. */
function probabilities(text: string, certainty = 0.99): Float32Array {
  const slots = new Float32Array(13 * CLASS_COUNT).fill((1 - certainty) / (CLASS_COUNT - 1));
  for (let slot = 0; slot < 13; slot++) slots[slot * CLASS_COUNT + classOf(text[slot] ?? "")] = certainty;
  return slots;
}

function share(slots: Float32Array, slot: number, shares: Readonly<Record<string, number>>): void {
  slots.fill(1e-5, slot * CLASS_COUNT, (slot + 1) * CLASS_COUNT);
  for (const [character, probability] of Object.entries(shares))
    slots[slot * CLASS_COUNT + classOf(character)] = probability;
}
