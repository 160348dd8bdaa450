/** The results for texts, for the reader's views, and for bursts. */

import { editDistance } from "../../src/core/kernel/edit-distance.ts";
import { legibility, standings, weighed } from "../../src/core/plates/agree.ts";
import { CLASS_COUNT, characterOf, classOf, cleanPlateText } from "../../src/core/plates/alphabet.ts";
import { type Analysis, analyse } from "../../src/core/plates/analyse.ts";
import { area, shared } from "../../src/core/plates/boxes.ts";
import { confidenceOf, leastConfidence } from "../../src/core/plates/confidence.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { foreignPlateOf, foreignPlatesOf } from "../../src/core/plates/foreign.ts";
import { couldBeForeign, formatPlate, formOf } from "../../src/core/plates/forms.ts";
import { kept } from "../../src/core/plates/kept.ts";
import { lookAlikeCost, lookAlikePairs } from "../../src/core/plates/look-alikes.ts";
import { mentionsPlate, platesIn } from "../../src/core/plates/mention.ts";
import { withoutPartialReads } from "../../src/core/plates/partial-reads.ts";
import {
  analyseTogether,
  isCertainAtOnce,
  isRareLayout,
  isWorthAnotherLook,
  judge,
  weigh,
} from "../../src/core/plates/read.ts";
import type { Sighting } from "../../src/core/plates/reading.ts";
import { freeText, rankedPlates, type SlotProbabilities } from "../../src/core/plates/readings.ts";
import { districtIsKnown, hasFewVehicles, isState, STATES } from "../../src/core/plates/states.ts";
import { vote } from "../../src/core/plates/vote.ts";
import { table } from "../support/recorded.ts";
import { sighting } from "../support/sighting.ts";

/** Chosen, so that a new country changes nothing here. */
const COUNTRIES = new Countries(["DE", "BR", "GB"]);

/** Plates of every layout, truncated, misread, of other countries, and none. */
const TEXTS = [
  ..."MH12AB1234 MH12A1234 MH12ABC1234 MH121234 MH1AB1234 DL1CAF5031 DL8CXF5031 DL08CAF5031 GJ1A1 KA05AB123 KA05AB12".split(
    " ",
  ),
  ..."KA05AB1 MH00AB1234 MH12AB0000 MH99AB1234 MH12IO1234 MHI2AB1234 MH12AB12E4 NH12AB1234 NHI2A81Z34 MH12ZZ1234".split(
    " ",
  ),
  ..."MH12EA1234 MN01EA1234 AN01AA1234 22BH1234AA 22BH1234A 20BH1234AA 21BH0000AA ZZBH1234AA MHA1234 MHA123 MHA1".split(
    " ",
  ),
  ..."ABC1234 EBC1234 ABC0000 T0123MH1234A T1323MH1234A T1223MH1234AB KA01TC1234A KA01TCA1234A MHVAA1234 MHVAAB1234 12CD123".split(
    " ",
  ),
  ..."1UN1 123CC1234 03D123456A 03D12345A MH12AB 12AB1234 KA011 AB1234 B1234 BAB1234 ABC1D23 AB12CDE HHAB123 P60Z849".split(
    " ",
  ),
  ..."0ZV6697 HELLO 1234 A1 SALE50OFF MH12AB1234567 0D12AB1234 8R02AB1234 5K01A1234 UP1GAB1234 TS09EA1234 BR1AB1234".split(
    " ",
  ),
];

/** The same shape as {@link sighting}'s views, with further doubts from fixed numbers. */
function views(): [string, SlotProbabilities][] {
  let seed = 20_261_123;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return TEXTS.flatMap((text, nth) =>
    [0, 1].map((round): [string, SlotProbabilities] => {
      const [slots = new Float32Array()] = sighting(0, text, { certainty: [0.999, 0.7][(nth + round) % 2] ?? 1 }).views;
      for (let n = 0; n < 2 + round; n++) {
        const slot = next(Math.min(13, text.length + 1));
        const [blank, letter, share] = [next(3) === 0, 1 + next(CLASS_COUNT - 1), (10 + next(80)) / 100];
        for (let i = 0; i < CLASS_COUNT; i++)
          slots[slot * CLASS_COUNT + i] = (slots[slot * CLASS_COUNT + i] ?? 0) * (1 - share);
        const at = slot * CLASS_COUNT + (blank ? 0 : letter);
        slots[at] = (slots[at] ?? 0) + share;
      }
      return [`${text} ${round}`, slots];
    }),
  );
}

