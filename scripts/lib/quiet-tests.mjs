// @ts-check
/**
 * Stands in for @tapjs/core in the tap that compiled tests load (bundle-packages.mjs): a test below another keeps what it
 * says to itself, and says it when it has failed; when it has passed, those above it take over its counts. There, each
 * line of each test is written to and parsed by every test above it, up to standard output, which for a short assertion
 * is many times its own work. Only where the runner says so, which wants nothing but the counts and the failures: a file
 * that is started by hand says everything.
 */
import { TestBase } from "@tapjs/core";

/**
 * @typedef {import("@tapjs/core").Base} Base
 * @typedef {"total" | "pass" | "fail" | "skip" | "todo"} Kind
 * @typedef {Record<Kind, number>} Counts
 */
/** @type {readonly Kind[]} */
const KINDS = ["total", "pass", "fail", "skip", "todo"];
/** What those below a test counted that is not in its output, by its own counts. */
/** @type {WeakMap<Counts, Counts>} */
const unsaid = new WeakMap();

const sub = TestBase.prototype.sub;
if (process.env.GATEHOUSE_TEST_QUIET === "1")
  /** @this {TestBase} @param {unknown} Class @param {object} extra @param {unknown} caller */
  TestBase.prototype.sub = function (Class, extra = {}, caller = this.sub) {
    const added = (/** @type {Base} */ test) => test.once("complete", () => takeOver(this.counts, test));
    this.once("subtestAdd", added);
    const begun = Reflect.apply(sub, this, [Class, { ...extra, silent: true, buffered: false }, caller]);
    this.off("subtestAdd", added); // one that is skipped is not added
    return begun;
  };

/**
 * Of a test that has passed, everything; else what its output, which is still to be read, does not say.
 * @param {Counts} counts of the one above
 * @param {Base} test
 */
function takeOver(counts, test) {
  const more = test.passing() ? wholeOf(test) : unsaid.get(test.counts);
  if (more === undefined) return;
  const sum = unsaid.get(counts) ?? none();
  unsaid.set(counts, sum);
  for (const kind of KINDS) {
    counts[kind] += more[kind];
    sum[kind] += more[kind];
  }
}

/** One without assertions is itself one. @param {Base} test @returns {Counts} */
function wholeOf({ counts, options }) {
  if (counts.total > 0) return counts;
  return { ...none(), total: 1, [options.skip ? "skip" : "pass"]: 1 };
}

/** @returns {Counts} */
function none() {
  return { total: 0, pass: 0, fail: 0, skip: 0, todo: 0 };
}

export * from "@tapjs/core";
