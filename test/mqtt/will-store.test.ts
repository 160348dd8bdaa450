import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { StoredPacket } from "../../src/core/mqtt/stored-packet.ts";
import { MqttWillTable } from "../../src/core/mqtt/tables/mqtt-will.ts";
import { WillStore } from "../../src/core/mqtt/will-store.ts";
import { WriteBehind } from "../../src/core/mqtt/write-behind.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

/** A store over the file, and how many rows the pending changes have changed there. */
function newStore(database: Database): { wills: WillStore; written: () => Promise<number> } {
  const writes = new WriteBehind({ database, delayMs: 1, clock: new FakeClock(), logger: silentLogger });
  const wills = new WillStore({ table: new MqttWillTable(database), writes });
  const changes = (): number => database.raw.prepare("SELECT total_changes()").pluck().get() as number; // SQLite's count
  const written = async (): Promise<number> => {
    const before = changes();
    await writes.flush();
    return changes() - before;
  };
  wills.load();
  return { wills, written };
}

t.test("a will is written when it changes, read again by the next run, and then forgotten", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const first = newStore(database);
  const will = (more: object = {}): StoredPacket => ({
    topic: "gatehouse/plug/status",
    payload: Buffer.from([0xff, 0xfe]),
    qos: 1,
    retain: true,
    ...more,
  });
  const put = async ({ wills, written }: typeof first, packet: StoredPacket): Promise<number> => {
    wills.put("plug", packet);
    return written();
  };
  const given = will();
  t.equal(await put(first, given), 1);
  given.topic = "changed by the broker";
  t.equal(first.wills.get("plug")?.topic, "gatehouse/plug/status", "the store has its own");
  t.equal(await put(first, will()), 0, "the same once more");
  // each of these is another will, though some are equal as text
  for (const other of [{ topic: "a" }, { qos: 0 }, { retain: false }, { payload: Buffer.from([0xff, 0xfd]) }])
    t.equal(await put(first, will(other)), 1, JSON.stringify(other));
  t.equal(await put(first, will({ payload: "" })), 1);
  t.equal(await put(first, will()), 1);

  const second = newStore(database);
  t.equal(second.wills.size, 1);
  t.same([...second.wills.clients()], ["plug"]);
  t.match(second.wills.all(), [{ ...will(), clientId: /^plug$/ }]);
  t.equal(await put(second, will()), 0, "known from the file");
  t.hasStrict(second.wills.remove("plug"), { topic: "gatehouse/plug/status" });
  t.equal(await second.written(), 1);
  t.equal(second.wills.remove("plug"), undefined);
  t.equal(await second.written(), 0);
  t.equal(await put(second, will()), 1, "and the same will again is written");
  second.wills.freeze();
  t.match(second.wills.remove("plug"), { retain: true });
  t.equal(await second.written(), 0);
  t.equal(newStore(database).wills.size, 1, "frozen wills stay");
});
