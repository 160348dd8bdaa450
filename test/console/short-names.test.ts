import t from "tap";
import { shortName } from "../../src/console/components/short-names.ts";

t.test("a name that has room stays whole", async (t) => {
  for (const name of ["Living room ceiling lamp №1", "Lamp", "", "बैठक की छत वाली बहुत बड़ी पीली बत्ती पहली"])
    t.equal(shortName(name), name);
});

t.test("a longer one loses its middle, in whole words, and keeps what tells it from others", async (t) => {
  t.equal(shortName("The cover that the electrician called channel 7"), "The cover that the … called channel 7");
  t.equal(shortName("The lamp over the large table of the living room №1"), "The lamp over the large … living room №1");
  t.equal(shortName("Living room ceiling lamp №1", 20), "Living … lamp №1");
});

t.test("one word is cut within, and no longer than its place", async (t) => {
  const short = shortName("0x00158d0001a2b3c4d5e6f70100158d0001a2b3c4d5e6f702");
  t.match(short, /^0x00158d0001.* … .*d5e6f702$/);
  t.ok(shortName("A".repeat(120)).length <= 46);
});

t.test("Hindi letters stay whole", async (t) => {
  const ends = ["पहली", "दूसरी"].map((end) => shortName(`बैठक की छत वाली बहुत बड़ी पीली बत्ती ${end}`, 20).split(" … ")[1]);
  t.same(ends, ["पीली बत्ती पहली", "पीली बत्ती दूसरी"]);
});
