import t from "tap";
import { isNewer } from "../../src/features/updates/version-order.ts";

/** Each comes after all before it. */
const ORDER = [
  "0.9.9",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.1",
  "1.2.0",
  "1.10.0",
  "10.0.0",
];

t.test("versions are ordered as in semver", async (t) => {
  for (const [index, left] of ORDER.entries())
    for (const [other, right] of ORDER.entries())
      if (isNewer(left, right) !== index > other) t.fail(`${left} and ${right}`);
  t.notOk(isNewer("1.0.0+2", "1.0.0+1"), "build metadata after a + is ignored");
  for (const none of ["", "1", "1.2", "1.2.3.4", "x", "1.2.x", "99999999999999999999.0.0", "-1.0.0"])
    t.notOk(isNewer(none, "1.0.0"), none);
});
