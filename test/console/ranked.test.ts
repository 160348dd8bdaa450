/** In which order the search of Home shows what it finds. */
import t from "tap";
import { bestPlace, ranked, rankOf, withWords } from "../../src/console/components/ranked.ts";

const device = (name: string, about = "") => ({ names: [name], about });

t.test("the name itself, then its beginning, all words, parts, and what else is said", async (t) => {
  const house = [
    device("Lamp", "Fridge 12"),
    device("Minifridge 512"),
    device("12 fridge magnets"),
    device("Fridge 120"),
    device("Fridge 12"),
    device("Fridge 1"),
    device("Toaster"),
  ];
  t.same(
    ranked(house, "fridge 12", (one) => one).map(({ names }) => names[0]),
    ["Fridge 12", "Fridge 120", "12 fridge magnets", "Minifridge 512", "Lamp"],
  );
});

t.test("what fits as well stays in the order of the list", async (t) => {
  const house = [device("Plug b"), device("Plug a"), device("Plug c")];
  t.same(
    ranked(house, "plug", (one) => one),
    house,
  );
  t.same(
    ranked(house, " ", (one) => one),
    house,
    "nothing is typed",
  );
});

t.test("letters are compared without case, accents, width and punctuation", async (t) => {
  for (const [typed, name] of [
    ["cafe", "Café"],
    ["living room light", "living_room-light"],
    ["mh12ab1234", "MH 12 AB 1234"],
    ["ＭＨ12", "MH12"],
    ["पढाई", "पढ़ाई"],
  ] as const)
    t.equal(rankOf(typed, device(name)), "exact", `${typed}, ${name}`);
  t.equal(rankOf("MH12", device("MH 12 AB 1234")), "begins");
});

t.test("any of several names will do, and a word that nothing has finds nothing", async (t) => {
  t.equal(rankOf("asha", { names: ["MH12AB1234", "Asha"] }), "exact");
  t.equal(rankOf("fridge zzz", device("Fridge 12", "Kitchen")), null);
});

t.test("kinds of things stand in the order of their best", async (t) => {
  t.ok(bestPlace("kitchen", [device("Kitchen")]) < bestPlace("kitchen", [device("Kitchen lamp")]));
  t.ok(bestPlace("kitchen", [device("Lamp", "Kitchen")]) < bestPlace("kitchen", [device("Lamp")]));
});

t.test("a list with an order of its own takes what has every word", async (t) => {
  const names = ["Front door", "Back door", "Gate"];
  t.same(names.filter(withWords("door fr", (name) => name)), ["Front door"]);
  t.same(names.filter(withWords("", (name) => name)), names);
});
