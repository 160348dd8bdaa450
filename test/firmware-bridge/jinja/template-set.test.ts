import t from "tap";
import { EvaluationBudget } from "../../../firmware-bridge/jinja/evaluation-budget.ts";
import { TemplateSet } from "../../../firmware-bridge/jinja/template-set.ts";

const HEAVY = "{% for a in range(900) %}{% for b in range(900) %}x{% endfor %}{% endfor %}";
/** Time stands still: this machine may be busy. */
const now = (): number => 0;
const plenty = (): EvaluationBudget => new EvaluationBudget({ most: 1e9, perSecond: 0 });

t.test("a template that takes too long is disabled, reported once, and remembered after a restart", async (t) => {
  const budget = plenty();
  const set = new TemplateSet([budget], { now });
  const heavy = set.compile(HEAVY);
  const light = set.compile("{{ value }}");
  if ("unsupported" in heavy || "unsupported" in light) throw new Error("both are understood");
  t.match(heavy.evaluate({}), { refused: /switched off/ });
  const paid = budget.left;
  t.match(heavy.evaluate({}), { refused: /switched off/ });
  t.equal(budget.left, paid, "the second time costs nothing");
  t.same(light.evaluate({ value: "x" }), { text: "x", value: "x" }, "others continue");
  const news = set.news();
  t.equal(news.hasChanged, true);
  t.equal(news.reasons.length, 1);
  t.same(set.news(), { hasChanged: false, reasons: [] });
  const [after] = [plenty()];
  const later = new TemplateSet([after], { now, switchedOff: set.switchedOff });
  const again = later.compile(HEAVY);
  if ("unsupported" in again) throw new Error("it is understood");
  t.match(again.evaluate({}), { refused: /switched off/ });
  t.equal(after.left, 1e9, "no time is spent on it after a restart");
  t.equal(later.news().reasons.length, 1, "and it is reported again");
});

t.test("more faulty templates than one device may have disable all of them", async (t) => {
  const set = new TemplateSet([plenty()], { now });
  for (let index = 0; index < 40; index++) {
    const heavy = set.compile(`${HEAVY}${index}`);
    if (!("unsupported" in heavy)) heavy.evaluate({});
  }
  t.equal(set.switchedOff.length, 33);
  const light = set.compile("{{ value }}");
  t.match("unsupported" in light ? light : light.evaluate({ value: "x" }), { refused: String });
});

t.test("templates together use no more than the budget, which refills with time", async (t) => {
  const budget = new EvaluationBudget({ most: 5_000, perSecond: 1_000 });
  const set = new TemplateSet([budget, plenty()], { now });
  set.refill(0);
  const template = set.compile("{% for a in range(400) %}{{ a }}{% endfor %}");
  if ("unsupported" in template) throw new Error("it is understood");
  const results = [1, 2, 3, 4, 5, 6].map(() => "text" in template.evaluate({}));
  t.equal(results[0], true);
  t.equal(results[5], false);
  t.same(set.switchedOff, [], "none of them is at fault");
  set.refill(10_000);
  t.ok("text" in template.evaluate({}));
  budget.refill(5_000);
  t.ok(budget.left < 5_000, "a clock set back adds nothing");
});

t.test("a budget refills with the elapsed time, up to its limit; it exceeds that only at first", async (t) => {
  const budget = new EvaluationBudget({ most: 5_000, perSecond: 1_000, atFirst: 8_000 });
  const leftAt = (at: number): number => {
    budget.refill(at);
    return budget.left;
  };
  t.equal(leftAt(1_000), 8_000);
  budget.take(9_000);
  t.equal(budget.left, 0);
  t.same([2_000, 2_500, 1_500, 2_500, 6_499, 6_500, 9_000].map(leftAt), [0, 500, 500, 1_500, 5_000, 5_000, 5_000]);
  const settled = new EvaluationBudget({ most: 5_000, perSecond: 1_000, atFirst: 8_000 });
  settled.settle();
  t.equal(settled.left, 5_000);
  settled.take(1_000);
  settled.settle();
  t.equal(settled.left, 4_000);
});

t.test("on a machine that is too slow for it a template stops, and is not at fault", async (t) => {
  let ms = 0;
  const budget = plenty();
  const set = new TemplateSet([budget], { now: () => (ms += 15) });
  const heavy = set.compile(HEAVY);
  t.match("unsupported" in heavy ? heavy : heavy.evaluate({}), { refused: /together/ });
  t.same(set.switchedOff, []);
  t.equal(budget.left, 1e9 - 10_000, "it has paid for everything it might have done");
});
