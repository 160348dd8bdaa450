import t, { type Test } from "tap";
import { ALL_SCOPES, type Scope } from "../../../src/core/api/scopes.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { EventReader, type EventReaderOptions } from "../../support/event-reader.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const key = await hub.key();
await hub.device("plug");
await hub.device("lamp");
await hub.device("foreign", { siteId: hub.other.siteId });
await hub.device("simulated", { siteId: hub.home.testSiteId });

const open = (t: Test, query = "", options: EventReaderOptions = { key }): Promise<EventReader> =>
  EventReader.open(t, `http://127.0.0.1:${hub.server.port}/v1/stream${query}`, options);
const set = (id: string, state: object): Promise<unknown> =>
  hub.devices.state.apply(id, state as { [key: string]: unknown }, { source: "device", at: hub.clock.now() });
const closed = async (): Promise<void> => {
  while (hub.server.figures.streams > 0) await new Promise((resolve) => setTimeout(resolve, 2));
};

t.test("a stream announces that it is ready, then sends events in the envelope of a webhook delivery", async (t) => {
  const reader = await open(t);
  t.match((await reader.named("stream.ready")).data, { data: { resumed: false }, deviceId: null });
  await set("plug", { power: true });
  const { id, data } = await reader.named("device.state");
  t.match(data, {
    id: new RegExp(`^${id}$`),
    event: /^device\.state$/,
    deviceId: /^plug$/,
    data: { state: { power: true }, changed: ["power"], source: "device" },
    at: /Z$/,
  });
  t.same(Object.keys(data), ["id", "event", "deviceId", "data", "at"]);
});

t.test("a client that reconnects gets the missed events, once and in order", async (t) => {
  const first = await open(t);
  await first.named("stream.ready");
  await set("plug", { n: 1 });
  await first.until(({ data }) => data.data.state?.n === 1);
  first.close();
  await closed();
  for (const n of [2, 3, 4]) {
    await set("plug", { n });
    await hub.samples("plug", [{ at: hub.clock.now() + n, data: { watts: n } }]);
  }
  hub.clock.advance(59 * 60_000);
  const again = await open(t, "", { key, lastEventId: first.lastId });
  t.match((await again.named("stream.ready")).data, { data: { resumed: true } });
  t.same(
    again.events
      .filter(({ event }) => /state|telemetry/.test(event))
      .map(({ data }) => data.data.state?.n ?? data.data.data.watts),
    [2, 2, 3, 3, 4, 4],
  );
  t.notOk(again.names.includes("stream.gap"));
});

t.test("after more than an hour, or with an invalid position, the stream asks for a full reload", async (t) => {
  const reader = await open(t);
  await reader.named("stream.ready");
  const own = reader.lastId;
  reader.close();
  await closed();
  await set("plug", { late: 1 });
  hub.clock.advance(3_601_000);
  const other = `${"0".repeat(12)}-${own.split("-")[1]}`;
  const far = `${own.split("-")[0]}-999999999`;
  for (const [id, reason] of [
    [own, "too_old"],
    [other, "restarted"],
    [far, "unknown_id"],
    [`${own}x`, "unknown_id"],
    ["-1", "unknown_id"],
    ["' OR 1=1", "unknown_id"],
  ] as const) {
    const again = await open(t, "", { key, lastEventId: id });
    const { data } = await again.named("stream.ready");
    t.same(again.names, ["stream.gap", "stream.ready"], id);
    t.hasStrict(again.events[0]?.data.data, { reason, types: ["device.state"] }, id);
    t.equal(again.events[0]?.id, null, "a client cut off before the end resumes from its old position");
    t.equal(data.data.resumed, true);
  }
});

t.test("each scope hears its own events; a request for a forbidden event is answered with the scope", async (t) => {
  const heard: Record<string, string[]> = {};
  const readers = await Promise.all(
    (["devices:read", "telemetry:read", "events:read", "plates:read", "scenes:read"] as Scope[]).map(async (scope) => {
      const reader = await open(t, "", { key: await hub.key({ scopes: [scope] }) });
      await reader.named("stream.ready");
      return { scope, reader };
    }),
  );
  const siteId = hub.home.siteId;
  const at = hub.clock.now();
  const { bus } = hub.devices;
  await set("plug", { scope: 1 });
  await hub.samples("plug", [{ at: at + 50, data: { watts: 1 } }]);
  bus.announce("device.event", { siteId, deviceId: "plug", kind: "bell", title: "Bell", body: "", at });
  bus.announce("occupancy.changed", { siteId, inside: 1, previous: 0, at });
  const words = { title: "MH12AB1234", body: "", recipients: null };
  const item = { siteId, itemId: 1, deviceId: null, becauseOf: null, readId: null, cameraId: null, ...words, at };
  bus.announce("feed.added", { ...item, kind: "automation.notify", aboutVehicles: true });
  bus.announce("feed.added", { ...item, kind: "key.created", aboutVehicles: false });
  bus.announce("feed.added", { ...item, kind: "automation.notify", aboutVehicles: false, recipients: [9] });
  bus.announce("webhook.changed", { siteId, webhookId: 1, active: false });
  bus.announce("feed.added", { ...item, kind: "device.added", title: "last", aboutVehicles: false });
  bus.announce("scene.activated", { siteId, sceneId: 1, name: "Evening", at });
  await hub.devices.registry.edit(siteId, "plug", { favorite: true });
  for (const { scope, reader } of readers) {
    const last: Record<string, string> = {
      "devices:read": "device.edited",
      "telemetry:read": "device.telemetry",
      "events:read": "feed.added",
      "plates:read": "occupancy.changed",
      "scenes:read": "scene.activated",
    };
    await reader.named(last[scope] ?? "");
    heard[scope] = [...new Set(reader.names)].sort();
    t.notMatch(JSON.stringify(reader.events), /MH12AB1234/, `${scope}: an item about a vehicle needs plates:read too`);
  }
  t.same(heard, {
    "devices:read": ["device.edited", "device.state", "stream.ready"],
    "telemetry:read": ["device.telemetry", "stream.ready"],
    "events:read": ["device.event", "feed.added", "stream.ready"],
    "plates:read": ["occupancy.changed", "stream.ready"],
    "scenes:read": ["scene.activated", "stream.ready"],
  });
  const narrow = await hub.key({ scopes: ["devices:read"] });
  const refused = await open(t, "?types=device.state,plate.read", { key: narrow });
  t.match(
    { status: refused.status, body: await refused.body() },
    { status: 403, body: { error: { code: /^insufficient_scope$/, requiredScope: "plates:read" } } },
  );
  const deaf = await open(t, "", { key: await hub.key({ scopes: ["rooms:read"] }) });
  t.hasStrict(
    { status: deaf.status, body: await deaf.body() },
    { status: 403, body: { error: { code: "insufficient_scope" } } },
  );
  t.equal((await open(t, "", {})).status, 401);
});

