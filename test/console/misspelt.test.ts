/** A search forgives one letter of a long word. */
import t from "tap";
import { isOneOff, meantBy, spokenWords } from "../../src/console/components/misspelt.ts";

const KNOWN = new Set(
  spokenWords("Energy Cameras camera Notifications Kitchen light Night lamp Garage door मेहमान सूचनाएँ Camran Café"),
);

t.test("one wrong, missing, added or swapped letter", async (t) => {
  for (const typed of ["enrgy", "enregy", "energgy", "enerqy", "nergy", "energ", "energys"])
    t.ok(isOneOff(typed, "energy"), typed);
  for (const typed of ["energy", "enrg", "enegry2", "engeri", ""]) t.notOk(isOneOff(typed, "energy"), typed);
});

t.test("words that nothing has are put right, in either language", async (t) => {
  t.same(meantBy("enrgy", KNOWN), ["energy"]);
  t.same(meantBy("notfications", KNOWN), ["notifications"]);
  t.same(meantBy("Kitchne LIGHT", KNOWN), ["kitchen light"]);
  t.same(meantBy("garge door", KNOWN), ["garage door"]);
  t.same(meantBy("मेहामन", KNOWN), ["मेहमान"], "two letters changed places");
  t.same(meantBy("notfica", KNOWN), ["notifications"], "while it is typed");
  t.same(meantBy("camra", KNOWN), ["camera"], "and what begins so is found too");
});

t.test("a word that something has is meant as it is, and short words are taken as they are", async (t) => {
  t.same(meantBy("light", KNOWN), [], "not night");
  t.same(meantBy("notific", KNOWN), [], "the beginning of a word");
  t.same(meantBy("dour lapm", KNOWN), []);
  t.same(meantBy("xyzzy", KNOWN), []);
  t.same(meantBy("", KNOWN), []);
});
