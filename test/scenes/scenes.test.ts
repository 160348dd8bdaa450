import t, { type Test } from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

async function begin(t: Test): Promise<{ parts: DeviceParts; siteId: number; testSiteId: number }> {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const parts = await new DeviceParts(database).start();
  for (const id of ["a", "b", "c"]) await parts.registry.create(siteId, { id, name: id.toUpperCase(), type: "light" });
  await parts.registry.create(testSiteId, { id: "test-a", name: "Test A", type: "light" });
  t.teardown(async () => {
    await parts.stop();
    await database.stop();
  });
  return { parts, siteId, testSiteId };
}

t.test("activation sends every command in order, unchanged, and is announced", async (t) => {
  const { parts, siteId } = await begin(t);
  const actions = [
    { deviceId: "b", command: { power: true, brightness: 30 } },
    { deviceId: "a", command: { ch: 2, on: false } },
    { deviceId: "b", command: {} },
  ];
  const scene = await parts.scenes.create(siteId, { name: " Evening ", actions });
  t.match(scene, { name: /^Evening$/, icon: null, actions, lastActivatedAt: null });
  t.same(await parts.scenes.activate(siteId, scene.id, "scene:1"), {
    name: "Evening",
    sent: 3,
    skipped: [],
    refused: [],
  });
  t.same(
    parts.published.map(({ deviceId, payload }) => [deviceId, payload]),
    [
      ["b", '{"power":true,"brightness":30}'],
      ["a", '{"ch":2,"on":false}'],
      ["b", "{}"],
    ],
  );
  t.equal(parts.scenes.get(siteId, scene.id).lastActivatedAt, parts.clock.now());
  t.match(parts.feed.list(siteId, { limit: 1 }), [
    { kind: /^scene\.activated$/, title: "Scene Evening activated", body: "3 commands sent", deviceId: null },
  ]);
  t.match(parts.of("scene.activated"), [{ siteId, sceneId: scene.id, name: /^Evening$/ }]);
  await parts.scenes.activate(siteId, scene.id, "home_assistant:0");
  t.match(parts.feed.list(siteId, { limit: 1 }), [{ title: /^Home Assistant ran the scene Evening$/ }]);
});

t.test("a scene also sets the house, once its commands are out, and is then another scene", async (t) => {
  const { parts, siteId } = await begin(t);
  const actions = [{ deviceId: "a", command: { power: false } }];
  const { id } = await parts.scenes.create(siteId, { name: "Good night", actions, houseMode: "night" });
  await parts.scenes.activate(siteId, id, "session:1");
  t.hasStrict(parts.modes.now(siteId), { mode: "night", name: "Good night" });
  const edited = (houseMode: "away" | "night" | null) =>
    parts.base.database.write(() => parts.scenes.update(siteId, id, { houseMode }).rewritten);
  t.equal(await edited("night"), false);
  t.equal(await edited("away"), true);
  t.equal(parts.scenes.get(siteId, id).houseMode, "away");
});

t.test("devices that are not owned any more are skipped, listed once, and stop nothing", async (t) => {
  const { parts, siteId } = await begin(t);
  const { id } = await parts.scenes.create(siteId, {
    name: "All",
    actions: ["a", "b", "a", "c"].map((deviceId) => ({ deviceId, command: {} })),
  });
  await parts.registry.remove(siteId, "a");
  t.same(await parts.scenes.activate(siteId, id, "x"), { name: "All", sent: 2, skipped: ["a"], refused: [] });
  await parts.registry.remove(siteId, "b");
  await parts.registry.remove(siteId, "c");
  t.same(await parts.scenes.activate(siteId, id, "x"), { name: "All", sent: 0, skipped: ["a", "b", "c"], refused: [] });
});

