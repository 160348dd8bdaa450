/** What became of a door in a night, as one fact. */
import t from "tap";
import { type KnownPiece, type StretchFact, stretchFact } from "../../../src/features/states/rules/stretch-fact.ts";

const MINUTE = 60_000;
const STANDINGS = { open: "active", opening: "moving", closing: "moving", closed: "rest", stopped: "rest" } as const;

/** Pieces from words with their lengths in minutes: `closed 60, open 3`; `?`: not known. The stretch begins at 0. */
function pieces(text: string): KnownPiece[] {
  let at = 0;
  return text.split(", ").map((part) => {
    const [word = "", minutes] = part.split(" ");
    const from = at;
    at += Number(minutes) * MINUTE;
    if (word === "?") return { from, to: at, value: null, standing: "unknown" };
    return { from, to: at, value: word, standing: STANDINGS[word as keyof typeof STANDINGS] };
  });
}

const times = (n: number, minutes: number, at: number | null, isStill = false): StretchFact => ({
  kind: "times",
  value: "open",
  n,
  ms: minutes * MINUTE,
  at: at === null ? null : at * MINUTE,
  isStill,
});

const TABLE: readonly (readonly [what: string, stretch: string, fact: StretchFact])[] = [
  ["nothing is known", "? 720", { kind: "unknown" }],
  ["closed all night", "closed 720", { kind: "stayed", value: "closed" }],
  ["open all night", "open 720", { kind: "stayed", value: "open" }],
  ["said once more that it is closed", "closed 60, closed 660", { kind: "stayed", value: "closed" }],
  ["away in between", "closed 60, ? 10, closed 650", { kind: "stayed", value: "closed" }],
  ["known from two hours on", "? 120, closed 600", { kind: "since", value: "closed", at: 120 * MINUTE }],
  ["only said that it closes", "closing 1, closed 719", { kind: "stayed", value: "closed" }],
  ["began to open and fell back", "closed 60, opening 1, closed 659", { kind: "stayed", value: "closed" }],
  [
    "still open at the beginning",
    "open 10, closed 710",
    { kind: "ended", value: "open", after: "closed", at: 10 * MINUTE },
  ],
  [
    "still open at the beginning, and closes slowly",
    "open 10, closing 1, closed 709",
    { kind: "ended", value: "open", after: "closed", at: 11 * MINUTE },
  ],
  ["opened and left open", "closed 60, opening 1, open 659", { kind: "began", value: "open", at: 60 * MINUTE }],
  [
    "one value at rest after another",
    "closed 60, stopped 660",
    { kind: "became", value: "closed", after: "stopped", at: 60 * MINUTE },
  ],
  [
    "once, for three minutes with its movements",
    "closed 60, opening 1, open 1, closing 1, closed 657",
    times(1, 3, 60),
  ],
  ["three times", "closed 60, open 1, closed 60, open 1, closed 60, open 1, closed 60", times(3, 3, null)],
  ["twice, the first from before", "open 5, closed 60, open 5, closed 60", times(2, 10, null)],
  ["twice, and still at the end", "closed 60, open 5, closed 60, open 5", times(2, 10, null, true)],
];

for (const [what, stretch, fact] of TABLE)
  t.test(what, async (t) => {
    t.same(stretchFact(pieces(stretch), 0), fact);
  });
