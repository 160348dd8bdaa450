import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import type { BridgeClient } from "../../src/features/bridge/client.ts";
import { BridgeClientAccess, type ClientMessage } from "../../src/features/bridge/client-access.ts";
import { ExpectedDevices } from "../../src/features/bridge/expected-devices.ts";
import { LearnedMemory } from "../../src/features/bridge/memory.ts";
import { ForeignPlates } from "../../src/features/bridge/plates.ts";
import { BridgeClientTable } from "../../src/features/bridge/tables/bridge-client.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const name = (username: string) => ({ username, mqttClientId: "c" });
const message = (topic: string): ClientMessage => ({ topic, payload: Buffer.from("x"), durable: true });

function access() {
  const world = { window: null as number | null, may: true };
  const calls: string[] = [];
  const client = (username: string, id: number, status: BridgeClient["status"]) =>
    ({ id, username, status }) as BridgeClient;
  const known = new Map(
    [client("old", 1, "accepted"), client("new", 2, "pending"), client("bad", 3, "refused")].map((one) => [
      one.username,
      one,
    ]),
  );
  const clients = {
    find: (username: string) => known.get(username) ?? null,
    get pairingUntil() {
      return world.window;
    },
    refusal: ({ username }: { username: string }) => (username === "old" ? null : "no"),
    left: (username: string) => void calls.push(`${username} left`),
    showed: () => {},
  };
  const named = (id: number): string => [...known.values()].find((one) => one.id === id)?.username ?? "";
  const side = new BridgeClientAccess({
    clients,
    waiting: {
      heard: (id, topic) => {
        calls.push(`${named(id)} announced ${topic}`);
        return null;
      },
    },
    bridge: {
      rights: {
        mayAnnounce: (topic) => topic === "announce",
        mayPublish: (id) => id === 1 && world.may,
        mayHear: (id) => id === 1 && world.may,
        maySubscribe: (id) => id === 1 && world.may,
        isHeld: () => false,
        holds: () => false,
      },
      message: async ({ speaker, topic }) => void calls.push(`${named(speaker?.client ?? 0)} said ${topic}`),
      refused: (id, topic) => void calls.push(`${named(id)} refused ${topic}`),
      early: (id, topic) => calls.push(`${named(id)} early ${topic}`) > 0,
      attached: (id = 0) => void calls.push(`${named(id)} attached`),
      detached: ({ client }) => void calls.push(`${named(client)} detached`),
      isLarge: (topic) => topic === "large",
    },
  });
  return { world, calls, side };
}

t.test(
  "an accepted client may do what its rights allow, a waiting one only announce itself, any other nothing",
  async (t) => {
    const { world, calls, side } = access();
    const may = (username: string, topic = "x") => side.mayPublish(name(username), topic);
    t.same([may("old"), may("new", "announce"), may("bad"), may("nobody")], [true, false, false, false]);
    world.window = 5;
    t.same(
      [may("new", "announce"), may("new"), may("bad", "announce"), may("nobody", "announce")],
      [true, false, false, false],
    );
    t.same(calls, []);
    const others = ["old", "new", "bad", "nobody"];
    t.same(
      others.map((who) => side.maySubscribe(name(who), "#")),
      [true, false, false, false],
    );
    t.same(
      others.map((who) => side.mayReceive(name(who), "x")),
      [true, false, false, false],
    );
    t.same(
      others.map((who) => side.isWaiting(name(who))),
      [false, true, true, true],
    );
    t.same(
      others.map((who) => side.keepEarly(name(who), "e", Buffer.alloc(1))),
      [true, false, false, false],
    );
    t.same(calls.splice(0), ["old early e"]);
    world.may = false;
    t.same([may("old"), side.maySubscribe(name("old"), "#"), side.mayReceive(name("old"), "x")], [false, false, false]);
    t.same(calls.splice(0), ["old refused x"], "the owner is notified of what it tried to publish");
    for (const who of others) await side.message(name(who), message("m"));
    t.same(calls, ["old said m", "new announced m"]);
    t.same([side.isLarge("large"), side.isLarge("x")], [true, false]);
    t.equal(side.admit({ ...name("old"), password: "", address: "" }), null);
    t.equal(side.admit({ ...name("new"), password: "", address: "" }), "no");
  },
);

