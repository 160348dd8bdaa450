import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { pausedHouse, Receiver, startWebhooks, until } from "./setup.ts";

const STATE = { events: ["device.state"] };

t.test("the deliveries stored for a disabled webhook are bounded, and the gap is marked", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { clock, settings: { keepRows: 5, keepHours: 1_000 / 3_600 } });
  const { webhook } = await hooks.registry.create(siteId, { url: "http://192.168.1.5/", ...STATE });
  await hooks.registry.disable(siteId, webhook.id);
  const start = clock.now();
  for (let n = 0; n < 8; n++) {
    clock.advance(1_000);
    await hooks.report(siteId, n);
  }
  t.same(await hooks.outbox.sweep(), { dropped: 3, trimmed: 0 });
  t.match(hooks.registry.get(siteId, webhook.id).dropped, { count: 3, from: start + 1_000, to: start + 3_000 });
  t.match(hooks.deliveries.pendingOf(siteId, webhook.id), { count: 5, oldestAt: start + 4_000 });
  clock.advance(998_000);
  t.match(await hooks.outbox.sweep(), { dropped: 2 }, "too old");
  t.match(hooks.registry.get(siteId, webhook.id).dropped, { count: 5, from: start + 1_000, to: start + 5_000 });
  t.same(
    hooks.deliveries.list(siteId, webhook.id, { limit: 100 }).items.map((item) => item.status),
    ["waiting", "waiting", "waiting", "dropped", "dropped", "dropped", "dropped", "dropped"],
    "the log shows them",
  );
  await hooks.stop();
  await database.stop();
});

t.test("without waiting for a sweep, a burst stays bounded", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { clock, settings: { keepRows: 50 } });
  const { webhook } = await hooks.registry.create(siteId, { url: "http://192.168.1.5/", ...STATE });
  await hooks.registry.disable(siteId, webhook.id);
  await database.write(() => {
    for (let n = 0; n < 2_000; n++)
      hooks.outbox.enqueue({
        siteId,
        event: "device.state",
        deviceId: "plug",
        data: { state: { n } },
        at: clock.now(),
      });
  });
  t.ok(hooks.deliveries.pendingOf(siteId, webhook.id).count < 1_000);
  await hooks.outbox.sweep();
  t.equal(hooks.deliveries.pendingOf(siteId, webhook.id).count, 50);
  await hooks.stop();
  await database.stop();
});

t.test("the log stays within its maximum age and number of rows", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const receiver = new Receiver();
  await receiver.start();
  const hooks = await startWebhooks(database, { clock, settings: { logDays: 10 / 86_400 }, logRows: 3 });
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  for (let n = 0; n < 5; n++) {
    await hooks.report(siteId, n);
    await receiver.got(n + 1);
  }
  await until(() => hooks.deliverer.figures.sent === 5);
  t.same(
    hooks.deliveries.list(siteId, webhook.id, { limit: 9 }).items.map((item) => item.status),
    Array(5).fill("delivered"),
    "a result is visible before it is written",
  );
  await hooks.deliverer.save();
  t.match(await hooks.outbox.sweep(), { trimmed: 2 });
  const first = hooks.deliveries.list(siteId, webhook.id, { limit: 2 });
  t.equal(first.items.length, 2);
  const second = hooks.deliveries.list(siteId, webhook.id, { limit: 2, before: first.next ?? 0 });
  t.equal(second.items.length, 1);
  t.equal(second.next, null);
  t.match(hooks.deliveries.get(siteId, webhook.id, first.items[0]?.id ?? ""), {
    body: /"n":4/,
    status: /^delivered$/,
    statusCode: 204,
    attempts: 1,
  });
  clock.advance(10_001);
  t.match(await hooks.outbox.sweep(), { trimmed: 3 });
  await hooks.stop();
  await receiver.stop();
  await database.stop();
});

