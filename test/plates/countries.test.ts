import { readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { analyse } from "../../src/core/plates/analyse.ts";
import { COUNTRIES, Countries } from "../../src/core/plates/countries.ts";
import { foreignPlateOf } from "../../src/core/plates/foreign.ts";
import { PROJECT_ROOT } from "../support/database.ts";

t.test("every file of a country is taken up, and says what it must", async (t) => {
  const files = readdirSync(join(PROJECT_ROOT, "src/core/plates/countries")).map((file) =>
    file.replace(/\.json$/, "").toUpperCase(),
  );
  t.same(Object.keys(COUNTRIES).sort(), files.sort(), "a line in countries.ts for each file");
  for (const [code, { name, shapes, whenChosen }] of Object.entries(COUNTRIES)) {
    t.match(code, /^[A-Z]{2}$/);
    t.ok(name.length > 0 && shapes.length > 0, `${code} has a name and a shape`);
    for (const shape of [...shapes, ...whenChosen]) t.match(shape, /^[LD]{5,9}$/, `${code} ${shape}`);
    for (const shape of shapes)
      t.ok(
        shape.includes("L") && shape.includes("D"),
        `${code} ${shape}: what has letters or digits only stands on signs, too`,
      );
  }
});

t.test("without a choice every known country is believed, with one only its own", async (t) => {
  t.ok(Countries.all.havePlatesLike("ABC1D23") && Countries.all.havePlatesLike("AB12CDE"));
  const brazil = new Countries(["BR"]);
  t.ok(brazil.havePlatesLike("ABC1D23") && brazil.havePlatesLike("ABC1234"));
  t.notOk(brazil.havePlatesLike("AB12CDE"), "a British plate has no Brazilian shape");
  const both = new Countries(["BR", "GB"]);
  t.ok(both.havePlatesLike("ABC1D23") && both.havePlatesLike("AB12CDE"));
});

t.test(
  "letters or digits alone are a plate only where the household chose a country that has such plates",
  async (t) => {
    for (const text of ["8951283", "NEILDMN"]) {
      t.equal(foreignPlateOf(text, Countries.all), null);
      t.equal(analyse(text, Countries.all).plate, null);
    }
    const unitedStates = new Countries(["US"]);
    for (const text of ["8951283", "NEILDMN"]) {
      t.equal(foreignPlateOf(text, unitedStates), text);
      t.equal(analyse(text, unitedStates).plate, text, "rules and reads agree");
    }
  },
);

t.test("a household that chose the United States has the layouts of its states", async (t) => {
  const unitedStates = new Countries(["US"]);
  for (const plate of ["AB1C2D", "A12BCD", "ABC12D", "1A23456", "123A45", "ABCD12", "123ABC4", "12345A6"]) {
    t.equal(analyse(plate, unitedStates).plate, plate);
    t.ok(
      Countries.all.havePlatesLike(plate),
      `${plate} is no piece of a usual Indian plate: believed without a choice, too`,
    );
  }
  for (const plate of ["1AB2345", "12A345", "A1B234", "1234AB"]) {
    t.ok(unitedStates.havePlatesLike(plate));
    t.notOk(Countries.all.havePlatesLike(plate), `${plate} may be a cut Indian plate or lettering on a car`);
  }
});

t.test("the shapes of the chosen country tell twins apart", async (t) => {
  const brazil = new Countries(["BR"]);
  t.equal(foreignPlateOf("QZVI234", brazil), "QZV1234");
  t.equal(foreignPlateOf("ABCID23", brazil), "ABC1D23");
});

t.test("India's layouts hold whatever is chosen", async (t) => {
  t.hasStrict(analyse("MH12AB1234", new Countries(["US"])), { plate: "MH12AB1234", kind: "standard" });
  t.hasStrict(
    analyse("MH12AB1234", new Countries(["XX"])),
    { plate: "MH12AB1234", kind: "standard" },
    "a code that nothing is known of believes in nothing",
  );
});
