/** What is stored for webhooks and shown of them, at the edges of every limit. */
import t from "tap";
import { Poster } from "../../src/core/kernel/post.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { DeliveryQueue } from "../../src/features/webhooks/delivery-queue.ts";
import { isWebhookEvent } from "../../src/features/webhooks/events.ts";
import { afterRefusal, resultOf } from "../../src/features/webhooks/results.ts";
import { probeGap, retryGap } from "../../src/features/webhooks/schedule.ts";
import type { DeliveryResultRow, DeliveryRow } from "../../src/features/webhooks/tables/webhook-delivery.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { startWebhooks } from "./setup.ts";

const MINUTE = 60_000;
const STATE = { events: ["device.state"] };
const AWAY = "http://192.168.1.5/hook";

t.test("a queue starts empty, and so it does again", async (t) => {
  const closed: number[] = [];
  const poster = new Poster({
    targets: { allowLoopback: false, ownPorts: () => [], ownAddresses: () => [] },
    timeoutMs: 1,
  });
  poster.close = () => void closed.push(1);
  const queue = new DeliveryQueue(5, poster);
  const fresh = {
    webhookId: 5,
    poster,
    cursor: 0,
    failures: 0,
    resumeMono: Number.NEGATIVE_INFINITY,
    resumeAt: null,
    aside: new Set(),
    queued: false,
    woken: false,
    probes: 0,
    probeAt: null,
  };
  t.same({ ...queue }, fresh);
  Object.assign(queue, { cursor: 9, failures: 3 });
  queue.rewind();
  t.same({ ...queue }, { ...fresh, failures: 3 }, "the receiver's history is kept");
  queue.close();
  t.equal(closed.length, 1);
});

t.test("gaps of the retry queue and between probes of a disabled webhook", async (t) => {
  const minutes = (gap: number | null) => (gap === null ? null : gap / MINUTE);
  t.same([0, 1, 2, 3, 4, 5, 6, 7].map(retryGap).map(minutes), [1, 5, 30, 120, 480, 1_440, null, null]);
  t.same([0, 1, 2, 3, 4, 5, 6, 99].map(probeGap).map(minutes), [1, 2, 5, 10, 30, 60, 60, 60]);
});

t.test("the outcome of an attempt, by the receiver's answer and the number of refusals", async (t) => {
  const row = { seq: 4, status: "waiting", attempts: 6, refusals: 3 } as DeliveryRow;
  const answer = (status: number | null, ok = false) => ({ ok, status, tookMs: 12, error: ok ? null : "no" }) as never;
  const noted = { seq: 4, attempts: 7, attemptedAt: 1_000, tookMs: 12 };
  const waiting = { ...noted, status: "waiting", nextAt: null };
  t.same(resultOf(row, answer(204, true), 1_000), { ...waiting, refusals: 3, statusCode: 204, error: null });
  t.same(resultOf(row, answer(500), 1_000), { ...waiting, refusals: 4, statusCode: 500, error: "no" });
  t.same(resultOf(row, answer(null), 1_000), { ...waiting, refusals: 3, statusCode: null, error: "no" }, "no answer");
  const after = (
    refusals: number,
    status: number | null = 500,
    takesOthers = true,
  ): Pick<DeliveryResultRow, "status" | "nextAt"> => {
    const { status: now, nextAt } = afterRefusal({ ...row, refusals }, answer(status), { now: 1_000, takesOthers });
    return { status: now, nextAt };
  };
  t.same(after(3), { status: "waiting", nextAt: null });
  t.same(after(4, null), { status: "waiting", nextAt: null });
  t.same(after(4), { status: "slow", nextAt: 1_000 + MINUTE });
  t.same(after(3, 500, false), { status: "waiting", nextAt: null });
  t.same(after(4, 500, false), { status: "slow", nextAt: 1_000 + MINUTE });
  t.same(after(5, 500, false), { status: "slow", nextAt: 1_000 + MINUTE }, "it may refuse everything");
  t.same(after(5), { status: "slow", nextAt: 1_000 + 5 * MINUTE });
  t.same(after(6, 500, false), { status: "slow", nextAt: 1_000 + 30 * MINUTE }, "it has accepted others before");
  t.same(after(9), { status: "slow", nextAt: 1_000 + 1_440 * MINUTE });
  t.same(after(10), { status: "failed", nextAt: null });
});

/** Webhooks, one of them disabled, so that everything for it is stored. */
async function keeping(
  t: { testdir: () => string; teardown: (end: () => unknown) => void },
  options: Parameters<typeof startWebhooks>[1] = {},
) {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { clock, ...options });
  t.teardown(async () => {
    await hooks.stop();
    await database.stop();
  });
  const { webhook } = await hooks.registry.create(siteId, { url: AWAY, ...STATE });
  await hooks.registry.disable(siteId, webhook.id);
  const report = async (count: number) => {
    for (let n = 0; n < count; n++) await hooks.report(siteId, n);
  };
  const many = (count: number) =>
    database.write(() => {
      for (let n = 0; n < count; n++)
        hooks.outbox.enqueue({ siteId, event: "device.state", deviceId: "plug", data: { n }, at: clock.now() });
    });
  const pending = () => hooks.deliveries.pendingOf(siteId, webhook.id);
  return { clock, database, siteId, hooks, id: webhook.id, report, many, pending };
}

