/** A person by their car: the register of the gate is what tells, also once a read is corrected or forgotten. */
import t from "tap";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const PLATE = "MH12AB1234";
const HOUR = 3_600_000;

t.test("a person is where their car is", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const { clock, presence } = hub;
  const { accountId, siteId } = hub.home;
  await hub.device("camera-gate", { type: "camera" });
  const facts: { readonly is: string | null; readonly announced: boolean; readonly late: boolean }[] = [];
  hub.devices.bus.on("house.presence", "test", ({ is, announced, late }) => facts.push({ is, announced, late }));
  const now = () => presence.of(siteId).map(({ is, by, since }) => ({ is, by, since }));

  await presence.choose(siteId, accountId, { plate: "mh 12 ab 1234", deviceId: null }, "session:1");
  t.same(now(), [{ is: null, by: null, since: null }], "its car has never been seen");
  const at = clock.now();
  await hub.read(PLATE, { direction: "in" });
  t.same(now(), [{ is: "home", by: "car", since: at }]);
  clock.advance(HOUR);
  const exit = await hub.read(PLATE, { direction: "out", at: clock.now() - 20_000 });
  t.same(now(), [{ is: "away", by: "car", since: clock.now() - 20_000 }]);
  t.same(facts.splice(0), [
    { is: "home", announced: true, late: false },
    { is: "away", announced: true, late: true },
  ]);

  clock.advance(HOUR);
  await hub.reads.correct(siteId, exit, "KA05MN3311", "session:1");
  t.same(now(), [{ is: "home", by: "car", since: at }], "another car had left");
  await hub.vehicles.left(siteId, PLATE, "session:1");
  t.same(now(), [{ is: "away", by: "car", since: clock.now() }], "somebody says that it left");
  await presence.say(accountId, "home");
  await hub.read(PLATE, { direction: "in", at: at - HOUR });
  t.same(now(), [{ is: "home", by: "hand", since: clock.now() }], "what is later counts");
  await hub.reads.forget(siteId, PLATE, "session:1");
  t.same(now(), [{ is: "home", by: "hand", since: clock.now() }], "a car that is forgotten says nothing");
  t.same(
    facts.map(({ is, announced }) => [is, announced]),
    [
      ["home", false],
      ["away", true],
      ["home", true],
    ],
    "a correction of what was an hour ago sets nothing off",
  );
  await hub.read(PLATE, { siteId: hub.home.testSiteId });
  t.same(now(), [{ is: "home", by: "hand", since: clock.now() }], "simulated cars move nobody");
});
