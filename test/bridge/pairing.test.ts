import mqtt from "mqtt";
import t, { type Test } from "tap";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(120_000);

interface ShownClient {
  readonly id: number;
  readonly username: string;
  readonly status: string;
  readonly family: string | null;
  readonly connected: boolean;
  readonly devices: readonly string[];
  readonly families: readonly string[];
  readonly announces: readonly { readonly family: string; readonly name: string }[];
  readonly topics: readonly string[];
}

const CONFIG = {
  ...{
    ip: "192.168.1.40",
    dn: "Kitchen",
    fn: ["Kitchen"],
    hn: "kitchen-1",
    mac: "AABBCC1A2B3C",
    md: "Sonoff",
    ty: 0,
    if: 0,
    ofln: "Offline",
    onln: "Online",
  },
  ...{
    state: ["OFF", "ON", "TOGGLE", "HOLD"],
    sw: "14.2.0",
    t: "kitchen",
    ft: "%prefix%/%topic%/",
    tp: ["cmnd", "stat", "tele"],
    rl: [1],
    so: {},
    ver: 1,
  },
};

function connect(hub: ConsoleHub, options: mqtt.IClientOptions): Promise<mqtt.MqttClient> {
  return mqtt.connectAsync(`mqtt://127.0.0.1:${hub.hub.mqtt.broker.port}`, {
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...options,
  });
}

