import fc from "fast-check";
import t from "tap";
import { filterMatches, TopicTree } from "../../src/core/kernel/topic-tree.ts";

/** Filter, topic, whether they match: MQTT 3.1.1 §4.7 and what follows from it. */
const CASES: readonly [string, string, boolean][] = [
  ["a/b", "a/b", true],
  ["a/b", "a/b/c", false],
  ["a/b/c", "a/b", false],
  ["a/+", "a/b", true],
  ["a/+", "a", false],
  ["a/+", "a/", true],
  ["a/+", "a/b/c", false],
  ["a/+/c", "a/b/c", true],
  ["+/+", "/finance", true],
  ["/+", "/finance", true],
  ["+", "/finance", false],
  ["a/#", "a", true],
  ["a/#", "a/b/c", true],
  ["a/b/#", "a", false],
  ["#", "a/b", true],
  ["#", "", true],
  ["a//b", "a//b", true],
  ["a//b", "a/b", false],
  ["__proto__/constructor", "__proto__/constructor", true],
];

for (const [filter, topic, matches] of CASES) {
  t.test(`${filter} ${matches ? "matches" : "does not match"} ${topic}`, (t) => {
    const tree = new TopicTree<string>();
    tree.add(filter, "x");
    t.same(tree.match(topic), matches ? ["x"] : []);
    t.equal(tree.has(topic), matches);
    t.equal(filterMatches(filter, topic), matches);
    tree.remove(filter, "x");
    t.same(tree.match(topic), []);
    t.end();
  });
}

t.test("values under several filters are found once for each, wider filters first", (t) => {
  const tree = new TopicTree<string>();
  for (const filter of ["a/b", "a/+", "#", "a/#"]) tree.add(filter, filter);
  tree.add("a/b", "a/b");
  t.same(tree.match("a/b"), ["#", "a/#", "a/+", "a/b"]);
  tree.remove("a/+", "unknown");
  tree.remove("x/y", "unknown");
  tree.remove("a/+", "a/+");
  t.same(tree.match("a/b"), ["#", "a/#", "a/b"]);
  t.end();
});

t.test("filters that share a topic are found, and no others", async (t) => {
  const level = fc.constantFrom("a", "b", "", "+");
  const filter = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, rest]) => [...levels, ...(rest ? ["#"] : [])]);
  const meet = (a: readonly string[], b: readonly string[]): boolean => {
    if (a[0] === "#" || b[0] === "#") return true;
    if (a.length === 0 || b.length === 0) return a.length === b.length;
    return (a[0] === b[0] || a[0] === "+" || b[0] === "+") && meet(a.slice(1), b.slice(1));
  };
  fc.assert(
    fc.property(fc.array(filter, { maxLength: 8 }), filter, (filters, asked) => {
      const tree = new TopicTree<number>();
      for (const [index, one] of filters.entries()) tree.add(one.join("/"), index);
      const expected = filters.flatMap((one, index) => (meet(one, asked) ? [index] : []));
      t.strictSame([...new Set(tree.overlapping(asked.join("/")))].sort(), expected.sort());
    }),
  );
});
