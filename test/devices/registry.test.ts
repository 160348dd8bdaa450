import t, { type Test } from "tap";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

async function begin(
  t: Test,
): Promise<{ parts: DeviceParts; siteId: number; otherSiteId: number; testSiteId: number }> {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const { siteId: otherSiteId } = seedAccount(database, "other@example.org");
  const parts = await new DeviceParts(database).start();
  t.teardown(async () => {
    await parts.stop();
    await database.stop();
  });
  return { parts, siteId, otherSiteId, testSiteId };
}

t.test("a device is created with a password that is shown once and stored as a hash", async (t) => {
  const { parts, siteId } = await begin(t);
  const { device, password } = await parts.registry.create(siteId, {
    id: "plug-1",
    name: "  Plug  ",
    type: "smart-plug",
    room: "Kitchen",
  });
  t.match(password, /^[0-9A-Za-z]{32}$/);
  t.match(device, {
    id: /^plug-1$/,
    name: /^Plug$/,
    room: "Kitchen",
    online: false,
    lastSeen: null,
    state: {},
    favorite: false,
  });
  t.equal(parts.registry.authenticate("plug-1", password ?? "")?.id, "plug-1");
  t.equal(parts.registry.authenticate("plug-1", `${password}x`), null);
  t.equal(parts.registry.authenticate("plug-2", password ?? ""), null);
  const stored = JSON.stringify(parts.database.raw.prepare("SELECT * FROM device").all());
  t.notMatch(stored, password ?? "");
  t.same(parts.titles(siteId), ["Plug added"]);
  t.match(parts.of("device.edited"), [{ siteId, deviceId: /^plug-1$/, what: "added" }]);
});

t.test("a device without a password cannot connect in any way", async (t) => {
  const { parts, siteId } = await begin(t);
  const { device, password } = await parts.registry.create(siteId, { name: "Lamp", type: "light", password: null });
  t.equal(password, null);
  t.match(device.id, /^light-[0-9a-z]{6}$/);
  for (const guess of ["", "null", "-".repeat(64)]) t.equal(parts.registry.authenticate(device.id, guess), null);
});

t.test("bad ids, names, types and passwords are refused by field", async (t) => {
  const { parts, siteId } = await begin(t);
  const good = { id: "a", name: "A", type: "light" };
  for (const id of ["", "a b", "a/b", "é", "x".repeat(65), "#", "+"])
    await t.rejects(
      parts.registry.create(siteId, { ...good, id }),
      { code: /^invalid_body$/, details: [{ field: /^\/id$/ }] },
      id,
    );
  for (const name of ["", "  ", "x".repeat(121), "a\u0000b"])
    await t.rejects(parts.registry.create(siteId, { ...good, name }), {
      code: /^invalid_body$/,
      details: [{ field: /^\/name$/ }],
    });
  for (const type of ["", "x".repeat(65), "a/b"])
    await t.rejects(parts.registry.create(siteId, { ...good, type }), { code: /^invalid_body$/ });
  for (const password of ["short", "with space in it", "x".repeat(129)])
    await t.rejects(parts.registry.create(siteId, { ...good, password }), { code: /^invalid_body$/ });
  await t.rejects(parts.registry.create(siteId, { ...good, room: "r".repeat(81) }), {
    code: /^invalid_body$/,
    details: [{ field: /^\/room$/ }],
  });
  const { device } = await parts.registry.create(siteId, { ...good, id: "x".repeat(64), name: "😀".repeat(120) });
  t.equal([...device.name].length, 120, "length counts code points");
});

t.test("an id is unique on the whole hub, and is not reused while history remains", async (t) => {
  const { parts, siteId, otherSiteId } = await begin(t);
  await parts.registry.create(siteId, { id: "d", name: "D", type: "light" });
  await t.rejects(parts.registry.create(otherSiteId, { id: "d", name: "D", type: "light" }), { code: /^conflict$/ });
  await parts.registry.remove(siteId, "d");
  await parts.registry.create(otherSiteId, { id: "d", name: "D", type: "light" });
  parts.presence.connected("d");
  await parts.settled();
  await parts.registry.remove(otherSiteId, "d");
  await t.rejects(parts.registry.create(otherSiteId, { id: "d", name: "D", type: "light" }), { code: /^conflict$/ });
  await parts.registry.sweep(parts.clock.now() + 4 * 366 * 86_400_000);
  await parts.registry.create(otherSiteId, { id: "d", name: "D", type: "light" });
});

