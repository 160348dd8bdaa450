import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import t from "tap";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { livingHouse, pass, pausedHouse, type Received, Receiver, settled, startWebhooks, until } from "./setup.ts";

const STATE = { events: ["device.state"] };

t.test("off-the-shelf receivers accept a delivery, even while the secret is being rotated", async (t) => {
  const { database, siteId, receiver, hooks } = await livingHouse(t);
  const { webhook, secret: oldSecret } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  t.match(oldSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.notMatch(JSON.stringify(hooks.registry.list(siteId)), oldSecret, "shown once");
  const stored = database.raw.prepare("SELECT secret FROM webhook").get() as { secret: Buffer };
  t.notOk(stored.secret.includes(oldSecret), "sealed at rest");

  const stripe = new Stripe("sk_test_none");
  const accepts = ({ body, headers }: Received, secret: string): void => {
    const standard = {
      "webhook-id": String(headers["webhook-id"]),
      "webhook-timestamp": String(headers["webhook-timestamp"]),
      "webhook-signature": String(headers["webhook-signature"]),
    };
    t.doesNotThrow(
      () => stripe.webhooks.constructEvent(body, String(headers["x-service-signature"]), secret),
      "stripe",
    );
    t.doesNotThrow(() => new StandardWebhook(secret).verify(body, standard), "standardwebhooks");
    t.doesNotThrow(() => new SvixWebhook(secret).verify(body, standard), "svix");
    t.throws(
      () => stripe.webhooks.constructEvent(`${body} `, String(headers["x-service-signature"]), secret),
      "a changed body is rejected",
    );
    t.throws(() => new StandardWebhook(secret).verify(`${body} `, standard), "nor by the other signature");
  };

  await hooks.report(siteId, 1);
  await receiver.got(1);
  const [first] = receiver.received;
  if (first === undefined) throw new Error("nothing came");
  accepts(first, oldSecret);
  t.match(first.headers, {
    "content-type": "application/json",
    "user-agent": "Gatehouse-Webhooks/1",
    "x-service-event": "device.state",
    "x-service-attempt": "1",
    "webhook-id": /^dlv_[0-9A-HJKMNP-TV-Z]{26}$/,
    "x-service-signature": /^t=\d+,v1=[0-9a-f]{64}$/,
  });
  t.equal(first.method, "POST");
  t.same(Object.keys(JSON.parse(first.body)), ["id", "event", "deviceId", "data", "at"], "the contract's order");

  const { secret: newSecret } = await hooks.registry.rotate(siteId, webhook.id);
  await hooks.report(siteId, 2);
  await receiver.got(2);
  const [, second] = receiver.received;
  if (second === undefined) throw new Error("nothing came");
  accepts(second, oldSecret);
  accepts(second, newSecret);
  t.match(String(second.headers["x-service-signature"]), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

t.test("the old secret stops signing 24 hours after a rotation", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { clock });
  const { webhook, secret } = await hooks.registry.create(siteId, { url: "http://192.168.1.5/", ...STATE });
  const { secret: renewed } = await hooks.registry.rotate(siteId, webhook.id);
  clock.advance(86_399_000);
  t.same(hooks.registry.secrets(webhook.id), [renewed, secret]);
  clock.advance(1_000);
  t.same(hooks.registry.secrets(webhook.id), [renewed]);
  await hooks.stop();
  await database.stop();
});

t.test("deliveries go in order, to the webhooks that want the event, within their household", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const [state, telemetry, other] = [new Receiver(), new Receiver(), new Receiver()];
  for (const receiver of [state, telemetry, other]) await receiver.start();
  const hooks = await startWebhooks(database);
  await hooks.registry.create(siteId, { url: state.url, events: ["device.state", "device.online"] });
  await hooks.registry.create(siteId, { url: telemetry.url, events: ["device.telemetry"] });
  await hooks.registry.create(testSiteId, { url: other.url, ...STATE });
  for (let n = 0; n < 60; n++) await hooks.report(siteId, n);
  await hooks.report(siteId, 60, "device.telemetry");
  await hooks.report(testSiteId, 61);
  await state.got(60);
  await telemetry.got(1);
  await other.got(1);
  t.same(
    state.bodies.map((body) => (body.data.state as { n: number }).n),
    Array.from({ length: 60 }, (_, n) => n),
  );
  t.equal(new Set(state.bodies.map((body) => body.id)).size, 60, "each with its own id");
  t.same(telemetry.bodies[0]?.data.test, undefined);
  t.equal(other.bodies[0]?.data.test, true, "the test household's deliveries are marked");
  t.equal(hooks.outbox.wanted(siteId, "device.offline"), false);
  t.equal(hooks.outbox.wanted(siteId, "device.online"), true);
  await hooks.stop();
  for (const receiver of [state, telemetry, other]) await receiver.stop();
  await database.stop();
});

t.test("a rolled-back change reports nothing", async (t) => {
  const { database, siteId, receiver, hooks } = await livingHouse(t);
  await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  const failed = database.write(() => {
    hooks.outbox.enqueue({ siteId, event: "device.state", deviceId: "plug", data: { state: { n: 1 } }, at: 0 });
    throw new Error("changed its mind");
  });
  await t.rejects(failed, { message: "changed its mind" });
  await hooks.report(siteId, 2);
  await receiver.got(1);
  t.same(receiver.bodies[0]?.data.state, { n: 2 });
});

t.test(
  "a failed delivery is retried with the same bytes and a new signature, at gaps growing to 15 seconds",
  async (t) => {
    const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
    const times: number[] = [];
    receiver.respond = (response) => {
      times.push(clock.now());
      response.socket?.destroy(); // no answer at all: the receiver looks dead
    };
    const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
    await hooks.report(siteId, 1);
    await hooks.report(siteId, 2);
    while (receiver.received.length < 8) {
      if (hooks.deliverer.resumesAt(webhook.id) !== null) clock.advance(250); // otherwise it is still being tried or recorded
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const gaps = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1000));
    t.same(gaps, [1, 2, 4, 8, 15, 15, 15]);
    t.equal(new Set(receiver.received.map(({ body }) => body)).size, 1, "the first of the two, the same bytes");
    t.equal(
      new Set(receiver.received.map(({ headers }) => headers["x-service-signature"])).size,
      8,
      "signed again each time",
    );
    t.same(
      receiver.received.map(({ headers }) => headers["x-service-attempt"]),
      ["1", "2", "3", "4", "5", "6", "7", "8"],
    );
    await until(() => hooks.registry.get(siteId, webhook.id).failures === 8);
    await settled(database);
    t.match(hooks.deliveries.list(siteId, webhook.id, { limit: 10 }).items, [
      { status: /^waiting$/, attempts: 0 },
      {
        status: /^waiting$/,
        attempts: 8,
        statusCode: null,
        error: "the receiver closed the connection without an answer",
        nextAttemptAt: Number,
      },
    ]);
    receiver.respond = (response) => response.writeHead(200).end("fine");
    await pass({ clock, database, receiver }, 10);
    t.same(
      receiver.bodies.slice(8).map((body) => body.data.state),
      [{ n: 1 }, { n: 2 }],
      "then both, in order",
    );
    await until(() => hooks.registry.get(siteId, webhook.id).failures === 0 && hooks.deliverer.figures.sent === 2);
    t.match(
      hooks.deliveries.list(siteId, webhook.id, { limit: 10 }).items.map((item) => item.status),
      ["delivered", "delivered"],
    );
  },
);

