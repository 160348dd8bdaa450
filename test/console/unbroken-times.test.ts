/** A number and its unit, and a time and its am or pm, are one word: neither is left alone at the end of a line. */
import t from "tap";
import { dateFormat } from "../../src/console/i18n/formats.ts";
import { asTyped, withHalves, withUnit, withUnits } from "../../src/console/i18n/unbroken.ts";

t.test("a measure does not break before its unit", async (t) => {
  t.equal(withUnit("31", "W"), "31\u00a0W");
  t.equal(withUnit("31", ""), "31");
  t.equal(withUnits("39 min ago"), "39\u00a0min ago");
  t.equal(withUnits("५ मिनट पहले"), "५\u00a0मिनट पहले");
  t.equal(withUnits("last year"), "last year");
});

t.test("a time does not break before am or pm, in whatever way they are written", async (t) => {
  t.equal(withHalves("30 Nov, 6:30 pm"), "30 Nov, 6:30\u00a0pm");
  t.equal(withHalves("6:30\u202fPM"), "6:30\u00a0PM");
  t.equal(withHalves("6:30 p.\u00a0m."), "6:30\u00a0p.\u00a0m.");
  t.equal(withHalves("3 April, a mild day"), "3 April, a mild day");
  const format = dateFormat("en-IN", { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  t.equal(format.format(0), "12:00\u00a0am");
  t.equal(format.formatRange(0, 3_600_000).replaceAll(/\s*–\s*/g, " – "), "12:00 – 1:00\u00a0am");
});

t.test("what is stored has the spaces that people type", async (t) => {
  t.equal(asTyped("Off after 5\u00a0min"), "Off after 5 min");
});
