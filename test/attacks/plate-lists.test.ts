/** A key with `plates:write` alone tries plates: a refusal says neither on which list one is nor under which id. */
import t from "tap";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
await hub.device("camera-gate", { type: "camera" });

t.test("all refusals of a listed plate are alike", async (t) => {
  const owner = await hub.key();
  const writer = await hub.key({ scopes: ["plates:write"] });
  const lists = { MH12AB1234: "allow", MH12AB1235: "deny", MH12AB1236: "watch" };
  for (const [plate, kind] of Object.entries(lists)) {
    await api.post("/v1/plate-rules", { key: owner, json: { plate, kind, label: "Neighbour" } });
  }
  const answers = new Set<string>();
  for (const plate of Object.keys(lists))
    for (const kind of ["allow", "deny", "watch"]) {
      const { status, body } = await api.post("/v1/plate-rules", { key: writer, json: { plate, kind } });
      t.equal(status, 409);
      const { requestId, ...error } = body.error;
      t.type(requestId, "string");
      answers.add(JSON.stringify(error));
    }
  t.equal(answers.size, 1);
  t.notMatch([...answers].join(), /Neighbour|MH|ruleId/);
  t.equal((await api.get("/v1/plate-rules", { key: writer })).status, 403);
});
