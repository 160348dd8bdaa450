import t from "tap";
import { Countries } from "../../src/core/plates/countries.ts";
import { kept } from "../../src/core/plates/kept.ts";
import { vote } from "../../src/core/plates/vote.ts";
import { sighting } from "../support/sighting.ts";

t.test("vehicles are stored, and what could not be made out beside them is not", async (t) => {
  const burst = vote(
    [sighting(0, "SALE50OFF"), sighting(0, "MH12AB1234", { x: 600, certainty: 0.999 })],
    Countries.all,
  );
  t.same(kept(burst), burst.vehicles);
});

t.test("without a vehicle the clearest plate is stored, and no text of a few characters", async (t) => {
  const burst = vote(
    [sighting(0, "SALE50OFF", { score: 0.9 }), sighting(0, "EX", { x: 600, score: 0.5 })],
    Countries.all,
  );
  t.match(kept(burst), [{ analysis: { status: /^unrecognised$/, text: "SALE50OFF" } }]);
  t.equal(kept(burst).length, 1);
  t.match(kept(vote([sighting(0, "EXI")], Countries.all)), [
    { analysis: { plate: null, reason: /^invalid_format$/, text: "" } },
  ]);
  t.same(kept(vote([], Countries.all)), []);
});
