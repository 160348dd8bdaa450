/**
 * A hub whose disk syncs are slow, or fail, in its own process: its event loop never waits for them, it answers and
 * commands meanwhile, and it acknowledges nothing that the disk has not confirmed.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { eventually, type HubProcess, type Person, startOwnedHub } from "../support/hub-process.ts";
import { type SlowDisk, slowDisk } from "../support/slow-disk.ts";
import { testFolder } from "../support/test-folder.ts";

const SLOW_MS = 1_500;

interface House {
  readonly hub: HubProcess;
  readonly person: Person;
  readonly connect: (id: string, type: string) => Promise<mqtt.MqttClient>;
}

async function houseOn(t: Test, disk: SlowDisk, env: Record<string, string> = {}): Promise<House> {
  const { hub, owner: person } = await startOwnedHub(testFolder(t), { ...disk.env, ...env });
  t.teardown(async () => {
    disk.delay(0);
    disk.fail(null);
    disk.hang(null);
    await hub.stop();
  });
  const connect = async (id: string, type: string): Promise<mqtt.MqttClient> => {
    const { body } = await person.call<{ password: string }>("POST", "/api/devices", { id, name: id, type });
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
      username: id,
      password: body.password,
      clientId: id,
      clean: false,
    });
    t.teardown(() => client.end(true));
    return client;
  };
  return { hub, person, connect };
}

const state = (client: mqtt.MqttClient, id: string, value: object) =>
  client.publishAsync(`gatehouse/${id}/state`, JSON.stringify(value), { qos: 1 });

t.test("the event loop waits for no disk", async (t) => {
  const disk = slowDisk(t);
  if (disk === null) return;
  const { hub, person, connect } = await houseOn(t, disk, { GATEHOUSE_STORAGE_COMMIT_INTERVAL_MS: "1" });
  const meter = await connect("meter", "energy-meter");
  const waits = disk.watch();
  for (let n = 0; n < 120; n++) {
    const note = randomBytes(37_500).toString("base64"); // the log is moved into the database after 1,000 pages
    await meter.publishAsync("gatehouse/meter/telemetry", JSON.stringify({ n, note }), { qos: 1 });
  }
  t.equal((await person.call("POST", "/api/rooms", { name: "Hall" })).status, 201);
  t.equal((await person.call("PATCH", "/api/settings", { settings: { "plates.imageRetentionDays": 7 } })).status, 200);
  const { body } = await person.call<{ upload: { id: string } }>("POST", "/api/uploads", {
    kind: "update",
    bytes: 300_000,
  });
  t.equal(
    (
      await person.send(
        "PUT",
        `/api/uploads/${body.upload.id}?offset=0`,
        new Uint8Array(300_000),
        "application/octet-stream",
      )
    ).status,
    200,
  );
  t.equal((await person.call("POST", "/api/backups", {})).status, 201);
  await eventually(() => (waits().some(({ file }) => file.endsWith("gatehouse.db")) ? true : undefined));
  const own = waits().filter(({ process }) => process === hub.pid);
  t.ok(
    own.some(({ call, file }) => call === "fdatasync" && file.endsWith("gatehouse.db-wal")),
    "commits are synced",
  );
  t.same(
    own.filter(({ thread }) => thread === hub.pid).map(({ call, file }) => `${call} ${file}`),
    [],
    "and not by the thread that serves devices",
  );
});

t.test(
  "with a slow disk the hub answers, commands and acts; only acknowledgements and webhooks wait for it",
  async (t) => {
    const disk = slowDisk(t);
    if (disk === null) return;
    const { person, connect } = await houseOn(t, disk, { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" });
    const [sensor, lamp] = [await connect("sensor", "sensor"), await connect("lamp", "smart-plug")];
    await lamp.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
    const commands: { text: string; at: number }[] = [];
    lamp.on("message", (_, payload) => commands.push({ text: payload.toString(), at: performance.now() }));
    const receivedAt: number[] = [];
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => {
        receivedAt.push(performance.now());
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    t.teardown(() => receiver.close());
    const { port } = receiver.address() as AddressInfo; // it listens on an address
    const rule = {
      name: "Lamp",
      trigger: { type: "state", deviceId: "sensor", field: "motion", op: "eq", value: true },
      action: { type: "command", deviceId: "lamp", command: { power: true } },
    };
    t.equal((await person.call("POST", "/v1/automations", rule)).status, 201);
    await state(sensor, "sensor", { motion: false });
    await eventually(async () => ((await person.call("GET", "/v1/devices/sensor")).status === 200 ? true : undefined));
    t.equal(
      (await person.call("POST", "/api/webhooks", { url: `http://127.0.0.1:${port}/`, events: ["device.state"] }))
        .status,
      201,
    );
    disk.delay(SLOW_MS);
    await new Promise((done) => setTimeout(done, 50)); // what the last commit still has to write
    const sent = performance.now();
    const acknowledged = state(sensor, "sensor", { motion: true }).then(() => performance.now());
    const lit = await eventually(() => commands.find(({ text }) => text.includes("power")));
    t.ok(lit.at - sent < SLOW_MS, `the lamp got its command after ${Math.round(lit.at - sent)} ms`);
    const asked = performance.now();
    const { body } = await person.call<{ device: { state: object } }>("GET", "/v1/devices/sensor");
    t.match(body.device.state, { motion: true }, "a reader sees what the disk does not have yet");
    t.equal((await person.call("POST", "/v1/devices/lamp/commands", { brightness: 7 })).status, 202);
    const byHand = await eventually(() => commands.find(({ text }) => text.includes("brightness")));
    t.ok(byHand.at - asked < SLOW_MS, `reading and commanding took ${Math.round(byHand.at - asked)} ms`);
    t.ok((await acknowledged) - sent >= SLOW_MS, "the device's message is acknowledged when the disk has it");
    await eventually(() => (receivedAt.length > 0 ? true : undefined));
    t.ok((receivedAt[0] ?? 0) - sent >= SLOW_MS, "and receivers hear of it then");
    disk.delay(0);
  },
);

t.test("an acknowledgement of an unchanged value waits for the change that it repeats", async (t) => {
  const disk = slowDisk(t);
  if (disk === null) return;
  const { person, connect } = await houseOn(t, disk);
  const sensor = await connect("sensor", "sensor");
  await state(sensor, "sensor", { motion: false });
  disk.delay(SLOW_MS);
  const sent = performance.now();
  const first = state(sensor, "sensor", { motion: true });
  await eventually(async () => {
    const { body } = await person.call<{ device: { state: { motion?: boolean } } }>("GET", "/v1/devices/sensor");
    return body.device.state.motion === true ? true : undefined;
  });
  await state(sensor, "sensor", { motion: true });
  t.ok(performance.now() - sent >= SLOW_MS);
  await first;
});

t.test("a sync that fails once costs only time: the log is rewritten before anything is acknowledged", async (t) => {
  const disk = slowDisk(t);
  if (disk === null) return;
  const { hub, person, connect } = await houseOn(t, disk);
  const meter = await connect("meter", "energy-meter");
  disk.failOnce("gatehouse.db-wal");
  await meter.publishAsync("gatehouse/meter/telemetry", '{"watts":1}', { qos: 1 });
  t.ok(disk.hasFailed());
  // the log line may come after the acknowledgement
  await eventually(() => (/was written again, and it confirmed it/.test(hub.output()) ? true : undefined));
  t.match(hub.output(), /did not confirm what was written/);
  await meter.publishAsync("gatehouse/meter/telemetry", '{"watts":2}', { qos: 1 });
  const { body } = await person.call<{ telemetry: unknown[] }>("GET", "/v1/devices/meter/telemetry");
  t.equal(body.telemetry.length, 2);
});

t.test(
  "a disk that confirms nothing: nothing is acknowledged, commands flow, it is reported, and the hub ends by itself",
  async (t) => {
    const disk = slowDisk(t);
    if (disk === null) return;
    const { hub, person, connect } = await houseOn(t, disk);
    const [meter, lamp] = [await connect("meter", "energy-meter"), await connect("lamp", "smart-plug")];
    const heard: string[] = [];
    lamp.on("message", (_, payload) => heard.push(payload.toString()));
    await lamp.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
    disk.fail("gatehouse.db");
    let acknowledged = false;
    meter.publish("gatehouse/meter/telemetry", '{"watts":1}', { qos: 1 }, (error) => {
      acknowledged ||= !error;
    });
    const refused = await eventually(async () => {
      const { status, body } = await person.call<{ error: { code: string; message: string } }>("POST", "/api/rooms", {
        name: "Hall",
      });
      return status === 503 ? body.error : undefined;
    });
    t.equal(refused.code, "unavailable");
    const { checks } = (await (await fetch(`${hub.url}/healthz`)).json()) as {
      checks: { code: string; level: string }[];
    };
    t.match(
      checks.find(({ code }) => code === "storage"),
      { level: "failed" },
    );
    t.equal((await person.call("POST", "/v1/devices/lamp/commands", { power: true })).status, 202);
    await eventually(() => (heard.includes('{"power":true}') ? true : undefined));
    t.notOk(acknowledged, "what the disk did not confirm is not acknowledged");
    disk.fail(null);
    await eventually(
      async () => ((await person.call("POST", "/api/rooms", { name: "Attic" })).status === 201 ? true : undefined),
      15_000,
    );
    await eventually(() => (acknowledged ? true : undefined), 15_000);
    t.pass("the device's repeated message is acknowledged");
  },
);

t.test(
  "a disk that stops answering: pending writes are not acknowledged, commands flow, it is reported, and all resume with the disk",
  async (t) => {
    const disk = slowDisk(t);
    if (disk === null) return;
    const { hub, person, connect } = await houseOn(t, disk);
    const [meter, lamp] = [await connect("meter", "energy-meter"), await connect("lamp", "smart-plug")];
    const heard: string[] = [];
    lamp.on("message", (_, payload) => heard.push(payload.toString()));
    await lamp.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
    const storage = async (): Promise<string | undefined> => {
      const { checks } = (await (await fetch(`${hub.url}/healthz`)).json()) as {
        checks: { code: string; level: string }[];
      };
      return checks.find(({ code }) => code === "storage")?.level;
    };
    t.equal(await storage(), "ok");
    disk.hang("gatehouse.db");
    let acknowledged = false;
    meter.publish("gatehouse/meter/telemetry", '{"watts":1}', { qos: 1 }, (error) => {
      acknowledged ||= !error;
    });
    await eventually(async () => ((await storage()) === "failed" ? true : undefined), 15_000);
    const { body } = await person.call<{ checks: { code: string; text: string }[] }>("GET", "/api/health");
    t.match(body.checks.find(({ code }) => code === "storage")?.text, /has not answered for [5-9] s/);
    t.notOk(acknowledged, "what the disk has not confirmed is not acknowledged");
    const asked = performance.now();
    t.equal((await person.call("GET", "/v1/devices/meter")).status, 200);
    t.equal((await person.call("POST", "/v1/devices/lamp/commands", { power: true })).status, 202);
    await eventually(() => (heard.includes('{"power":true}') ? true : undefined));
    t.ok(performance.now() - asked < 2_000, "reads and commands do not wait for it");
    disk.hang(null);
    await eventually(() => (acknowledged ? true : undefined));
    await eventually(async () => ((await storage()) === "ok" ? true : undefined));
    const samples = await person.call<{ telemetry: unknown[] }>("GET", "/v1/devices/meter/telemetry");
    t.equal(samples.body.telemetry.length, 1, "once");
  },
);
