import t from "tap";
import { nearMissOf } from "../../src/core/plates/near-miss.ts";
import { sighting } from "../support/sighting.ts";

const READ = "MH12AB1234";

/** What a reader saw, in one frame or several. */
const seen = (...sightings: ReturnType<typeof sighting>[]) => ({ sightings });

t.test("what the reader saw decides, not how many characters differ", async (t) => {
  const clear = seen(sighting(0, READ));
  t.equal(nearMissOf(clear, READ, ["MH12AB1284"]), null, "one character, seen clearly: another vehicle");
  const doubtful = seen(sighting(0, READ, { doubt: { 8: { 3: 0.6, 8: 0.35 } } }));
  t.equal(nearMissOf(doubtful, READ, ["MH12AB1284"]), "MH12AB1284");
  t.equal(nearMissOf(doubtful, READ, ["MH12AB1264"]), null, "another character in the same place");
  const faint = seen(sighting(0, READ, { doubt: { 8: { 3: 0.9, 8: 0.02 } } }));
  t.equal(nearMissOf(faint, READ, ["MH12AB1284"]), null, "less than a twentieth as likely");
  const twice = seen(sighting(0, READ, { doubt: { 8: { 3: 0.5, 8: 0.45 }, 9: { 4: 0.5, A: 0.02, 9: 0.4 } } }));
  t.equal(nearMissOf(twice, READ, ["MH12AB1289"]), "MH12AB1289", "two characters, both in doubt");
});

t.test("a maker's tolerance of three characters let this stranger in", async (t) => {
  t.equal(nearMissOf(seen(sighting(0, "K510EA154")), "K510EA154", ["E130AR184"]), null);
});

t.test("never where two listed plates may be meant", async (t) => {
  const doubtful = seen(sighting(0, READ, { doubt: { 8: { 3: 0.5, 8: 0.3, 6: 0.15 } } }));
  t.equal(nearMissOf(doubtful, READ, ["MH12AB1284", "MH12AB1264"]), null);
  const weaker = seen(sighting(0, READ, { doubt: { 8: { 3: 0.6, 8: 0.35, 6: 0.01 } } }));
  t.equal(nearMissOf(weaker, READ, ["MH12AB1284", "MH12AB1264"]), null, "nor where the second is only possible");
  t.equal(nearMissOf(weaker, READ, ["MH12AB1284", "KA01AB2222"]), "MH12AB1284");
});

t.test("the clear frames speak louder than the doubtful one", async (t) => {
  const doubtful = sighting(0, READ, { doubt: { 8: { 3: 0.5, 8: 0.45 } } });
  t.equal(nearMissOf(seen(doubtful, sighting(1, READ), sighting(2, READ)), READ, ["MH12AB1284"]), null);
});

t.test("nothing is guessed without pictures, or among too many", async (t) => {
  t.equal(nearMissOf(seen({ ...sighting(0, READ), views: [] }), READ, ["MH12AB1284"]), null);
  const doubtful = seen(sighting(0, READ, { doubt: { 8: { 3: 0.6, 8: 0.35 } } }));
  const many = Array.from({ length: 60 }, (_, n) => `MH12AB1${String(n).padStart(3, "0")}`);
  t.equal(nearMissOf(doubtful, READ, [...many, "MH12AB1284"]), null);
  t.equal(nearMissOf(doubtful, READ, []), null);
});