t.test("filters: by event and by device; unknown values are refused", async (t) => {
  const reader = await open(t, "?types=device.state&deviceId=lamp");
  await reader.named("stream.ready");
  await set("plug", { filter: 1 });
  await hub.devices.registry.edit(hub.home.siteId, "lamp", { favorite: true });
  await set("lamp", { filter: 2 });
  await reader.named("device.state");
  t.same(
    reader.events.map(({ data }) => data.deviceId),
    [null, "lamp"],
  );
  for (const [query, status, code] of [
    ["?types=device.stat", 400, "invalid_query"],
    ["?types=webhook.changed", 400, "invalid_query"],
    ["?types=", 400, "invalid_query"],
    ["?deviceId=nothing", 404, "device_not_found"],
    ["?deviceId=foreign", 404, "device_not_found"],
    ["?types=device.state&types=plate.read", 400, "invalid_query"],
  ] as const) {
    const refused = await open(t, query);
    t.hasStrict({ status: refused.status, body: await refused.body() }, { status, body: { error: { code } } }, query);
  }
});

t.test(
  "each household hears itself: another account's, the simulated one's, also when resuming with an id of the other's stream",
  async (t) => {
    const foreign = await open(t, "", { key: await hub.key({ of: hub.other }) });
    const simulated = await open(t, "", { key: await hub.key({ env: "test" }) });
    const session = await open(t, "", { headers: { cookie: await hub.cookie() } });
    for (const reader of [foreign, simulated, session]) await reader.named("stream.ready");
    await set("plug", { whose: "home" });
    await set("simulated", { whose: "test" });
    await set("foreign", { whose: "other" });
    const whose = (reader: EventReader): unknown[] => [
      ...new Set(reader.events.flatMap(({ data }) => data.data.state?.whose ?? [])),
    ];
    for (const reader of [foreign, simulated, session]) await reader.named("device.state");
    t.same([whose(foreign), whose(simulated), whose(session)], [["other"], ["test"], ["home"]]);
    const [, seq = ""] = session.lastId.split("-");
    const earlier = `${session.lastId.split("-")[0]}-${Number(seq) - 1}`;
    const thief = await open(t, "", { key: await hub.key({ of: hub.other }), lastEventId: earlier });
    await thief.named("stream.ready");
    t.same(whose(thief), ["other"], "a position is not a secret and opens nothing");
  },
);

t.test("a quiet stream sends its resume position every 15 seconds, even past filtered events", async (t) => {
  const reader = await open(t, "?types=plate.read");
  await reader.named("stream.ready");
  const before = reader.lastId;
  await set("plug", { quiet: 1 });
  hub.clock.advance(15_000);
  while (reader.lastId === before) await new Promise((resolve) => setTimeout(resolve, 2));
  t.same(reader.names, ["stream.ready"]);
  const [[, was = ""], [, is = ""]] = [before.split("-"), reader.lastId.split("-")];
  t.ok(Number(is) > Number(was), `${was} → ${is}`);
});

t.test(
  "a reader that falls behind the buffer is notified of the gap; one that reads nothing is disconnected",
  async (t) => {
    await closed();
    const slow = await open(t, "?types=device.state");
    await slow.named("stream.ready");
    slow.pause();
    const large = "x".repeat(30_000);
    for (let n = 0; n < 200; n++) await set("lamp", { n, large });
    slow.resume();
    await slow.named("stream.gap");
    await set("lamp", { n: 200, large: null });
    await slow.until(({ data }) => data.data.state?.n === 200);
    const numbers = slow.events.flatMap(({ data }) => data.data.state?.n ?? []);
    t.same(
      numbers,
      [...Array(numbers.length - 1).keys(), 200],
      "without a hole before the gap, and complete again after it",
    );
    t.ok(numbers.length < 180, `${numbers.length} of 201 came`);
    t.match(slow.events[slow.names.indexOf("stream.gap")]?.data.data, { reason: /^too_old$/, types: ["device.state"] });
    slow.close();
    await closed();
    const deaf = await open(t, "?types=device.state");
    await deaf.named("stream.ready");
    deaf.pause();
    for (let n = 0; n < 200; n++) await set("lamp", { n, large });
    t.equal(hub.server.figures.streams, 1);
    hub.clock.advance(60_000);
    await closed();
  },
);

t.test("a key without a scope that the stream reaches is one like any other: all scopes hear all", async (t) => {
  const all = await open(t, "", { key: await hub.key({ scopes: ALL_SCOPES }) });
  t.equal(all.status, 200);
  t.match(await all.named("stream.ready"), { data: { deviceId: null } });
});
