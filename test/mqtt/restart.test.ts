import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import mqtt from "mqtt";
import t from "tap";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import {
  type Call,
  clientOptions,
  closed,
  collect,
  type Harness,
  kill,
  message,
  startBroker,
  until,
} from "./harness.ts";

interface BrokerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly port: number;
  answer(): Promise<unknown>;
}

async function spawnBroker(folder: string): Promise<BrokerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "broker-process.ts"), folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  const { port } = (await answer()) as { port: number }; // the first line it prints
  return { child, port, answer };
}

async function connect(port: number, options: Partial<mqtt.IClientOptions> = {}): Promise<mqtt.MqttClient> {
  return mqtt.connectAsync({ ...clientOptions(port, "plug-1"), ...options });
}

t.test("acknowledged data survives SIGKILL: retained messages, sessions, queued messages", async (t) => {
  const folder = testFolder(t);
  const first = await spawnBroker(folder);
  t.teardown(() => kill(first.child));
  const log = await connect(first.port, { clientId: "plug-1:log", clean: false });
  await log.subscribeAsync(["gatehouse/plug-1/event", "gatehouse/plug-1/command", "gatehouse/plug-1/status"], {
    qos: 1,
  });
  await log.endAsync();
  const plug = await connect(first.port);
  await plug.publishAsync("gatehouse/plug-1/info", '{"model":"x"}', { qos: 1, retain: true });
  for (let n = 0; n < 5; n++) await plug.publishAsync("gatehouse/plug-1/event", `{"kind":"n${n}"}`, { qos: 1 });
  first.child.stdin.write(`${JSON.stringify({ deviceId: "plug-1", payload: '{"open":true}', ttlMs: 60_000 })}\n`);
  t.same(await first.answer(), { verdict: "queued" });
  plug.on("error", () => {});
  const gone = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await gone;
  plug.end(true);

  const second = await spawnBroker(folder);
  t.teardown(() => kill(second.child));
  const again = mqtt.connect({ ...clientOptions(second.port, "plug-1"), clientId: "plug-1:log", clean: false });
  const seen = collect(again);
  const [connack] = await new Promise<[mqtt.IConnackPacket]>((resolve) =>
    again.once("connect", (packet) => resolve([packet])),
  );
  t.ok(connack.sessionPresent);
  await until(() => seen.length >= 6);
  t.same(
    seen,
    [0, 1, 2, 3, 4]
      .map((n) => `gatehouse/plug-1/event {"kind":"n${n}"}`)
      .concat('gatehouse/plug-1/command {"open":true}'),
  );
  const retained = message(again);
  await again.subscribeAsync("gatehouse/plug-1/info", { qos: 1 });
  t.match(await retained, { payload: '{"model":"x"}', retain: true });
  await again.endAsync();
});

t.test("a will left by a killed broker is published when its client does not come back in time", async (t) => {
  const folder = testFolder(t);
  const first = await spawnBroker(folder);
  t.teardown(() => kill(first.child));
  const will = { topic: "gatehouse/plug-1/status", payload: Buffer.from("offline"), qos: 1 as const, retain: true };
  const plug = await connect(first.port, { will });
  const other = await connect(first.port, {
    username: "plug-2",
    clientId: "plug-2",
    will: { ...will, topic: "gatehouse/plug-2/status" },
  });
  for (const client of [plug, other]) client.on("error", () => {});
  const gone = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await gone;
  plug.end(true);
  other.end(true);

  const clock = new FakeClock();
  const hub = await startBroker(t, { folder, clock, limits: { willGraceMs: 60_000 } });
  await hub.connect({ device: "plug-2" });
  clock.advance(60_000);
  t.same(await hub.call(([name]) => name === "status"), ["status", "plug-1", { status: "offline" }]);
  await until(() => hub.broker.figures()?.stored.wills === 0);
  t.equal(hub.calls.filter(([name]) => name === "status").length, 1, "not for the client that came back");
});

t.test("an orderly stop publishes no wills and announces nothing", async (t) => {
  const folder = testFolder(t);
  const will = { topic: "gatehouse/plug-1/status", payload: Buffer.from("offline"), qos: 1 as const, retain: true };
  const first = await startBroker(t, { folder });
  const plug = await first.connect({ will });
  const cut = closed(plug);
  await first.broker.stop();
  await cut;
  t.same(
    first.calls.map(([name]: Call) => name),
    ["connected"],
  );
  await first.database.stop();
  const second = await startBroker(t, { folder });
  t.equal(second.broker.figures()?.stored.wills, 1, "it is kept for the next start");
});

