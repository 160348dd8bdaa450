import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
await hub.device("plug");
await hub.device("foreign", { siteId: hub.other.siteId });
const RULE = {
  name: "Night",
  trigger: { type: "time", at: "23:00", days: [1, 2, 3, 4, 5] },
  action: { type: "command", deviceId: "plug", command: { power: false } },
};
const created = await api.post("/v1/automations", { key, json: RULE });
const { id } = created.body.automation;

t.test("the contract's shapes make a rule", async (t) => {
  t.match(
    { status: created.status, ...created.body.automation },
    { status: 201, ...RULE, enabled: true, conditions: [] },
  );
  const state = {
    name: "Warn",
    enabled: false,
    trigger: { type: "state", deviceId: "plug", field: "power", op: "truthy" },
    action: { type: "notify", title: "On", body: "The plug is on" },
  };
  const { status, body } = await api.post("/v1/automations", { key, json: state });
  t.match({ status, ...body.automation }, { status: 201, ...state });
  const list = await api.get("/v1/automations", { key });
  t.same(
    list.body.automations.map(({ name }: { name: string }) => name),
    ["Night", "Warn"],
  );
});

t.test("an invalid rule is refused with a pointer to the place", async (t) => {
  const refused: [object, string][] = [
    [{}, "/name"],
    [{ ...RULE, name: "" }, "/name"],
    [{ ...RULE, name: "x".repeat(121) }, "/name"],
    [{ ...RULE, enabled: "yes" }, "/enabled"],
    [{ ...RULE, trigger: undefined }, "/trigger"],
    [{ ...RULE, trigger: { type: "moon" } }, "/trigger/type"],
    [{ ...RULE, trigger: { type: "time", at: "25:00" } }, "/trigger/at"],
    [{ ...RULE, trigger: { type: "time", at: "23:00", days: [8] } }, "/trigger/days/0"],
    [{ ...RULE, trigger: { type: "state", deviceId: "plug", field: "power", op: "approximately" } }, "/trigger/op"],
    [{ ...RULE, action: { type: "command", deviceId: "plug", command: [] } }, "/action/command"],
    [{ ...RULE, colour: "red" }, "/colour"],
  ];
  for (const [json, field] of refused) {
    const { status, body } = await api.post("/v1/automations", { key, json });
    t.hasStrict({ status, code: body.error.code }, { status: 400, code: "invalid_body" }, field);
    t.ok(
      body.error.details.some((detail: { field: string }) => detail.field === field),
      `${field} in ${JSON.stringify(body.error.details)}`,
    );
  }
});

t.test("devices of others in trigger or action are 403 device_not_owned, by name", async (t) => {
  const inTrigger = { ...RULE, trigger: { type: "state", deviceId: "foreign", field: "power", op: "truthy" } };
  const inAction = { ...RULE, action: { type: "command", deviceId: "nobody", command: {} } };
  for (const [json, device] of [
    [inTrigger, "foreign"],
    [inAction, "nobody"],
  ] as const) {
    const { status, body } = await api.post("/v1/automations", { key, json });
    t.hasStrict(
      { status, code: body.error.code, deviceIds: body.error.deviceIds },
      { status: 403, code: "device_not_owned", deviceIds: [device] },
    );
  }
  const patched = await api.patch(`/v1/automations/${id}`, { key, json: { action: inAction.action } });
  t.equal(patched.status, 403);
});

t.test("PATCH switches a rule off and on, and changes single members", async (t) => {
  t.match((await api.patch(`/v1/automations/${id}`, { key, json: { enabled: false } })).body.automation, {
    ...RULE,
    enabled: false,
  });
  t.match((await api.patch(`/v1/automations/${id}`, { key, json: { enabled: true } })).body.automation, {
    ...RULE,
    enabled: true,
  });
  t.hasStrict((await api.patch(`/v1/automations/${id}`, { key, json: { name: "Late" } })).body.automation, {
    name: "Late",
    trigger: RULE.trigger,
  });
  for (const json of [{}, { colour: 1 }, { enabled: "false" }, { name: null }]) {
    t.equal(
      (await api.patch(`/v1/automations/${id}`, { key, json })).body.error.code,
      "invalid_body",
      JSON.stringify(json),
    );
  }
});

t.test("If-Match on PATCH compares with the rule as last returned", async (t) => {
  const first = await api.patch(`/v1/automations/${id}`, { key, json: { name: "A" } });
  const etag = String(first.headers.etag);
  t.equal(
    (await api.patch(`/v1/automations/${id}`, { key, json: { name: "B" }, headers: { "If-Match": etag } })).status,
    200,
  );
  t.equal(
    (await api.patch(`/v1/automations/${id}`, { key, json: { name: "C" }, headers: { "If-Match": etag } })).status,
    412,
  );
});

