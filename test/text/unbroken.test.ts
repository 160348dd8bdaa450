/** Number plates in sentences stay on one line. */
import t from "tap";
import { unbroken } from "../../src/console/i18n/unbroken.ts";

t.test("plates do not break, other words do", async (t) => {
  for (const [text, shown] of [
    ["UP 32 JE 3626", "UP~32~JE~3626"],
    ["for UP 32 JE 3626 and 24 BH 1234 AA.", "for UP~32~JE~3626 and 24~BH~1234~AA."],
    ["DL 3 CAB 0001", "DL~3~CAB~0001"],
    ["Asha's car", "Asha's car"],
    ["Flat 12, block 4", "Flat 12, block 4"],
  ] as const)
    t.equal(unbroken(text).replaceAll("\u00a0", "~"), shown);
});
