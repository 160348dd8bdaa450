/** Webhooks disabled by consecutive failed deliveries, and how they come back. */
import type { ServerResponse } from "node:http";
import t, { type Test } from "tap";
import { pass, pausedHouse, settled, startWebhooks, until } from "./setup.ts";

const STATE = { events: ["device.state"] };

t.test(
  "20 consecutive failed attempts disable a webhook; once re-enabled, it gets the stored deliveries in order",
  async (t) => {
    const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
    receiver.respond = (response) => response.socket?.destroy();
    const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE, probe: false });
    for (let n = 1; n <= 20; n++) await hooks.report(siteId, n);
    await pass({ clock, database, receiver }, 20);
    const current = () => hooks.registry.get(siteId, webhook.id);
    await until(() => !current().active);
    t.match(current(), { active: false, disabledReason: "failures", disabledAt: clock.now() });
    t.match(hooks.feed, [{ kind: /^webhook\.disabled$/, body: /20 attempts in a row failed/ }]);
    t.match(hooks.facts.at(-1), { siteId, webhookId: webhook.id, active: false });
    await hooks.report(siteId, 21);
    clock.advance(3_600_000);
    t.equal(receiver.received.length, 20, "nothing is posted while it is off");
    t.match(hooks.deliveries.pendingOf(siteId, webhook.id), { count: 21 });

    receiver.respond = (response) => response.writeHead(503).end();
    await t.rejects(hooks.deliverer.enable(siteId, webhook.id, { force: false, kept: "send" }), { code: /^conflict$/ });
    t.equal(current().active, false, "the test was refused");
    t.match(receiver.bodies.at(-1), { data: { test: true } });
    receiver.respond = (response) => response.writeHead(204).end();
    await hooks.deliverer.enable(siteId, webhook.id, { force: false, kept: "send" });
    await receiver.got(43);
    t.same(
      receiver.bodies.slice(22).map((body) => (body.data.state as { n: number }).n),
      Array.from({ length: 21 }, (_, n) => n + 1),
    );
    t.match(current(), { active: true, failures: 0, disabledReason: null });
    t.equal(hooks.feed.at(-1)?.kind, "webhook.enabled");

    await hooks.registry.disable(siteId, webhook.id);
    await hooks.report(siteId, 23);
    await hooks.deliverer.enable(siteId, webhook.id, { force: true, kept: "drop" });
    await hooks.report(siteId, 24);
    await receiver.got(44);
    t.same(receiver.bodies.at(-1)?.data.state, { n: 24 }, "forced without a test, the stored one dropped");
    t.equal(await hooks.deliveries.redeliverFailed(siteId, webhook.id, 0), 1, "a dropped one can still be resent");
    await receiver.got(45);
    t.same(receiver.bodies.at(-1)?.data.state, { n: 23 });
  },
);

// The contract: "After 20 consecutive failures the webhook is disabled." Earlier versions also required 20 pending
// deliveries.
for (const [how, refuse] of [
  ["without an answer", (response: ServerResponse) => response.socket?.destroy()],
  ["with an answer", (response: ServerResponse) => response.writeHead(500).end()],
] as const)
  t.test(`one delivery that fails exactly 20 times disables the webhook: ${how}`, async (t) => {
    const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
    receiver.respond = refuse;
    const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
    const current = () => hooks.registry.get(siteId, webhook.id);
    const start = clock.now();
    await hooks.report(siteId, 1);
    await pass({ clock, database, receiver }, 19);
    await until(() => current().failures === 19);
    t.equal(current().active, true, "19");
    await pass({ clock, database, receiver }, 20);
    await until(() => !current().active);
    t.match(current(), { disabledReason: "failures", probe: true }, "20");
    t.ok(clock.now() - start < 6 * 60_000, "within the gaps of the schedule, however many are pending");
    await settled(database);
    clock.advance(59_000);
    t.equal(receiver.received.length, 20);
    receiver.respond = (response) => response.writeHead(204).end();
    clock.advance(1_000);
    await receiver.got(22);
    t.same(
      [receiver.bodies[20]?.data.test, receiver.bodies[21]?.data.state],
      [true, { n: 1 }],
      "the probe, and the delivery",
    );
  });

