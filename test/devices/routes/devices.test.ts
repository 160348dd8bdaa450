import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const key = await hub.key();
const { api } = hub;
await hub.device("plug", { name: "Plug", room: "Kitchen" });
await hub.device("lamp", { name: "lamp", type: "light", room: "Hall" });
await hub.device("Alpha", { name: "lamp" });
await hub.device("foreign", { siteId: hub.other.siteId });
await hub.device("simulated", { siteId: hub.home.testSiteId });
await hub.devices.state.apply("plug", { power: true }, { source: "device", at: hub.clock.now() });

const ids = (body: { devices: { id: string }[] }): string[] => body.devices.map(({ id }) => id);

t.test("the list has only the account's devices, by name, then id", async (t) => {
  const { status, body } = await api.get("/v1/devices", { key });
  t.equal(status, 200);
  t.same(ids(body), ["plug", "Alpha", "lamp"], "Plug, lamp, lamp");
});

t.test("filters are exact and combine", async (t) => {
  t.same(ids((await api.get("/v1/devices?room=Kitchen", { key })).body), ["plug"]);
  t.same(ids((await api.get("/v1/devices?room=kitchen", { key })).body), [], "room names are compared exactly here");
  t.same(ids((await api.get("/v1/devices?type=light", { key })).body), ["lamp"]);
  t.same(ids((await api.get("/v1/devices?type=light&room=Kitchen", { key })).body), []);
  t.same(ids((await api.get("/v1/devices?online=true", { key })).body), ["plug"]);
  t.same(ids((await api.get("/v1/devices?online=false", { key })).body).sort(), ["Alpha", "lamp"]);
});

t.test("a filter of the wrong type, or given twice, is refused; an unknown one is named", async (t) => {
  for (const query of ["online=1", "online=TRUE", "online=", "room=a&room=b", "room=%zz"]) {
    const { status, body } = await api.get(`/v1/devices?${query}`, { key });
    t.hasStrict({ status, code: body.error.code }, { status: 400, code: "invalid_query" }, query);
  }
  const { status, headers } = await api.get("/v1/devices?colour=red&online=true", { key });
  t.match({ status, ignored: headers["x-ignored-query"] }, { status: 200, ignored: "colour" });
});

t.test("a change appears in the next list, whatever was cached", async (t) => {
  const before = await api.get("/v1/devices", { key });
  await api.patch("/v1/devices/plug", { key, json: { favorite: true } });
  const after = await api.get("/v1/devices", { key, headers: { "If-None-Match": String(before.headers.etag) } });
  t.equal(after.status, 200);
  t.equal(after.body.devices.find(({ id }: { id: string }) => id === "plug").favorite, true);
  const again = await api.get("/v1/devices", { key, headers: { "If-None-Match": String(after.headers.etag) } });
  t.match({ status: again.status, bytes: again.bytes.length }, { status: 304, bytes: 0 });
});

t.test(
  "one device is read in the contract's shape; unknown, foreign and simulated ones are the same 404",
  async (t) => {
    const { body } = await api.get("/v1/devices/plug", { key });
    t.match(body.device, {
      id: /^plug$/,
      name: /^Plug$/,
      type: /^smart-plug$/,
      room: "Kitchen",
      online: true,
      state: { power: true },
      lastSeen: "2026-03-01T12:00:00.000Z",
    });
    for (const id of ["nobody", "foreign", "simulated", "a%2Fb", "%00"]) {
      const { status, body } = await api.get(`/v1/devices/${id}`, { key });
      t.match(
        { status, code: body.error.code, message: body.error.message },
        { status: 404, code: /^device_not_found$/, message: "There is no such device." },
        id,
      );
    }
    t.hasStrict((await api.get("/v1/devices/%zz", { key })).body.error, { code: "invalid_path" });
  },
);

t.test("a test key sees the simulated household and not the live one", async (t) => {
  const testKey = await hub.key({ env: "test" });
  t.same(ids((await api.get("/v1/devices", { key: testKey })).body), ["simulated"]);
  t.equal((await api.get("/v1/devices/plug", { key: testKey })).status, 404);
});

t.test("PATCH changes the given members, creates rooms, and clears them", async (t) => {
  const renamed = await api.patch("/v1/devices/lamp", { key, json: { name: "  Desk lamp ", room: "Study" } });
  t.match(
    { status: renamed.status, ...renamed.body.device },
    { status: 200, name: /^Desk lamp$/, room: "Study", favorite: false },
  );
  t.equal(
    (await api.patch("/v1/devices/lamp", { key, json: { room: "STUDY" } })).body.device.room,
    "Study",
    "rooms are found ignoring case",
  );
  t.equal((await api.patch("/v1/devices/lamp", { key, json: { room: "" } })).body.device.room, null);
  await api.patch("/v1/devices/lamp", { key, json: { room: "Study" } });
  t.equal((await api.patch("/v1/devices/lamp", { key, json: { room: null } })).body.device.room, null);
});