async function refusal(hub: ConsoleHub, options: mqtt.IClientOptions): Promise<string> {
  try {
    await (await connect(hub, options)).endAsync();
    return "let in";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function clients(hub: ConsoleHub): Promise<ShownClient[]> {
  return ((await hub.call("GET", "/api/bridge/clients")).body as { clients: ShownClient[] }).clients;
}

const say = (client: mqtt.MqttClient, topic: string, payload: unknown, retain = false): Promise<unknown> =>
  client.publishAsync(topic, typeof payload === "string" ? payload : JSON.stringify(payload), { qos: 1, retain });

async function nativeGate(hub: ConsoleHub): Promise<void> {
  const site = hub.hub.access.accounts.sites().find(({ env }) => env === "live");
  await hub.hub.devices.registry.create(site?.id ?? 0, {
    id: "gate-1",
    name: "Gate",
    type: "gate",
    password: "secret-word",
  });
}

const tasmota = { username: "DVES_USER", password: "DVES_PASS", clientId: "DVES_1A2B3C" };

/** Accepts the waiting client; it reconnects, and repeats its messages. */
async function accepted(t: Test): Promise<{ hub: ConsoleHub; plug: mqtt.MqttClient; id: number }> {
  const { hub, plug: before } = await paired(t);
  const [waiting] = await clients(hub);
  const closed = new Promise((resolve) => before.once("close", () => resolve(undefined)));
  await hub.call("POST", `/api/bridge/clients/${waiting?.id}/accept`, {});
  await closed;
  const plug = await connect(hub, tasmota);
  t.teardown(() => plug.endAsync());
  await announce(plug);
  return { hub, plug, id: waiting?.id ?? 0 };
}

async function announce(plug: mqtt.MqttClient): Promise<void> {
  await say(plug, "tele/kitchen/LWT", "Online", true);
  await say(plug, "tasmota/discovery/AABBCC1A2B3C/config", CONFIG, true);
}

async function paired(t: Test): Promise<{ hub: ConsoleHub; plug: mqtt.MqttClient }> {
  const hub = await startConsoleHub(t);
  await hub.call("POST", "/api/bridge/pairing", { minutes: 5 });
  const plug = await connect(hub, tasmota);
  t.teardown(() => plug.endAsync());
  await announce(plug);
  return { hub, plug };
}

t.test("outside the window unknown clients are refused, and the reasons are counted", async (t) => {
  const hub = await startConsoleHub(t);
  t.match((await hub.call("GET", "/api/bridge/pairing")).body, { pairing: { open: false, until: null, waiting: 0 } });
  t.match(await refusal(hub, tasmota), /Bad username or password|Not authorized/i);
  t.match(await refusal(hub, { clientId: "nobody" }), /Bad username or password|Not authorized/i);
  t.match(
    await refusal(hub, { clientId: "x", username: "somebody", password: "" }),
    /Bad username or password|Not authorized/i,
  );
  const reasons = hub.hub.mqtt.broker.refusals("").map(({ reason }) => reason);
  t.same(reasons.sort(), ["anonymous", "no_password", "unknown_client"]);
  t.same(await clients(hub), [], "none is waiting");
});

t.test("in the window a client waits, is shown with its devices, and is accepted", async (t) => {
  const { hub, plug } = await paired(t);
  t.match(
    await refusal(hub, { clientId: "nobody" }),
    /Bad username|Not authorized/i,
    "without a name no client gets in, with or without a window",
  );
  const [waiting] = await clients(hub);
  t.hasStrict(waiting, {
    username: "DVES_USER",
    status: "pending",
    family: "tasmota",
    families: ["tasmota"],
    connected: true,
    devices: [],
  });
  t.same(waiting?.announces, [{ family: "tasmota", name: "Kitchen" }]);
  t.ok(waiting?.topics.includes("tasmota/discovery/AABBCC1A2B3C/config"), "its topics reveal its make");
  t.equal(
    hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c"),
    null,
    "nothing is created before the owner has decided",
  );
  t.same(hub.hub.mqtt.broker.foreignRetained("#"), [], "nor retained");
  const closed = new Promise((resolve) => plug.once("close", () => resolve(undefined)));
  await hub.call("DELETE", "/api/bridge/pairing");
  await closed;
  t.match(
    await refusal(hub, tasmota),
    /Bad username|Not authorized/i,
    "the window is closed: it is no longer admitted",
  );
  const answer = await hub.call("POST", `/api/bridge/clients/${waiting?.id}/accept`, { name: "Kitchen plug" });
  t.hasStrict(answer.body, {
    client: { status: "accepted", name: "Kitchen plug", families: ["tasmota"], announces: [] },
  });
  t.equal(await refusal(hub, tasmota), "let in", "it reconnects with the password of its first attempt");
  t.match(await refusal(hub, { ...tasmota, password: "another" }), /Bad username|Not authorized/i);
  const again = await connect(hub, tasmota);
  t.teardown(() => again.endAsync());
  await announce(again);
  const device = await eventually(() => hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c") ?? undefined);
  t.hasStrict(device, {
    name: "Kitchen",
    type: "switch",
    manufacturer: "Tasmota",
    model: "Sonoff",
    firmware: "14.2.0",
    online: true,
    hasPassword: false,
  });
});

t.test(
  "an unrecognized client is accepted for a make that its owner names, and for Frigate only that way",
  async (t) => {
    const hub = await startConsoleHub(t);
    await hub.call("POST", "/api/bridge/pairing", { minutes: 5 });
    const silent = await connect(hub, { username: "silent", password: "silent-word", clientId: "x" });
    t.teardown(() => silent.endAsync());
    const [waiting] = await clients(hub);
    t.hasStrict(await hub.call("POST", `/api/bridge/clients/${waiting?.id}/accept`, {}), {
      status: 400,
      body: { error: { code: "invalid_body" } },
    });
    await say(silent, "frigate/available", "online");
    await say(silent, "frigate/camera_activity", { gate: { config: { detect: true }, motion: false } });
    t.hasStrict(await clients(hub), [{ family: "frigate", announces: [{ family: "frigate", name: "gate" }] }]);
    t.match(
      await hub.call("POST", `/api/bridge/clients/${waiting?.id}/accept`, {}),
      { status: 400 },
      "its own claim is not enough",
    );
    t.match(await hub.call("POST", `/api/bridge/clients/${waiting?.id}/accept`, { family: "frigate" }), {
      body: { client: { families: ["frigate"] } },
    });
  },
);

t.test("an accepted client is confined to its own device's topics, and never reaches native ones", async (t) => {
  const { hub, plug } = await accepted(t);
  await nativeGate(hub);
  const heard: string[] = [];
  plug.on("message", (topic) => heard.push(topic));
  await plug.subscribeAsync("cmnd/kitchen/#", { qos: 1 });
  await t.rejects(plug.subscribeAsync("gatehouse/#"), "native topics are refused");
  await t.rejects(plug.subscribeAsync("#"), "everything is refused");
  await t.rejects(plug.subscribeAsync("$SYS/#"), "the broker's own are refused");
  await say(plug, "gatehouse/gate-1/state", { open: true });
  await say(plug, "gatehouse/gate-1/command", { open: true });
  await say(plug, "tele/other/STATE", { POWER: "ON" });
  await say(plug, "cmnd/kitchen/POWER1", "ON");
  t.same(hub.hub.devices.registry.find("gate-1")?.state, {}, "the native device did not hear it");
  const refused = hub.hub.mqtt.broker.refusals("bridge/DVES_USER").find(({ reason }) => reason === "foreign_topic");
  t.equal(refused?.count, 5, "these four, and its messages besides the announcement while it waited");
  t.match(await hub.call("POST", "/api/devices", { name: "x", type: "switch", id: "tasmota-x" }), { status: 201 });
  const gate = await connect(hub, { username: "gate-1", password: "secret-word", clientId: "gate-1" });
  await t.rejects(gate.subscribeAsync("tele/#"), "native devices are confined as before");
  await say(gate, "tele/kitchen/STATE", { POWER: "ON" });
  t.equal(hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c")?.state.power, undefined);
  await gate.endAsync();
  t.same(heard, []);
});

t.test("a third-party client with a native device's client id takes nothing from it", async (t) => {
  const { hub } = await paired(t);
  await nativeGate(hub);
  const gate = await connect(hub, { username: "gate-1", password: "secret-word", clientId: "gate-1" });
  let closed = false;
  gate.on("close", () => {
    closed = true;
  });
  const twin = await connect(hub, { username: "node", password: "node-password", clientId: "gate-1" });
  await say(twin, "tele/kitchen/UPTIME", "{}");
  await say(gate, "gatehouse/gate-1/state", { open: false });
  t.equal(closed, false, "the native device is still connected");
  t.same(hub.hub.devices.registry.find("gate-1")?.state, { open: false });
  t.match(
    await refusal(hub, { username: "gate-1", password: "wrong", clientId: "gate-1" }),
    /Bad username|Not authorized/i,
    "its name is not offered for pairing",
  );
  await Promise.all([gate.endAsync(), twin.endAsync()]);
});

t.test("a waiting client may not publish for an accepted one's devices", async (t) => {
  const { hub, plug } = await accepted(t);
  await say(plug, "tele/kitchen/STATE", { POWER: "OFF" });
  const thirdParty = await connect(hub, {
    username: "stranger",
    password: "stranger-password",
    clientId: "DVES_1A2B3C",
  });
  await say(thirdParty, "tele/kitchen/STATE", { POWER: "ON" });
  await say(thirdParty, "tasmota/discovery/AABBCC1A2B3C/config", { ...CONFIG, dn: "Mine" });
  const device = hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c");
  t.hasStrict(device, { name: "Kitchen", state: { power: false } });
  t.hasStrict(hub.hub.mqtt.broker.refusals("bridge/stranger"), [{ reason: "foreign_topic", count: 2 }]);
  await thirdParty.endAsync();
});

t.test(
  "another credential's device is not taken over, and the owner is notified; once removed, it is free",
  async (t) => {
    const { hub, plug, id } = await accepted(t);
    const { body } = await hub.call("POST", "/api/bridge/clients", { family: "tasmota", name: "Other" });
    const other = await connect(hub, { username: body.username, password: body.password, clientId: "DVES_1A2B3C" });
    t.teardown(() => other.endAsync());
    await say(other, "tasmota/discovery/AABBCC1A2B3C/config", { ...CONFIG, dn: "Mine" });
    await say(other, "tasmota/discovery/AABBCC1A2B3D/config", { ...CONFIG, mac: "AABBCC1A2B3D", dn: "Same topic" });
    await say(other, "tele/kitchen/STATE", { POWER: "ON" });
    await say(plug, "tele/kitchen/STATE", { POWER: "OFF" });
    t.hasStrict(hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c"), { name: "Kitchen", state: { power: false } });
    t.equal(hub.hub.devices.registry.find("tasmota-aabbcc1a2b3d"), null);
    const problems = (await hub.call("GET", "/api/bridge/problems")).body as {
      problems: { topic: string; reason: string }[];
    };
    t.match(problems.problems, [
      {
        topic: /^tasmota\/discovery\/AABBCC1A2B3D\/config$/,
        reason: /belongs to a device of another client \(DVES_USER\)/,
      },
      {
        topic: /^tasmota\/discovery\/AABBCC1A2B3C\/config$/,
        reason: /^Other announces what belongs to a device of another client \(DVES_USER\)/,
      },
    ]);
    t.hasStrict(
      hub.hub.mqtt.broker.refusals(`bridge/${body.username}`),
      [{ reason: "foreign_topic", count: 2 }],
      "the first's own discovery topic, and its state",
    );
    await hub.call("DELETE", `/api/bridge/clients/${id}`);
    await say(other, "tasmota/discovery/AABBCC1A2B3C/config", { ...CONFIG, dn: "Mine" });
    await say(other, "tele/kitchen/STATE", { POWER: "ON" });
    await eventually(() => hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c")?.state.power === true);
  },
);

t.test("a refused client is disconnected, stays out, and leaves nothing behind", async (t) => {
  const { hub, plug } = await paired(t);
  const [waiting] = await clients(hub);
  const closed = new Promise((resolve) => plug.once("close", () => resolve(undefined)));
  await hub.call("POST", `/api/bridge/clients/${waiting?.id}/refuse`);
  await closed;
  t.equal(hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c"), null);
  t.match(await refusal(hub, tasmota), /Bad username|Not authorized/i);
  t.match((await hub.call("GET", "/api/bridge/ghosts")).body, { total: 0, ghosts: [] });
  t.match(await hub.call("DELETE", `/api/bridge/clients/${waiting?.id}`), { status: 200 });
  t.equal(await refusal(hub, tasmota), "let in", "forgotten, it may try again");
});

t.test("a credential made beforehand works at once and comes with the lines to paste", async (t) => {
  const hub = await startConsoleHub(t);
  const { status, body } = await hub.call("POST", "/api/bridge/clients", { family: "tasmota", name: "Hall light" });
  t.equal(status, 201);
  t.match(body, {
    client: { status: /^accepted$/, origin: "made", family: /^tasmota$/ },
    username: /^tasmota-/,
    steps: [{ kind: /^command$/ }],
  });
  t.match(
    body.steps[0].text,
    new RegExp(`MqttHost .*MqttUser ${body.username}; MqttPassword ${body.password}; Topic hall_light`),
  );
  const client = await connect(hub, { username: body.username, password: body.password, clientId: "DVES_1" });
  await say(client, "tasmota/discovery/AABBCC1A2B3C/config", CONFIG, true);
  t.ok(hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c"));
  const closed = new Promise((resolve) => client.once("close", () => resolve(undefined)));
  const renewed = await hub.call("POST", `/api/bridge/clients/${body.client.id}/password`);
  await closed;
  t.match(
    await refusal(hub, { username: body.username, password: body.password, clientId: "DVES_1" }),
    /Bad username|Not authorized/i,
  );
  t.equal(
    await refusal(hub, { username: body.username, password: renewed.body.password, clientId: "DVES_1" }),
    "let in",
  );
  t.hasStrict(await hub.call("POST", "/api/bridge/clients", { family: "nosuchmake", name: "x" }), {
    status: 400,
    body: { error: { code: "invalid_body" } },
  });
});

t.test("a removed device does not return through retained messages, but does when it announces itself", async (t) => {
  const { hub, plug } = await accepted(t);
  await hub.call("DELETE", "/api/devices/tasmota-aabbcc1a2b3c");
  t.equal(hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c"), null);
  await say(plug, "tele/kitchen/STATE", { POWER: "ON" });
  t.same(
    hub.hub.bridge.core.entries().map(({ bindingState }) => bindingState),
    ["removed"],
  );
  await say(plug, "tasmota/discovery/AABBCC1A2B3C/config", CONFIG, true);
  const again = await eventually(() => hub.hub.devices.registry.find("tasmota-aabbcc1a2b3c-2") ?? undefined);
  t.equal(again.name, "Kitchen", "under a new id: the old one has a history");
});

t.test("a command topic of a native device creates no command to it", async (t) => {
  const hub = await startConsoleHub(t);
  await nativeGate(hub);
  const gate = await connect(hub, { username: "gate-1", password: "secret-word", clientId: "gate-1" });
  t.teardown(() => gate.endAsync());
  const commands: string[] = [];
  gate.on("message", (topic, payload) => commands.push(`${topic} ${payload}`));
  await gate.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
  const { body } = await hub.call("POST", "/api/bridge/clients", { family: "homeassistant", name: "Liar" });
  const liar = await connect(hub, { username: body.username, password: body.password, clientId: "liar" });
  t.teardown(() => liar.endAsync());
  const lamp = { name: "Lamp", uniq_id: "lamp1", stat_t: "lamp/state", dev: { ids: ["lamp1"], name: "Lamp" } };
  await say(
    liar,
    "homeassistant/switch/lamp/config",
    { ...lamp, cmd_t: "gatehouse/gate-1/command", pl_on: '{"open":true}', pl_off: "OFF" },
    true,
  );
  t.match((await hub.call("GET", "/api/bridge/devices")).body, { devices: [] }, "it creates no device");
  t.match(
    (await hub.call("GET", "/api/bridge/problems")).body,
    { problems: [{ reason: /belongs to the hub's own devices/ }] },
    "and the owner is notified",
  );
  const siteId = hub.hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
  const order = (deviceId: string, command: Record<string, unknown>) =>
    hub.hub.devices.commands.send({
      siteId,
      deviceId,
      command: JSON.stringify(command),
      actor: "session:1",
      source: "api",
    });
  await order("gate-1", { marker: 1 });
  await eventually(async () => commands.length > 0);
  t.same(commands, ['gatehouse/gate-1/command {"marker":1}']);
});
