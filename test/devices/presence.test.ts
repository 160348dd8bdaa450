import t, { type Test } from "tap";
import { DAMPING_MS, GRACE_MS, LAST_SEEN_WRITE_MS } from "../../src/devices/presence.js";
import { openDatabase, seedAccount } from "../support/database.js";
import { DeviceHalf } from "../support/device-half.js";

interface Begin {
  half: DeviceHalf;
  siteId: number;
  /** `online`, `offline:reason` as webhooks were told. */
  told: (half?: DeviceHalf) => string[];
}

async function begin(t: Test): Promise<Begin> {
  const database = await openDatabase(t.testdir());
  const { siteId } = seedAccount(database);
  const half = await new DeviceHalf(database).start();
  await half.registry.create(siteId, { id: "d", name: "D", type: "light" });
  t.teardown(async () => {
    await half.stop();
    await database.stop();
  });
  const told = (from = half): string[] => from.deliveries.map(({ event, data }) => (event === "device.online" ? "online" : `offline:${String(data.reason)}`));
  return { half, siteId, told };
}

const HOUR = 3_600_000;

/** What happens to a device, and what people are told of it. */
const TABLE: { name: string; steps: (half: DeviceHalf) => Promise<void>; told: string[]; online: boolean }[] = [
  { name: "a first session is told", steps: async ({ presence }) => presence.connected("d"), told: ["online"], online: true },
  {
    name: "a dropped session is told after the damping time",
    steps: async (half) => {
      half.presence.connected("d");
      half.presence.disconnected("d", "disconnect");
      await half.pass(DAMPING_MS);
    },
    told: ["online", "offline:disconnect"],
    online: false,
  },
  {
    name: "a reconnect inside the damping time is told to nobody",
    steps: async (half) => {
      half.presence.connected("d");
      for (let i = 0; i < 5; i++) {
        half.presence.disconnected("d", "keepalive");
        await half.pass(DAMPING_MS - 1);
        half.presence.connected("d");
        await half.pass(1_000);
      }
    },
    told: ["online"],
    online: true,
  },
  {
    name: "of several reasons for one absence the strongest is told",
    steps: async (half) => {
      half.presence.connected("d");
      half.presence.disconnected("d", "keepalive");
      await half.presence.status("d", { status: "offline" });
      await half.pass(DAMPING_MS);
    },
    told: ["online", "offline:keepalive"],
    online: false,
  },
  {
    name: "a will is a reason of its own",
    steps: async (half) => {
      half.presence.connected("d");
      half.presence.disconnected("d", "disconnect");
      await half.presence.status("d", { status: "offline" });
      await half.pass(DAMPING_MS);
    },
    told: ["online", "offline:will"],
    online: false,
  },
  {
    name: "a device that says goodbye in its session is offline",
    steps: async (half) => {
      half.presence.connected("d");
      await half.presence.status("d", { status: "offline" });
      await half.pass(DAMPING_MS);
    },
    told: ["online", "offline:disconnect"],
    online: false,
  },
  {
    name: "the will of an old session does not outlast the next message of the new one",
    steps: async (half) => {
      half.presence.connected("d");
      half.presence.connected("d");
      half.presence.disconnected("d", "disconnect");
      await half.presence.status("d", { status: "offline" });
      half.presence.seen("d");
      await half.pass(10 * DAMPING_MS);
    },
    told: ["online"],
    online: true,
  },
  {
    name: "with two sessions the device is there until both are gone",
    steps: async (half) => {
      half.presence.connected("d");
      half.presence.connected("d");
      half.presence.disconnected("d", "disconnect");
      await half.pass(HOUR);
    },
    told: ["online"],
    online: true,
  },
  {
    name: "a message handled after its session ended does not bring the device back",
    steps: async (half) => {
      half.presence.connected("d");
      half.presence.disconnected("d", "disconnect");
      half.presence.seen("d", { watts: 1 });
      await half.pass(DAMPING_MS);
      half.presence.seen("d");
    },
    told: ["online", "offline:disconnect"],
    online: false,
  },
  {
    name: "a bridged device is there when it speaks, and gone when its bridge says so",
    steps: async (half) => {
      half.presence.seen("d");
      await half.presence.status("d", { status: "offline" });
      await half.pass(DAMPING_MS);
      half.presence.seen("d");
    },
    told: ["online", "offline:will"],
    online: false,
  },
  {
    name: "a bridged device comes back by its bridge's word",
    steps: async (half) => {
      await half.presence.status("d", { status: "online" });
      await half.presence.status("d", { status: "offline" });
      await half.pass(DAMPING_MS);
      await half.presence.status("d", { status: "online" });
    },
    told: ["online", "offline:will", "online"],
    online: true,
  },
  {
    name: "a sleeping device stays online for 25 hours",
    steps: async (half) => {
      half.presence.connected("d");
      await half.presence.status("d", { status: "online", interval: 600 });
      half.presence.disconnected("d", "disconnect");
      await half.presence.status("d", { status: "offline" });
      await half.pass(24.9 * HOUR);
    },
    told: ["online"],
    online: true,
  },
  {
    name: "a sleeping device that stays silent longer is offline",
    steps: async (half) => {
      half.presence.connected("d");
      await half.presence.status("d", { status: "online", interval: 600 });
      half.presence.disconnected("d", "disconnect");
      await half.pass(25.1 * HOUR);
    },
    told: ["online", "offline:keepalive"],
    online: false,
  },
  {
    name: "a device that sleeps for a day has three days",
    steps: async (half) => {
      half.presence.connected("d");
      await half.presence.status("d", { status: "online", interval: 86_400 });
      half.presence.disconnected("d", "disconnect");
      await half.pass(71 * HOUR);
      half.presence.seen("d");
      await half.pass(71 * HOUR);
    },
    told: ["online"],
    online: true,
  },
];

