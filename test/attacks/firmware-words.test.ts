/**
 * The words of a device's own firmware reach further than its switches: they set it up anew, write its flash, call other
 * devices of the network. So they are an owner's, whatever somebody may switch, and what a limited person runs has none.
 */
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { RetainedTopics } from "../home-assistant/household.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually, type Person } from "../support/hub-process.ts";
import { Mosquitto, NO_MOSQUITTO } from "../support/mosquitto.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const COORDINATOR = "0x00124b00120144ae";
const PLUG = "0x00158d00018255df";
const GATE = "0x00158d00018255aa";

interface Told {
  readonly status: number;
  readonly code: string | null;
}

/** A client of another make, with what the hub tells it. */
async function client(t: Test, house: HouseholdProcess, family: string, filter: string) {
  const made = await house.owner.call<{ username: string; password: string }>("POST", "/api/bridge/clients", {
    family,
    name: family,
  });
  t.equal(made.status, 201);
  const { username, password } = made.body;
  const connection = await mqtt.connectAsync(`mqtt://127.0.0.1:${house.hub.mqttPort}`, {
    ...{ username, password, protocolVersion: 4, reconnectPeriod: 0, clientId: "" },
  });
  t.teardown(() => connection.end(true));
  const heard: string[] = [];
  connection.on("message", (topic, payload) => heard.push(`${topic} ${payload}`));
  await connection.subscribeAsync(filter, { qos: 1 });
  const says = async (topic: string, payload: unknown) => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    await connection.publishAsync(topic, text, { qos: 1, retain: true });
  };
  return { heard, says };
}

/** Waits until a device is known and online. */
async function known(house: HouseholdProcess, id: string): Promise<void> {
  await eventually(async () => {
    const { body } = await house.owner.call<{ devices: { id: string; online: boolean }[] }>("GET", "/v1/devices");
    return body.devices.some((device) => device.id === id && device.online);
  });
}

async function tasmotaLamp(t: Test, house: HouseholdProcess) {
  const mac = "AABBCC000001";
  const lamp = await client(t, house, "tasmota", "cmnd/lamp/#");
  await lamp.says(`tasmota/discovery/${mac}/config`, {
    ...{ ip: "192.168.1.40", dn: "lamp", fn: ["lamp"], hn: "lamp", mac, md: "Sonoff", ty: 0, if: 0 },
    ...{ ofln: "Offline", onln: "Online", state: ["OFF", "ON", "TOGGLE", "HOLD"], sw: "14.2.0", t: "lamp" },
    ...{ ft: "%prefix%/%topic%/", tp: ["cmnd", "stat", "tele"], rl: [1], so: {}, ver: 1 },
  });
  await lamp.says("tele/lamp/LWT", "Online");
  await lamp.says("stat/lamp/RESULT", { POWER: "OFF" });
  const id = `tasmota-${mac.toLowerCase()}`;
  await known(house, id);
  lamp.heard.length = 0;
  return { ...lamp, id };
}

function assertOk(t: Test, { status }: { readonly status: number }): void {
  t.equal(status, 200);
}

const tells = async (by: Person, id: string, command: object): Promise<Told> => {
  const answer = await by.call<{ error?: { words?: { code: string } } }>("POST", `/v1/devices/${id}/commands`, command);
  return { status: answer.status, code: answer.body.error?.words?.code ?? null };
};
const REFUSED: Told = { status: 403, code: "forbidden.upkeep" };

t.test("a lamp that can call the gate's relay, and take any firmware", async (t) => {
  const house = await HouseholdProcess.start(t);
  const lamp = await tasmotaLamp(t, house);
  const { person: cleaner, id } = await house.join("member");
  t.equal((await house.owner.call("PATCH", `/api/persons/${id}`, { limits: NEVER })).status, 200);
  const { person: member } = await house.join("member");
  const { person: gatekeeper } = await house.join("gatekeeper");
  for (const by of [cleaner, member, gatekeeper]) {
    for (const command of [
      { WebSend: "[192.168.1.50] POWER ON" },
      { power: true, Backlog: "WebSend [192.168.1.50] POWER ON" },
      { Rule1: "ON Time#Minute=180 DO WebSend [192.168.1.50] POWER ON ENDON" },
      { update: "http://192.168.1.66/other.bin" },
    ])
      t.same(await tells(by, lamp.id, command), REFUSED, JSON.stringify(command));
  }
  t.same(lamp.heard, [], "the lamp has heard nothing of it");
  t.equal((await tells(cleaner, lamp.id, { power: true })).status, 202, "its switch is everybody's");
  t.equal((await tells(house.owner, lamp.id, { PowerOnState: 3 })).status, 202, "an owner sets it up");
  const key = await house.key(["devices:control"]);
  const byKey = await house.ask(key, "POST", `/v1/devices/${lamp.id}/commands`, { PowerOnState: 0 });
  t.equal(byKey.status, 202, "as does a key of the house");
});

