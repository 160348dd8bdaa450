import t, { type Test } from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import type { Burst, BurstReading } from "../../src/core/plates/reading.ts";
import { CarPictures } from "../../src/features/sandbox/car-pictures.ts";
import { GateCamera } from "../../src/features/sandbox/gate-camera.ts";
import { DEVICES } from "../../src/features/sandbox/household.ts";
import type { HouseholdPorts, SimulatedSite } from "../../src/features/sandbox/ports.ts";
import { AWAKE_MS, Sandbox } from "../../src/features/sandbox/sandbox.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

interface World {
  parts: DeviceParts;
  sandbox: Sandbox;
  /** A second hub process on the same database. */
  again: () => Promise<World>;
  siteId: number;
  testSiteId: number;
  accountId: number;
  samples: Map<string, { at: number; data: JsonObject }[]>;
  bursts: { burst: Omit<Burst, "captureId">; reading: BurstReading; isPast: boolean }[];
  made: string[];
  /** Errors, as logged. */
  warned: object[];
}

function household(parts: DeviceParts, world: Pick<World, "samples" | "bursts" | "made">): HouseholdPorts {
  let captureId = 0;
  return {
    findDevice: (id) => parts.registry.find(id),
    beforeMaking: async () => {},
    inOneJob: (make) => parts.database.write(() => parts.registry.foundWhile(() => parts.feed.pastWhile(make))),
    makeDevice: (siteId, device) => parts.registry.insert(siteId, device),
    expectDevice: (deviceId) => parts.presence.expect(deviceId),
    ownerName: () => "Asha",
    knowOwnerByCar: () => {},
    makeScene: (siteId, scene) => void parts.scenes.insert(siteId, scene),
    makeAutomation: (_siteId, body) => void world.made.push(`automation ${String(body.name)}`),
    makePlateRule: (_siteId, rule) => {
      if (rule.kind === "deny") throw new Problem("plate_already_listed", "There is one.");
      world.made.push(`rule ${rule.plate}`);
    },
    setCamera: (_siteId, deviceId, gate) => void world.made.push(`camera ${deviceId} opens ${gate.deviceId}`),
    addSamples: (past) => {
      for (const { deviceId, samples } of past)
        world.samples.set(deviceId, [...(world.samples.get(deviceId) ?? []), ...samples]);
    },
    takeBurst: async (burst, reading) => [world.bursts.push({ burst, reading, isPast: false })],
    preparePasses: async (passes) => ({
      record: () => world.bursts.push(...passes.map(({ burst, reading }) => ({ burst, reading, isPast: true }))),
      discard: async () => {},
    }),
    nextCaptureId: () => ++captureId,
    isInside: () => false,
    addStates: () => {},
    feed: (item) => void parts.feed.record(item),
    hasRead: () => {},
  };
}

async function open(
  parts: DeviceParts,
  sites: SimulatedSite[],
  ids: { siteId: number; testSiteId: number; accountId: number },
): Promise<World> {
  await parts.start();
  const noted = {
    samples: new Map<string, { at: number; data: JsonObject }[]>(),
    bursts: [],
    made: [],
    warned: [] as object[],
  };
  const sandbox: Sandbox = new Sandbox({
    database: parts.database,
    clock: parts.clock,
    logger: {
      ...silentLogger,
      warn: (fields) => noted.warned.push(fields),
      error: (fields) => noted.warned.push(fields),
    },
    random: () => 0.5,
    household: household(parts, noted),
    devices: parts,
    telemetry: {
      ingest: async (deviceId, [sample], { at }) => {
        const list = noted.samples.get(deviceId) ?? [];
        noted.samples.set(deviceId, [...list, { at, data: sample?.data ?? {} }]);
      },
    },
    sites: () => sites,
  });
  parts.deliver = (deviceId, payload) => sandbox.deliver(deviceId, payload);
  await sandbox.start();
  await sandbox.settled();
  await parts.settled();
  const again = async (): Promise<World> => {
    await sandbox.stop();
    await parts.stop();
    return open(new DeviceParts(parts.database, parts.clock), sites, ids);
  };
  return { parts, sandbox, again, ...ids, ...noted };
}

async function begin(t: Test): Promise<World> {
  const database = await openDatabase(testFolder(t));
  const ids = seedAccount(database);
  const world = await open(
    new DeviceParts(database),
    [{ siteId: ids.testSiteId, accountId: ids.accountId, timeZone: "Asia/Kolkata", language: "en" }],
    ids,
  );
  t.teardown(async () => {
    await world.sandbox.stop();
    await world.parts.stop();
    await database.stop();
  });
  return world;
}

