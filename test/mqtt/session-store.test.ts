import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { DEFAULT_LIMITS } from "../../src/core/mqtt/limits.ts";
import { Persistence } from "../../src/core/mqtt/persistence.ts";
import { SessionStore } from "../../src/core/mqtt/session-store.ts";
import { MqttSubscriptionTable } from "../../src/core/mqtt/tables/mqtt-subscription.ts";
import { WriteBehind } from "../../src/core/mqtt/write-behind.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("a session holds as many subscriptions as allowed, and existing ones can still be changed", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const writes = new WriteBehind({ database, delayMs: 1, clock: new FakeClock(), logger: silentLogger });
  const sessions = new SessionStore({
    table: new MqttSubscriptionTable(database),
    writes,
    rights: { subscriptionsOf: () => 2, subscribable: (_client, filter) => filter !== "forbidden" },
  });
  t.ok(sessions.add("plug", [{ topic: "a", qos: 1 }]));
  t.notOk(sessions.add("plug", [{ topic: "forbidden", qos: 1 }]));
  t.ok(
    sessions.add("plug", [
      { topic: "b", qos: 1 },
      { topic: "c", qos: 1 },
    ]),
  );
  t.same(
    sessions.of("plug").map(({ topic }) => topic),
    ["a", "b"],
    "the third is left out",
  );
  t.ok(sessions.add("plug", [{ topic: "a", qos: 2 }]));
  t.hasStrict(sessions.of("plug"), [{ topic: "a", qos: 2 }, { topic: "b" }]);
  t.notOk(sessions.add("plug", [{ topic: "a", qos: 2 }]), "nothing has changed");
});

t.test("the subscriptions of a packet are checked once, although Aedes passes all of them for each", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  let looks = 0;
  const persistence = new Persistence({
    database,
    limits: DEFAULT_LIMITS,
    writeDelayMs: 1,
    clockTrusted: () => true,
    rights: {
      subscribable: () => {
        looks += 1;
        return true;
      },
      subscriptionsOf: () => DEFAULT_LIMITS.subscriptionsPerSession,
      receivable: () => true,
    },
    topics: { isNative: () => true },
    commands: { acknowledged: () => {} },
    clock: systemClock,
    logger: silentLogger,
  });
  const asked = ["a", "b", "c"].map((topic) => ({ topic, qos: 1 as const }));
  await Promise.all(asked.map(() => persistence.addSubscriptions({ id: "plug" }, asked)));
  t.equal(looks, 3);
  t.match(
    database.raw.prepare("SELECT topic FROM mqtt_subscription ORDER BY topic").pluck().all(),
    ["a", "b", "c"],
    "each is on disk when it resolves",
  );
  await persistence.addSubscriptions({ id: "plug" }, asked);
  t.equal(looks, 6, "a later packet is one of its own");
});
