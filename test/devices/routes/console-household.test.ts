import t from "tap";
import { GOOD_PASSWORD } from "../../support/access.ts";
import { send } from "../../support/api-client.ts";
import { cookieOf, startConsoleHub } from "../../support/console-hub.ts";

t.test("the household's name, place and capacity", async (t) => {
  const { call, hub } = await startConsoleHub(t);
  const edit = { name: "Green House", timeZone: "Europe/Berlin", latitude: 52.5, longitude: 13.4, capacity: 3 };
  t.hasStrict((await call("PATCH", "/api/site", edit)).body.site, edit);
  t.hasStrict((await call("GET", "/api/site")).body.site, edit);
  t.match(hub.access.accounts.sites()[1], {
    env: "test",
    name: /^Green House \(test\)$/,
    timeZone: "Europe/Berlin",
    capacity: null,
  });
  for (const wrong of [
    {},
    { timeZone: "Mars/Base" },
    { timeZone: "+02:00" },
    { latitude: 91 },
    { latitude: null },
    { capacity: -1 },
    { capacity: 1.5 },
    { name: "" },
    { x: 1 },
  ]) {
    t.equal((await call("PATCH", "/api/site", wrong)).status, 400, JSON.stringify(wrong));
  }
  t.match((await call("PATCH", "/api/site", { capacity: null, latitude: null, longitude: null })).body.site, {
    capacity: null,
    latitude: null,
  });
});