t.test("as many deliveries as allowed are kept, for as long as allowed, to the millisecond", async (t) => {
  const { clock, siteId, hooks, id, report, pending } = await keeping(t, {
    settings: { keepRows: 3, keepHours: 1 / 3_600 },
  });
  const start = clock.now();
  await report(3);
  t.same(
    [await hooks.outbox.sweep(), pending()],
    [
      { dropped: 0, trimmed: 0 },
      { count: 3, oldestAt: start },
    ],
  );
  t.equal(hooks.registry.get(siteId, id).dropped, null);
  clock.advance(1);
  await report(1);
  t.same([await hooks.outbox.sweep(), pending().count], [{ dropped: 1, trimmed: 0 }, 3]);
  t.same(hooks.registry.get(siteId, id).dropped, { count: 1, from: start, to: start });
  clock.advance(999);
  t.same(await hooks.outbox.sweep(), { dropped: 0, trimmed: 0 });
  clock.advance(1);
  t.same(
    [await hooks.outbox.sweep(), pending()],
    [
      { dropped: 2, trimmed: 0 },
      { count: 1, oldestAt: start + 1 },
    ],
  );
  clock.advance(1);
  t.same(
    [await hooks.outbox.sweep(), pending()],
    [
      { dropped: 1, trimmed: 0 },
      { count: 0, oldestAt: null },
    ],
  );
  t.same(hooks.registry.get(siteId, id).dropped, { count: 4, from: start, to: start + 1 });
});

t.test("every 500th delivery removes the excess, and a sweep leaves none of it", async (t) => {
  const { hooks, many, pending } = await keeping(t, { settings: { keepRows: 10 }, logRows: 700 });
  await many(499);
  t.equal(pending().count, 499);
  await many(1);
  t.equal(pending().count, 10);
  await many(499);
  t.equal(pending().count, 509);
  await many(1);
  t.equal(pending().count, 10);
  await many(499);
  t.same(await hooks.outbox.sweep(), { dropped: 499, trimmed: 499 });
  t.equal(pending().count, 10);
});

t.test("pages of the log end with the last delivery, and no delivery is on two of them", async (t) => {
  const { siteId, hooks, id, report } = await keeping(t);
  await report(4);
  const numbers: unknown[] = [];
  const page = (limit: number, before?: number) => {
    const { items, next } = hooks.deliveries.list(siteId, id, { limit, before });
    numbers.push(...items.map((item) => JSON.parse(hooks.deliveries.get(siteId, id, item.id).body).data.state.n));
    return [items.length, next] as const;
  };
  t.same(page(4), [4, null]);
  t.same(numbers.splice(0), [3, 2, 1, 0]);
  const [count, next] = page(3);
  t.same([count, typeof next], [3, "number"]);
  t.same(page(3, next ?? 0), [1, null]);
  t.same(numbers, [3, 2, 1, 0]);
});

t.test("a listener makes an event wanted in its households while it listens", async (t) => {
  const { siteId, hooks } = await keeping(t);
  const wanted = () =>
    [siteId, siteId + 1].map((site) =>
      (["device.state", "device.telemetry"] as const).map((event) => hooks.outbox.wanted(site, event)),
    );
  const before = [
    [true, false],
    [false, false],
  ];
  t.same(wanted(), before);
  const end = hooks.outbox.overhear({
    sites: new Map([[siteId + 1, "test"]]),
    events: ["device.telemetry"],
    take: () => {},
  });
  t.same(wanted(), [
    [true, false],
    [false, true],
  ]);
  end();
  t.same(wanted(), before);
});

t.test("only existing events can be wanted", async (t) => {
  const { siteId, hooks } = await keeping(t);
  t.same(["device.state", "device.stat", "device.states", ""].map(isWebhookEvent), [true, false, false, false]);
  const refusal = await hooks.registry.create(siteId, { url: AWAY, events: ["device.state", "device.stat"] }).then(
    () => null,
    (error: unknown) => error,
  );
  t.ok(refusal instanceof Problem);
  if (refusal instanceof Problem)
    t.same(
      refusal.details.map(({ field, code, words }) => [field, code, words]),
      [["/events", "unknown", { code: "refusal.noEvent", name: "device.stat" }]],
    );
  const { webhook } = await hooks.registry.create(siteId, {
    url: AWAY,
    events: ["device.telemetry", "device.state", "device.telemetry"],
  });
  t.same([...webhook.events].sort(), ["device.state", "device.telemetry"], "each once");
});
