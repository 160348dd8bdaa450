import t from "tap";
import { storedJson, storedList } from "../../src/core/storage/stored-json.ts";

t.test("a cell that is unreadable, or of another kind, is replaced by a harmless default", async (t) => {
  t.same(storedJson<string[]>('["gate"]', []), ["gate"]);
  t.same(storedJson<object>('{"at":1}', {}), { at: 1 });
  t.same(storedJson<object | null>('{"at":1}', null), { at: 1 });
  t.same(storedList('["gate"]'), ["gate"]);
  for (const text of ["", '{"half":', "\u0000", "NaN", "null", "7", '"x"', "true"]) {
    t.same(storedJson<string[]>(text, ["usual"]), ["usual"], text);
    t.same(storedJson<object>(text, { usual: true }), { usual: true }, text);
    t.equal(storedJson<object | null>(text, null), null, text);
    t.equal(storedList(text), null, text);
  }
  t.same(storedJson<string[]>("{}", []), []);
  t.same(storedJson<object>("[]", {}), {});
  t.equal(storedJson<object | null>("[]", null), null);
  t.equal(storedList("{}"), null);
});
