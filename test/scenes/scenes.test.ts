import t, { type Test } from "tap";
import { Problem } from "../../src/kernel/problem.js";
import { openDatabase, seedAccount } from "../support/database.js";
import { DeviceHalf } from "../support/device-half.js";

async function begin(t: Test): Promise<{ half: DeviceHalf; siteId: number; testSiteId: number }> {
  const database = await openDatabase(t.testdir());
  const { siteId, testSiteId } = seedAccount(database);
  const half = await new DeviceHalf(database).start();
  for (const id of ["a", "b", "c"]) await half.registry.create(siteId, { id, name: id.toUpperCase(), type: "light" });
  await half.registry.create(testSiteId, { id: "test-a", name: "Test A", type: "light" });
  t.teardown(async () => {
    await half.stop();
    await database.stop();
  });
  return { half, siteId, testSiteId };
}

t.test("activation sends every command in order, unchanged, and is told", async (t) => {
  const { half, siteId } = await begin(t);
  const actions = [
    { deviceId: "b", command: { power: true, brightness: 30 } },
    { deviceId: "a", command: { ch: 2, on: false } },
    { deviceId: "b", command: {} },
  ];
  const scene = await half.scenes.create(siteId, { name: " Evening ", actions });
  t.match(scene, { name: "Evening", icon: null, actions, lastActivatedAt: null });
  t.same(await half.scenes.activate(siteId, scene.id, "scene:1"), { name: "Evening", sent: 3, skipped: [], refused: [] });
  t.same(
    half.published.map(({ deviceId, payload }) => [deviceId, payload]),
    [
      ["b", '{"power":true,"brightness":30}'],
      ["a", '{"ch":2,"on":false}'],
      ["b", "{}"],
    ],
  );
  t.equal(half.scenes.get(siteId, scene.id).lastActivatedAt, half.clock.now());
  t.match(half.feed.list(siteId, { limit: 1 }), [{ kind: "scene.activated", title: "Scene Evening activated", body: "3 commands sent", deviceId: null }]);
  t.match(half.of("scene.activated"), [{ siteId, sceneId: scene.id, name: "Evening" }]);
});

t.test("devices that are not owned any more are skipped, listed once, and stop nothing", async (t) => {
  const { half, siteId } = await begin(t);
  const { id } = await half.scenes.create(siteId, {
    name: "All",
    actions: ["a", "b", "a", "c"].map((deviceId) => ({ deviceId, command: {} })),
  });
  await half.registry.remove(siteId, "a");
  t.same(await half.scenes.activate(siteId, id, "x"), { name: "All", sent: 2, skipped: ["a"], refused: [] });
  await half.registry.remove(siteId, "b");
  await half.registry.remove(siteId, "c");
  t.same(await half.scenes.activate(siteId, id, "x"), { name: "All", sent: 0, skipped: ["a", "b", "c"], refused: [] });
});

t.test("sent counts only what the broker accepted", async (t) => {
  const { half, siteId } = await begin(t);
  const { id } = await half.scenes.create(siteId, { name: "All", actions: ["a", "b", "c"].map((deviceId) => ({ deviceId, command: {} })) });
  half.deliver = async (deviceId) => {
    if (deviceId === "b") throw new Error("no");
    return "sent";
  };
  t.same(await half.scenes.activate(siteId, id, "x"), { name: "All", sent: 2, skipped: [], refused: [{ deviceId: "b", code: "broker_unavailable" }] });
  half.deliver = async () => {
    throw new Error("down");
  };
  await t.rejects(half.scenes.activate(siteId, id, "x"), { code: "broker_unavailable" });
  half.deliver = async () => {
    throw new Problem("unsupported_command", "");
  };
  t.match(await half.scenes.activate(siteId, id, "x"), { sent: 0 });
});

t.test("only commands for owned devices can be put into a scene", async (t) => {
  const { half, siteId, testSiteId } = await begin(t);
  const one = (deviceId: string, command: unknown): { name: string; actions: { deviceId: string; command: Record<string, unknown> }[] } => ({
    name: "S",
    actions: [
      { deviceId: "a", command: {} },
      { deviceId, command: command as Record<string, unknown> }, // wrong on purpose in places
    ],
  });
  await t.rejects(half.scenes.create(siteId, one("test-a", {})), { code: "unknown_device", details: [{ field: "/actions/1/deviceId" }] });
  await t.rejects(half.scenes.create(siteId, one("b", [])), { code: "invalid_body", details: [{ field: "/actions/1/command" }] });
  await t.rejects(half.scenes.create(siteId, one("b", { x: "y".repeat(17_000) })), { code: "invalid_body" });
  await t.rejects(half.scenes.create(siteId, { name: "S", actions: Array.from({ length: 11 }, () => ({ deviceId: "a", command: {} })) }), {
    code: "invalid_body",
  });
  for (const name of ["", "x".repeat(121)]) await t.rejects(half.scenes.create(siteId, { name, actions: [] }), { code: "invalid_body" });
  t.same(half.scenes.list(siteId), []);
  t.match(await half.scenes.create(testSiteId, { name: "Empty", actions: [] }), { actions: [] });
});

t.test("scenes are edited member by member, removed, limited, and never another household's", async (t) => {
  const { half, siteId, testSiteId } = await begin(t);
  const { id } = await half.scenes.create(siteId, { name: "One", icon: "moon", actions: [{ deviceId: "a", command: { power: true } }] });
  t.match(await half.scenes.edit(siteId, id, { name: "Two" }), { name: "Two", icon: "moon", actions: [{ deviceId: "a" }] });
  t.match(await half.scenes.edit(siteId, id, { icon: null, actions: [] }), { name: "Two", icon: null, actions: [] });
  await t.rejects(half.scenes.edit(testSiteId, id, {}), { code: "scene_not_found" });
  await t.rejects(half.scenes.remove(testSiteId, id), { code: "scene_not_found" });
  await t.rejects(half.scenes.activate(testSiteId, id, "x"), { code: "scene_not_found" });
  for (let i = 0; i < 4; i++) await half.scenes.create(siteId, { name: `S${i}`, actions: [] });
  await t.rejects(half.scenes.create(siteId, { name: "More", actions: [] }), { code: "limit_reached" });
  await half.scenes.remove(siteId, id);
  await t.rejects(half.scenes.remove(siteId, id), { code: "scene_not_found" });
  const next = await half.scenes.create(siteId, { name: "Next", actions: [] });
  t.ok(next.id > id + 4, "ids are never given twice");
  t.same(
    half.scenes.list(siteId).map(({ name }) => name),
    ["S0", "S1", "S2", "S3", "Next"],
  );
});
