import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { ReceiverResponse } from "../../src/core/kernel/post.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { DeliveryQueue } from "../../src/features/webhooks/delivery-queue.ts";
import { afterRefusal, Results, resultOf } from "../../src/features/webhooks/results.ts";
import { deliveryHeaders } from "../../src/features/webhooks/sign.ts";
import { StoredDeliveries } from "../../src/features/webhooks/stored.ts";
import type { DeliveryResultRow, DeliveryRow } from "../../src/features/webhooks/tables/webhook-delivery.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { pausedHouse, until } from "./setup.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;
const STATE = { events: ["device.state"] };

function row(more: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    seq: 7,
    id: "dlv_1",
    webhookId: 1,
    event: "device.state",
    deviceId: "plug",
    body: "{}",
    test: 0,
    createdAt: NOW - MINUTE,
    status: "waiting",
    attempts: 0,
    refusals: 0,
    nextAt: null,
    attemptedAt: null,
    statusCode: null,
    tookMs: null,
    error: null,
    ...more,
  };
}
const nothing = { retryAfter: undefined, text: "" };
const refusal: ReceiverResponse = { ok: false, status: 500, tookMs: 12, error: "answered 500", ...nothing };
const silence: ReceiverResponse = { ok: false, status: null, tookMs: 5_000, error: "no answer", ...nothing };

t.test("a delivery refused five times moves to the retry queue, and after six more is given up", async (t) => {
  const noted = { seq: 7, attemptedAt: NOW, statusCode: 500, tookMs: 12, error: "answered 500" };
  t.same(resultOf(row({ attempts: 3, refusals: 2, nextAt: 5 }), refusal, NOW), {
    ...noted,
    status: "waiting",
    attempts: 4,
    refusals: 3,
    nextAt: null,
  });
  const after = (more: Partial<DeliveryRow>, answer = refusal) => {
    const { status, attempts, refusals, nextAt } = afterRefusal(row(more), answer, { now: NOW, takesOthers: true });
    return [status, attempts, refusals, nextAt === null ? null : (nextAt - NOW) / MINUTE];
  };
  const slow = (refusals: number) => after({ status: "slow", attempts: refusals, refusals });
  t.same(
    [0, 1, 3, 4].map((refusals) => after({ refusals, attempts: refusals })),
    [
      ["waiting", 1, 1, null],
      ["waiting", 2, 2, null],
      ["waiting", 4, 4, null],
      ["slow", 5, 5, 1],
    ],
  );
  t.same([5, 6, 7, 8, 9, 10].map(slow), [
    ["slow", 6, 6, 5],
    ["slow", 7, 7, 30],
    ["slow", 8, 8, 120],
    ["slow", 9, 9, 480],
    ["slow", 10, 10, 1_440],
    ["failed", 11, 11, null],
  ]);
  t.same(after({ refusals: 4, attempts: 9 }, silence), ["waiting", 10, 4, null], "silence does not count as a refusal");
});

