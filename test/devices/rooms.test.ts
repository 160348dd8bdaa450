import t, { type Test } from "tap";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

async function begin(t: Test): Promise<{ parts: DeviceParts; siteId: number; otherSiteId: number }> {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId: otherSiteId } = seedAccount(database);
  const parts = await new DeviceParts(database).start();
  t.teardown(async () => {
    await parts.stop();
    await database.stop();
  });
  return { parts, siteId, otherSiteId };
}

t.test("rooms are listed by sort, then id, with the household's own devices counted", async (t) => {
  const { parts, siteId, otherSiteId } = await begin(t);
  await parts.rooms.create(siteId, { name: "Hall", icon: "door" });
  await parts.rooms.create(siteId, { name: "Attic", sort: 0 });
  await parts.registry.create(siteId, { id: "a", name: "A", type: "light", room: "hall" });
  await parts.registry.create(otherSiteId, { id: "b", name: "B", type: "light", room: "Hall" });
  t.same(
    parts.rooms.list(siteId).map(({ name, icon, sort, deviceCount }) => ({ name, icon, sort, deviceCount })),
    [
      { name: "Hall", icon: "door", sort: 0, deviceCount: 1 },
      { name: "Attic", icon: "room", sort: 0, deviceCount: 0 },
    ],
  );
  t.equal(parts.registry.get(siteId, "a").room, "Hall", "the room's own spelling");
});

t.test("names are unique in a household ignoring case, in every script", async (t) => {
  const { parts, siteId, otherSiteId } = await begin(t);
  await parts.rooms.create(siteId, { name: "Küche" });
  for (const name of ["küche", "KÜCHE", " Ku\u0308che "])
    await t.rejects(parts.rooms.create(siteId, { name }), { code: /^conflict$/ }, name);
  await parts.rooms.create(otherSiteId, { name: "Küche" });
  const other = await parts.rooms.create(siteId, { name: "रसोई" });
  await t.rejects(parts.rooms.edit(siteId, other.id, { name: "KÜCHE" }), { code: /^conflict$/ });
  for (const name of ["", " ", "x".repeat(81), "a\nb"])
    await t.rejects(parts.rooms.create(siteId, { name }), { code: /^invalid_body$/ });
});

t.test("a renamed room is renamed for its devices, a removed one is cleared from them", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.registry.create(siteId, { id: "a", name: "A", type: "light", room: "Hall" });
  const [room] = parts.rooms.list(siteId);
  const version = parts.registry.version(siteId);
  t.hasStrict(
    await parts.rooms.edit(siteId, room?.id ?? 0, { name: "HALL" }),
    { name: "HALL" },
    "its own name in another case is not a conflict",
  );
  t.equal(parts.registry.get(siteId, "a").room, "HALL");
  t.ok(parts.registry.version(siteId) > version);
  await parts.rooms.remove(siteId, room?.id ?? 0);
  t.match(parts.registry.get(siteId, "a"), { room: null, roomId: null });
  t.same(parts.rooms.list(siteId), []);
});

t.test("rooms of other households are not found", async (t) => {
  const { parts, siteId, otherSiteId } = await begin(t);
  const { id } = await parts.rooms.create(siteId, { name: "Hall" });
  t.throws(() => parts.rooms.get(otherSiteId, id), { code: /^not_found$/ });
  await t.rejects(parts.rooms.edit(otherSiteId, id, { name: "X" }), { code: /^not_found$/ });
  await t.rejects(parts.rooms.remove(otherSiteId, id), { code: /^not_found$/ });
});

t.test("the number of rooms is limited, even when created by naming them in devices", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.registry.create(siteId, { id: "a", name: "A", type: "light" });
  for (let i = 0; i < 10; i++) await parts.rooms.create(siteId, { name: `Room ${i}` });
  await t.rejects(parts.rooms.create(siteId, { name: "More" }), { code: /^limit_reached$/ });
  await t.rejects(parts.registry.edit(siteId, "a", { room: "More" }), { code: /^limit_reached$/ });
  t.equal((await parts.registry.edit(siteId, "a", { room: "ROOM 3" })).room, "Room 3");
});