t.test("PATCH limits: lengths in code points, types, unknown fields, nothing to do", async (t) => {
  const refused: [object, string, string][] = [
    [{}, "", "empty"],
    [{ name: "" }, "/name", "too_short"],
    [{ name: "   " }, "/name", "too_short"],
    [{ name: "x".repeat(121) }, "/name", "too_long"],
    [{ name: 7 }, "/name", "wrong_type"],
    [{ name: null }, "/name", "wrong_type"],
    [{ name: "a\u0007b" }, "/name", "bad_format"],
    [{ room: "x".repeat(81) }, "/room", "too_long"],
    [{ room: 1 }, "/room", "wrong_type"],
    [{ favorite: "true" }, "/favorite", "wrong_type"],
    [{ favorite: true, colour: "red" }, "/colour", "unknown_field"],
  ];
  for (const [json, field, code] of refused) {
    const { status, body } = await api.patch("/v1/devices/plug", { key, json });
    t.hasStrict({ status, code: body.error.code }, { status: 400, code: "invalid_body" }, JSON.stringify(json));
    t.ok(
      body.error.details.some(
        (detail: { field: string; code: string }) => detail.field === field && detail.code === code,
      ),
      JSON.stringify(body.error.details),
    );
  }
  for (const json of [{ name: "😀".repeat(120) }, { name: "n" }, { room: "é".repeat(80) }]) {
    t.equal((await api.patch("/v1/devices/plug", { key, json })).status, 200, JSON.stringify(json).slice(0, 40));
  }
});

t.test(
  "PATCH of a device that does not exist or belongs to another account is 404 after the body was checked",
  async (t) => {
    t.equal((await api.patch("/v1/devices/foreign", { key, json: { name: "mine" } })).status, 404);
    t.equal((await api.patch("/v1/devices/foreign", { key, json: {} })).status, 400);
    t.equal(hub.devices.registry.find("foreign")?.name, "foreign");
  },
);

t.test("If-Match allows a change only while the device is unchanged since it was read", async (t) => {
  const { headers } = await api.get("/v1/devices/plug", { key });
  const etag = String(headers.etag);
  const first = await api.patch("/v1/devices/plug", { key, json: { name: "One" }, headers: { "If-Match": etag } });
  t.equal(first.status, 200);
  t.not(first.headers.etag, etag);
  const second = await api.patch("/v1/devices/plug", { key, json: { name: "Two" }, headers: { "If-Match": etag } });
  t.hasStrict({ status: second.status, code: second.body.error.code }, { status: 412, code: "precondition_failed" });
  t.equal(
    (
      await api.patch("/v1/devices/plug", {
        key,
        json: { name: "Three" },
        headers: { "If-Match": `"x", ${first.headers.etag}` },
      })
    ).status,
    200,
  );
  t.equal(
    (await api.patch("/v1/devices/plug", { key, json: { name: "Four" }, headers: { "If-Match": "*" } })).status,
    200,
  );
});

t.test("of simultaneous edits with the same ETag one succeeds", async (t) => {
  const etag = String((await api.get("/v1/devices/plug", { key })).headers.etag);
  const edits = ["A", "B", "C", "D"].map((name) =>
    api.patch("/v1/devices/plug", { key, json: { name }, headers: { "If-Match": etag } }),
  );
  const statuses = (await Promise.all(edits)).map(({ status }) => status);
  t.same(statuses.sort(), [200, 412, 412, 412]);
});