t.test("the time zone is asked for while it is the machine's UTC and nobody has chosen it", async (t) => {
  const { call } = await startConsoleHub(t, { claim: true });
  const site = async (): Promise<unknown> => (await call("GET", "/api/site")).body.site;
  t.match(await site(), { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  const isUtc = ["UTC", "Etc/UTC"].includes(Intl.DateTimeFormat().resolvedOptions().timeZone);
  t.match(await site(), { timeZoneGiven: !isUtc });
  await call("PATCH", "/api/site", { name: "Green House" });
  t.match(await site(), { timeZoneGiven: !isUtc }, "a name does not determine the zone");
  t.match(
    (await call("PATCH", "/api/site", { timeZone: "UTC" })).body.site,
    { timeZone: "UTC", timeZoneGiven: true },
    "choosing UTC counts as a choice",
  );
});

t.test("a restart needs an owner with a proof, and is refused if nothing would start the hub again", async (t) => {
  const { call } = await startConsoleHub(t);
  t.same((await call("POST", "/api/restart", {})).body, { restarts: false });
  const { audit } = (await call("GET", "/api/audit")).body;
  t.equal(audit[0].action, "hub.restarted");
  t.equal((await call("GET", "/api/site")).status, 200, "it keeps running");
});

t.test("a device is added, changed, given a new password and removed", async (t) => {
  const { call, hub } = await startConsoleHub(t);
  const made = await call("POST", "/api/devices", {
    id: "plug-1",
    name: "Kettle",
    type: "smart-plug",
    room: "Kitchen",
  });
  t.equal(made.status, 201);
  t.match(made.body, {
    device: { id: /^plug-1$/, name: /^Kettle$/, room: "Kitchen", online: false, state: {} },
    password: /^[0-9A-Za-z]{32}$/,
  });
  t.ok(hub.devices.registry.authenticate("plug-1", made.body.password));
  t.equal((await call("POST", "/api/devices", { id: "plug-1", name: "Kettle", type: "smart-plug" })).status, 409);
  for (const wrong of [
    { name: "x" },
    { name: "x", type: "a/b" },
    { id: "a b", name: "x", type: "y" },
    { name: "x".repeat(121), type: "y" },
  ]) {
    t.equal((await call("POST", "/api/devices", wrong)).status, 400, JSON.stringify(wrong));
  }
  t.match((await call("PATCH", "/api/devices/plug-1", { type: "switch", icon: "plug", room: null })).body.device, {
    type: /^switch$/,
    room: null,
  });
  const { password } = (await call("POST", "/api/devices/plug-1/password")).body;
  t.notOk(hub.devices.registry.authenticate("plug-1", made.body.password));
  t.ok(hub.devices.registry.authenticate("plug-1", password));
  t.same((await call("GET", "/api/devices/plug-1/commands")).body, { commands: [] });
  t.same((await call("GET", "/api/devices/plug-1/refusals")).body, { refusals: [] });
  t.equal((await call("DELETE", "/api/devices/plug-1")).status, 200);
  for (const [method, path] of [
    ["PATCH", "/api/devices/plug-1"],
    ["DELETE", "/api/devices/plug-1"],
    ["POST", "/api/devices/plug-1/password"],
    ["GET", "/api/devices/plug-1/commands"],
    ["GET", "/api/devices/plug-1/refusals"],
  ] as const)
    t.equal(
      (await call(method, path, method === "PATCH" ? { name: "x" } : undefined)).body.error.code,
      "device_not_found",
      `${method} ${path}`,
    );
  const { audit } = (await call("GET", "/api/audit")).body;
  const actions = audit
    .filter((line: { actor: string }) => line.actor === "session:1")
    .map((line: { action: string }) => line.action);
  t.same(actions.slice(0, 4), ["device.removed", "device.password_renewed", "device.edited", "device.created"]);
});

t.test("devices are put in order, a room at a time", async (t) => {
  const { call } = await startConsoleHub(t);
  const ids = ["lamp-10", "lamp-2", "fan", "order", "kettle"];
  for (const id of ids) await call("POST", "/api/devices", { id, name: id, type: "light" });
  t.same((await call("GET", "/api/device-order")).body, { ids: [] });
  // By name: fan, kettle, lamp-2, lamp-10, order. The two lamps swap, and nothing else moves.
  t.same((await call("PUT", "/api/device-order", { ids: ["lamp-10", "lamp-2"] })).body.ids, [
    "fan",
    "kettle",
    "lamp-10",
    "lamp-2",
  ]);
  t.same((await call("PUT", "/api/device-order", { ids: ["order", "fan"] })).body.ids, [
    "order",
    "kettle",
    "lamp-10",
    "lamp-2",
    "fan",
  ]);
  t.equal((await call("PUT", "/api/device-order", { ids: ["order", "stranger"] })).body.error.code, "device_not_found");
  for (const wrong of [{ ids: [] }, { ids: ["fan", "fan"] }, { ids: "fan" }, {}, { ids: [3] }]) {
    t.equal((await call("PUT", "/api/device-order", wrong)).status, 400, JSON.stringify(wrong));
  }
  await call("DELETE", "/api/devices/kettle");
  await call("POST", "/api/devices", { id: "bell", name: "bell", type: "light" });
  t.same(
    (await call("GET", "/api/device-order")).body.ids,
    ["order", "lamp-10", "lamp-2", "fan"],
    "leaving devices keep the others in order; new ones have no place yet",
  );
});

t.test("messages sent to a device are listed", async (t) => {
  const { call, port, hub } = await startConsoleHub(t);
  await call("POST", "/api/devices", { id: "plug-1", name: "Kettle", type: "smart-plug" });
  const { secret } = (await call("POST", "/api/keys", { name: "App", env: "live", scopes: ["devices:control"] })).body;
  await send(port, "POST", "/v1/devices/plug-1/commands", { key: secret, json: { power: true } });
  await hub.base.database.write(() => {});
  const { commands } = (await call("GET", "/api/devices/plug-1/commands")).body;
  t.match(commands, [{ actor: /^api_key:1$/, command: { power: true }, at: /Z$/ }]);
  t.same((await call("GET", `/api/devices/plug-1/commands?before=${commands[0].id}`)).body, { commands: [] });
  t.equal((await call("GET", "/api/devices/plug-1/commands?limit=0")).status, 400);
});

t.test("rooms are added, renamed, ordered and removed", async (t) => {
  const { call } = await startConsoleHub(t);
  const kitchen = (await call("POST", "/api/rooms", { name: "Kitchen", icon: "kitchen" })).body.room;
  const hall = (await call("POST", "/api/rooms", { name: "Hall" })).body.room;
  t.equal((await call("POST", "/api/rooms", { name: "KITCHEN" })).status, 409);
  t.hasStrict((await call("PATCH", `/api/rooms/${hall.id}`, { name: "Big hall" })).body.room, { name: "Big hall" });
  const { rooms } = (await call("PUT", "/api/rooms/order", { ids: [hall.id, kitchen.id] })).body;
  t.same(
    rooms.map((room: { name: string; sort: number }) => [room.name, room.sort]),
    [
      ["Big hall", 0],
      ["Kitchen", 1],
    ],
  );
  t.equal((await call("PUT", "/api/rooms/order", { ids: [hall.id, 999] })).status, 404);
  t.equal((await call("DELETE", `/api/rooms/${kitchen.id}`)).status, 200);
  t.equal((await call("DELETE", `/api/rooms/${kitchen.id}`)).status, 404);
});

t.test("scenes are added, changed and removed", async (t) => {
  const { call } = await startConsoleHub(t);
  await call("POST", "/api/devices", { id: "plug-1", name: "Kettle", type: "smart-plug" });
  const actions = [{ deviceId: "plug-1", command: { power: false } }];
  const made = await call("POST", "/api/scenes", { name: "Good night", actions });
  t.equal(made.status, 201);
  t.match(made.body.scene, { name: /^Good night$/, icon: null, actions, lastActivatedAt: null });
  t.equal(
    (await call("POST", "/api/scenes", { name: "x", actions: [{ deviceId: "nobody", command: {} }] })).status,
    400,
  );
  t.match((await call("PATCH", `/api/scenes/${made.body.scene.id}`, { icon: "moon" })).body.scene, {
    icon: "moon",
    actions,
  });
  t.equal((await call("DELETE", `/api/scenes/${made.body.scene.id}`)).status, 200);
  t.equal((await call("DELETE", `/api/scenes/${made.body.scene.id}`)).status, 404);
});

t.test("keys are made, changed, rotated and revoked", async (t) => {
  const { call, port } = await startConsoleHub(t);
  const input = { name: "App", env: "live", scopes: ["devices:read"], origins: ["https://app.example.org"] };
  const made = await call("POST", "/api/keys", input);
  t.equal(made.status, 201);
  const { key, secret } = made.body;
  t.match(key, {
    ...input,
    status: /^active$/,
    prefix: secret.slice(0, 13),
    lastFour: secret.slice(-4),
    lastUsedAt: null,
  });
  t.equal((await send(port, "GET", "/v1/devices", { key: secret })).status, 200);
  for (const wrong of [
    { ...input, scopes: [] },
    { ...input, scopes: ["everything"] },
    { ...input, origins: ["https://app.example.org/"] },
    { ...input, env: "prod" },
    { ...input, expiresAt: "2001-01-01T00:00:00Z" },
    { ...input, name: " " },
  ])
    t.equal((await call("POST", "/api/keys", wrong)).status, 400, JSON.stringify(wrong));
  t.hasStrict((await call("PATCH", `/api/keys/${key.id}`, { name: "App 2", origins: [] })).body.key, {
    name: "App 2",
    origins: [],
  });
  const rotated = await call("POST", `/api/keys/${key.id}/rotate`);
  t.equal(rotated.status, 201);
  const { keys } = (await call("GET", "/api/keys")).body;
  t.match(keys, [
    { id: new RegExp(`^${key.id}$`), rotatedTo: rotated.body.key.id, lastUsedAt: /Z$/, expiresAt: /Z$/ },
    { id: new RegExp(`^${rotated.body.key.id}$`), name: /^App 2$/ },
  ]);
  t.notMatch(JSON.stringify(keys), secret, "the text is shown once");
  t.equal((await call("DELETE", `/api/keys/${key.id}`)).body.key.status, "revoked");
  t.equal((await send(port, "GET", "/v1/devices", { key: secret })).body.error.code, "revoked_credential");
  t.equal((await send(port, "GET", "/v1/devices", { key: rotated.body.secret })).status, 200);
  t.equal((await call("DELETE", "/api/keys/999")).status, 404);
});

t.test("a secret that is shown once is not stored for a repeated request", async (t) => {
  const { api, hub } = await startConsoleHub(t);
  const Cookie = cookieOf(
    await api.post("/api/session", { json: { email: "owner@example.org", password: GOOD_PASSWORD } }),
  );
  const json = { name: "App", env: "live", scopes: ["devices:read"] };
  const make = () => api.post("/api/keys", { json, headers: { Cookie, "Idempotency-Key": "same-key" } });
  const [first, second] = [await make(), await make()];
  t.not(first.body.secret, second.body.secret);
  t.same(hub.base.database.raw.prepare("SELECT * FROM idempotency").all(), []);
});