t.test("a client is connected while one of its connections is", async (t) => {
  const { calls, side } = access();
  side.connected(name("old"));
  side.connected(name("old"));
  side.connected(name("new"));
  t.same(calls.splice(0), ["old attached", "old attached"]);
  side.disconnected(name("old"));
  t.same([side.isConnected("old"), side.isConnected("new"), side.isConnected("bad")], [true, true, false]);
  side.disconnected(name("old"));
  side.disconnected(name("new"));
  t.same([side.isConnected("old"), side.isConnected("new")], [false, false]);
  t.same(calls, ["old left", "old detached", "old left", "old detached", "new left"]);
});

t.test("the last eight topics of a client are shown, the latest first, for two thousand clients", async (t) => {
  const { side } = access();
  for (let n = 0; n < 9; n++) await side.message(name("old"), message(`t${n}`));
  t.same(side.topicsOf("old"), ["t8", "t7", "t6", "t5", "t4", "t3", "t2", "t1"]);
  await side.message(name("old"), message("t3"));
  t.same(side.topicsOf("old").slice(0, 2), ["t3", "t8"], "one that is used again is the latest");
  t.equal(side.topicsOf("old").length, 8);
  t.same(side.topicsOf("nobody"), []);
  await side.message(name("bad"), message("t"));
  t.same(side.topicsOf("bad"), []);
});

t.test(
  "a plate from another system comes as a burst with a known reading, and again only if it is better",
  async (t) => {
    const clock = new FakeClock();
    const taken: { at: number; isFresh: boolean; confidence: number | null; plate: string | null }[] = [];
    let captures = 0;
    const plates = new ForeignPlates({
      gate: {
        nextCaptureId: () => ++captures,
        take: async ({ burst, opensUntilMono, reading: known }) => {
          const reading = await known;
          const isFresh = clock.mono() <= opensUntilMono;
          const [vehicle] = reading?.vehicles ?? [];
          taken.push({
            at: burst.at,
            isFresh,
            plate: vehicle?.analysis.plate ?? null,
            confidence: vehicle?.analysis.confidence ?? null,
          });
          t.match(reading, {
            samples: 1,
            reason: vehicle === undefined ? "invalid_format" : null,
            unread: { length: vehicle === undefined ? 1 : 0 },
          });
          t.match(burst, { captureId: captures, trigger: "motion", direction: null, frames: [] });
          return [];
        },
      },
      countries: Countries.all,
      clock,
    });
    const take = async (more: object = {}, deviceId = "eye") => {
      taken.length = 0;
      await plates.take(deviceId, { text: "MH12AB1234", confidence: 0.5, at: clock.now(), eventId: "e", ...more });
      return taken[0] ?? null;
    };
    t.match(await take(), { plate: /^MH12AB1234$/, isFresh: true, at: clock.now(), confidence: 50 });
    t.equal(await take(), null);
    t.equal(await take({ confidence: 0.4 }), null);
    t.match(await take({ confidence: 0.6 }), { confidence: 60 });
    t.match(await take({ eventId: "f" }), { confidence: 50 }, "another vehicle's event");
    t.match(await take({}, "eye-2"), { confidence: 50 }, "another camera's");
    t.hasStrict(await take({ text: "MH12AB1235" }), { plate: "MH12AB1235" }, "another plate");
    t.match(await take({ eventId: "g", text: "??" }), { plate: null, confidence: null });
    t.match(await take({ eventId: "h", confidence: 7 }), { confidence: 100 });
    t.match(await take({ eventId: "i", confidence: -1 }), { confidence: 0 });
    const [fresh, late, week] = [clock.now() - 30_000, clock.now() - 30_001, clock.now() - 7 * 86_400_000];
    t.match(await take({ eventId: "j", at: fresh }), { at: fresh, isFresh: true });
    t.match(await take({ eventId: "k", at: late }), { at: late, isFresh: false });
    t.match(await take({ eventId: "l", at: week + 1 }), { at: week + 1 });
    t.match(await take({ eventId: "m", at: week }), { at: clock.now(), isFresh: false }, "a clock that is wrong");
    t.match(await take({ eventId: "n", at: clock.now() + 5_000 }), { at: clock.now() }, "never in the future");
    await take({ eventId: "o" });
    clock.advance(120_000);
    t.match(await take({ eventId: "o", confidence: 0.6 }), { isFresh: true });
    clock.advance(1);
    t.match(await take({ eventId: "o", confidence: 0.7 }), { isFresh: false }, "it had its gate");
    for (let n = 0; n < 500; n++) await take({ eventId: `many ${n}` });
    t.not(await take(), null, "500 events are remembered");
  },
);

