import t from "tap";
import { formatPlate } from "../../src/core/plates/forms.ts";
import { type Correction, knownHere } from "../../src/core/plates/known-here.ts";
import type { VehicleReading } from "../../src/core/plates/reading.ts";
import { sighting } from "../support/sighting.ts";

const site = (corrections: Correction[], known: string[], listed: string[] = []) => ({
  corrections,
  known,
  isListed: (plate: string) => listed.includes(plate),
});
const fix = (seen: string, plate: string): Correction => ({ seen, plate });

/** A read whose picture also shows `truth`, less clearly. */
function read(seen: string, truth: string, confidence: number): VehicleReading {
  const doubt = Object.fromEntries(
    [...seen].flatMap((character, place) =>
      character === truth[place] ? [] : [[place, { [character]: 0.55, [truth[place] ?? ""]: 0.35 }]],
    ),
  );
  const best = sighting(0, seen, { doubt });
  const analysis = { ...best.analysis, plate: seen, formatted: formatPlate(seen), confidence, text: seen };
  return { analysis, votes: 1, sightings: [best], best };
}

t.test(
  "a doubtful read is taken for a plate of this site from which it differs in what was put right here",
  async (t) => {
    const taken = (one: VehicleReading, experience: ReturnType<typeof site>) =>
      knownHere(one, experience)?.analysis.plate ?? null;
    const mixed = [fix("MH12AB8234", "MH12AB3234"), fix("KA01CD8111", "KA01CD3111")];
    const known = ["MH12AB1334", "DL3CAB4321"];
    const doubtful = read("MH12AB1834", "MH12AB1334", 80);
    t.equal(taken(doubtful, site(mixed, known)), "MH12AB1334", "an 8 was put right by a 3 twice");
    t.match(knownHere(doubtful, site(mixed, known)), {
      isAssumed: true,
      analysis: { confidence: 60, text: "MH12AB1834" },
    });
    t.equal(taken(doubtful, site(mixed.slice(1), known)), null, "once is not often enough");
    t.equal(taken(read("MH12AB1834", "MH12AB1334", 90), site(mixed, known)), null, "a certain read stays");
    t.equal(taken(doubtful, site(mixed, [...known, "MH12AB1834"])), null, "one that is known itself stays");
    const two = read("MH12AB1884", "MH12AB1384", 80);
    t.equal(taken(two, site(mixed, ["MH12AB1384"])), "MH12AB1384");
    t.equal(taken(two, site(mixed, ["MH12AB1384", "MH12AB1834"])), null, "either could be meant");
    t.equal(taken(doubtful, site(mixed, known, ["MH12AB1334"])), null, "a listed plate is not taken for that");
    t.equal(taken(read("MH12AB1834", "MH12AB1834", 80), site(mixed, known)), null, "its pictures show no 3 at all");
  },
);

t.test(
  "a text that was put right before is what it was then, of a listed plate only after the second time",
  async (t) => {
    const seen = read("MH12AB1Z34", "MH12AB1334", 0);
    const unread = { ...seen, analysis: { ...seen.analysis, plate: null, status: "unrecognised" as const } };
    const once = [fix("MH12AB1Z34", "MH12AB1334")];
    const taken = (corrections: Correction[], listed: string[]) =>
      knownHere(unread, site(corrections, [], listed))?.analysis.plate ?? null;
    t.equal(taken(once, []), "MH12AB1334");
    t.equal(taken(once, ["MH12AB1334"]), null);
    t.equal(taken([...once, ...once], ["MH12AB1334"]), "MH12AB1334");
    t.equal(taken([...once, ...once, fix("MH12AB1Z34", "MH12AB1234")], []), null, "it was two plates");
  },
);
