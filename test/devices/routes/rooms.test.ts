import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());

t.test("rooms come by sort with this account's devices counted; an emptied one stays", async (t) => {
  const key = await hub.key();
  await hub.device("a", { room: "Kitchen" });
  await hub.device("b", { room: "Kitchen" });
  await hub.device("c", { room: "Attic" });
  await hub.device("foreign", { room: "Cellar", siteId: hub.other.siteId });
  await hub.api.patch("/v1/devices/c", { key, json: { room: null } });
  const { status, body } = await hub.api.get("/v1/rooms", { key });
  t.equal(status, 200);
  t.match(body.rooms, [
    { name: /^Kitchen$/, icon: "room", sort: 0, deviceCount: 2 },
    { name: /^Attic$/, sort: 1, deviceCount: 0 },
  ]);
  t.equal(body.rooms.length, 2);
});