t.test("a scene with such words is run by who may open everything, and by no limited person", async (t) => {
  const house = await HouseholdProcess.start(t);
  const lamp = await tasmotaLamp(t, house);
  const actions = [
    { deviceId: lamp.id, command: { power: true } },
    { deviceId: lamp.id, command: { WebSend: "[192.168.1.50] POWER ON" } },
  ];
  const made = await house.owner.call<{ scene: { id: number } }>("POST", "/api/scenes", { name: "Evening", actions });
  t.equal(made.status, 201);
  const run = `/v1/scenes/${made.body.scene.id}/activate`;
  const { person: cleaner, id } = await house.join("member");
  t.equal((await house.owner.call("PATCH", `/api/persons/${id}`, { limits: NEVER })).status, 200);
  t.equal((await cleaner.call("POST", run)).status, 403);
  t.same(lamp.heard, [], "not even its first command");
  const { person: member } = await house.join("member");
  t.equal((await member.call("POST", run)).status, 202, "an owner has written it for them");
  await eventually(() => lamp.heard.length === 2);
});

t.test("a gateway that runs what it is sent, and joins who asks", async (t) => {
  const house = await HouseholdProcess.start(t);
  const zigbee = await client(t, house, "zigbee2mqtt", "zigbee2mqtt/#");
  await network(zigbee.says);
  const gateway = "zigbee2mqtt-bridge-00124b00120144ae";
  await known(house, gateway);
  const { person: member } = await house.join("member");
  const asked = () => zigbee.heard.filter((line) => line.startsWith("zigbee2mqtt/bridge/request/"));
  for (const command of [
    { permitJoin: true },
    { request: "extension/save", data: { name: "open.js", code: "process.exit()" } },
    { request: "group/members/add", data: { group: "lamps", device: "gate" } },
    { remove: "gate" },
  ])
    t.same(await tells(member, gateway, command), REFUSED, JSON.stringify(command));
  t.same(await tells(member, `zigbee2mqtt-${PLUG}`, { write: { cluster: "genBasic" } }), REFUSED);
  t.same(asked(), []);
  t.equal((await tells(member, gateway, { healthCheck: true })).status, 202);
  t.equal((await tells(house.owner, gateway, { permitJoin: true })).status, 202);
});

t.test("a relay that is announced once more, as a lamp", async (t) => {
  const house = await HouseholdProcess.start(t);
  const relay = await tasmotaLamp(t, house);
  // by the same credential, which may be that of other devices too
  await relay.says("homeassistant/switch/second/config", {
    ...{ unique_id: "second", device: { identifiers: ["second"], name: "Second" } },
    ...{ command_topic: "cmnd/lamp/POWER", state_topic: "stat/lamp/POWER", payload_on: "OFF", payload_off: "ON" },
  });
  await relay.says("stat/lamp/POWER", "OFF");
  const second = "homeassistant-second";
  await known(house, second);
  const { person: cleaner, id } = await house.join("member");
  assertOk(t, await house.owner.call("PATCH", `/api/persons/${id}`, { limits: NEVER }));
  const { person: member } = await house.join("member");
  t.equal((await tells(cleaner, second, { power: false })).status, 202, "a lamp is everybody's");
  await eventually(() => relay.heard.includes("cmnd/lamp/POWER ON"));
  assertOk(t, await house.owner.call("PATCH", `/api/devices/${relay.id}`, { type: "gate" }));
  relay.heard.length = 0;
  for (const by of [relay.id, second])
    for (const command of [{ power: true }, { power: false }])
      t.equal((await tells(cleaner, by, command)).status, 403, `${by} ${JSON.stringify(command)}`);
  t.same(relay.heard, [], "the gate is not opened under its other name");
  t.equal((await tells(member, second, { power: false })).status, 202, "who may open it still may");
});

