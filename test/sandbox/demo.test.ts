import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Facts } from "../../src/core/api/facts.ts";
import type { FeedKind } from "../../src/core/api/feed-kinds.ts";
import { topicOf } from "../../src/core/api/notification-topics.ts";
import { systemClock } from "../../src/core/kernel/clock.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Broker } from "../../src/core/mqtt/broker.ts";
import { DEFAULT_LIMITS } from "../../src/core/mqtt/limits.ts";
import type { Burst } from "../../src/core/plates/reading.ts";
import type { Language } from "../../src/core/text/render.ts";
import { CarPictures } from "../../src/features/sandbox/car-pictures.ts";
import { Demo } from "../../src/features/sandbox/demo.ts";
import { DEVICES } from "../../src/features/sandbox/household.ts";
import { drawCar } from "../../src/features/sandbox/plate-picture.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

interface World {
  parts: DeviceParts<typeof systemClock>;
  siteId: number;
  samples: Map<string, number>;
  frames: { deviceId: string; bytes: number }[];
  captures: JsonObject[];
  bursts: { burst: Omit<Burst, "captureId">; isPast: boolean }[];
  /** Since when the owner lives here, and until when they have read what happened. */
  read: [since: number, until: number][];
  demo: (photosFolder: string | null, pictures?: CarPictures) => Demo;
}

async function begin(t: Test, language: Language = "en"): Promise<World> {
  const database = await openDatabase(testFolder(t));
  const { siteId, accountId } = seedAccount(database);
  const parts = await new DeviceParts(database, systemClock).start();
  const noted = {
    samples: new Map<string, number>(),
    frames: [] as World["frames"],
    captures: [] as JsonObject[],
    bursts: [] as World["bursts"],
    read: [] as World["read"],
  };
  const count = (deviceId: string, more: number): void =>
    void noted.samples.set(deviceId, (noted.samples.get(deviceId) ?? 0) + more);
  const { presence, state, events, registry, commands, scenes, feed } = parts;
  const broker = new Broker({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    topicRoot: "gatehouse",
    limits: DEFAULT_LIMITS,
    database,
    authenticate: (id, password) => {
      const device = registry.authenticate(id, password);
      return device === null ? null : { deviceId: device.id, siteId: device.siteId, type: device.type };
    },
    handlers: {
      connected: (deviceId) => presence.connected(deviceId),
      disconnected: (deviceId, reason) => presence.disconnected(deviceId, reason),
      status: (deviceId, status) => presence.status(deviceId, status),
      info: (deviceId, info) => state.info(deviceId, info),
      state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: systemClock.now() }),
      telemetry: async (deviceId, messages) => count(deviceId, messages.length),
      event: (deviceId, event) => events.record(deviceId, { ...event }, systemClock.now()),
      frame: async (deviceId, _captureId, _n, jpeg) => void noted.frames.push({ deviceId, bytes: jpeg.length }),
      captureDone: async (_deviceId, _captureId, done) => void noted.captures.push({ ...done }),
    },
    results: commands,
    clockTrusted: () => true,
    clock: systemClock,
    logger: silentLogger,
  });
  await broker.start();
  parts.deliver = (deviceId, payload, ttlMs) => broker.publishCommand(deviceId, payload, ttlMs);
  t.teardown(async () => {
    await broker.stop();
    await parts.stop();
    await database.stop();
  });
  let captureId = 0;
  const demo = (photosFolder: string | null, pictures = new CarPictures()): Demo =>
    new Demo({
      database,
      clock: systemClock,
      logger: silentLogger,
      random: () => 0.5,
      ports: {
        findDevice: (id) => registry.find(id),
        beforeMaking: async () => {},
        inOneJob: (make) => database.write(() => registry.foundWhile(() => feed.pastWhile(make))),
        makeDevice: (site, device) => registry.insert(site, device),
        expectDevice: (id) => database.committed(() => presence.expect(id)),
        ownerName: () => "Asha",
        knowOwnerByCar: () => {},
        makeScene: (site, scene) => void scenes.insert(site, scene),
        makeAutomation: () => {},
        makePlateRule: () => {},
        setCamera: () => {},
        addSamples: (past) => {
          for (const { deviceId, samples } of past) count(deviceId, samples.length);
        },
        preparePasses: async (passes) => ({
          record: () => noted.bursts.push(...passes.map(({ burst }) => ({ burst, isPast: true }))),
          discard: async () => {},
        }),
        takeBurst: async (burst) => [noted.bursts.push({ burst, isPast: false })],
        nextCaptureId: () => ++captureId,
        isInside: () => false,
        addStates: () => {},
        feed: (item) => void feed.record(item),
        hasRead: (_site, since, until) => void noted.read.push([since, until]),
      },
      registry,
      site: { siteId, accountId, timeZone: "Asia/Kolkata", language },
      brokerUrl: `mqtt://127.0.0.1:${broker.port}`,
      topicRoot: "gatehouse",
      speed: 60,
      photosFolder,
      pictures,
    });
  return { parts, siteId, demo, ...noted };
}