t.test("sent counts only what the broker accepted", async (t) => {
  const { parts, siteId } = await begin(t);
  const { id } = await parts.scenes.create(siteId, {
    name: "All",
    actions: ["a", "b", "c"].map((deviceId) => ({ deviceId, command: {} })),
  });
  parts.deliver = async (deviceId) => {
    if (deviceId === "b") throw new Error("no");
    return "sent";
  };
  t.same(await parts.scenes.activate(siteId, id, "x"), {
    name: "All",
    sent: 2,
    skipped: [],
    refused: [{ deviceId: "b", code: "broker_unavailable" }],
  });
  parts.deliver = async () => {
    throw new Error("down");
  };
  await t.rejects(parts.scenes.activate(siteId, id, "x"), { code: /^broker_unavailable$/ });
  parts.deliver = async () => {
    throw new Problem("unsupported_command", "");
  };
  t.match(await parts.scenes.activate(siteId, id, "x"), { sent: 0 });
});

t.test("only commands for owned devices can be put into a scene", async (t) => {
  const { parts, siteId, testSiteId } = await begin(t);
  const one = (
    deviceId: string,
    command: unknown,
  ): { name: string; actions: { deviceId: string; command: Record<string, unknown> }[] } => ({
    name: "S",
    actions: [
      { deviceId: "a", command: {} },
      { deviceId, command: command as Record<string, unknown> }, // wrong on purpose in places
    ],
  });
  await t.rejects(parts.scenes.create(siteId, one("test-a", {})), {
    code: /^unknown_device$/,
    details: [{ field: /^\/actions\/1\/deviceId$/ }],
  });
  await t.rejects(parts.scenes.create(siteId, one("b", [])), {
    code: /^invalid_body$/,
    details: [{ field: /^\/actions\/1\/command$/ }],
  });
  await t.rejects(parts.scenes.create(siteId, one("b", { x: "y".repeat(17_000) })), { code: /^invalid_body$/ });
  await t.rejects(
    parts.scenes.create(siteId, {
      name: "S",
      actions: Array.from({ length: 11 }, () => ({ deviceId: "a", command: {} })),
    }),
    {
      code: /^invalid_body$/,
    },
  );
  for (const name of ["", "x".repeat(121)])
    await t.rejects(parts.scenes.create(siteId, { name, actions: [] }), { code: /^invalid_body$/ });
  t.same(parts.scenes.list(siteId), []);
  t.match(await parts.scenes.create(testSiteId, { name: "Empty", actions: [] }), { actions: [] });
});

t.test("scenes are edited member by member, removed, limited, and never another household's", async (t) => {
  const { parts, siteId, testSiteId } = await begin(t);
  const { id } = await parts.scenes.create(siteId, {
    name: "One",
    icon: "moon",
    actions: [{ deviceId: "a", command: { power: true } }],
  });
  t.match(await parts.scenes.edit(siteId, id, { name: "Two" }), {
    name: /^Two$/,
    icon: "moon",
    actions: [{ deviceId: /^a$/ }],
  });
  t.match(await parts.scenes.edit(siteId, id, { icon: null, actions: [] }), {
    name: /^Two$/,
    icon: null,
    actions: [],
  });
  await t.rejects(parts.scenes.edit(testSiteId, id, {}), { code: /^scene_not_found$/ });
  await t.rejects(parts.scenes.remove(testSiteId, id), { code: /^scene_not_found$/ });
  await t.rejects(parts.scenes.activate(testSiteId, id, "x"), { code: /^scene_not_found$/ });
  for (let i = 0; i < 4; i++) await parts.scenes.create(siteId, { name: `S${i}`, actions: [] });
  await t.rejects(parts.scenes.create(siteId, { name: "More", actions: [] }), { code: /^limit_reached$/ });
  await parts.scenes.remove(siteId, id);
  await t.rejects(parts.scenes.remove(siteId, id), { code: /^scene_not_found$/ });
  const next = await parts.scenes.create(siteId, { name: "Next", actions: [] });
  t.ok(next.id > id + 4, "ids are never reused");
  t.same(
    parts.scenes.list(siteId).map(({ name }) => name),
    ["S0", "S1", "S2", "S3", "Next"],
  );
});