t.test("every answer but 2xx counts the same, including 410; a 2xx resets the count", async (t) => {
  const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
  const statuses = [301, 400, 404, 410, 500];
  let posts = 0;
  receiver.respond = (response) => {
    posts += 1;
    response
      .writeHead(posts === 20 ? 204 : (statuses[posts % statuses.length] ?? 500), { Location: "/elsewhere" })
      .end();
  };
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  for (let n = 1; n <= 60; n++) await hooks.report(siteId, n);
  await pass({ clock, database, receiver }, 39);
  await until(() => hooks.registry.get(siteId, webhook.id).failures === 19);
  t.equal(hooks.registry.get(siteId, webhook.id).active, true, "19, a 2xx, 19");
  await pass({ clock, database, receiver }, 40);
  await until(() => !hooks.registry.get(siteId, webhook.id).active);
  t.equal(hooks.registry.get(siteId, webhook.id).disabledReason, "failures");
});

/** A webhook that 20 deliveries to a dead receiver have disabled. */
async function disabledWebhook(t: Test, choice: { probe?: boolean } = {}) {
  const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
  receiver.respond = (response) => response.socket?.destroy();
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE, ...choice });
  for (let n = 1; n <= 20; n++) await hooks.report(siteId, n);
  await pass({ clock, database, receiver }, 20);
  const current = () => hooks.registry.get(siteId, webhook.id);
  await until(() => !current().active);
  const tests = () => receiver.bodies.filter((body) => body.data.test === true).length;
  return { clock, database, siteId, receiver, hooks, webhook, current, tests };
}

t.test("the hub itself notices when a receiver is back, and sends the stored deliveries in order", async (t) => {
  const { clock, siteId, receiver, hooks, webhook, current, tests } = await disabledWebhook(t);
  const logged = () =>
    hooks.deliveries.list(siteId, webhook.id, { limit: 500 }).items.filter((item) => item.test).length;
  let probes = 0;
  for (const minutes of [1, 2, 5, 10, 30, 60, 60]) {
    t.equal(hooks.deliverer.probesAt(webhook.id), clock.now() + minutes * 60_000, "the next try is shown");
    clock.advance(minutes * 60_000 - 1_000);
    t.equal(tests(), probes, `not before ${minutes} minutes`);
    clock.advance(1_000);
    probes += 1;
    await until(
      () => tests() === probes && logged() === probes && (hooks.deliverer.probesAt(webhook.id) ?? 0) > clock.now(),
    ); // its turn is over, the next is scheduled
  }
  await hooks.report(siteId, 21);
  receiver.received.length = 0;
  receiver.respond = (response) => response.writeHead(204).end();
  clock.advance(3_600_000);
  await receiver.got(22);
  t.same(
    receiver.bodies.slice(1).map((body) => (body.data.state as { n: number }).n),
    Array.from({ length: 21 }, (_, n) => n + 1),
    "a test, then all stored deliveries",
  );
  t.match(current(), { active: true, failures: 0 });
  t.equal(hooks.deliverer.probesAt(webhook.id), null);
  t.equal(hooks.feed.at(-1)?.kind, "webhook.enabled");
});

t.test("the owner can switch the probes off and on again while the webhook is disabled", async (t) => {
  const { clock, siteId, hooks, webhook, tests } = await disabledWebhook(t);
  await hooks.registry.edit(siteId, webhook.id, { probe: false });
  t.equal(hooks.deliverer.probesAt(webhook.id), null);
  clock.advance(2 * 3_600_000);
  t.equal(tests(), 0);
  await hooks.registry.edit(siteId, webhook.id, { probe: true });
  t.equal(hooks.deliverer.probesAt(webhook.id), clock.now() + 60_000);
  clock.advance(60_000);
  await until(() => tests() === 1);
  await hooks.registry.disable(siteId, webhook.id);
});

t.test("a webhook that its owner disabled is left alone", async (t) => {
  const { clock, siteId, receiver, hooks } = await pausedHouse(t);
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  await hooks.registry.disable(siteId, webhook.id);
  clock.advance(5 * 3_600_000);
  t.same([hooks.deliverer.probesAt(webhook.id), receiver.received.length], [null, 0]);
});

t.test("probes continue after a restart of the hub", async (t) => {
  const { clock, database, hooks, tests } = await disabledWebhook(t);
  await hooks.stop();
  const again = await startWebhooks(database, { clock });
  clock.advance(60_000);
  await until(() => tests() === 1);
  await again.stop();
});
