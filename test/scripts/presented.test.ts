/** How bursts are judged by scripts/presented: with the product's evidence, and each pass by the others. */
import t from "tap";
import type { LanePass } from "../../src/core/plates/lane.ts";
import type { PresentedEvidence } from "../../src/core/plates/presented.ts";
import type { Sighting } from "../../src/core/plates/reading.ts";
import { GLANCE } from "../../src/core/plates/repeats.ts";
import { approach } from "../support/approach.ts";

interface Plate {
  readonly sightings: readonly Pick<Sighting, "frame" | "corners" | "frameSize">[];
}

/** What is used of scripts/presented/cases.mjs. */
interface Cases {
  lanesOf(passes: readonly (Plate & { folder: string; camera: string })[]): Map<string, Map<string, LanePass>>;
  others(lane: ReadonlyMap<string, LanePass>, folder: string): LanePass[];
  evidenceIn(
    sightings: Plate["sightings"],
    accepted: readonly LanePass[],
    seen: { isRepeated: boolean; network: null },
  ): PresentedEvidence;
  repeats(now: object, before: readonly object[]): boolean;
}

const file = new URL("../../scripts/presented/cases.mjs", import.meta.url).href;
const { evidenceIn, lanesOf, others, repeats } = (await import(file)) as Cases;

/** What is used of scripts/presented/tracks.mjs. */
interface Tracks {
  seenOf(drawn: { corners: (readonly [number, number][])[] }, random: () => number): Plate["sightings"];
  randomFrom(seed: number): () => number;
}

const { randomFrom, seenOf } = (await import(new URL("tracks.mjs", file).href)) as Tracks;

t.test("a pass is judged by the lane that the others teach", async (t) => {
  const passes = Array.from({ length: 30 }, (_, i) => ({
    folder: `pass-${i}`,
    camera: "gate",
    sightings: approach(((i * 7) % 10) / 10, { x: i === 0 ? 600 : i / 10 }),
  }));
  const lane = lanesOf(passes).get("gate") ?? new Map();
  t.equal(others(lane, "pass-0").length, 29);
  const laneOf = (index: number): number =>
    evidenceIn(passes[index]?.sightings ?? [], others(lane, `pass-${index}`), { isRepeated: false, network: null })
      .lane ?? 0;
  t.ok(laneOf(0) > laneOf(5) + 1, "the one that stood elsewhere does not vouch for itself");
});

t.test("a burst repeats an earlier one by its bytes or by what its frames show", async (t) => {
  const burst = (digests: string[], which: number) => ({
    read: { folder: "", digests, plates: [] },
    plate: { plate: "MH12AB1234", confidence: 97, text: "", sightings: approach(0.3).map((one) => shown(one, which)) },
  });
  const first = burst(["a", "b"], 1);
  t.equal(repeats(burst(["b", "c"], 2), [first]), true);
  t.equal(repeats(burst(["x"], 1), [first]), true);
  t.equal(repeats(burst(["x"], 2), [first]), false);
});

t.test(
  "of a drawn track, what is wide enough and in the picture is seen, a little off and each time the same",
  async (t) => {
    const plate = (x: number, width: number): [number, number][] => [
      [x, 300],
      [x + width, 300],
      [x + width, 300 + width / 4],
      [x, 300 + width / 4],
    ];
    const drawn = { corners: [plate(600, 40), plate(580, 80), plate(560, 120), plate(1200, 120)] };
    const seen = seenOf(drawn, randomFrom(7));
    t.same(
      seen.map(({ frame }) => frame),
      [1, 2],
    );
    for (const { frame, corners } of seen)
      for (const [at, [x, y]] of corners.entries()) {
        const [ownX = 0, ownY = 0] = drawn.corners[frame]?.[at] ?? [];
        const off = Math.hypot(x - ownX, y - ownY);
        t.ok(off > 0 && off < 20, `${off}`);
      }
    t.same(seenOf(drawn, randomFrom(7)), seen);
  },
);

function shown({ frame, corners, frameSize }: Sighting, which: number) {
  const glance = Uint8Array.from({ length: GLANCE.width * GLANCE.height }, (_, i) =>
    Math.round(128 + 90 * Math.sin((i % GLANCE.width) / (3 + which) + which) * Math.cos(i / GLANCE.width / 4)),
  );
  return { frame, corners, frameSize: [...frameSize] as [number, number], around: new Uint8Array(0), glance };
}