t.test("of two simultaneous creations of one id one succeeds", async (t) => {
  const { parts, siteId } = await begin(t);
  const results = await Promise.allSettled(
    ["A", "B"].map((name) => parts.registry.create(siteId, { id: "same", name, type: "light" })),
  );
  t.same(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  t.equal(parts.registry.list(siteId).length, 1);
});

t.test("a household has a limited number of devices", async (t) => {
  const { parts, siteId, otherSiteId } = await begin(t);
  for (let i = 0; i < 20; i++)
    await parts.registry.create(siteId, { id: `d${i}`, name: `D${i}`, type: "light", password: null });
  await t.rejects(parts.registry.create(siteId, { id: "more", name: "More", type: "light" }), {
    code: /^limit_reached$/,
  });
  await parts.registry.create(otherSiteId, { id: "more", name: "More", type: "light" });
});

t.test("other households' devices do not exist", async (t) => {
  const { parts, siteId, otherSiteId, testSiteId } = await begin(t);
  await parts.registry.create(siteId, { id: "mine", name: "Mine", type: "light" });
  for (const foreignSite of [otherSiteId, testSiteId, 999]) {
    t.throws(() => parts.registry.get(foreignSite, "mine"), { code: /^device_not_found$/ });
    t.notOk(parts.registry.owns(foreignSite, "mine"));
    t.same(parts.registry.list(foreignSite), []);
    await t.rejects(parts.registry.edit(foreignSite, "mine", { name: "Yours" }), { code: /^device_not_found$/ });
    await t.rejects(parts.registry.remove(foreignSite, "mine"), { code: /^device_not_found$/ });
    await t.rejects(parts.registry.renewPassword(foreignSite, "mine"), { code: /^device_not_found$/ });
  }
  t.equal(parts.registry.get(siteId, "mine").name, "Mine");
});

t.test("lists by name, then id, and filters by room, type and presence together", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.registry.create(siteId, { id: "z", name: "Lamp", type: "light", room: "Hall" });
  await parts.registry.create(siteId, { id: "a", name: "Lamp", type: "light", room: "Attic" });
  await parts.registry.create(siteId, { id: "m", name: "Fan", type: "fan", room: "Hall" });
  parts.presence.connected("m");
  const ids = (filter = {}): string[] => parts.registry.list(siteId, filter).map(({ id }) => id);
  t.same(ids(), ["m", "a", "z"]);
  t.same(ids({ room: "Hall" }), ["m", "z"]);
  t.same(ids({ room: "hall" }), [], "the room filter is exact");
  t.same(ids({ type: "light" }), ["a", "z"]);
  t.same(ids({ online: true }), ["m"]);
  t.same(ids({ online: false, room: "Hall" }), ["z"]);
  await parts.registry.edit(siteId, "z", { name: "A lamp" });
  t.same(ids(), ["z", "m", "a"]);
});

t.test("an edit keeps what it does not name, and one without effect writes nothing", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.registry.create(siteId, { id: "d", name: "D", type: "light", room: "Küche" });
  const edited = await parts.registry.edit(siteId, "d", { favorite: true });
  t.match(edited, { name: /^D$/, room: "Küche", favorite: true });
  const version = parts.registry.version(siteId);
  await parts.registry.edit(siteId, "d", { name: " D ", favorite: true, room: "KÜCHE" });
  t.equal(parts.registry.version(siteId), version);
  t.equal(parts.registry.get(siteId, "d").room, "Küche", "room names ignore case");
  t.equal(parts.rooms.list(siteId).length, 1);
  t.equal((await parts.registry.edit(siteId, "d", { room: "" })).room, null);
  t.equal((await parts.registry.edit(siteId, "d", { room: "Bath" })).room, "Bath");
  t.equal((await parts.registry.edit(siteId, "d", { room: null })).room, null);
  t.ok(parts.registry.version(siteId) > version);
  t.same(
    parts.rooms.list(siteId).map(({ name, deviceCount }) => [name, deviceCount]),
    [
      ["Küche", 0],
      ["Bath", 0],
    ],
    "emptied rooms stay",
  );
});