/** Resolves with the first fact of that kind that satisfies `check`. */
function fact<Kind extends keyof Facts>(
  parts: World["parts"],
  kind: Kind,
  check: (fact: Facts[Kind]) => boolean,
): Promise<Facts[Kind]> {
  return new Promise((resolve) => {
    const stop = parts.bus.on(kind, "wait", (found) => {
      if (!check(found)) return;
      stop();
      resolve(found);
    });
  });
}

t.test("the demo's devices really connect, live, obey, and leave; a second start adds nothing", async (t) => {
  const { parts, siteId, demo, samples, frames, captures, bursts } = await begin(t);
  const photos = join(t.testdirName, "photos"); // a second testFolder(t) would remove the database
  mkdirSync(join(photos, "deeper"), { recursive: true });
  writeFileSync(join(photos, "deeper", "car.JPG"), await drawCar("MH12AB1234", false));
  writeFileSync(join(photos, "notes.txt"), "no picture");
  const first = demo(photos);
  await first.start();
  await first.ready();

  const devices = parts.registry.list(siteId);
  t.equal(devices.length, DEVICES.length);
  for (const device of devices) {
    t.match(device, { online: true, simulated: false, hasPassword: true, manufacturer: "Gatehouse simulation" });
    t.ok(Object.keys(device.state).length > 0, `${device.id} reported its state`);
  }
  t.ok((samples.get("demo-meter") ?? 0) >= 2016, "two weeks of samples");
  t.ok(bursts.length > 60 && bursts.every(({ isPast }) => isPast), `${bursts.length} passages in the past`);
  t.ok(parts.feed.list(siteId, { limit: 500 }).some(({ at }) => at < systemClock.now() - 12 * 86_400_000));
  t.equal(parts.scenes.list(siteId).length, 3);
  const hours = parts.feed
    .list(siteId, { limit: 500 })
    .filter(({ kind }) => kind === "scene.activated")
    .map(({ at }) => (at / 3_600_000 + 5.5) % 24);
  t.ok(hours.length > 20 && hours.every((hour) => hour > 18.6 && hour < 23), "evenings are those of the house's zone");

  const opened = fact(
    parts,
    "device.changed",
    ({ deviceId, state }) => deviceId === "demo-gate" && state.position === "open",
  );
  const captured = fact(
    parts,
    "device.changed",
    ({ deviceId, state }) => deviceId === "demo-camera" && state.recording === false,
  );
  const { commandId } = await parts.commands.send({
    siteId,
    deviceId: "demo-gate",
    command: '{"open":true}',
    actor: "test",
    source: "console",
  });
  await parts.commands.send({
    siteId,
    deviceId: "demo-camera",
    command: '{"capture":true,"recording":false}',
    actor: "test",
    source: "console",
  });
  t.match(await opened, { state: { percent: 100 } });
  await captured;
  await parts.commands.settled();
  t.hasStrict(parts.commands.list(siteId, "demo-gate", { limit: 1 }), [
    { id: commandId, status: "delivered", answer: ["position"] },
  ]);
  for (let tries = 0; captures.length === 0 && tries < 300; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  t.match(frames, [{ deviceId: /^demo-camera$/, bytes: Number }]);
  t.match(captures, [{ trigger: "manual", frames: 1, at: Number }]);
  await first.stop();

  const passages = bursts.length;
  const history = samples.get("demo-sensor");
  const second = demo(join(photos, "missing"));
  const online = fact(parts, "device.presence", ({ deviceId, online }) => deviceId === "demo-light" && online);
  await second.start();
  await second.ready();
  await online;
  t.equal(parts.registry.list(siteId).length, DEVICES.length);
  t.equal(parts.scenes.list(siteId).length, 3);
  t.equal(samples.get("demo-sensor"), history);
  t.equal(bursts.length, passages);
  t.equal(parts.registry.get(siteId, "demo-camera").state.recording, false, "devices are as they were");
  await second.stop();
});

t.test(
  "a demo stopped while its pictures are drawn has made nothing, and makes it once at the next start",
  async (t) => {
    const { demo, parts, siteId, samples, bursts } = await begin(t);
    const began = Promise.withResolvers<void>();
    const drawn = Promise.withResolvers<void>();
    const pictures = new CarPictures(async (cars) => {
      began.resolve();
      await drawn.promise;
      return cars.map(() => Buffer.from("picture"));
    });
    const first = demo(null, pictures);
    await first.start();
    await began.promise;
    const stopped = first.stop();
    drawn.resolve();
    await stopped;
    await first.atHome();
    t.same(parts.registry.list(siteId), []);
    t.same(parts.scenes.list(siteId), []);
    t.same(parts.feed.list(siteId, { limit: 10 }), []);
    t.equal(samples.size + bursts.length, 0);
    const second = demo(null, pictures);
    await second.start();
    await second.ready();
    const history = samples.get("demo-meter") ?? 0;
    const passages = bursts.length;
    t.ok(history > 0);
    t.ok(passages > 60);
    t.equal(parts.scenes.list(siteId).length, 3);
    await second.stop();
    const third = demo(null, pictures);
    await third.start();
    await third.ready();
    t.ok((samples.get("demo-meter") ?? 0) < 2 * history, "existing data is not made again");
    t.ok(bursts.length < 2 * passages);
    t.equal(parts.scenes.list(siteId).length, 3);
    await third.stop();
  },
);

t.test("once it is at home, everything is there and every device has said how it is", async (t) => {
  const { demo, parts, siteId, bursts } = await begin(t);
  const told: string[] = [];
  parts.bus.on("feed.added", "test", ({ kind, withEarlier }) => told.push(`${kind} ${withEarlier === true}`));
  const pictures = new CarPictures(async (cars) => cars.map(() => Buffer.from("picture")));
  const only = demo(null, pictures);
  await only.start();
  await only.atHome();
  t.ok(bursts.length > 60);
  t.equal(parts.scenes.list(siteId).length, 3);
  for (const { id, online, state } of parts.registry.list(siteId))
    t.ok(online && Object.keys(state).length > 0, `${id} is here`);
  const now = systemClock.now() - 60_000;
  const past = parts.feed.list(siteId, { limit: 500 }).filter(({ kind, at }) => at < now || kind === "device.added");
  t.ok(past.length > 50);
  t.same(
    told.filter((one) => one.endsWith("true")).sort(),
    [...new Set(past.map(({ kind }) => `${kind} true`))].sort(),
    "of each kind one item is announced, for all of them",
  );
  t.ok(told.length < 40, `${told.length} announcements`);
  await only.stop();
});

t.test("a demo claimed in Hindi has no English name", async (t) => {
  const { demo, parts, siteId, read } = await begin(t, "hi");
  const only = demo(null);
  await only.start();
  await only.ready();
  const english = /[A-Za-z]{2}/;
  const devices = parts.registry.list(siteId);
  for (const word of [
    ...devices.flatMap(({ name, room }) => [name, room ?? ""]),
    ...parts.scenes.list(siteId).map(({ name }) => name),
  ])
    t.notMatch(word, english);
  const items = parts.feed.list(siteId, { limit: 500 });
  for (const value of items.flatMap(({ words }) => [words?.name, words?.place, words?.gate].filter(Boolean)))
    t.notMatch(String(value), english);
  t.same(
    new Set(items.map(({ kind }) => kind).filter((kind) => topicOf(kind as FeedKind) === "danger")),
    new Set(["device.danger", "device.danger_over"]),
    "an alarm that ended",
  );
  t.ok(items.some(({ kind }) => kind === "gate.not_closed"));
  const [[since = 0, until = 0] = []] = read;
  const told = items.filter(({ kind }) => kind.startsWith("device.danger") || kind === "gate.not_closed");
  t.ok(
    told.every(({ at }) => at > since && at < until),
    "which has been read",
  );
  await only.stop();
});
