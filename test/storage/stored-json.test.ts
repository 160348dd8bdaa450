import t from "tap";
import { storedJson } from "../../src/core/storage/stored-json.ts";

t.test("unreadable JSON is replaced by a harmless default", async (t) => {
  t.same(storedJson<string[]>('["gate"]', []), ["gate"]);
  for (const text of ["", '{"half":', "\u0000", "NaN"]) t.same(storedJson<string[]>(text, []), [], text);
});