t.test("an account's test site has a device of every type, online, with rooms, scenes, rules and a past", async (t) => {
  const { parts, testSiteId, siteId, accountId, samples, bursts, made, warned } = await begin(t);
  const devices = parts.registry.list(testSiteId);
  t.equal(devices.length, DEVICES.length);
  for (const device of devices) {
    t.match(device.id, new RegExp(`^test-${accountId}-`));
    t.match(device, {
      online: true,
      simulated: true,
      hasPassword: false,
      firmware: String,
      manufacturer: "Gatehouse simulation",
    });
    t.ok(Object.keys(device.state).length > 0 && device.room !== null);
  }
  t.same(parts.registry.list(siteId), [], "the real household has nothing of it");
  t.ok(parts.rooms.list(testSiteId).length >= 5);
  t.same(
    parts.scenes.list(testSiteId).map(({ name }) => name),
    ["Evening", "Good night", "Away"],
  );
  t.match(warned, [{ what: "the rule for DL8CAF5031" }], "what cannot be made is left out, and logged");
  t.equal(warned.length, 1);
  t.ok(
    made.some((what) => what.startsWith("automation")) &&
      made.some((what) => what.startsWith("rule")) &&
      made.some((what) => what.startsWith("camera")),
  );
  t.equal(samples.get(`test-${accountId}-meter`)?.length, 192, "48 hours, one sample each 15 minutes");
  t.ok(bursts.length >= 6 && bursts.every(({ isPast }) => isPast));
  t.ok(parts.feed.list(testSiteId, { limit: 100 }).some(({ kind }) => kind === "scene.activated"));
});

t.test("a command acts in the same process and follows the path of real ones", async (t) => {
  const { parts, testSiteId, accountId } = await begin(t);
  const deviceId = `test-${accountId}-light`;
  await parts.commands.send({
    siteId: testSiteId,
    deviceId,
    command: '{"power":true}',
    actor: "api_key:1",
    source: "api",
  });
  parts.deliveries.length = 0;
  await parts.pass(300);
  t.equal(parts.registry.get(testSiteId, deviceId).state.power, true);
  t.hasStrict(parts.deliveries, [
    { siteId: testSiteId, event: "device.state", deviceId, data: { changed: ["power"], source: "api" } },
  ]);
  t.match(parts.commands.list(testSiteId, deviceId, { limit: 1 }), [{ status: /^delivered$/, answer: ["power"] }]);
});

t.test("a scene of the test household moves its devices", async (t) => {
  const { parts, testSiteId, accountId } = await begin(t);
  const scene = parts.scenes.list(testSiteId).find(({ name }) => name === "Good night");
  t.match(await parts.scenes.activate(testSiteId, scene?.id ?? 0, "scene"), { sent: 7, skipped: [] });
  await parts.pass(12_000);
  t.equal(parts.registry.get(testSiteId, `test-${accountId}-plug`).state.watts, 0);
  t.equal(parts.registry.get(testSiteId, `test-${accountId}-cover`).state.position, 0);
});

t.test("a picture on command becomes a burst with a drawn car and its reading", async (t) => {
  const { parts, testSiteId, accountId, bursts } = await begin(t);
  bursts.length = 0;
  const deviceId = `test-${accountId}-camera`;
  await parts.commands.send({ siteId: testSiteId, deviceId, command: '{"capture":true}', actor: "x", source: "api" });
  parts.clock.advance(300);
  for (let tries = 0; bursts.length === 0 && tries < 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10)); // sharp draws in another thread
  t.hasStrict(bursts, [
    {
      isPast: false,
      burst: { deviceId, trigger: "manual" },
      reading: { vehicles: [{ analysis: { status: "recognised" } }] },
    },
  ]);
  t.equal(bursts[0]?.burst.frames[0]?.[0], 0xff, "a JPEG");
});

t.test("however many pictures are requested at once, one thread draws, and the excess is dropped", async (t) => {
  const { parts } = await begin(t);
  const reported: (string | null)[] = [];
  const camera = new GateCamera({
    clock: parts.clock,
    random: () => 0.5,
    hourAt: () => 12,
    pictures: new CarPictures(),
    ports: {
      nextCaptureId: () => 1,
      takeBurst: async ({ frames }, { vehicles }) => {
        t.equal(frames[0]?.[0], 0xff, "a JPEG");
        reported.push(vehicles[0]?.analysis.plate ?? null);
        return [];
      },
    },
  });
  const draw = camera.draw.bind(camera);
  const drawings: number[] = [];
  let underWay = 0;
  camera.draw = async (passages) => {
    underWay += 1;
    t.equal(underWay, 1, "one at a time");
    drawings.push(passages.length);
    const pictures = await draw(passages);
    underWay -= 1;
    return pictures;
  };
  const plates = Array.from({ length: 60 }, (_, index) => `MH12AB${1001 + index}`);
  await Promise.all(
    plates.map((plate) => camera.see("camera", { plate, direction: "in", trigger: "manual", at: parts.clock.now() })),
  );
  t.same(drawings, [1, 50]);
  t.same(reported, plates.slice(0, 51));
});