t.test("of simultaneous edits with the same ETag one succeeds", async (t) => {
  const made = await api.post("/v1/automations", { key, json: RULE });
  const { id, etag } = made.body.automation;
  const edits = ["A", "B", "C", "D"].map((name) =>
    api.patch(`/v1/automations/${id}`, { key, json: { name }, headers: { "If-Match": etag } }),
  );
  const statuses = (await Promise.all(edits)).map(({ status }) => status);
  t.same(statuses.sort(), [200, 412, 412, 412]);
});

t.test("a rule has its ETag from the first response on, and a run does not change it", async (t) => {
  const made = await api.post("/v1/automations", { key, json: RULE });
  const { automation } = made.body;
  t.match(made.headers, { location: `/v1/automations/${automation.id}`, etag: automation.etag });
  const listed = async () =>
    (await api.get("/v1/automations", { key })).body.automations.find(
      (rule: { id: number }) => rule.id === automation.id,
    );
  const { etag } = await listed();
  t.equal(etag, automation.etag);
  hub.automations.runNow(hub.home.siteId, automation.id, "test");
  for (let tries = 0; (await listed()).lastTriggeredAt === null && tries < 500; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  t.match(await listed(), { lastTriggeredAt: String, etag }, "it ran, and is unchanged");
  const edited = await api.patch(`/v1/automations/${automation.id}`, {
    key,
    json: { cooldownSeconds: 5 },
    headers: { "If-Match": etag },
  });
  t.match({ status: edited.status, etag: edited.headers.etag }, { status: 200, etag: edited.body.automation.etag });
  t.not(edited.headers.etag, etag);
  t.equal(
    (await api.patch(`/v1/automations/${automation.id}`, { key, json: { name: "C" }, headers: { "If-Match": etag } }))
      .status,
    412,
  );
});

t.test(
  "a rule can be sent back as read: members only the hub writes are ignored, unchanged ones rewrite nothing",
  async (t) => {
    const rule = (await api.get("/v1/automations", { key })).body.automations.at(-1);
    const json = { ...rule, name: "Sent back", id: 4711, lastResult: "failed", createdAt: "2001-01-01T00:00:00Z" };
    const { status, body } = await api.patch(`/v1/automations/${rule.id}`, {
      key,
      json,
      headers: { "If-Match": rule.etag },
    });
    const { etag: _, updatedAt: __, ...kept } = rule;
    t.match({ status, automation: body.automation }, { status: 200, automation: { ...kept, name: /^Sent back$/ } });
    t.hasStrict(
      (await api.patch(`/v1/automations/${rule.id}`, { key, json: { id: 1, etag: "x" } })).body.error,
      { code: "invalid_body" },
      "nothing to change",
    );
    const onlyWrites = await hub.key({ scopes: ["automations:write"] });
    t.equal(
      (await api.patch(`/v1/automations/${rule.id}`, { key: onlyWrites, json: { ...rule, enabled: false } })).status,
      200,
      "unchanged members need no rights",
    );
    const rewritten = await api.patch(`/v1/automations/${rule.id}`, {
      key: onlyWrites,
      json: { ...rule, action: { type: "command", deviceId: "plug", command: { other: 1 } } },
    });
    t.hasStrict(
      { status: rewritten.status, code: rewritten.body.error.code },
      { status: 403, code: "insufficient_scope" },
    );
  },
);

t.test("a repeat under its Idempotency-Key has the first response's ETag and Location", async (t) => {
  const headers = { "Idempotency-Key": "etag-repeat" };
  const first = await api.post("/v1/automations", { key, json: RULE, headers });
  const again = await api.post("/v1/automations", { key, json: RULE, headers });
  t.match(again.headers, {
    etag: first.headers.etag,
    location: first.headers.location,
    "idempotency-replayed": "true",
  });
});

t.test("changing and deleting rules of others and missing ones is 404", async (t) => {
  const theirs = await hub.automations.create(hub.other.siteId, {
    ...RULE,
    action: { type: "notify", title: "t", body: "b" },
  });
  for (const wrong of [String(theirs.id), "999", "x", "0"]) {
    t.equal(
      (await api.patch(`/v1/automations/${wrong}`, { key, json: { enabled: false } })).body.error.code,
      "automation_not_found",
      wrong,
    );
    t.equal((await api.delete(`/v1/automations/${wrong}`, { key })).body.error.code, "automation_not_found", wrong);
  }
  t.same((await api.get("/v1/automations", { key: await hub.key({ of: hub.other }) })).body.automations.length, 1);
});

t.test("DELETE answers deleted once", async (t) => {
  const { status, body } = await api.delete(`/v1/automations/${id}`, { key });
  t.match({ status, body }, { status: 200, body: { deleted: true } });
  t.equal((await api.delete(`/v1/automations/${id}`, { key })).status, 404);
});