for (const mayOpen of [false, true])
  t.test(
    `a gateway at Home Assistant, which may ${mayOpen ? "" : "not "}open the gate`,
    { skip: NO_MOSQUITTO },
    async (t) => {
      const mosquitto = await Mosquitto.start(t, testFolder(t));
      const seen = await RetainedTopics.watch(t, mosquitto.port);
      const house = await HouseholdProcess.start(t, {
        GATEHOUSE_OUTSIDE_BROKER_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
        GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT: "true",
        GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_GATE: String(mayOpen),
      });
      const zigbee = await client(t, house, "zigbee2mqtt", "zigbee2mqtt/#");
      await network(zigbee.says);
      await known(house, "zigbee2mqtt-bridge-00124b00120144ae");
      const commanded = () =>
        Object.values(seen.devices.get("Zigbee2MQTT")?.config.components ?? {}).filter(
          ({ command_topic: topic }) => topic !== undefined,
        );
      await eventually(async () => commanded().length > 0); // it is told of first, then with its commands
      const offered = commanded();
      t.same(
        offered.map(({ name }) => name),
        ["Check"],
        "what an owner alone may do is not offered",
      );
      const check = String(offered.find(({ name }) => name === "Check")?.command_topic);
      for (const [part, word] of [
        ["switch_permitJoin", "ON"],
        ["button_restart", "PRESS"],
        ["button_healthCheck", "PRESS"],
      ])
        await seen.client.publishAsync(check.replace("button_healthCheck", String(part)), String(word), { qos: 1 });
      const asked = () => zigbee.heard.filter((line) => line.startsWith("zigbee2mqtt/bridge/request/"));
      await eventually(async () => asked().length > 0);
      t.same(asked(), ["zigbee2mqtt/bridge/request/health_check "], "nor done");
    },
  );

t.test("a group that has the gate's relay among its lamps", async (t) => {
  const house = await HouseholdProcess.start(t);
  const zigbee = await client(t, house, "zigbee2mqtt", "zigbee2mqtt/#");
  await network(zigbee.says);
  const [group, relay] = ["zigbee2mqtt-group-1", `zigbee2mqtt-${GATE}`];
  await known(house, group);
  await known(house, relay);
  const set = () => zigbee.heard.filter((line) => line.startsWith("zigbee2mqtt/lamps/set"));
  const { person: cleaner, id } = await house.join("member");
  t.equal((await house.owner.call("PATCH", `/api/persons/${id}`, { limits: NEVER })).status, 200);
  t.equal((await tells(cleaner, group, { power: true })).status, 202, "a group of plugs is everybody's");
  await eventually(() => set().length === 1);
  t.equal((await house.owner.call("PATCH", `/api/devices/${relay}`, { type: "gate" })).status, 200);
  t.equal((await tells(cleaner, relay, { power: true })).status, 403);
  t.not((await tells(cleaner, group, { power: false })).status, 202, "the gate is not opened by the way of its group");
  t.equal(set().length, 1);
});

/** A network of two plugs and a group of them, as Zigbee2MQTT tells it. */
async function network(says: (topic: string, payload: unknown) => Promise<void>): Promise<void> {
  const exposes = [
    {
      type: "switch",
      features: [
        {
          ...{ type: "binary", name: "state", property: "state", label: "State", access: 7 },
          ...{ value_on: "ON", value_off: "OFF", value_toggle: "TOGGLE" },
        },
      ],
    },
  ];
  const plug = (address: string, name: string) => ({
    ...{ ieee_address: address, type: "Router", network_address: 1, supported: true, friendly_name: name },
    ...{ interview_completed: true, endpoints: { 1: { bindings: [], scenes: [] } } },
    definition: { model: "ZNCZ02LM", vendor: "Xiaomi", description: "plug", options: [], exposes },
  });
  await says("zigbee2mqtt/bridge/state", { state: "online" });
  await says("zigbee2mqtt/bridge/info", {
    ...{ version: "2.12.1", coordinator: { ieee_address: COORDINATOR, type: "ZStack3x0" } },
    ...{ network: { channel: 15 }, permit_join: false, config: {} },
  });
  await says("zigbee2mqtt/bridge/devices", [
    { ieee_address: COORDINATOR, type: "Coordinator", friendly_name: "Coordinator", definition: null },
    plug(PLUG, "plug"),
    plug(GATE, "gate"),
  ]);
  await says("zigbee2mqtt/bridge/groups", [
    {
      ...{ id: 1, friendly_name: "lamps", scenes: [] },
      members: [
        { ieee_address: PLUG, endpoint: 1 },
        { ieee_address: GATE, endpoint: 1 },
      ],
    },
  ]);
  for (const name of ["plug", "gate", "lamps"]) await says(`zigbee2mqtt/${name}`, { state: "OFF" });
}