/** An analysis without its confidence, which is refitted now and then. */
const shown = ({ plate, kind, text }: Analysis) => [plate, kind, text];

function bursts(): Record<string, readonly Sighting[]> {
  const at = (frame: number, text: string, x = 100 + frame * 10, more: Parameters<typeof sighting>[2] = {}) =>
    sighting(frame, text, { x, certainty: 0.995, ...more });
  const doubt = { 4: { A: 0.55, H: 0.43 } };
  return {
    none: [],
    "one frame": [at(0, "MH12AB1234")],
    "three frames": [0, 1, 2].map((frame) => at(frame, "MH12AB1234")),
    "two cars": [0, 1].flatMap((frame) => [at(frame, "MH12AB1234"), at(frame, "KA05MK7777", 700 + frame * 10)]),
    "the same plate, lost for a moment": [
      at(0, "MH12AB1234"),
      at(1, "MH12AB1234", 900, { y: 600 }),
      at(3, "MH12AB1234", 120),
    ],
    "one that differs": [at(0, "MH12AB1234"), at(1, "MH12AB1284"), at(2, "MH12AB1234")],
    "two against two": [at(0, "MH12AB1234"), at(1, "MH12AB1284"), at(2, "MH12AB1234"), at(3, "MH12AB1284")],
    "another text at the same place": [at(0, "MH12AB1234"), at(1, "KA05MK7777", 100)],
    "half of it at the same place": [at(0, "MH12AB1234"), at(1, "MH12A", 100)],
    "half of it elsewhere": [at(0, "MH12AB1234"), at(1, "MH12A", 900)],
    "a third of it elsewhere": [at(0, "MH12AB1234"), at(1, "MH12AB1", 900)],
    "a doubt in each": [0, 1, 2].map((frame) => at(frame, "MH12AB1234", 100, { doubt })),
    "a sticker": [at(0, "MH12AB1234"), at(0, "B1234", 600, { certainty: 0.9 })],
    "a sticker twice": [0, 1].flatMap((frame) => [
      at(frame, "MH12AB1234"),
      at(frame, "BAB1234", 600, { certainty: 0.9 }),
    ]),
    "a sticker in another frame": [at(0, "MH12AB1234"), at(1, "BAB1234", 900, { certainty: 0.9 })],
    "nothing read": [at(0, "SALE50OFF"), at(0, "EXI", 500, { score: 0.95 }), at(1, "SALE50OFF")],
    "too little read": [at(0, "EXI")],
    "cut off at the edge": [at(0, "MH12AB1234", 1, { score: 0.95 }), at(1, "MH12AB1234", 300, { score: 0.5 })],
    "larger and surer": [at(0, "MH12AB1234", 100, { width: 60 }), at(1, "MH12AB1234", 100, { width: 240, score: 0.8 })],
    "moved by a plate's width": [at(0, "MH12AB1234", 100), at(1, "MH1ZAB", 244)],
    "moved by more": [at(0, "MH12AB1234", 100), at(1, "MH1ZAB", 245)],
    "many frames": Array.from({ length: 14 }, (_, frame) =>
      at(frame, "MH12AB1234", 100, { certainty: 0.6 + frame / 40 }),
    ),
    "a foreign one": [0, 1].map((frame) => at(frame, "ABC1D23")),
  };
}

