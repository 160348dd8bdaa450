import t from "tap";
import { silentLogger } from "../../src/kernel/logger.js";
import { SessionStore } from "../../src/mqtt/session-store.js";
import { WriteBehind } from "../../src/mqtt/write-behind.js";
import { MqttSubscriptionTable } from "../../src/storage/tables/mqtt-subscription.js";
import { openDatabase } from "../support/database.js";
import { FakeClock } from "../support/fake-clock.js";

t.test("a session holds as many subscriptions as it may, and what it holds can still be changed", async (t) => {
  const database = await openDatabase(t.testdir());
  t.teardown(() => database.stop());
  const writes = new WriteBehind({
    write: (job) => database.write(job),
    delayMs: 1,
    clock: new FakeClock(),
    logger: silentLogger,
  });
  const sessions = new SessionStore({
    table: new MqttSubscriptionTable(database),
    writes,
    maxPerSession: () => 2,
    allowed: (_client, filter) => filter !== "forbidden",
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
  t.match(sessions.of("plug"), [{ topic: "a", qos: 2 }, { topic: "b" }]);
  t.notOk(sessions.add("plug", [{ topic: "a", qos: 2 }]), "nothing has changed");
});