for (const { name, steps, told, online } of TABLE) {
  t.test(name, async (t) => {
    const begun = await begin(t);
    await steps(begun.half);
    await begun.half.settled();
    t.same(begun.told(), told);
    t.equal(begun.half.registry.get(begun.siteId, "d").online, online);
    const announced = begun.half.of("device.presence").filter((fact) => fact.announced);
    t.same(
      announced.map((fact) => fact.online),
      told.map((word) => word === "online"),
      "the bus hears the same",
    );
    const feed = begun.half.feed.list(begun.siteId, { limit: 50 }).filter((item) => item.kind !== "device.added" && item.kind !== "device.firmware");
    t.same(
      feed.map((item) => item.kind).reverse(),
      told.map((word) => `device.${word.split(":")[0]}`),
      "and so does the feed",
    );
  });
}

t.test("absence shows at once, before it is announced", async (t) => {
  const { half, siteId } = await begin(t);
  half.presence.connected("d");
  await half.settled();
  const version = half.registry.version(siteId);
  half.presence.disconnected("d", "disconnect");
  t.equal(half.registry.get(siteId, "d").online, false);
  t.ok(half.registry.version(siteId) > version);
  t.match(half.of("device.presence").at(-1), { online: false, announced: false });
});

t.test("after a restart nothing is told of devices that come back as they were", async (t) => {
  const { half, siteId, told } = await begin(t);
  await half.registry.create(siteId, { id: "gone", name: "Gone", type: "light" });
  await half.registry.create(siteId, { id: "never", name: "Never", type: "light" });
  half.presence.connected("d");
  half.presence.connected("gone");
  await half.settled();
  await half.stop();
  half.presence.disconnected("d", "disconnect");
  const again = await new DeviceHalf(half.database, half.clock).start();
  t.teardown(() => again.stop());
  t.equal(again.registry.get(siteId, "d").online, true, "believed until shown otherwise");
  await again.pass(GRACE_MS / 2);
  again.presence.connected("d");
  await again.pass(GRACE_MS / 2 - 1);
  t.same(told(again), []);
  await again.pass(1);
  t.same(
    again.deliveries.map(({ event, deviceId }) => [event, deviceId]),
    [["device.offline", "gone"]],
    "only who did not come back",
  );
});

t.test("a sleeping device's silence goes on counting over a restart", async (t) => {
  const { half } = await begin(t);
  half.presence.connected("d");
  await half.presence.status("d", { status: "online", interval: 60 });
  half.presence.disconnected("d", "disconnect");
  await half.settled();
  await half.stop();
  half.clock.advance(20 * HOUR);
  const again = await new DeviceHalf(half.database, half.clock).start();
  t.teardown(() => again.stop());
  await again.pass(4 * HOUR);
  t.equal(again.deliveries.length, 0);
  await again.pass(2 * HOUR);
  t.match(again.deliveries, [{ event: "device.offline", data: { reason: "keepalive" } }]);
});

t.test("last-seen times are written in batches and at the stop, never per message", async (t) => {
  const { half, siteId } = await begin(t);
  half.presence.connected("d");
  await half.settled();
  const { jobs } = half.database.figures;
  for (let i = 0; i < 1_000; i++) half.presence.seen("d", { watts: i });
  half.clock.advance(5_000);
  half.presence.seen("d", { battery: 44 });
  t.equal(half.database.figures.jobs, jobs);
  half.clock.advance(LAST_SEEN_WRITE_MS);
  await half.settled();
  t.equal(half.database.figures.jobs, jobs + 2, "one for the batch, one for waiting in this test");
  const stored = (): unknown => half.database.raw.prepare("SELECT last_seen, battery FROM device WHERE id = 'd'").get();
  t.same(stored(), { last_seen: half.clock.now() - LAST_SEEN_WRITE_MS, battery: 44 });
  half.presence.seen("d");
  await half.presence.stop();
  t.same(stored(), { last_seen: half.registry.get(siteId, "d").lastSeen, battery: 44 });
});

t.test("on a full disk presence is still told to automations", async (t) => {
  const { half } = await begin(t);
  half.presence.connected("d");
  await half.settled();
  half.database.raw.pragma("query_only = 1");
  half.presence.disconnected("d", "disconnect");
  half.clock.advance(DAMPING_MS);
  await half.database.write(() => {}).catch(() => {});
  half.database.raw.pragma("query_only = 0");
  t.match(half.of("device.presence").at(-1), { online: false, announced: true });
});
