import t from "tap";
import { Type } from "typebox";
import { isDateTime, SchemaChecks } from "../../../src/core/http/middleware/validate.ts";

t.test("a date-time needs an offset and an existing day", async (t) => {
  for (const text of [
    "2026-03-01T12:00:00Z",
    "2026-03-01t12:00:00z",
    "2024-02-29T00:00:00.123456789+05:30",
    "2026-12-31T23:59:59-00:00",
  ])
    t.ok(isDateTime(text), text);
  const wrong = [
    "2026-03-01T12:00:00",
    "2026-03-01 12:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-03-00T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T12:60:00Z",
    "2026-03-01T12:00:60Z",
    "2026-03-01T12:00Z",
    "2026-03-01T12:00:00+0530",
    "2026-03-01T12:00:00+24:00",
    "+02026-03-01T12:00:00Z",
    "",
  ];
  for (const text of wrong) t.notOk(isDateTime(text), text);
});

t.test("details name the place: a pointer in bodies, a bare name in parameters", async (t) => {
  const checks = new SchemaChecks();
  const schema = Type.Object({ a: Type.Object({ "b/c": Type.Integer() }) }, { additionalProperties: false });
  t.hasStrict(checks.body(schema)({ a: { "b/c": "x" } }), [{ field: "/a/b~1c", code: "wrong_type" }]);
  t.hasStrict(checks.body(schema)({}), [{ field: "/a", code: "required" }]);
  t.equal(checks.body(schema)({ a: { "b/c": 1 } }), null);
  const query = Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 5, default: 3 })) });
  t.hasStrict(checks.parameters(query)({ limit: 9 }), [{ field: "limit", code: "out_of_range" }]);
  const values: { limit?: number } = {};
  checks.parameters(query)(values);
  t.equal(values.limit, 3, "defaults of parameters are filled in");
});

t.test("absent members of a body stay absent", async (t) => {
  const body = {};
  new SchemaChecks().body(Type.Object({ kind: Type.Optional(Type.String({ default: "allow" })) }))(body);
  t.same(body, {});
});

t.test("a refusal lists at most ten details", async (t) => {
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, Type.Integer()]));
  t.equal(new SchemaChecks().body(Type.Object(fields))({})?.length, 10);
});