t.test(
  "a device's ETag is stable while only its last-seen time changes; a state makes a new one, which an edit tolerates",
  async (t) => {
    const first = await api.get("/v1/devices/plug", { key });
    hub.clock.advance(60_000);
    hub.devices.presence.seen("plug", {});
    const heard = await api.get("/v1/devices/plug", { key });
    t.not(heard.body.device.lastSeen, first.body.device.lastSeen);
    t.equal(heard.headers.etag, first.headers.etag);
    t.equal(
      (await api.get("/v1/devices/plug", { key, headers: { "If-None-Match": String(first.headers.etag) } })).status,
      304,
    );
    await hub.devices.state.apply("plug", { power: false }, { source: "device", at: hub.clock.now() });
    const changed = await api.get("/v1/devices/plug", {
      key,
      headers: { "If-None-Match": String(first.headers.etag) },
    });
    t.equal(changed.status, 200, "a reader that waits for the state sees it");
    t.equal(
      (
        await api.patch("/v1/devices/plug", {
          key,
          json: { name: "Five" },
          headers: { "If-Match": String(first.headers.etag) },
        })
      ).status,
      200,
    );
    t.equal(
      (
        await api.patch("/v1/devices/plug", {
          key,
          json: { name: "Six" },
          headers: { "If-Match": String(first.headers.etag) },
        })
      ).status,
      412,
    );
  },
);

t.test("a command reaches the broker byte for byte and is answered at once", async (t) => {
  const text = '{ "power":true,  "n":1.0, "big":12345678901234567890, "t":"\\u00e9" }';
  const { status, body } = await api.post("/v1/devices/plug/commands", {
    key,
    body: text,
    headers: { "Content-Type": "application/json" },
  });
  t.match(
    { status, ...body },
    { status: 202, accepted: true, deviceId: /^plug$/, command: { power: true, n: 1, t: "é" } },
  );
  t.same(hub.devices.published.at(-1), { deviceId: "plug", payload: text });
  t.equal((await api.post("/v1/devices/plug/commands", { key, json: {} })).status, 202, "an empty object is an object");
});

t.test("any object is forwarded verbatim, and the 202 repeats it byte for byte", async (t) => {
  // Earlier versions refused the first two, and reformatted the others in the response.
  for (const text of [
    '{"__proto__":{"power":true}}',
    '{"a":{"\\u005f_proto__":1}}',
    '{"n":12345678901234567890,"m":1e400}',
    '{"a":1,"a":2}',
    '{ "power" : true ,\n "x":1.0 }',
  ]) {
    const headers = { "Content-Type": "application/json" };
    const answer = await api.post("/v1/devices/plug/commands", { key, body: text, headers });
    t.equal(answer.status, 202, text);
    t.same(hub.devices.published.at(-1), { deviceId: "plug", payload: text });
    t.ok(answer.bytes.toString().includes(`"command":${text},"commandId":`), "as sent");
  }
});

t.test("commands that are not a JSON object of acceptable size are refused", async (t) => {
  const sent = hub.devices.published.length;
  const post = async (body: string | Buffer, type = "application/json"): Promise<string> => {
    const answer = await api.post("/v1/devices/plug/commands", { key, body, headers: { "Content-Type": type } });
    return `${answer.status} ${answer.body.error.code}`;
  };
  t.equal(await post("[true]"), "400 invalid_body");
  t.equal(await post("7"), "400 invalid_body");
  t.equal(await post("null"), "400 invalid_body");
  t.equal(await post(""), "400 invalid_body");
  t.equal(await post("{"), "400 invalid_json");
  t.equal(await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), "400 invalid_json");
  t.equal(await post(`${'{"a":'.repeat(17)}1${"}".repeat(17)}`), "400 invalid_json");
  t.equal(await post(`{"a":"${"x".repeat(16_377)}"}`), "413 body_too_large");
  t.equal(await post("power=true", "application/x-www-form-urlencoded"), "415 unsupported_media_type");
  t.equal(await post("{}", "text/plain"), "415 unsupported_media_type");
  t.equal(hub.devices.published.length, sent, "nothing was sent");
  t.equal(
    (
      await api.post("/v1/devices/plug/commands", {
        key,
        body: `{"a":"${"x".repeat(16_376)}"}`,
        headers: { "Content-Type": "application/json" },
      })
    ).status,
    202,
    "16 KiB are accepted",
  );
  t.equal(
    (
      await api.post("/v1/devices/plug/commands", {
        key,
        body: `${'{"a":'.repeat(16)}1${"}".repeat(16)}`,
        headers: { "Content-Type": "application/json; charset=UTF-8" },
      })
    ).status,
    202,
  );
});

t.test("commands to foreign or missing devices are 404; an unavailable broker is 503", async (t) => {
  for (const id of ["foreign", "nobody"])
    t.equal((await api.post(`/v1/devices/${id}/commands`, { key, json: { power: true } })).status, 404, id);
  hub.devices.deliver = async () => {
    throw new Error("closed");
  };
  const { status, body } = await api.post("/v1/devices/plug/commands", { key, json: { power: true } });
  t.hasStrict({ status, code: body.error.code }, { status: 503, code: "broker_unavailable" });
});
