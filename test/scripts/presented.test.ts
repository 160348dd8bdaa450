/** The evidence that a plate is presented (scripts/presented), on plates that are drawn here. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const EVIDENCE = JSON.stringify(join(PROJECT_ROOT, "scripts/presented/evidence.mjs"));
const PIXELS = JSON.stringify(join(PROJECT_ROOT, "scripts/presented/pixels.mjs"));

/**
 * A plate 100 wide about (x, y), turned and stretched; a burst of them; a frame of stripes with a patch that may be
 * displaced.
 */
const HELPERS = `
  const corners = (x, y, width = 100, slope = 0) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => [
    x + u * width / 2 * Math.cos(slope) - v * width / 8 * Math.sin(slope), y + u * width / 2 * Math.sin(slope) + v * width / 8 * Math.cos(slope)]);
  const burst = (steps, hash = "0".repeat(64), first = 0, across = 1280) => ({ plate: "A", confidence: 99, text: "A", moves: [], sightings: steps.map((step, i) => ({
    frame: first + i, corners: corners(...step), size: [across, 720], twoLine: false, crop: 0, hash })) });
  const frame = (patch) => { const data = new Uint8Array(640 * 360);
    for (let y = 0; y < 360; y++) for (let x = 0; x < 640; x++) {
      const isPatch = Math.abs(x - patch) < 110 && Math.abs(y - 180) < 110;
      data[y * 640 + x] = isPatch ? 128 + 100 * Math.sin((x - patch) / 7 + y / 9) : 128 + 100 * Math.sin(x / 11 - y / 5); }
    return { data, width: 640, height: 360 }; };
`;

/** The result of an expression about the evidence. */
function asked(expression: string): unknown {
  const program = `import * as evidence from ${EVIDENCE}; import * as pixels from ${PIXELS};${HELPERS}
    process.stdout.write(JSON.stringify(${expression}))`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

const PASS = "[[300, 400, 80], [330, 420, 95], [350, 445, 110], [390, 470, 130], [420, 490, 145]]";
const repeats = (now: string, before: string): unknown =>
  asked(
    `evidence.repeats({ digests: ["v", "w", "x", "y", "z"], plate: ${now} }, { digests: ["a", "b", "c", "d", "e"], plate: ${before} })`,
  );

t.test("a recorded burst is recognized: by its bytes, recompressed, scaled, without its first frame", async (t) => {
  t.equal(asked(`evidence.repeats({ digests: ["a", "b"] }, { digests: ["b", "c"] })`), true);
  t.equal(repeats(`burst(${PASS})`, `burst(${PASS})`), true);
  t.equal(
    repeats(
      `burst(${PASS}.map(([x, y, w]) => [x * 0.8 + 1, y * 0.8 - 1, w * 0.8]), undefined, 0, 1024)`,
      `burst(${PASS})`,
    ),
    true,
  );
  t.equal(repeats(`burst(${PASS}.slice(1))`, `burst(${PASS})`), true);
});

t.test("the same vehicle on another day is not a repetition", async (t) => {
  t.equal(
    repeats("burst([[300, 400, 80], [335, 424, 98], [352, 440, 112], [380, 475, 128]])", `burst(${PASS})`),
    false,
  );
  t.equal(repeats(`burst(${PASS}, "f".repeat(64))`, `burst(${PASS})`), false);
});

t.test("the surroundings of a plate on a vehicle move along; those of a sheet do not", async (t) => {
  const moves = (patch: number): unknown =>
    asked(`(({ along, stayed }) => Math.sign(along - stayed))(
      pixels.surroundings(frame(280), corners(280, 180, 80), frame(${patch}), corners(320, 180, 80)))`);
  t.equal(moves(320), 1);
  t.equal(moves(280), -1);
});

t.test("a plate that stands still, shakes or leaves the lane has other values than one that comes", async (t) => {
  const values = (steps: string): unknown =>
    asked(`(({ moved, straight, slope, place, offLane }) => ({ moved, straight, slope, place, offLane }))(
      evidence.valuesOf(burst(${steps}), [0, 250, 500, 750, 1000], [burst(${PASS}).sightings.map(evidence.spotOf)], 0.2, 0))`);
  const [comes, still, shakes, elsewhere] = [
    PASS,
    "Array(4).fill([300, 400, 80])",
    "[[300, 400, 80], [320, 396, 82, 0.1], [295, 410, 79, -0.1], [315, 400, 81, 0.08]]",
    `${PASS}.map(([x, y, width]) => [x + 600, y - 250, width])`,
  ].map((steps) => values(steps) as Record<string, number>);
  t.ok((still?.moved ?? 0) < -3 && (comes?.moved ?? -9) > -1, "logarithm of plate widths");
  t.ok((comes?.straight ?? 0) > 0.95 && (shakes?.straight ?? 1) < 0.5);
  t.ok((elsewhere?.offLane ?? 0) > (comes?.offLane ?? 9) + 1, "the lane is learned from a pass like the first");
  t.ok((shakes?.slope ?? 0) > (comes?.slope ?? 0) + 1);
  t.ok((shakes?.place ?? 0) > (comes?.place ?? 0));
});

t.test("genuine passes alone set the threshold: no more of them are odd than requested", async (t) => {
  const odd =
    asked(`(() => { const rows = Array.from({ length: 400 }, (_, i) => ({ presented: i % 4 === 0, values: { still: (i % 4 === 0 ? 1 : 0) + (i * 37 % 100) / 90 } }));
    const model = evidence.fit(rows, ["still"], 0.01);
    return rows.filter((row) => !row.presented && evidence.oddness(model, row.values) > model.most).length; })()`);
  t.ok(typeof odd === "number" && odd <= 3, `${odd} of 300`);
});
