import t from "tap";
import { send } from "../../support/api-client.ts";
import { startConsoleHub } from "../../support/console-hub.ts";

const PATH = "/api/plate-rules/import";

t.test("a list is looked at before it is added, and each line stands for itself", async (t) => {
  const house = await startConsoleHub(t);
  const given = [
    { plate: "MH12AB1234", kind: "deny" },
    { plate: "MH12AB1235", label: "x".repeat(81) },
    { plate: "no plate" },
    { plate: "MH12AB1236", kind: "sometimes", colour: "red" },
    { plate: "MH 12 AB 1234" },
    { plate: 7 },
    { plate: "MH12AB1237", validFrom: "2026-03-02T00:00:00Z", validTo: "2026-03-01T00:00:00Z" },
    { plate: "MH12AB1238", deviceId: "nobody" },
  ];
  const refused = [
    { index: 1, fields: ["/label too_long"] },
    { index: 2, fields: ["/plate invalid_plate"] },
    { index: 3, fields: ["/colour unknown_field", "/kind not_allowed"] },
    { index: 4, fields: [] },
    { index: 5, fields: ["/plate wrong_type"] },
    { index: 6, fields: ["/validTo before_start"] },
    { index: 7, fields: ["/deviceId unknown_device"] },
  ];
  const listed = async () =>
    (await send(house.port, "GET", "/v1/plate-rules", { headers: { Cookie: house.cookie } })).body.rules;
  const looked = await house.call("POST", PATH, { rules: given, rehearsal: true });
  t.equal(looked.body.added, 1);
  t.strictSame(shown(looked.body.refused), refused);
  t.equal(looked.body.refused[3].problem.code, "plate_already_listed", "twice in one file");
  t.strictSame(await listed(), [], "a rehearsal adds nothing");
  const actions = async (): Promise<string[]> =>
    (await house.call("GET", "/api/audit")).body.audit.map(({ action }: { action: string }) => action);
  t.notOk((await actions()).includes("plate_rule.created"), "nor is there a line of it");

  const done = await house.call("POST", PATH, { rules: given });
  t.equal(done.body.added, 1);
  t.strictSame(shown(done.body.refused), refused, "the same as was said before");
  t.hasStrict(await listed(), [{ plate: "MH12AB1234", kind: "deny" }]);
  t.ok((await actions()).includes("plate_rule.created"));
});

function shown(refused: { index: number; problem: { details: { field: string; code: string }[] } }[]) {
  return refused.map(({ index, problem }) => ({
    index,
    fields: problem.details.map(({ field, code }) => `${field} ${code}`).sort(),
  }));
}
