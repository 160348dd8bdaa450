import t from "tap";
import { withoutPartialReads } from "../../src/core/plates/partial-reads.ts";
import { sighting } from "../support/sighting.ts";

const whole = sighting(0, "KL16AJ3636", { x: 100, y: 200, width: 160, height: 80, certainty: 0.99 });

t.test("one line of a two-line plate, or a half of a tilted one, is no plate of its own", async (t) => {
  const line = sighting(0, "AJ3636", { x: 120, y: 240, width: 120, height: 36, certainty: 0.999, score: 0.95 });
  t.equal(line.analysis.plate, "AJ3636", "which reads like a plate");
  t.same(withoutPartialReads([line, whole]), [whole], "however sure the reader is of the line");
  t.same(withoutPartialReads([whole, line]), [whole], "in whatever order");
  const cutOff = sighting(0, "CAB1234", { x: 130, y: 205, width: 120, height: 60, certainty: 0.999 });
  const complete = sighting(0, "DL1CAB1234", { x: 100, y: 200, width: 160, height: 80, certainty: 0.98, score: 0.5 });
  t.same(withoutPartialReads([cutOff, complete]), [complete]);
});

t.test("of two frames around one plate the better reading stands", async (t) => {
  const [loose, tight] = [
    sighting(0, "AR02A7116", { x: 100, width: 160, height: 60, certainty: 0.99, score: 0.5 }),
    sighting(0, "AR02B7116", { x: 120, width: 130, height: 50, doubt: { 4: { B: 0.75, E: 0.23 } }, score: 0.9 }),
  ];
  t.same(withoutPartialReads([tight, loose]), [loose]);
  const foreign = sighting(0, "ABW1487", { x: 120, width: 130, height: 50, certainty: 0.999 });
  t.same(withoutPartialReads([foreign, loose]), [loose], "an Indian layout before a free one");
});

t.test("three boxes on one plate leave one, in whatever order they come", async (t) => {
  const line = sighting(0, "AJ3636", { x: 120, y: 240, width: 120, height: 36, certainty: 0.999 });
  const half = sighting(0, "KL16AJ363", { x: 110, y: 205, width: 150, height: 75, certainty: 0.97 });
  for (const order of [
    [line, half, whole],
    [whole, half, line],
    [half, whole, line],
  ])
    t.same(withoutPartialReads(order), [whole]);
});

t.test("plates beside each other, and what gives no plate, stay as they are", async (t) => {
  const beside = sighting(0, "KL16AJ3637", { x: 250, y: 200, width: 160, height: 80 });
  const unread = sighting(0, "IDV", { x: 110, y: 210, width: 60, height: 30 });
  const all = [whole, beside, unread];
  t.same(withoutPartialReads(all), all);
  t.same(withoutPartialReads([]), []);
});
