import t from "tap";
import { picturedRead, pictureOf, picturesOf } from "../../src/features/gate/rules/read-picture.ts";

t.test(
  "a pass with a better frame has its pictures at other addresses, so that no page goes on showing the first",
  async (t) => {
    const [first, better] = [
      { id: 12, confidence: 71 },
      { id: 12, confidence: 96 },
    ].map(picturesOf);
    for (const kind of ["whole", "small", "plate"] as const) t.not(better?.[kind], first?.[kind], kind);
    t.strictSame(picturesOf({ id: 12, confidence: 71 }), first, "and stay where they are otherwise");
    const { src, srcset } = pictureOf({ id: 12, confidence: 96 });
    t.equal(src, better?.whole);
    t.match(srcset, `${better?.small} 640w`);
  },
);

t.test("the words of a car never stand beside the picture of another", async (t) => {
  const at = "2026-11-30T12:00:00.000Z";
  const older = { id: 1, plate: "MH12AB1234", decision: "allow", at: "2026-11-30T09:00:00.000Z", hasImage: true };
  t.equal(picturedRead([{ id: 2, plate: "22BH1234AA", decision: "allow", at, hasImage: false }, older]), undefined);
  t.equal(picturedRead([{ ...older, id: 3, at }, older])?.id, 3);
});