t.test("registering: limits, refusals, and no access to another household", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { allowLoopback: false });
  const create = (url: string, events: string[], label = "") => hooks.registry.create(siteId, { url, events, label });
  for (const [attempt, field] of [
    [() => create("http://127.0.0.1/", ["device.state"]), "/url"],
    [() => create("nonsense", ["device.state"]), "/url"],
    [() => create("http://192.168.1.5/", []), "/events"],
    [() => create("http://192.168.1.5/", ["plate.seen"]), "/events"],
    [() => create("http://192.168.1.5/", ["device.state"], "x".repeat(81)), "/label"],
  ] as const) {
    const error = await attempt().then(
      () => null,
      (error: unknown) => error,
    );
    t.ok(error instanceof Problem && error.code === "invalid_body");
    t.equal(error instanceof Problem ? error.details[0]?.field : null, field);
  }
  const { webhook } = await create(
    " http://192.168.1.5/hook ",
    ["device.offline", "device.state", "device.state"],
    " Home ",
  );
  t.match(webhook, {
    url: "http://192.168.1.5/hook",
    events: ["device.state", "device.offline"],
    label: "Home",
    active: true,
    env: "live",
  });
  t.throws(() => hooks.registry.get(testSiteId, webhook.id), { code: /^not_found$/ });
  await t.rejects(hooks.registry.edit(testSiteId, webhook.id, { label: "mine" }), { code: /^not_found$/ });
  await t.rejects(hooks.registry.remove(testSiteId, webhook.id), { code: /^not_found$/ });
  await t.rejects(hooks.registry.rotate(testSiteId, webhook.id), { code: /^not_found$/ });
  await t.rejects(hooks.deliverer.test(testSiteId, webhook.id), { code: /^not_found$/ });
  t.match(await hooks.registry.edit(siteId, webhook.id, { events: ["device.telemetry"] }), {
    events: ["device.telemetry"],
    url: "http://192.168.1.5/hook",
    label: "Home",
  });
  await hooks.registry.remove(siteId, webhook.id);
  t.same(hooks.registry.list(siteId), []);
  for (let n = 0; n < 20; n++) await create(`http://192.168.1.5/${n}`, ["device.state"]);
  await t.rejects(create("http://192.168.1.5/21", ["device.state"]), { code: /^limit_reached$/ });
  await hooks.stop();
  await database.stop();
});

t.test("a household's registrations are bounded at each edge, and separately for each household", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { allowLoopback: false });
  const url = "http://192.168.1.5/hook";
  const long = "ß".repeat(80);
  const { webhook } = await hooks.registry.create(siteId, { url, events: ["device.state"], label: long });
  t.equal(webhook.label, long);
  t.match([webhook.probe, webhook.rotatesUntil, webhook.dropped, webhook.disabledAt], [true, null, null, null]);
  await t.rejects(hooks.registry.edit(siteId, webhook.id, { label: `${long}s` }), {
    code: /^invalid_body$/,
    details: [{ field: /^\/label$/, code: /^too_long$/, values: { limit: 80 } }],
  });
  await t.rejects(hooks.registry.edit(siteId, webhook.id, { events: ["device.state", "nothing"], url: "ftp://x" }), {
    code: /^invalid_body$/,
    details: [
      { field: /^\/url$/, code: /^refused$/ },
      { field: /^\/events$/, code: /^unknown$/, message: /no event 'nothing'/ },
    ],
  });
  await t.rejects(hooks.registry.edit(siteId, webhook.id, { events: [] }), {
    code: /^invalid_body$/,
    details: [{ field: /^\/events$/, code: /^too_few$/, values: { limit: 1 } }],
  });
  for (let n = 1; n < 20; n++) await hooks.registry.create(siteId, { url, events: ["device.state"] });
  await t.rejects(hooks.registry.create(siteId, { url, events: ["device.state"] }), { code: /^limit_reached$/ });
  const other = await hooks.registry.create(testSiteId, { url, events: ["device.offline"] });
  t.equal(hooks.registry.list(siteId).length, 20);
  t.same(
    hooks.registry.list(testSiteId).map(({ id }) => id),
    [other.webhook.id],
  );
  t.equal(hooks.registry.all().length, 21);
  t.same(
    [
      hooks.registry.wanted(siteId, "device.state"),
      hooks.registry.wanted(siteId, "device.offline"),
      hooks.registry.wanted(testSiteId, "device.offline"),
      hooks.registry.wanted(testSiteId, "device.state"),
    ],
    [true, false, true, false],
  );
  await hooks.stop();
  await database.stop();
});

