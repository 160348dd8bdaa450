import t from "tap";
import { namesWithEnds } from "../../src/console/components/short-names.ts";

const parts = (...names: string[]) => [...namesWithEnds(names).values()];

t.test("names that would be cut to the same keep their ends, in whole words", async (t) => {
  t.same(
    parts(
      "The cover that the electrician called channel 7",
      "The cover that the electrician called channel 8",
      "The cover of the terrace",
    ),
    [
      { head: "The cover that the electrician called", tail: "channel 7" },
      { head: "The cover that the electrician called", tail: "channel 8" },
    ],
  );
  t.same(parts("0x00158d0001a2b3c4d5e6f701", "0x00158d0001a2b3c4d5e6f702"), [
    { head: "0x00158d0001a2", tail: "b3c4d5e6f701" },
    { head: "0x00158d0001a2", tail: "b3c4d5e6f702" },
  ]);
});

t.test("a long name that no other begins like is left to the page", async (t) => {
  const long = "The only device with a name that is longer than any tile";
  t.same(parts(long, "Lamp"), []);
  t.same(parts(long, long), [], "the same name twice is told apart by its room");
});

t.test("Hindi letters stay whole", async (t) => {
  t.same(
    parts("बैठक की छत वाली बहुत बड़ी पीली बत्ती पहली", "बैठक की छत वाली बहुत बड़ी पीली बत्ती दूसरी").map(({ tail }) => tail),
    ["पीली बत्ती पहली", "पीली बत्ती दूसरी"],
  );
});
