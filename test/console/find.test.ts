import t from "tap";
import { findBest } from "../../src/console/components/find.ts";

const THINGS = [
  {
    named: "Keep pictures of cars (days) photo image फ़ोटो चित्र",
    about: "Days that the picture of a plate read is kept",
  },
  { named: "Time zone timezone clock समय क्षेत्र", about: "" },
  { named: "Time of the daily backup nightly", about: "Local time of the daily backup." },
  { named: "Theme dark light", about: "This browser" },
];

function found(wanted: string): string[] {
  return findBest(THINGS, wanted, (thing) => thing).map(({ named }) => named.split(" ")[0] ?? "");
}

t.test("a setting is found by any word, its beginning and its other words, in both languages", async (t) => {
  t.same(found("photo"), ["Keep"]);
  t.same(found("how long are photos kept"), ["Keep"], "words that say nothing do not count");
  t.same(found("फ़ोटो"), ["Keep"]);
  t.same(found("dar"), ["Theme"], "the beginning of a word");
  t.same(found("time zone"), ["Time"], "what has both words, and not what has one");
  t.equal(found("time").length, 2);
  t.same(found("backup time zzz"), ["Time"], "a word that nothing has does not hide the others");
  t.same(found("zzz"), []);
});

t.test("where every word is asked for, one that nothing has finds nothing", async (t) => {
  t.same(
    findBest(THINGS, "backup time zzz", (thing) => thing, true),
    [],
  );
  t.equal(findBest(THINGS, "daily backup", (thing) => thing, true).length, 1);
});

t.test("a whole word, or its beginning, is meant before a part of it", async (t) => {
  const things = [
    { named: "One car, one pass within", about: "" },
    { named: "Passwords", about: "" },
    { named: "Password", about: "" },
  ];
  const names = (wanted: string) => findBest(things, wanted, (thing) => thing).map(({ named }) => named);
  t.same(names("password"), ["Password", "Passwords"]);
  t.same(names("passwords"), ["Passwords", "Password"]);
  t.same(names("pass"), ["One car, one pass within", "Passwords", "Password"]);
  t.same(names("passing"), ["One car, one pass within"], "nothing begins so: the beginning will do");
});

t.test("what is called so comes before what only mentions it", async (t) => {
  const things = [
    { named: "Space", about: "for pictures" },
    { named: "Pictures", about: "" },
  ];
  t.same(
    findBest(things, "picture", (thing) => thing).map(({ named }) => named),
    ["Pictures", "Space"],
  );
});
