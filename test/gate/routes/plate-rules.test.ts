import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
await hub.device("camera-gate", { type: "camera" });
await hub.device("plug");
await hub.device("camera-foreign", { type: "camera", siteId: hub.other.siteId });
const create = (json: object) => api.post("/v1/plate-rules", { key, json });

t.test("a rule carries the plate as reads do, with defaults", async (t) => {
  const { status, body } = await create({ plate: "mh-12 ab 1234" });
  t.equal(status, 201);
  t.match(body.rule, {
    plate: /^MH12AB1234$/,
    formatted: "MH 12 AB 1234",
    kind: /^allow$/,
    label: "",
    deviceId: null,
    validFrom: null,
    validTo: null,
    enabled: true,
    hits: 0,
  });
});

t.test("one rule per plate and scope, whatever its kind", async (t) => {
  const again = await create({ plate: "MH12AB1234", kind: "deny" });
  t.hasStrict({ status: again.status, code: again.body.error.code }, { status: 409, code: "plate_already_listed" });
  t.type(again.body.error.ruleId, "number");
  const forOneCamera = await create({ plate: "MH12AB1234", kind: "deny", deviceId: "camera-gate" });
  t.equal(forOneCamera.status, 201, "another scope");
  t.equal((await create({ plate: "MH 12 AB 1234", deviceId: "camera-gate" })).status, 409);
});

t.test("a visitor's rule has a window in UTC", async (t) => {
  const { body } = await create({
    plate: "22 BH 1234 AA",
    kind: "watch",
    label: " Plumber ",
    validFrom: "2026-03-01T09:00:00+05:30",
    validTo: "2026-03-01T18:00:00+05:30",
  });
  t.match(body.rule, {
    kind: /^watch$/,
    label: "Plumber",
    validFrom: "2026-03-01T03:30:00.000Z",
    validTo: "2026-03-01T12:30:00.000Z",
  });
});

t.test("what cannot be a rule is refused", async (t) => {
  const refused: [object, string][] = [
    [{}, "invalid_body"],
    [{ plate: 7 }, "invalid_body"],
    [{ plate: "" }, "invalid_body"],
    [{ plate: "hello" }, "invalid_plate"],
    [{ plate: "DL01AA0001", kind: "maybe" }, "invalid_body"],
    [{ plate: "DL01AA0001", label: "x".repeat(81) }, "invalid_body"],
    [{ plate: "DL01AA0001", label: null }, "invalid_body"],
    [{ plate: "DL01AA0001", deviceId: "nobody" }, "unknown_device"],
    [{ plate: "DL01AA0001", deviceId: "plug" }, "unknown_device"],
    [{ plate: "DL01AA0001", deviceId: "camera-foreign" }, "unknown_device"],
    [{ plate: "DL01AA0001", deviceId: 3 }, "invalid_body"],
    [{ plate: "DL01AA0001", validFrom: "tomorrow" }, "invalid_body"],
    [{ plate: "DL01AA0001", validFrom: "2026-03-01T09:00:00" }, "invalid_body"],
    [{ plate: "DL01AA0001", validFrom: "2026-03-02T00:00:00Z", validTo: "2026-03-01T00:00:00Z" }, "invalid_body"],
    [{ plate: "DL01AA0001", validFrom: "2026-03-01T00:00:00Z", validTo: "2026-03-01T00:00:00Z" }, "invalid_body"],
    [{ plate: "DL01AA0001", colour: "red" }, "invalid_body"],
  ];
  for (const [json, code] of refused) {
    const { status, body } = await create(json);
    t.hasStrict({ status, code: body.error.code }, { status: 400, code }, JSON.stringify(json));
  }
  t.equal((await create({ plate: "DL01AA0002", label: "é".repeat(80) })).status, 201, "80 characters");
});

t.test("rules are listed by id and deleted once; another account's are out of reach", async (t) => {
  const theirs = await hub.rules.create(hub.other.siteId, { plate: "MH12AB1234" }, "cli");
  const { body } = await api.get("/v1/plate-rules", { key });
  const ids = body.rules.map(({ id }: { id: number }) => id);
  t.same(
    ids,
    [...ids].sort((left, right) => left - right),
  );
  t.notOk(ids.includes(theirs.id));
  for (const id of [String(theirs.id), "999", "x", "0"])
    t.hasStrict((await api.delete(`/v1/plate-rules/${id}`, { key })).body.error, { code: "plate_rule_not_found" }, id);
  t.same((await api.delete(`/v1/plate-rules/${ids[0]}`, { key })).body, { deleted: true });
  t.equal((await api.delete(`/v1/plate-rules/${ids[0]}`, { key })).status, 404);
});