t.test("visible changes of a webhook are announced, invisible ones are not", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const clock = new FakeClock();
  const hooks = await startWebhooks(database, { allowLoopback: false, clock });
  const url = "http://192.168.1.5/hook";
  const { registry, facts, feed } = hooks;
  const { webhook, secret } = await registry.create(siteId, { url, events: ["device.state"], probe: false });
  const announced = async (act: () => Promise<unknown>): Promise<readonly boolean[]> => {
    const before = facts.length;
    await act();
    return facts.slice(before).map(({ active }) => active);
  };
  t.equal(facts.length, 1);
  t.same(await announced(() => registry.edit(siteId, webhook.id, { label: "Home" })), [], "its name");
  t.same(await announced(() => registry.edit(siteId, webhook.id, { probe: true })), [true]);
  t.same(await announced(() => registry.edit(siteId, webhook.id, { probe: true })), []);
  t.same(await announced(() => registry.edit(siteId, webhook.id, { url: `${url}/2` })), [true]);
  clock.advance(1_000);
  t.match(await registry.disable(siteId, webhook.id), {
    active: false,
    disabledReason: "owner",
    disabledAt: clock.now(),
  });
  t.equal(facts.at(-1)?.active, false);
  t.equal(feed.at(-1)?.kind, "webhook.disabled");
  t.match(feed.at(-1)?.body ?? "", /Home/);
  t.same(await announced(() => registry.disable(siteId, webhook.id)), [], "it is off already");
  t.equal(feed.length, 1);
  t.equal(registry.wanted(siteId, "device.state"), true, "its deliveries are stored");
  const rotated = await registry.rotate(siteId, webhook.id);
  t.same(registry.secrets(webhook.id), [rotated.secret, secret]);
  t.equal(rotated.webhook.rotatesUntil, clock.now() + 86_400_000);
  clock.advance(86_400_000 - 1);
  t.equal(registry.secrets(webhook.id).length, 2);
  clock.advance(1);
  t.same(registry.secrets(webhook.id), [rotated.secret]);
  t.same(registry.secrets(999), []);
  t.equal(registry.unsigned(), 0);
  t.same(await announced(() => registry.remove(siteId, webhook.id)), [false]);
  t.equal(registry.find(webhook.id), null);
  await hooks.stop();
  await database.stop();
});

t.test("a secret that the hub's key cannot decrypt signs nothing; of two, the readable one signs", async (t) => {
  const { database, siteId, hooks } = await pausedHouse(t);
  const { webhook } = await hooks.registry.create(siteId, { url: "http://127.0.0.1:9/", events: ["device.state"] });
  const { secret } = await hooks.registry.rotate(siteId, webhook.id);
  /** The registry of a hub that starts with another key file. */
  const after = async (column: string) => {
    database.raw.prepare(`UPDATE webhook SET ${column} = x'00'`).run();
    const { registry, stop } = await startWebhooks(database, { clock: new FakeClock() });
    t.teardown(stop);
    return registry;
  };
  const older = await after("previous_secret");
  t.same([older.secrets(webhook.id), older.unsigned()], [[secret], 0]);
  const neither = await after("secret");
  t.equal(neither.unsigned(), 1);
  t.throws(() => neither.secrets(webhook.id));
});

t.test("a hub killed between the commit and the delivery delivers after its restart", async (t) => {
  const folder = testFolder(t);
  const receiver = new Receiver();
  await receiver.start();
  receiver.respond = () => {}; // accepts connections without ever answering: no delivery can be finished
  const child = spawn(process.execPath, [join(import.meta.dirname, "killed-hub-process.ts"), folder, receiver.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let committed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    committed += chunk;
  });
  await until(() => committed.includes("committed 40"));
  child.kill("SIGKILL");
  await once(child, "exit");
  const last = Number(/committed (\d+)\n[^\n]*$/.exec(committed)?.[1]);
  const before = receiver.received.length;
  receiver.respond = (response) => response.writeHead(204).end();
  const database = await openDatabase(folder);
  t.equal(database.raw.pragma("quick_check", { simple: true }), "ok");
  const hooks = await startWebhooks(database);
  await receiver.got(before + last);
  const numbers = receiver.bodies.slice(before).map((body) => (body.data.state as { n: number }).n);
  t.same(
    numbers.slice(0, last),
    Array.from({ length: last }, (_, n) => n + 1),
    "every committed one, in order",
  );
  await hooks.stop();
  await receiver.stop();
  await database.stop();
});

t.test("edits of a webhook in the same commit do not undo each other", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const { registry, stop } = await startWebhooks(database);
  const { webhook } = await registry.create(siteId, { url: "http://192.168.1.5/", ...STATE });
  const moved = "http://192.168.1.6/";
  await Promise.all([
    registry.edit(siteId, webhook.id, { url: moved }),
    registry.edit(siteId, webhook.id, { label: "Home" }),
    registry.edit(siteId, webhook.id, { probe: false }),
  ]);
  t.match(registry.get(siteId, webhook.id), { url: moved, label: "Home", probe: false });
  await stop();
  await database.stop();
});