t.test("without viewers time stands still and nothing is written; woken, it fills in the time it slept", async (t) => {
  const { parts, sandbox, testSiteId, accountId, samples } = await begin(t);
  const meter = samples.get(`test-${accountId}-meter`) ?? [];
  await parts.pass(60_000);
  const { jobs } = parts.database.figures;
  parts.clock.advance(5 * 3_600_000);
  t.equal(parts.database.figures.jobs, jobs);
  sandbox.wake(testSiteId);
  await sandbox.settled();
  t.equal((samples.get(`test-${accountId}-meter`)?.length ?? 0) - meter.length, 21, "five hours of quarters");
  const before = samples.get(`test-${accountId}-meter`)?.length ?? 0;
  await parts.pass(AWAKE_MS - 1);
  const lived = (samples.get(`test-${accountId}-meter`)?.length ?? 0) - before;
  t.ok(lived >= 9 && lived <= 10, `${lived} samples while awake`);
  await parts.pass(3_600_000);
  t.ok((samples.get(`test-${accountId}-meter`)?.length ?? 0) - before <= 10, "asleep again");
  sandbox.wake(999);
});

t.test("a second start makes nothing twice, notifies no one, and devices are as they were", async (t) => {
  const first = await begin(t);
  const { parts, testSiteId, accountId } = first;
  await parts.commands.send({
    siteId: testSiteId,
    deviceId: `test-${accountId}-dimmer`,
    command: '{"brightness":17}',
    actor: "x",
    source: "api",
  });
  await parts.pass(400);
  await parts.registry.remove(testSiteId, `test-${accountId}-fan`);
  const feed = parts.feed.list(testSiteId, { limit: 500 }).length;
  const second = await first.again();
  t.teardown(async () => {
    await second.sandbox.stop();
    await second.parts.stop();
  });
  t.equal(second.parts.scenes.list(testSiteId).length, 3);
  t.same([second.made, second.bursts, [...second.samples], second.warned], [[], [], [], []]);
  t.ok(second.parts.registry.get(testSiteId, `test-${accountId}-fan`).online, "missing parts are made again");
  t.match(second.parts.registry.get(testSiteId, `test-${accountId}-dimmer`).state, { power: true, brightness: 17 });
  t.same(second.parts.titles(testSiteId).slice(0, -feed), ["Bedroom fan is online", "Bedroom fan added"]);
  t.same(new Set(second.parts.deliveries.map(({ deviceId }) => deviceId)), new Set([`test-${accountId}-fan`]));
});

t.test("an account made later gets a household of its own", async (t) => {
  const { parts, sandbox, testSiteId } = await begin(t);
  const other = seedAccount(parts.database, "other@example.org");
  sandbox.add({ siteId: other.testSiteId, accountId: other.accountId, timeZone: "UTC", language: "en" });
  await sandbox.settled();
  t.equal(parts.registry.list(other.testSiteId).length, DEVICES.length);
  t.equal(parts.registry.list(testSiteId).length, DEVICES.length);
  t.ok(sandbox.has(`test-${other.accountId}-gate`));
  t.notOk(sandbox.has("gate"));
});

t.test("nothing is invented for a real device with the id of a simulated one", async (t) => {
  const { parts, sandbox, samples, bursts } = await begin(t);
  const other = seedAccount(parts.database, "other@example.org");
  const prefix = `test-${other.accountId}-`;
  samples.clear();
  bursts.length = 0;
  for (const [id, type] of [
    ["meter", "energy-meter"],
    ["camera", "camera"],
  ] as const)
    await parts.registry.create(other.siteId, { id: prefix + id, name: id, type });
  sandbox.add({ siteId: other.testSiteId, accountId: other.accountId, timeZone: "UTC", language: "en" });
  await sandbox.settled();
  t.ok(samples.has(`${prefix}thermostat`), "the others have their past");
  t.notOk(samples.has(`${prefix}meter`));
  t.same(bursts, [], "no vehicle has passed the real camera");
});