t.test("a renewed password ends the session and refuses the old one", async (t) => {
  const { parts, siteId } = await begin(t);
  const { password } = await parts.registry.create(siteId, { id: "d", name: "D", type: "light" });
  const fresh = await parts.registry.renewPassword(siteId, "d");
  t.same(parts.closed, ["d"]);
  t.equal(parts.registry.authenticate("d", password ?? ""), null);
  t.ok(parts.registry.authenticate("d", fresh));
});

t.test("removal ends the session, notifies webhooks if the device was online, and keeps the feed", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.registry.create(siteId, { id: "d", name: "D", type: "light" });
  parts.presence.connected("d");
  await parts.settled();
  await parts.registry.remove(siteId, "d");
  t.same(parts.closed, ["d"]);
  t.equal(parts.registry.find("d"), null);
  t.hasStrict(parts.deliveries.at(-1), { event: "device.offline", deviceId: "d", data: { reason: "revoked" } });
  t.same(parts.titles(siteId), ["D removed", "D is online", "D added"]);
  await parts.pass(120_000);
  t.equal(parts.deliveries.length, 2, "and nothing later");
});

t.test("everything about a device survives a restart", async (t) => {
  const { parts, siteId } = await begin(t);
  const { password } = await parts.registry.create(siteId, {
    id: "d",
    name: "D",
    type: "light",
    room: "Hall",
    icon: "lamp",
    favorite: true,
  });
  await parts.state.info("d", {
    firmware: "1.2",
    model: "M",
    manufacturer: "Maker",
    metrics: ["watts"],
    commands: { properties: { power: { type: "boolean" } } },
    interval: 600,
  });
  await parts.state.apply("d", { power: true, battery: 50 }, { source: "device", at: parts.clock.now() });
  await parts.stop();
  const again = await new DeviceParts(parts.database, parts.clock).start();
  t.teardown(() => again.stop());
  t.match(again.registry.get(siteId, "d"), {
    name: /^D$/,
    room: "Hall",
    icon: "lamp",
    favorite: true,
    firmware: "1.2",
    model: "M",
    manufacturer: "Maker",
    metrics: ["watts"],
    commandSchema: { properties: {} },
    reportIntervalMs: 600_000,
    state: { power: true, battery: 50 },
    stateAt: parts.clock.now(),
    lastSeen: parts.clock.now(),
    battery: 50,
  });
  t.ok(again.registry.authenticate("d", password ?? ""));
});

t.test("edits in the same commit do not undo each other", async (t) => {
  const { parts, siteId } = await begin(t);
  const { registry, database } = parts;
  await registry.create(siteId, { id: "plug", name: "Plug", type: "smart-plug" });
  await Promise.all([
    registry.edit(siteId, "plug", { name: "Kettle" }),
    registry.edit(siteId, "plug", { favorite: true }),
    registry.edit(siteId, "plug", { room: "Kitchen" }),
    registry.edit(siteId, "plug", { icon: "cup" }),
  ]);
  const edited = { name: "Kettle", favorite: true, room: "Kitchen", icon: "cup" };
  t.hasStrict(registry.get(siteId, "plug"), edited);
  await registry.stop();
  await registry.start();
  t.hasStrict(registry.get(siteId, "plug"), edited, "and that is on disk");
  t.equal(database.figures.waiting, 0);
});

t.test("a device's description of itself does not overwrite the type that a person set meanwhile", async (t) => {
  const { parts, siteId } = await begin(t);
  const { registry, state } = parts;
  await registry.create(siteId, { id: "eye", name: "Eye", type: "camera" });
  const edit = registry.edit(siteId, "eye", { type: "smart-plug" });
  await Promise.all([edit, state.info("eye", { firmware: "2" })]);
  t.match(registry.get(siteId, "eye"), { type: /^smart-plug$/, firmware: "2" });
  await registry.stop();
  await registry.start();
  t.match(registry.get(siteId, "eye"), { type: /^smart-plug$/, firmware: "2" });
});
