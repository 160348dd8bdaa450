import { connect } from "node:net";
import mqtt from "mqtt";
import t from "tap";
import { ask, crowd, disperse, type Hostile } from "../support/attacker.ts";
import { eventually, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const SOON_MS = 15_000;
const DEVICES = 40;
const SESSIONS_EACH = 8;

const { hub, owner } = await startOwnedHub(testFolder(t), {
  GATEHOUSE_RECOGNITION: "false",
  GATEHOUSE_MQTT_WEBSOCKET: "true",
});
t.teardown(() => hub.kill());
const port = Number(new URL(hub.url).port);
const passwords = new Map<string, string>();
for (let at = 0; at < DEVICES; at++) {
  const { body } = await owner.call<{ password: string }>("POST", "/api/devices", {
    id: `plug${at}`,
    name: `Plug ${at}`,
    type: "smart-plug",
  });
  passwords.set(`plug${at}`, body.password);
}
const gate = await connected("plug0", "127.0.0.2", "plug0:gate");
await gate.subscribeAsync("gatehouse/plug0/command", { qos: 1 });

async function connected(device: string, localAddress: string, clientId = device): Promise<mqtt.MqttClient> {
  const options = {
    username: device,
    password: passwords.get(device) ?? "",
    clientId,
    reconnectPeriod: 0,
    connectTimeout: SOON_MS,
  };
  const client = new mqtt.MqttClient(() => connect({ port: hub.mqttPort, host: "127.0.0.1", localAddress }), options);
  await new Promise<void>((resolve, reject) => {
    client.once("connect", () => resolve());
    client.once("error", reject);
    client.once("close", () => reject(new Error("closed")));
  });
  return client;
}

/** A device that connected before is reachable, and another connects from its own address. */
async function served(t: import("tap").Test, when: string): Promise<void> {
  const heard = new Promise<void>((resolve) => gate.once("message", () => resolve()));
  const sent = await ask(port, "/v1/devices/plug0/commands", {
    json: { command: { on: true } },
    headers: { Cookie: owner.cookie },
    limitMs: SOON_MS,
  });
  t.ok(sent.status < 300, `${when}: a command is accepted, ${sent.status}`);
  await heard;
  const other = await connected("plug1", "127.0.0.3");
  await other.endAsync();
  t.equal((await ask(port, "/healthz", { limitMs: SOON_MS })).status, 200, `${when}: /healthz`);
}

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length >> 8, value.length & 255]), Buffer.from(value)]);

function connectPacket(
  device: string,
  clientId: string,
  options: { password?: string; keepalive?: number; will?: string } = {},
): Buffer {
  const { password = passwords.get(device) ?? "", keepalive = 60, will } = options;
  const flags = 0xc2 | (will === undefined ? 0 : 0x0c); // user name, password, clean; a will of QoS 1
  const body = Buffer.concat([
    text("MQTT"),
    Buffer.from([4, flags, keepalive >> 8, keepalive & 255]),
    text(clientId),
    ...(will === undefined ? [] : [text(will), text("gone")]),
    text(device),
    text(password),
  ]);
  return Buffer.concat([Buffer.from([0x10]), length(body.length), body]);
}

function length(value: number): Buffer {
  return value < 128 ? Buffer.from([value]) : Buffer.from([(value & 127) | 128, value >> 7]);
}

function publishPacket(topic: string, payload: string, qos: number, id: number, retain = false): Buffer {
  const body = Buffer.concat([
    text(topic),
    ...(qos > 0 ? [Buffer.from([id >> 8, id & 255])] : []),
    Buffer.from(payload),
  ]);
  return Buffer.concat([Buffer.from([0x30 | (qos << 1) | (retain ? 1 : 0)]), length(body.length), body]);
}

const accepted = (one: Hostile): boolean => one.text.startsWith("\x20\x02\x00\x00");

t.test("600 connections from 51 addresses, silent or with half a CONNECT, shut no one out", async (t) => {
  const silent = await crowd(hub.mqttPort, 600, { net: 21, addresses: 51 });
  await served(t, "silent ones");
  const half = await crowd(hub.mqttPort, 600, {
    net: 22,
    addresses: 51,
    data: connectPacket("plug2", "plug2").subarray(0, 20),
  });
  await served(t, "half packets");
  disperse([...silent, ...half]);
});

t.test("600 connections from one address slow that address alone", async (t) => {
  const half = await crowd(hub.mqttPort, 600, { net: 23, data: Buffer.from([0x10, 60, 0, 4]) });
  await served(t, "meanwhile");
  disperse(half);
});

t.test("312 devices that reconnect at once from one address are paced, none is lost", async (t) => {
  const packets = [...passwords.keys()].flatMap((device) =>
    Array.from({ length: SESSIONS_EACH }, (_, at) => connectPacket(device, `${device}:${at}`)),
  );
  const usable = packets.slice(SESSIONS_EACH); // plug0 is connected already
  const all = await crowd(hub.mqttPort, usable.length, { net: 24, read: true });
  for (const [at, one] of all.entries()) one.send(usable[at] ?? "");
  await eventually(() => all.every(accepted) || all.some((one) => one.isOver), 60_000);
  t.equal(all.filter(accepted).length, usable.length);
  t.equal(all.filter((one) => one.isOver).length, 0);
  disperse(all);
});

t.test("floods by a device: unreleased QoS 2, retained topics, wills, with the longest keep-alive", async (t) => {
  const [flood] = await crowd(hub.mqttPort, 1, {
    net: 25,
    data: connectPacket("plug3", "plug3", { keepalive: 65_535 }),
    read: true,
  });
  if (!flood) throw new Error("no connection");
  await eventually(() => accepted(flood));
  for (let id = 1; id <= 2_000; id++) flood.send(publishPacket("gatehouse/plug3/event", `{"kind":"k${id}"}`, 2, id));
  await served(t, "2,000 QoS 2 messages");
  const [retain] = await crowd(hub.mqttPort, 1, { net: 25, data: connectPacket("plug4", "plug4"), read: true });
  for (let at = 0; at < 2_000; at++) retain?.send(publishPacket(`gatehouse/plug4/t${at}`, "x".repeat(100), 0, 0, true));
  await served(t, "2,000 retained topics");
  for (let round = 0; round < 10; round++) {
    const wills = await crowd(hub.mqttPort, SESSIONS_EACH, { net: 25, read: true });
    for (const [at, one] of wills.entries())
      one.send(connectPacket("plug5", `plug5:${at}`, { will: "gatehouse/plug5/status" }));
    await eventually(() => wills.every((one) => accepted(one) || one.isOver), SOON_MS);
    for (const { socket } of wills) socket.resetAndDestroy();
  }
  await served(t, "80 wills");
  disperse([flood, ...(retain ? [retain] : [])]);
});

t.test("guesses at a device's password are slow, and the device itself gets in", async (t) => {
  const all = await crowd(hub.mqttPort, 100, {
    net: 26,
    data: connectPacket("plug6", "plug6", { password: "wrong" }),
    read: true,
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const judged = all.filter((one) => one.text !== "").length;
  t.ok(judged <= 60, `${judged} of 100 were checked in a second`);
  await served(t, "meanwhile");
  const device = await connected("plug6", "127.0.0.4");
  await device.endAsync();
  disperse(all);
});

t.test("none of this has hurt the hub", async (t) => {
  await gate.endAsync();
  t.notMatch(hub.output(), /uncaught|unhandled/i);
  t.equal(await hub.stop(), 0);
});
