/** The day's budget of writes. */
import t from "tap";
import { isAhead } from "../../src/composition/box-card.js";

const MIDNIGHT = Date.UTC(2026, 2, 1);
const HOUR = 3_600_000;

t.test("writes run ahead of the budget when more is used of it than of the day, its first tenth aside", async (t) => {
  t.equal(isAhead(99, 1_000, MIDNIGHT), false);
  t.equal(isAhead(101, 1_000, MIDNIGHT + HOUR), true);
  t.equal(isAhead(499, 1_000, MIDNIGHT + 12 * HOUR), false);
  t.equal(isAhead(501, 1_000, MIDNIGHT + 12 * HOUR), true);
  t.equal(isAhead(999, 1_000, MIDNIGHT + 24 * HOUR - 1), false);
});
