/** What the feed says of dangers: where, once for each, when it is over, and also across a restart. */
import t, { type Test } from "tap";
import { DangerWatch } from "../../src/features/devices/danger-watch.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;

async function begin(t: Test) {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const parts = await new DeviceParts(database).start();
  let watch = new DangerWatch(parts.base, parts);
  await watch.start();
  t.teardown(async () => {
    await watch.stop();
    await parts.stop();
    await database.stop();
  });
  const add = (id: string, name: string, room: string | null, type = "sensor") =>
    parts.registry.create(siteId, { id, name, type, ...(room === null ? {} : { room }) });
  await add("sink", "Under the sink", "Kitchen");
  const settled = async (): Promise<void> => {
    await parts.settled();
    await database.write(() => {}); // what was asked for before it is written
  };
  return {
    parts,
    add,
    report: async (patch: Record<string, unknown>, id = "sink"): Promise<void> => {
      await parts.state.apply(id, patch, { source: "device", at: parts.clock.now() });
      await settled();
    },
    wait: async (ms: number): Promise<void> => {
      parts.clock.advance(ms);
      await settled();
    },
    pause: () => watch.stop(),
    restart: async (): Promise<void> => {
      await watch.stop();
      watch = new DangerWatch(parts.base, parts);
      await watch.start();
      await settled();
    },
    said: (): string[] =>
      parts.feed
        .list(siteId, { limit: 50 })
        .filter(({ kind }) => /^device\.(danger|battery)/.test(kind))
        .map(({ title, body }) => (body === "" ? title : `${title} · ${body}`))
        .reverse(),
  };
}

t.test("a leak names device and room, once, and its end when it has stayed dry for a minute", async (t) => {
  const { parts, report, wait, said } = await begin(t);
  await report({ leak: true });
  await report({ leak: true, battery: 80 });
  t.same(said(), ["Water: Under the sink, Kitchen · Close the water valve, then look."]);
  await report({ leak: false });
  await wait(30_000);
  await report({ leak: true });
  await wait(2 * MINUTE);
  t.equal(said().length, 1, "a sensor at the edge of a puddle");
  const dry = new Date(parts.clock.now()).toISOString();
  await report({ leak: false });
  await wait(59_999);
  t.equal(said().length, 1);
  await wait(1);
  t.match(said()[1], /^Dry again: Under the sink, Kitchen · Since /);
  t.equal(said().length, 2);
  t.match(parts.of("feed.added").at(-1), { kind: "device.danger_over", words: { at: dry } });
  await report({ leak: true });
  t.equal(said().length, 3, "the next one is news");
});

t.test("what is said is not said again after a restart; what ended meanwhile is", async (t) => {
  const { parts, add, report, wait, restart, said } = await begin(t);
  await add("hall", "Kitchen smoke", "Kitchen");
  await report({ leak: true });
  await report({ smoke: true }, "hall");
  await restart();
  t.same(said().length, 2);
  t.match(said()[1], /^Smoke: Kitchen smoke ·/, "the room is not said twice");
  await restart();
  await report({ leak: false });
  await restart(); // before the minute is over
  await wait(MINUTE);
  t.match(said()[2], /^Dry again/);
  t.equal(said().length, 3);
  await parts.registry.remove(parts.registry.siteOf("hall") ?? 0, "hall");
  await wait(2 * MINUTE);
  t.equal(said().length, 3, "a removed device says nothing more");
});

t.test("a danger that was there before anybody told of it is no news; its end is told", async (t) => {
  const { add, report, wait, pause, restart, said } = await begin(t);
  await add("old", "Old", null);
  await pause(); // as with a version that did not listen
  await report({ tamper: true }, "old");
  await wait(20 * MINUTE);
  await restart();
  t.same(said(), []);
  await report({ tamper: false }, "old");
  await wait(MINUTE);
  t.match(said(), [/^Over: Old/]);
});

t.test("a battery is told of once, until it was better", async (t) => {
  const { report, restart, said } = await begin(t);
  await report({ battery: 21 });
  t.same(said(), []);
  await report({ battery: 19 });
  await report({ battery: 18 });
  await restart();
  await report({ battery: 17 });
  t.same(said(), ["Battery nearly empty: Under the sink, Kitchen"]);
  await report({ battery: 100 });
  await report({ battery: 3 });
  t.equal(said().length, 2);
});
