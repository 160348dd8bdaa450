import { readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { analyse } from "../../../src/domain/plates/analyse.js";
import { believeIn, COUNTRIES, isForeignShape } from "../../../src/domain/plates/countries.js";
import { foreignPlateOf } from "../../../src/domain/plates/foreign.js";
import { PROJECT_ROOT } from "../../support/database.js";

t.afterEach(() => believeIn([]));

t.test("every file of a country is taken up, and says what it must", async (t) => {
  const files = readdirSync(join(PROJECT_ROOT, "src/domain/plates/countries")).map((file) => file.replace(/\.json$/, "").toUpperCase());
  t.same(Object.keys(COUNTRIES).sort(), files.sort(), "a line in countries.ts for each file");
  for (const [code, { name, shapes, whenChosen }] of Object.entries(COUNTRIES)) {
    t.match(code, /^[A-Z]{2}$/);
    t.ok(name.length > 0 && shapes.length > 0, `${code} has a name and a shape`);
    for (const shape of [...shapes, ...whenChosen]) t.match(shape, /^[LD]{5,9}$/, `${code} ${shape}`);
    for (const shape of shapes) t.ok(shape.includes("L") && shape.includes("D"), `${code} ${shape}: what has letters or digits only stands on signs, too`);
  }
});

t.test("without a choice every known country is believed, with one only its own", async (t) => {
  t.ok(isForeignShape("ABC1D23") && isForeignShape("AB12CDE"));
  believeIn(["BR"]);
  t.ok(isForeignShape("ABC1D23") && isForeignShape("ABC1234"));
  t.notOk(isForeignShape("AB12CDE"), "a British plate has no Brazilian shape");
  believeIn(["BR", "GB"]);
  t.ok(isForeignShape("ABC1D23") && isForeignShape("AB12CDE"));
});

t.test("letters or digits alone are a plate only where the household chose a country that has such plates", async (t) => {
  for (const text of ["8951283", "NEILDMN"]) {
    t.equal(foreignPlateOf(text), null);
    t.equal(analyse(text).plate, null);
  }
  believeIn(["US"]);
  for (const text of ["8951283", "NEILDMN"]) {
    t.equal(foreignPlateOf(text), text);
    t.equal(analyse(text).plate, text, "rules and reads agree");
  }
});

t.test("the shapes of the chosen country tell twins apart", async (t) => {
  believeIn(["BR"]);
  t.equal(foreignPlateOf("QZVI234"), "QZV1234");
  t.equal(foreignPlateOf("ABCID23"), "ABC1D23");
});

t.test("India's layouts hold whatever is chosen", async (t) => {
  believeIn(["US"]);
  t.match(analyse("MH12AB1234"), { plate: "MH12AB1234", kind: "standard" });
  believeIn(["XX"]);
  t.match(analyse("MH12AB1234"), { plate: "MH12AB1234", kind: "standard" }, "a code that nothing is known of believes in nothing");
});