t.test("a delivery that a receiver keeps refusing moves to the retry queue and blocks no other device", async (t) => {
  const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
  receiver.respond = (response, _request, body) => response.writeHead(body.includes('"n":1}') ? 422 : 204).end();
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  await hooks.report(siteId, 1);
  await hooks.report(siteId, 2);
  await hooks.report(siteId, 3, "device.state", "lamp");
  await hooks.report(siteId, 4, "device.state", "lamp");
  const numbers = () => receiver.bodies.map((body) => (body.data.state as { n: number }).n);
  await pass({ clock, database, receiver }, 8);
  t.same(
    numbers(),
    [1, 1, 1, 1, 1, 3, 1, 4],
    "five tries, another device; one more because the receiver accepts something; the other device",
  );
  await until(() => hooks.deliverer.figures.sent === 2);
  const poison = () => hooks.deliveries.list(siteId, webhook.id, { limit: 10 }).items.at(-1);
  t.match(poison(), { status: /^slow$/, attempts: 6, statusCode: 422, error: "answered 422" });
  t.equal(poison()?.nextAttemptAt, (poison()?.attemptedAt ?? 0) + 5 * 60_000);
  const before = receiver.received.length;
  for (let attempt = 1; attempt <= 5; attempt++) {
    clock.advance(25 * 3_600_000);
    await receiver.got(before + attempt);
    await until(() => (poison()?.attempts ?? 0) === 6 + attempt);
    await settled(database);
  }
  t.match(poison(), { status: /^failed$/, attempts: 11, nextAttemptAt: null }, "given up after the last of six");
  await pass({ clock, database, receiver }, before + 6);
  t.same(numbers().slice(before), [1, 1, 1, 1, 1, 2], "no later delivery of its device has passed it");
  await until(() => hooks.deliverer.figures.sent === 3);
  await hooks.deliveries.redeliver(siteId, webhook.id, poison()?.id ?? "");
  await receiver.got(before + 7);
  t.equal(receiver.received.at(-1)?.headers["webhook-id"], poison()?.id, "resent by hand, under its id");
});

t.test("Retry-After is honoured", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const busy = new Receiver();
  await busy.start();
  busy.respond = (response) => response.writeHead(503, { "Retry-After": "100" }).end();
  const hooks = await startWebhooks(database, { clock });
  const { webhook: patient } = await hooks.registry.create(siteId, { url: busy.url, ...STATE });
  await hooks.report(siteId, 1);
  await until(() => hooks.registry.get(siteId, patient.id).failures === 1);
  await settled(database);
  clock.advance(99_000);
  t.equal(busy.received.length, 1);
  t.equal(hooks.registry.get(siteId, patient.id).pausedUntil, clock.now() + 1_000);
  clock.advance(1_000);
  await busy.got(2);
  await hooks.stop();
  await busy.stop();
  await database.stop();
});