t.test("results are written after a second or a hundred at once, and kept if the disk refuses", async (t) => {
  const clock = new FakeClock(NOW);
  const database = await openDatabase(testFolder(t), clock);
  t.teardown(() => database.stop());
  const written: number[][] = [];
  const world = { refuses: false };
  const errors: object[] = [];
  let job: number[] = [];
  const outbox = {
    table: {
      saveResult: ({ seq }: DeliveryResultRow) => {
        if (world.refuses) throw new Problem("storage_full", "full");
        if (job.length === 0) written.push(job);
        job.push(seq);
      },
    },
  };
  const results = new Results({ database, outbox, clock, logger: { ...silentLogger, error: (it) => errors.push(it) } });
  const add = (seq: number) => results.add({ ...resultOf(row({ seq }), refusal, NOW), status: "delivered" });
  const settle = async (): Promise<void> => {
    await database.write(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    job = [];
  };
  add(1);
  clock.advance(999);
  add(2);
  await settle();
  t.same([written, results.size, results.get(1)?.seq, results.get(3)], [[], 2, 1, null]);
  clock.advance(1);
  await settle();
  t.same([written, results.size, clock.pending], [[[1, 2]], 0, 0]);
  for (let seq = 1; seq < 100; seq++) add(seq);
  await settle();
  t.equal(written.length, 1);
  add(100);
  await settle();
  t.same([written.at(-1)?.length, results.size], [100, 0], "the hundredth");
  clock.advance(1_000);
  await settle();
  t.equal(written.length, 2, "nothing is left");
  await results.save();
  world.refuses = true;
  add(5);
  await t.rejects(results.save(), { code: /^storage_full$/ });
  t.equal(results.size, 1);
  add(6);
  clock.advance(1_000);
  await settle();
  t.same([errors.length, results.size], [1, 2], "that write has no waiting caller: the failure is logged");
  await results.close();
  t.same([errors.length, results.size, clock.pending], [2, 2, 0]);
  world.refuses = false;
  const saving = results.save();
  add(5);
  await saving;
  t.same([results.size, results.get(5)?.seq], [1, 5], "later results wait for the next");
  await results.close();
  t.equal(results.size, 0);
});

t.test("one wait for the disk serves all deliveries pending by then", async (t) => {
  const world = { last: 3, waits: 0, release: (): void => {} };
  const durable = () => {
    world.waits += 1;
    return new Promise<void>((resolve) => {
      world.release = resolve;
    });
  };
  const stored = new StoredDeliveries({ durable }, { table: { lastSeq: () => world.last } });
  const done: number[] = [];
  const reached = (seq: number) => stored.reached(seq).then(() => void done.push(seq));
  const first = reached(1);
  world.last = 5;
  await new Promise((resolve) => setImmediate(resolve));
  t.same([done, world.waits], [[], 1]);
  world.release();
  await first;
  await reached(3);
  t.same([done, world.waits], [[1, 3], 1]);
  const later = reached(4);
  t.equal(world.waits, 2, "it was not pending then");
  world.release();
  await later;
  t.same(done, [1, 3, 4]);
});

t.test("a queue has one timer of each kind, and none once it is closed", async (t) => {
  const clock = new FakeClock(NOW);
  let closed = 0;
  const queue = new DeliveryQueue(1, { close: () => (closed += 1) } as never);
  const fired: string[] = [];
  const arm = (kind: "resume" | "slow" | "probe", ms: number) =>
    queue.arm(
      kind,
      clock.after(ms, () => fired.push(`${kind} ${ms}`)),
    );
  arm("resume", 10);
  arm("resume", 20);
  arm("slow", 15);
  arm("probe", 5);
  queue.disarm("probe");
  clock.advance(30);
  t.same(fired, ["slow 15", "resume 20"]);
  arm("probe", 1);
  arm("slow", 1);
  queue.close();
  t.same([clock.pending, closed], [0, 1]);
  queue.cursor = 9;
  queue.rewind();
  t.equal(queue.cursor, 0);
});

t.test("an attempt is signed with each secret, with its timestamp and number", async (t) => {
  const delivery = { id: "dlv_1", event: "device.state", body: '{"a":1}', attempts: 2 };
  const [one, two] = [
    "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
  ];
  const headers = deliveryHeaders(delivery, [one], NOW + 999);
  const { "X-Service-Signature": plain = "", "webhook-signature": standard = "", ...rest } = headers;
  t.same(rest, {
    "Content-Type": "application/json",
    "User-Agent": "Gatehouse-Webhooks/1",
    "X-Service-Event": "device.state",
    "X-Service-Attempt": "3",
    "webhook-id": "dlv_1",
    "webhook-timestamp": String(NOW / 1000),
  });
  t.match(plain, new RegExp(`^t=${NOW / 1000},v1=[0-9a-f]{64}$`));
  t.match(standard, /^v1,[A-Za-z0-9+/]{43}=$/);
  const both = deliveryHeaders(delivery, [two, one], NOW + 999);
  t.equal(both["X-Service-Signature"]?.split(",").at(-1), plain.split(",").at(-1));
  t.equal(both["webhook-signature"]?.split(" ")[1], standard);
  t.equal(both["webhook-signature"]?.split(" ").length, 2);
});

t.test("the log shows the outcome of each delivery, and when it is tried again", async (t) => {
  const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  const items = () => hooks.deliveries.list(siteId, webhook.id, { limit: 9 }).items;
  receiver.respond = (response) => response.writeHead(503).end("busy");
  await hooks.report(siteId, 1);
  await hooks.report(siteId, 2);
  await until(() => hooks.registry.get(siteId, webhook.id).failures === 1);
  await database.durable();
  await new Promise((resolve) => setImmediate(resolve));
  const fresh = { deviceId: "plug", event: "device.state", test: false, at: NOW, status: "waiting" } as const;
  const untried = { attempts: 0, attemptedAt: null, statusCode: null, tookMs: null, error: null };
  const tried = { attempts: 1, attemptedAt: NOW, statusCode: 503, error: "answered 503" };
  const next = { nextAttemptAt: NOW + 1_000 };
  const shown = () => items().map(({ id: _id, ...rest }) => rest);
  const [second, first] = shown();
  t.same(second, { ...fresh, ...untried, ...next });
  t.same({ ...first, tookMs: 0 }, { ...fresh, ...tried, ...next, tookMs: 0 });
  t.ok(Number.isInteger(first?.tookMs), "how long the receiver took");
  t.same(hooks.deliverer.figures, { sent: 0, failed: 1, unsaved: 0 });
  t.same(hooks.deliveries.pendingOf(siteId, webhook.id), { count: 2, oldestAt: NOW });
  t.equal(hooks.deliverer.resumesAt(webhook.id), NOW + 1_000);
  await hooks.registry.disable(siteId, webhook.id);
  t.same(
    shown().map(({ nextAttemptAt }) => nextAttemptAt),
    [null, null],
    "a disabled one tries nothing",
  );
  receiver.respond = (response) => response.writeHead(204).end();
  clock.advance(5_000);
  const before = receiver.received.length;
  t.match(await hooks.deliverer.test(siteId, webhook.id), { ok: true, status: 204, error: null });
  t.match(JSON.parse(receiver.received[before]?.body ?? "{}"), {
    event: /^device\.state$/,
    deviceId: /^test$/,
    data: { message: "A test of this webhook.", test: true },
    at: new Date(clock.now()).toISOString(),
  });
  t.equal(receiver.received[before]?.headers["x-service-attempt"], "1");
  const [test] = shown();
  t.same(
    { ...test, tookMs: 0 },
    {
      ...fresh,
      deviceId: "test",
      test: true,
      at: clock.now(),
      status: "delivered",
      attempts: 1,
      attemptedAt: clock.now(),
      statusCode: 204,
      tookMs: 0,
      error: null,
      nextAttemptAt: null,
    },
  );
  receiver.respond = (response) => response.writeHead(404).end();
  await t.rejects(hooks.deliverer.enable(siteId, webhook.id, { force: false, kept: "send" }), {
    code: /^conflict$/,
    words: { code: /^conflict\.receiverRefused$/, why: "answered 404" },
    fields: { receiverStatus: 404 },
  });
  t.match(shown()[0], {
    test: true,
    status: /^failed$/,
    statusCode: 404,
    error: "answered 404",
    nextAttemptAt: null,
  });
  t.match(
    hooks.deliveries.list(siteId, webhook.id, { limit: 9, status: "failed" }).items.map(({ statusCode }) => statusCode),
    [404],
  );
  const onUnknown: (() => Promise<unknown>)[] = [
    async () => hooks.deliveries.get(siteId, webhook.id, "dlv_none"),
    () => hooks.deliveries.redeliver(siteId, webhook.id, "dlv_none"),
    async () => hooks.deliveries.list(siteId, 99, { limit: 1 }),
    async () => hooks.deliveries.pendingOf(siteId, 99),
    () => hooks.deliveries.redeliverFailed(siteId, 99, 0),
    () => hooks.deliverer.enable(siteId, 99, { force: true, kept: "send" }),
  ];
  for (const attempt of onUnknown) await t.rejects(attempt(), { code: /^not_found$/ });
  const on = await hooks.deliverer.enable(siteId, webhook.id, { force: true, kept: "send" });
  t.same([on.active, on.disabledAt, on.disabledReason], [true, null, null]);
  t.same(await hooks.deliverer.enable(siteId, webhook.id, { force: false, kept: "drop" }), on, "it is on already");
});

t.test("a failure of the hub itself delays a webhook for 15 seconds, and others not at all", async (t) => {
  const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  const secret = database.raw.prepare("SELECT secret FROM webhook").pluck().get();
  const put = async (value: unknown): Promise<void> => {
    await database.write(() => {
      database.raw.prepare("UPDATE webhook SET secret = ? WHERE id = ?").run(value, webhook.id);
      hooks.registry.refresh(webhook.id, siteId);
    });
  };
  await put(Buffer.from("x"));
  t.equal(hooks.registry.unsigned(), 1);
  await hooks.report(siteId, 1);
  await until(() => hooks.deliverer.resumesAt(webhook.id) !== null);
  t.equal(hooks.deliverer.resumesAt(webhook.id), clock.now() + 15_000);
  await hooks.registry.create(siteId, { url: receiver.url, events: ["device.online"] });
  await hooks.report(siteId, 2, "device.online");
  await receiver.got(1);
  await put(secret);
  clock.advance(14_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(receiver.received.length, 1);
  clock.advance(1);
  await receiver.got(2);
  t.same(
    receiver.bodies.map(({ event }) => event),
    ["device.online", "device.state"],
  );
  t.equal(hooks.registry.get(siteId, webhook.id).failures, 0, "it is not the receiver's failure");
});

t.test("a listener hears its households' events once committed, and nothing after it leaves", async (t) => {
  const { siteId, hooks, database } = await pausedHouse(t);
  const heard: { id: string; event: string; body: string }[] = [];
  const stop = hooks.outbox.overhear({
    sites: new Map([
      [siteId, "live"],
      [99, "test"],
    ]),
    events: ["device.state"],
    take: (delivery) => heard.push(delivery),
  });
  t.same(
    [
      hooks.outbox.wanted(siteId, "device.state"),
      hooks.outbox.wanted(siteId, "device.online"),
      hooks.outbox.wanted(98, "device.state"),
    ],
    [true, false, false],
  );
  await hooks.report(siteId, 1);
  await hooks.report(siteId, 2, "device.online");
  await hooks.report(98, 3);
  await hooks.report(99, 4);
  t.same(
    heard.map(({ event, body }) => [event, JSON.parse(body).data.state, JSON.parse(body).data.test]),
    [
      ["device.state", { n: 1 }, undefined],
      ["device.state", { n: 4 }, true],
    ],
  );
  t.equal(JSON.parse(heard[0]?.body ?? "{}").id, heard[0]?.id);
  stop();
  await hooks.report(siteId, 5);
  t.equal(heard.length, 2);
  t.equal(hooks.outbox.wanted(siteId, "device.state"), false);
  t.equal(database.raw.prepare("SELECT count(*) FROM webhook_delivery").pluck().get(), 0, "stored nowhere");
});

t.test("switching off and on is reported by name, or by the receiver's host, with its reason", async (t) => {
  const { siteId, hooks } = await pausedHouse(t);
  const { registry, feed } = hooks;
  const url = "http://127.0.0.1:9/hook";
  const named = await registry.create(siteId, { url, ...STATE, label: "Home" });
  const plain = await registry.create(siteId, { url, ...STATE });
  await registry.disable(siteId, named.webhook.id);
  await registry.disable(siteId, plain.webhook.id);
  await hooks.deliverer.enable(siteId, plain.webhook.id, { force: true, kept: "send" });
  t.same(
    feed.map((item) => ("text" in item ? item.text : null)),
    [
      { code: "webhook.disabled_owner", name: "Home" },
      { code: "webhook.disabled_owner", name: "127.0.0.1:9" },
      { code: "webhook.enabled", name: "127.0.0.1:9" },
    ],
  );
  t.same(
    hooks.facts.map(({ webhookId, active }) => [webhookId, active]),
    [
      [named.webhook.id, true],
      [plain.webhook.id, true],
      [named.webhook.id, false],
      [plain.webhook.id, false],
      [plain.webhook.id, true],
    ],
  );
  t.ok(hooks.facts.every((fact) => fact.siteId === siteId));
  for (let n = 2; n < 20; n++) await registry.create(siteId, { url, ...STATE });
  await t.rejects(registry.create(siteId, { url, ...STATE }), {
    code: /^limit_reached$/,
    words: { code: /^refusal\.most\.webhooks$/, limit: 20 },
  });
  const refusals = async (input: object): Promise<unknown> =>
    registry.edit(siteId, named.webhook.id, input).then(
      () => null,
      (error: Problem) => error.details.map(({ message: _message, ...detail }) => detail),
    );
  t.same(await refusals({ events: [] }), [{ field: "/events", code: "too_few", values: { limit: 1 } }]);
  t.same(await refusals({ label: "x".repeat(81) }), [{ field: "/label", code: "too_long", values: { limit: 80 } }]);
  t.hasStrict(await refusals({ events: ["x"] }), [
    { field: "/events", code: "unknown", words: { code: "refusal.noEvent", name: "x" } },
  ]);
  t.hasStrict(await refusals({ url: "ftp://x" }), [
    { field: "/url", code: "refused", words: { code: "refusal.address" } },
  ]);
  t.match(registry.get(siteId, named.webhook.id), { label: "Home", url });
});
