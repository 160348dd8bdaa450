import t from "tap";
import { fieldOf, isEdge, satisfies } from "../../../src/features/automations/rules/operators.ts";

t.test("truthy and falsy read the texts that devices send", async (t) => {
  for (const value of [true, 1, "on", "ON", "open", {}, []])
    t.equal(satisfies("truthy", value, undefined), true, JSON.stringify(value));
  for (const value of [false, 0, "", "off", " OFF ", "false", "no", "0", null, undefined])
    t.equal(satisfies("falsy", value, undefined), true, String(value));
});

t.test("equality is deep and strict, and a missing value is null", async (t) => {
  t.equal(satisfies("eq", { a: [1] }, { a: [1] }), true);
  t.equal(satisfies("eq", 1, "1"), false);
  t.equal(satisfies("eq", undefined, null), true);
  t.equal(satisfies("ne", "a", "b"), true);
  t.equal(satisfies("in", "b", ["a", "b"]), true);
  t.equal(satisfies("in", "c", ["a", "b"]), false);
  t.equal(satisfies("contains", ["x", 1], 1), true);
  t.equal(satisfies("contains", "motion detected", "motion"), true);
  t.equal(satisfies("contains", 12, 1), false);
});

t.test("order accepts numbers and numeric texts, and nothing else", async (t) => {
  t.equal(satisfies("gt", 5, 4), true);
  t.equal(satisfies("gte", "4.0", 4), true);
  t.equal(satisfies("lt", -1, 0), true);
  t.equal(satisfies("lte", 0, 0), true);
  for (const value of [null, undefined, "", "abc", true, Number.NaN, {}])
    for (const op of ["gt", "gte", "lt", "lte"] as const) t.equal(satisfies(op, value, 0), false);
});

t.test("an edge is false before and true after; changed is any difference", async (t) => {
  t.equal(isEdge({ op: "gt", value: 10 }, 9, 11), true);
  t.equal(isEdge({ op: "gt", value: 10 }, 11, 12), false);
  t.equal(isEdge({ op: "truthy" }, undefined, true), true);
  t.equal(isEdge({ op: "changed" }, { a: 1 }, { a: 1 }), false);
  t.equal(isEdge({ op: "changed" }, undefined, 1), true);
});

t.test("a field is a key, or a path if there is no such key", async (t) => {
  const state = { "a.b": 1, a: { b: 2, c: 3 }, n: null };
  t.equal(fieldOf(state, "a.b"), 1);
  t.equal(fieldOf(state, "a.c"), 3);
  t.equal(fieldOf(state, "n"), null);
  t.equal(fieldOf(state, "a.x.y"), null);
  t.equal(fieldOf(state, "constructor"), null);
  t.equal(fieldOf(null, "a"), null);
});