t.test("a device named by a document belongs to its client, in a family it has, and only once", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const expected: object[] = [];
  const devices = new ExpectedDevices(database, { expect: (device) => void expected.push(device) });
  const row = (id: number, username: string, status: "accepted" | "pending", family: string | null, families = "") => ({
    id,
    username,
    passwordHash: "",
    name: username,
    family,
    families,
    status,
    origin: "made" as const,
    mqttClientId: null,
    address: null,
    firstSeen: null,
    lastSeen: null,
  });
  const clients = new BridgeClientTable(database);
  await database.write(() => {
    clients.put(row(1, "boiler", "accepted", "tasmota", "frigate"));
    clients.put(row(2, "waits", "pending", "tasmota"));
    clients.put(row(3, "other", "accepted", null, "tasmota"));
  });
  const put = (deviceId: string, more: object = {}) =>
    database.write(() =>
      devices.put(deviceId, { client: "boiler", family: "tasmota", key: "k1", hardware: ["aa"], ...more }),
    );
  for (const [what, attempt] of [
    ["nobody's", put("d", { client: "nobody" })],
    ["one that waits", put("d", { client: "waits" })],
    ["a family that it does not have", put("d", { family: "zigbee2mqtt" })],
  ] as const)
    await t.rejects(attempt, { code: /^invalid_body$/ }, what);
  t.equal(await put("plug"), true);
  t.same(expected, [{ family: "tasmota", key: "k1", deviceId: "plug", client: 1, hardware: ["aa"] }]);
  t.equal(await put("plug"), false, "the same again");
  await t.rejects(put("plug", { client: "other" }), { code: /^conflict$/ }, "another client's");
  await t.rejects(put("fan"), { code: /^conflict$/ }, "another device of the hub");
  await t.rejects(put("plug", { key: "k2" }), { code: /^conflict$/ }, "the device is already a different one");
  t.equal(await put("eye", { family: "frigate", key: "e" }), true);
  t.equal(await put("ha", { family: "homeassistant", key: "h" }), true, "what goes with its make");
  t.equal(await put("site", { client: null, key: "s" }), true, "the site's own broker has every make");
  t.equal(expected.length, 4);
  t.same(
    [...devices.origins()].map(([id, { client, family, key, hardware }]) => [id, client, family, key, hardware]).sort(),
    [
      ["eye", "boiler", "frigate", "e", ["aa"]],
      ["ha", "boiler", "homeassistant", "h", ["aa"]],
      ["plug", "boiler", "tasmota", "k1", ["aa"]],
      ["site", null, "tasmota", "s", ["aa"]],
    ],
  );
  const memory = new LearnedMemory({ database, logger: silentLogger });
  t.same(
    memory.devices().map(({ bindingState }) => bindingState),
    ["expected", "expected", "expected", "expected"],
  );
  await memory.save({
    devices: memory.devices().map((one) => ({ ...one, bindingState: one.deviceId === "eye" ? "removed" : "bound" })),
    forgotten: [],
    meters: [
      { deviceId: "plug", metric: "kwh", meter: { offset: 1 } as never },
      { deviceId: "plug", metric: "kwh2", meter: { offset: 2 } as never },
      { deviceId: "site", metric: "kwh", meter: { offset: 3 } as never },
    ],
    forgottenMeters: [],
  });
  t.equal(devices.origins().has("eye"), false, "one that was removed");
  t.equal(devices.origins().size, 3);
  t.same([...(memory.meters().get("plug")?.keys() ?? [])], ["kwh", "kwh2"]);
  await memory.save({ devices: [], forgotten: [], meters: [], forgottenMeters: ["plug"] });
  t.same([...memory.meters().keys()], ["site"]);
  database.raw.exec("UPDATE bridge_device SET memo = 'broken' WHERE device_id = 'plug'");
  database.raw.exec("UPDATE bridge_counter SET meter = '7'");
  t.equal(memory.devices().length, 3, "a damaged row is left out");
  t.same([...memory.meters().keys()], []);
  await database.write(() => clients.put(row(1, "boiler", "pending", "tasmota")));
  t.same([...devices.origins().keys()], ["site"], "without those whose client is no longer accepted");
});
