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

t.test("letters that no camera reads are not left out: that would be another plate", async (t) => {
  const owner = await hub.key();
  const put = async (plate: string) => {
    const { status, body } = await api.post("/v1/plate-rules", { key: owner, json: { plate, kind: "deny" } });
    return status === 201 ? body.rule.plate : body.error.code;
  };
  for (const plate of [
    "MH12\u{a4ee}B1240", // Lisu
    "MH12\u{13aa}B1240", // Cherokee
    "京A12345",
    "\u0417\u0417\u0417 A123", // Cyrillic, like 333
    "एमएच 12 एबी 1240",
    "MH12\u0243B1240",
  ])
    t.equal(await put(plate), "invalid_plate", plate);
  for (const [plate, meant] of [
    ["ＭＨ12\u0410В1241", "MH12AB1241"], // full width, Cyrillic
    ["mh\u200b12\u202eab–1242", "MH12AB1242"],
    ["MH 12 AB १२४३ 🚗", "MH12AB1243"],
    ["MH 12 ÄB 1244", "MH12AB1244"],
  ] as const)
    t.equal(await put(plate), meant, plate);
  const { status } = await api.get(`/v1/vehicles/${encodeURIComponent("京MH12AB1241")}`, { key: owner });
  t.equal(status, 404);
});