t.test("pending deliveries are sent after a restart, and completed ones are not sent again", async (t) => {
  const folder = testFolder(t);
  const database = await openDatabase(folder);
  const { siteId } = seedAccount(database);
  const receiver = new Receiver();
  await receiver.start();
  let hooks = await startWebhooks(database);
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  await hooks.report(siteId, 1);
  await receiver.got(1);
  await hooks.stop();
  hooks = await startWebhooks(database);
  await hooks.registry.disable(siteId, webhook.id);
  await hooks.report(siteId, 2);
  await database.write(() => hooks.registry.writeActive(webhook.id, true, null));
  await receiver.got(2);
  await hooks.stop();
  hooks = await startWebhooks(database);
  await hooks.report(siteId, 3);
  await receiver.got(3);
  t.same(
    receiver.bodies.map((body) => (body.data.state as { n: number }).n),
    [1, 2, 3],
  );
  await hooks.stop();
  await receiver.stop();
  await database.stop();
});

t.test("one slow receiver does not delay others, and at most `parallel` are served at a time", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const slow = new Receiver();
  const quick = new Receiver();
  await slow.start();
  await quick.start();
  let open = 0;
  let mostOpen = 0;
  const held: (() => void)[] = [];
  slow.respond = (response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    held.push(() => {
      open -= 1;
      response.writeHead(204).end();
    });
  };
  const hooks = await startWebhooks(database, { settings: { parallel: 2 } });
  await hooks.registry.create(siteId, { url: slow.url, ...STATE });
  await hooks.registry.create(siteId, { url: quick.url, ...STATE });
  for (let n = 0; n < 50; n++) await hooks.report(siteId, n);
  await quick.got(50);
  t.equal(slow.received.length, 1, "one in flight");
  slow.respond = (response) => response.writeHead(204).end();
  for (const answer of held) answer();
  await slow.got(50);
  t.equal(mostOpen, 1);
  await hooks.stop();
  await slow.stop();
  await quick.stop();
  await database.stop();
});

t.test("stopping ends an attempt in flight without blaming the receiver", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const receiver = new Receiver();
  await receiver.start();
  receiver.respond = () => {};
  let hooks = await startWebhooks(database, { drainMs: 50 });
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  await hooks.report(siteId, 1);
  await receiver.got(1);
  await hooks.stop();
  receiver.respond = (response) => response.writeHead(204).end();
  hooks = await startWebhooks(database);
  t.equal(hooks.registry.get(siteId, webhook.id).failures, 0);
  await receiver.got(2);
  await hooks.stop();
  await receiver.stop();
  await database.stop();
});

t.test("after a stop nothing runs any more, whether paused, refused or due for a retry", async (t) => {
  const { clock, siteId, receiver, hooks } = await pausedHouse(t);
  const url = (path: string) => receiver.url.replace("/hook", path);
  receiver.respond = (response) => response.writeHead(500).end();
  const create = (path: string) => hooks.registry.create(siteId, { url: url(path), events: ["device.state"] });
  const [, off] = [await create("/refuses"), await create("/off")];
  await hooks.report(siteId, 1);
  await receiver.got(2);
  await until(() => hooks.deliverer.figures.failed === 2 && clock.pending >= 2);
  t.ok((hooks.deliverer.resumesAt(off.webhook.id) ?? 0) > clock.now());
  t.equal(hooks.deliverer.resumesAt(999), null);
  t.equal(hooks.deliverer.probesAt(999), null);
  await hooks.stop();
  t.equal(clock.pending, 0);
  const { length } = receiver.received;
  clock.advance(86_400_000);
  t.equal(receiver.received.length, length);
});

t.test("a stop gives an attempt in flight a moment to finish", async (t) => {
  const { siteId, receiver, hooks } = await livingHouse(t);
  let answer = (): void => {};
  receiver.respond = (response) => (answer = () => response.writeHead(204).end());
  await hooks.registry.create(siteId, { url: receiver.url, events: ["device.state"] });
  await hooks.report(siteId, 1);
  await receiver.got(1);
  setTimeout(answer, 30);
  await hooks.stop();
  t.match(hooks.deliverer.figures, { sent: 1, failed: 0 });
});

t.test("while a right cannot be read nothing is delivered, and afterwards all of it is", async (t) => {
  let isReadable = true;
  const { clock, siteId, receiver, hooks } = await pausedHouse(t, {
    stands: () => {
      if (!isReadable) throw new Error("the disk does not answer");
      return true;
    },
  });
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, ...STATE });
  isReadable = false;
  await hooks.report(siteId, 1);
  await until(() => hooks.deliverer.resumesAt(webhook.id) !== null);
  t.equal(receiver.received.length, 0);
  isReadable = true;
  clock.advance(15_000); // nobody else wakes it
  await receiver.got(1);
  t.equal(receiver.received.length, 1);
});