t.test("queued commands are dropped when their time is over, even after a restart", async (t) => {
  const folder = testFolder(t);
  const clock = new FakeClock();
  const open = async (hub: Harness): Promise<mqtt.MqttClient> => hub.connect({ clean: false });
  const first = await startBroker(t, { folder, clock });
  const plug = await open(first);
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  await plug.endAsync();
  await first.call(([name]) => name === "disconnected");
  t.equal(await first.broker.publishCommand("plug-1", '{"n":1}', 60_000), "queued");
  t.equal(await first.broker.publishCommand("plug-1", '{"n":2}', 600_000), "queued");
  await first.broker.stop();
  await first.database.stop();

  clock.advance(120_000);
  const second = await startBroker(t, { folder, clock });
  t.equal(second.broker.figures()?.stored.queued.messages, 1);
  clock.advance(600_000);
  t.equal(second.broker.figures()?.stored.queued.messages, 0, "swept while the hub runs");
  const again = await open(second);
  const seen = collect(again);
  t.equal(await second.broker.publishCommand("plug-1", '{"n":3}', 60_000), "sent");
  await until(() => seen.length > 0);
  t.same(seen, ['gatehouse/plug-1/command {"n":3}']);
});

for (const [what, jump, trusted] of [
  ["the wall clock went back", -3_600_000, true],
  ["the wall clock is not trusted", 0, false],
] as const) {
  t.test(`queued commands of the last run are dropped when ${what}`, async (t) => {
    const folder = testFolder(t);
    const clock = new FakeClock();
    const first = await startBroker(t, { folder, clock });
    const plug = await first.connect({ clean: false });
    await plug.subscribeAsync(["gatehouse/plug-1/command", "gatehouse/plug-1/event"], { qos: 1 });
    await plug.endAsync();
    await first.call(([name]) => name === "disconnected");
    await first.broker.publishCommand("plug-1", "{}", 60_000);
    const other = await first.connect({ clientId: "plug-1:button" });
    await other.publishAsync("gatehouse/plug-1/event", '{"kind":"x"}', { qos: 1 });
    t.equal(first.broker.figures()?.stored.queued.messages, 2);
    await first.broker.stop();
    await first.database.stop();
    clock.jump(jump);
    const second = await startBroker(t, { folder, clock, broker: { clockTrusted: () => trusted } });
    t.equal(second.broker.figures()?.stored.queued.messages, 1, "messages that do not expire stay");
  });
}

t.test("a session that is not resumed is forgotten", async (t) => {
  const clock = new FakeClock();
  const hub = await startBroker(t, { clock });
  const plug = await hub.connect({ clean: false });
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  await plug.endAsync();
  await hub.call(([name]) => name === "disconnected");
  clock.advance(6 * 86_400_000);
  t.equal(hub.broker.figures()?.stored.sessions, 1);
  clock.advance(2 * 86_400_000);
  await until(() => hub.broker.figures()?.stored.sessions === 0);
  t.pass();
});

t.test("unchanged data is not written", async (t) => {
  const folder = testFolder(t);
  const hub = await startBroker(t, { folder });
  const changes = (): unknown => hub.database.raw.prepare("SELECT total_changes()").pluck().get();
  const will = { topic: "gatehouse/plug-1/status", payload: Buffer.from("offline"), qos: 1 as const, retain: true };
  const plug = await hub.connect({ clean: false, will });
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/info", '{"a":1}', { qos: 1, retain: true });
  const before = changes();
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/info", '{"a":1}', { qos: 1, retain: true });
  await plug.publishAsync("gatehouse/plug-1/state", '{"a":1}', { qos: 1 });
  t.equal(changes(), before);
  const received = message(plug);
  await hub.broker.publishCommand("plug-1", "{}", 1_000);
  await received;
  await hub.call(([name]) => name === "delivered");
  t.equal(hub.broker.figures()?.stored.queued.messages, 0);
  await plug.publishAsync("gatehouse/plug-1/info", '{"a":2}', { qos: 1, retain: true });
  t.equal(Number(changes()) - Number(before), 1, "a command acknowledged at once never reaches the disk");
});