/** The tables of number plates. */
export async function plateTables(): Promise<Record<string, Record<string, unknown>>> {
  const seen = new Map(views());
  const of = (name: string): SlotProbabilities => seen.get(name) ?? new Float32Array();
  const box = (x1: number, y1: number, x2: number, y2: number) => [x1, y1, x2, y2] as const;
  const frames = new Map(Object.entries(bursts()));
  const evidence = {
    margin: 1,
    cost: 1,
    legible: 1,
    support: 1,
    product: -1,
    rarity: 1,
    bent: 1,
    mixable: 1,
    agreed: 0,
  };
  const vehicle = ({ analysis, votes, sightings, best }: ReturnType<typeof vote>["vehicles"][number]) => [
    ...shown(analysis),
    votes,
    sightings.map(({ frame }) => frame),
    best.frame,
    best.box[0],
  ];
  const boxed = (text: string, x: number, width: number, score = 0.9) =>
    sighting(0, text, { x, width, height: 40, score, certainty: 0.99 });
  const pairs: Record<string, readonly Sighting[]> = {
    beside: [boxed("MH12AB1234", 0, 100), boxed("KA05MK7777", 100, 100)],
    "half covered": [boxed("MH12AB1234", 0, 100), boxed("KA05MK7777", 50, 100)],
    "covered by more": [boxed("MH12AB1234", 0, 100), boxed("KA05MK7777", 49, 100)],
    "the surer": [boxed("MH12AB1234", 0, 100, 0.8), boxed("MH12AB1234", 10, 100, 0.9)],
    "a part": [boxed("AJ3636", 10, 80), boxed("KL16AJ3636", 0, 100)],
    foreign: [boxed("ABC1D23", 10, 80), boxed("MH12AB1234", 0, 100)],
    "none that is read": [boxed("EXI", 10, 80), boxed("MH12AB1234", 0, 100)],
    "flat boxes": [boxed("MH12AB1234", 0, 0), boxed("KA05MK7777", 0, 0)],
  };
  return {
    texts: table(TEXTS, (text) => [
      Object.values(analyse(text, COUNTRIES)).join("|"),
      formatPlate(text),
      Object.values(formOf(text) ?? {})
        .slice(0, 5)
        .join("|"),
      couldBeForeign(text),
      foreignPlateOf(text, COUNTRIES),
      isRareLayout(text),
    ]),
    "texts as they are typed": table(["mh-12 ab 1234", "ＭＨ１２ＡＢ１２３４", " ", "é1234ab"], (text) => [
      cleanPlateText(text),
      ...shown(analyse(text, COUNTRIES)),
    ]),
    states: table(STATES, (state) => [
      isState(state),
      hasFewVehicles(state),
      Array.from({ length: 101 }, (_, n) => n).filter((n) => districtIsKnown(state, n)).length,
    ]),
    "no states": {
      districts: [0, 1, 99, 100].map((district) => districtIsKnown("XX", district)),
      codes: ["XX", "M", ""].map(isState),
    },
    classes: { characters: [0, 1, 36, 37].map(characterOf), classes: ["0", "Z", "", "AB", "é"].map(classOf) },
    "look-alikes": {
      pairs: lookAlikePairs()
        .map(({ pair, cost }) => `${pair} ${cost} ${lookAlikeCost(pair[1] ?? "", pair[0] ?? "")}`)
        .join(", "),
      none: [lookAlikeCost("A", "A"), String(lookAlikeCost("A", "B"))],
    },
    views: table(
      [...seen.keys()],
      (name) => {
        const { text, proposals } = weigh([of(name)], COUNTRIES);
        return [
          text,
          legibility(of(name)),
          ...proposals.map(({ family, plate, kind, evidence: found }) => [family, plate, kind, Object.values(found)]),
        ];
      },
      String,
    ),
    "plates that views may mean": table(
      [...seen.keys()].filter((_, n) => n % 5 === 0),
      (name) => [
        freeText(of(name)),
        rankedPlates(of(name))
          .slice(0, 4)
          .map(({ plate, cost, rank }) => [plate, cost, rank]),
        foreignPlatesOf(of(name), COUNTRIES),
      ],
      String,
    ),
    "several views": table(
      [...seen.keys()].filter((_, n) => n % 6 === 0),
      (name) => {
        const all = [of(name), of(name.replace(/0$/, "1")), of("MH12AB1234 1")];
        return [
          standings(weighed(all))
            .slice(0, 3)
            .map(({ plate, shown: cost, cost: whole, prior, support }) => [plate, cost, whole, prior, support]),
          weigh(all, COUNTRIES).proposals.map(({ plate, evidence: found }) => [plate, Object.values(found)]),
        ];
      },
      String,
    ),
    "no views": {
      weighed: weigh([new Float32Array(5)], COUNTRIES),
      judged: judge([], COUNTRIES),
      empty: legibility(new Float32Array(CLASS_COUNT)),
    },
    "whether to look again": table(["MH12AB1234", "MHA1234", "ABC1D23", null], looksAgain(false)),
    "whether to look again at what all views show": table(["MH12AB1234", "MHA1234"], looksAgain(true)),
    confidence: table(["indian", "foreign"] as const, (family) => [
      confidenceOf(family, evidence) > 0 && confidenceOf(family, evidence) < 1,
      confidenceOf(family, { ...evidence, legible: 2 }) > confidenceOf(family, evidence),
      leastConfidence(family) > 0 && leastConfidence(family) < 1,
    ]),
    bursts: table(
      [...frames.keys()],
      (name) => {
        const burst = vote(frames.get(name) ?? [], COUNTRIES);
        return {
          vehicles: burst.vehicles.map(vehicle),
          unread: burst.unread.map(vehicle),
          kept: kept(burst).map(({ analysis }) => analysis.text),
        };
      },
      String,
    ),
    together: table([...frames.keys()], (name) => shown(analyseTogether(frames.get(name) ?? [], COUNTRIES)), String),
    "partial reads": table(
      Object.keys(pairs),
      (name) =>
        [pairs[name] ?? [], [...(pairs[name] ?? [])].reverse()].map((some) =>
          withoutPartialReads(some).map(({ analysis, box: [x] }) => `${analysis.text} ${x}`),
        ),
      String,
    ),
    boxes: {
      areas: [box(0, 0, 2, 3), box(1, 1, 1, 5)].map(area),
      shared: [box(1, 1, 4, 4), box(2, 0, 4, 4), box(0, 3, 2, 5), box(-1, -1, 1, 1)].map((other) =>
        shared(box(0, 0, 2, 3), other),
      ),
    },
    distances: table(
      [
        ["", ""],
        ["a", ""],
        ["", "ab"],
        ["abc", "abc"],
        ["abc", "axc"],
        ["abc", "ac"],
        ["kitten", "sitting"],
        ["ab", "ba"],
      ] as const,
      ([a, b]) => editDistance(a, b),
    ),
    mentions: table(
      [
        "MH 12 AB 1234 came",
        "at MH12AB1234.",
        "MH 12 A B 1234",
        "MHA1234",
        "MHA 123",
        "no plate",
        "AB12CDE",
        "1234 5678",
        "KA 011",
        "B1",
        "A1B2 C3D4 E5",
        `${"x".repeat(4_090)} MH12AB1234`,
      ],
      (text) => [mentionsPlate(text), platesIn(text)],
      (text) => text.slice(-30),
    ),
    "mentions of many": { found: platesIn(Array.from({ length: 300 }, (_, n) => `A${1_000 + n}`).join(" , ")).length },
  };
}

/** By likelihood, whether a plate is worth another look, plainly there and not, and whether one is enough. */
function looksAgain(isUnanimous: boolean) {
  return (plate: string | null): string =>
    [0, 0.019, 0.02, 0.29, 0.3, 0.87, 0.88, 0.95, 0.96, 1]
      .map((chance) => {
        const judgement = { analysis: { ...analyse("x", COUNTRIES), plate }, chance, isUnanimous };
        const again = [true, false].map((isPlainly) => Number(isWorthAnotherLook(judgement, isPlainly)));
        return `${again.join("")}${Number(isCertainAtOnce(judgement))}`;
      })
      .join(" ");
}
