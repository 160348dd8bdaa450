/** What a third-party client can reach that is not its own: real MQTT clients against a hub in its own process. */
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { eventually, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);

const PLATE = "MH12AB1234";
/** Long enough for a message to arrive that should not. */
const QUIET_MS = 400;

interface Credential {
  readonly username: string;
  readonly password: string;
}

/** A client with everything it received. */
interface Ear {
  readonly client: mqtt.MqttClient;
  readonly heard: string[];
}

class Site {
  readonly person: Person;
  readonly port: number;
  readonly restart: () => Promise<Site>;
  readonly #t: Test;
  readonly #url: string;
  readonly #key: string;

  constructor(
    t: Test,
    parts: { person: Person; port: number; url: string; key: string; restart: () => Promise<Site> },
  ) {
    this.#t = t;
    this.person = parts.person;
    this.port = parts.port;
    this.restart = parts.restart;
    this.#url = parts.url;
    this.#key = parts.key;
  }

  async v1<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    const response = await fetch(this.#url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Body; // the caller names the shape it expects
  }

  async made(family: string, name: string): Promise<Credential> {
    const { status, body } = await this.person.call<Credential>("POST", "/api/bridge/clients", { family, name });
    if (status !== 201) throw new Error(`${family}: ${status} ${JSON.stringify(body)}`);
    return { username: body.username, password: body.password };
  }

  async connect(credential: Credential, options: mqtt.IClientOptions = {}): Promise<Ear> {
    const url = `mqtt://127.0.0.1:${this.port}`;
    const client = await mqtt.connectAsync(url, {
      ...credential,
      protocolVersion: 4,
      reconnectPeriod: 0,
      clientId: "",
      ...options,
    });
    client.on("error", () => {});
    this.#t.teardown(() => client.end(true));
    const heard: string[] = [];
    client.on("message", (topic, payload) => heard.push(`${topic} ${payload}`));
    return { client, heard };
  }

  async devices(): Promise<Map<string, { readonly name: string; readonly state: Record<string, unknown> }>> {
    const { devices } = await this.v1<{ devices: { id: string; name: string; state: Record<string, unknown> }[] }>(
      "GET",
      "/v1/devices",
    );
    return new Map(devices.map((device) => [device.id, device]));
  }

  async problems(): Promise<string> {
    return JSON.stringify((await this.person.call("GET", "/api/bridge/problems")).body);
  }
}

async function site(t: Test): Promise<Site> {
  const folder = testFolder(t);
  const env = { GATEHOUSE_RECOGNITION: "false" };
  const owned = await startOwnedHub(folder, env);
  let { hub } = owned;
  t.teardown(() => hub.kill());
  const person = owned.owner;
  const scopes = ["devices:read", "devices:control", "plates:write"];
  const { body } = await person.call<{ secret: string }>("POST", "/api/keys", { name: "test", env: "live", scopes });
  const key = body.secret;
  const restart = async (): Promise<Site> => {
    await hub.stop();
    hub = await startHubProcess(folder, env);
    const again = new Person(hub.url);
    await again.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
    return new Site(t, { person: again, port: hub.mqttPort, url: hub.url, key, restart });
  };
  return new Site(t, { person, port: hub.mqttPort, url: hub.url, key, restart });
}

/** Whether the broker granted a subscription. */
async function granted(client: mqtt.MqttClient, filter: string): Promise<boolean> {
  try {
    const answers = await client.subscribeAsync(filter, { qos: 1 });
    return answers.every(({ qos }) => qos < 128);
  } catch {
    return false;
  }
}

const say = async (
  client: mqtt.MqttClient,
  topic: string,
  payload: unknown,
  options: mqtt.IClientPublishOptions = {},
): Promise<void> => {
  await client.publishAsync(topic, typeof payload === "string" ? payload : JSON.stringify(payload), {
    qos: 1,
    ...options,
  });
};
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

const tasmota = (mac: string, topic: string): object => ({
  ...{
    ip: "192.168.1.40",
    dn: topic,
    fn: [topic],
    hn: topic,
    mac,
    md: "Sonoff",
    ty: 0,
    if: 0,
    ofln: "Offline",
    onln: "Online",
  },
  ...{
    state: ["OFF", "ON", "TOGGLE", "HOLD"],
    sw: "14.2.0",
    t: topic,
    ft: "%prefix%/%topic%/",
    tp: ["cmnd", "stat", "tele"],
    rl: [1],
    so: {},
    ver: 1,
  },
});

/** An accepted Tasmota relay, speaking as the firmware does. */
async function relay(
  site: Site,
  mac: string,
  topic: string,
): Promise<Ear & { readonly id: string; readonly credential: Credential }> {
  const credential = await site.made("tasmota", topic);
  const ear = await site.connect(credential, { clientId: `DVES_${mac.slice(-6)}` });
  await ear.client.subscribeAsync(`cmnd/${topic}/#`, { qos: 1 });
  await say(ear.client, `tasmota/discovery/${mac}/config`, tasmota(mac, topic), { retain: true });
  await say(ear.client, `tele/${topic}/LWT`, "Online", { retain: true });
  await say(ear.client, `stat/${topic}/RESULT`, { POWER: "OFF" });
  const id = `tasmota-${mac.toLowerCase()}`;
  await eventually(async () => (await site.devices()).get(id)?.state.power === false);
  ear.heard.length = 0;
  return { ...ear, id, credential };
}

t.test(
  "a client that was never accepted hears nothing, controls nothing, and is disconnected when the window closes",
  async (t) => {
    const home = await site(t);
    const gaterelay = await relay(home, "AABBCC000001", "gaterelay");
    await home.person.call("POST", "/api/bridge/pairing", { minutes: 5 });
    const unaccepted = await home.connect(
      { username: "stranger", password: "stranger-password" },
      { will: { topic: "stat/gaterelay/RESULT", payload: Buffer.from('{"POWER":"ON"}'), qos: 1, retain: true } },
    );
    const opened = await Promise.all(
      ["#", "+/#", "cmnd/#", "stat/gaterelay/#", "$share/all/#", "$SYS/#", "gatehouse/#"].map((filter) =>
        granted(unaccepted.client, filter),
      ),
    );
    t.same(
      opened,
      opened.map(() => false),
      "no subscription is granted",
    );
    await say(gaterelay.client, "stat/gaterelay/RESULT", { POWER: "OFF" });
    await home.v1("POST", `/v1/devices/${gaterelay.id}/commands`, { power: false });
    await eventually(() => gaterelay.heard.length > 0);
    t.same(gaterelay.heard.splice(0), ["cmnd/gaterelay/POWER1 OFF"], "the hub's own command arrives");
    for (const qos of [0, 1, 2] as const) await say(unaccepted.client, "cmnd/gaterelay/POWER", "TOGGLE", { qos });
    await say(unaccepted.client, "stat/gaterelay/RESULT", { POWER: "ON" });
    await say(unaccepted.client, "tasmota/discovery/AABBCC000001/config", tasmota("AABBCC000001", "mine"), {
      retain: true,
    });
    await say(
      unaccepted.client,
      "homeassistant/switch/x/config",
      { name: "X", uniq_id: "x", cmd_t: "cmnd/gaterelay/POWER", stat_t: "stat/gaterelay/RESULT", dev: { ids: ["x"] } },
      { retain: true },
    );
    await quiet();
    t.same(gaterelay.heard, [], "its relay received nothing");
    t.same(unaccepted.heard, [], "it heard nothing");
    t.same([...(await home.devices()).keys()], [gaterelay.id], "and it has created no device");
    const closed = new Promise((resolve) => unaccepted.client.once("close", () => resolve(true)));
    await home.person.call("DELETE", "/api/bridge/pairing");
    t.equal(
      await Promise.race([
        closed,
        quiet()
          .then(() => quiet())
          .then(() => false),
      ]),
      true,
      "its connection ends with the window",
    );
    await t.rejects(home.connect({ username: "stranger", password: "stranger-password" }), "and it does not come back");
    await quiet();
    t.same(gaterelay.heard, [], "nor did its will reach anyone");
    t.hasStrict((await home.devices()).get(gaterelay.id), { name: "gaterelay", state: { power: false } });
    const { body } = await home.person.call<{ ghosts: unknown[] }>("GET", "/api/bridge/ghosts");
    t.same(body.ghosts, [], "nothing of it is retained");
  },
);

t.test("the console learns which makes hold a branch of their own, and whose plates are trusted", async (t) => {
  const { person } = await site(t);
  const { body } = await person.call<{ families: { name: string; isGateway: boolean; readsPlates: boolean }[] }>(
    "GET",
    "/api/bridge/families",
  );
  const names = (of: "isGateway" | "readsPlates") => body.families.flatMap((one) => (one[of] ? [one.name] : []));
  t.same([names("isGateway"), names("readsPlates")], [["zigbee2mqtt", "frigate"], ["frigate"]]);
});

t.test("an accepted client controls nothing of another's under any client id, and forges no plate", async (t) => {
  const home = await site(t);
  const gaterelay = await relay(home, "AABBCC000001", "gaterelay");
  const other = await relay(home, "AABBCC000002", "other");
  const frigate = await home.connect(await home.made("frigate", "Frigate"), { clientId: "frigate" });
  await say(frigate.client, "frigate/available", "online");
  await say(frigate.client, "frigate/drive/motion", "OFF");
  await eventually(async () => (await home.devices()).has("frigate-drive"));
  const native = (
    await home.person.call<{ password: string; mqtt?: { password: string } }>("POST", "/api/devices", {
      id: "gate-1",
      name: "Gate",
      type: "gate",
    })
  ).body;
  const gate = await home.connect(
    { username: "gate-1", password: native.mqtt?.password ?? native.password },
    { clientId: "gate-1" },
  );
  await gate.client.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
  await home.person.call("PATCH", "/api/cameras/frigate-drive", {
    gate: { deviceId: "gate-1", command: { open: true } },
  });
  await home.v1("POST", "/v1/plate-rules", { plate: PLATE, kind: "allow", label: "Resident" });
  const plate = (id: string): object => ({
    type: "lpr",
    id,
    camera: "drive",
    plate: PLATE,
    score: 0.99,
    timestamp: Date.now() / 1000,
  });

  const esphome = await home.made("esphome", "Node");
  const node = await home.connect(esphome, { clientId: "node" });
  await say(node.client, "esphome/discover/node", { name: "node", mac: "aabbcc000003", ip: "192.168.1.50" });
  for (const clientId of ["node", "DVES_000001", "frigate", "gate-1", ""]) {
    const attacker = await home.connect(esphome, { clientId });
    t.equal(await granted(attacker.client, "frigate/#"), false);
    await granted(attacker.client, "+/#");
    await say(attacker.client, "cmnd/gaterelay/POWER", "TOGGLE");
    await say(attacker.client, "stat/gaterelay/RESULT", { POWER: "ON" });
    await say(attacker.client, "frigate/tracked_object_update", plate(`forged-${clientId}`));
    await say(
      attacker.client,
      "homeassistant/switch/node/x/config",
      {
        name: "X",
        uniq_id: "x",
        cmd_t: "cmnd/gaterelay/POWER",
        stat_t: "stat/gaterelay/RESULT",
        dev: { ids: ["x"], mf: "espressif" },
      },
      { retain: true },
    );
    await say(
      attacker.client,
      "homeassistant/sensor/node/y/config",
      { name: "Y", uniq_id: "y", stat_t: "frigate/tracked_object_update", dev: { ids: ["y"], mf: "espressif" } },
      { retain: true },
    );
    await say(gaterelay.client, "stat/gaterelay/RESULT", { POWER: "OFF" });
    await quiet();
    const others = attacker.heard.filter(
      (line) => !line.startsWith("homeassistant/") && line !== "esphome/discover all",
    );
    t.same(others, [], `${clientId}: it hears only the hub's questions and itself`);
  }
  await say(other.client, "stat/gaterelay/RESULT", { POWER: "ON" });
  await say(other.client, "tasmota/discovery/AABBCC000001/config", tasmota("AABBCC000001", "other"), { retain: true });
  await quiet();
  t.same(gaterelay.heard, [], "the relay received nothing");
  t.same(gate.heard, [], "the gate stayed shut");
  t.hasStrict((await home.devices()).get(gaterelay.id), { name: "gaterelay", state: { power: false } });
  t.match(await home.problems(), /AABBCC000001\/config/, "the owner is notified of a takeover");

  await say(frigate.client, "frigate/tracked_object_update", plate("real"));
  await eventually(() => gate.heard.length > 0);
  t.same(gate.heard, ['gatehouse/gate-1/command {"open":true}'], "Frigate itself opens it");
});

t.test("neighbours: client ids, shared subscriptions, QoS 2, wills, retained floods, abandoned sessions", async (t) => {
  const home = await site(t);
  const plug = await relay(home, "AABBCC000001", "plug");

  // Another user name with the victim's client id, and one that imitates its name inside the broker.
  const twin = await home.made("tasmota", "Twin");
  for (const clientId of [
    "DVES_000001",
    `${plug.credential.username}:DVES_000001`,
    `bridge/${plug.credential.username}:DVES_000001`,
    "~x",
  ]) {
    const ear = await home.connect(twin, { clientId });
    t.equal(await granted(ear.client, "cmnd/plug/#"), false, `${clientId}: the plug's commands`);
    t.equal(await granted(ear.client, "$share/group/cmnd/plug/#"), false, `${clientId}: by a shared subscription`);
    await granted(ear.client, "+/plug/#");
    await say(ear.client, "stat/plug/RESULT", { POWER: "ON" });
    await home.v1("POST", `/v1/devices/${plug.id}/commands`, { power: false });
    await quiet();
    t.same(ear.heard, [], `${clientId}: hears nothing of it`);
  }
  t.equal(plug.client.connected, true, "the plug's connection is not taken over");
  t.ok(plug.heard.length >= 4, "and it hears its commands");

  // Third-party topics, long and odd ones; a topic alias is MQTT 5 and not supported.
  const odd = await home.connect(twin, { clientId: "odd" });
  for (const topic of [
    "zigbee2mqtt/bridge/request/permit_join",
    "shellies/plug/relay/0/command",
    "homeassistant/status",
    "esphome/discover",
    "$SYS/x",
    "/",
    "//",
    "cmnd//POWER",
    "CMND/plug/POWER",
    "gatehouse/gate/command",
    `${"a/".repeat(19)}b`,
  ])
    await say(odd.client, topic, "x", { retain: true });
  const five = mqtt.connect(`mqtt://127.0.0.1:${home.port}`, {
    ...twin,
    protocolVersion: 5,
    reconnectPeriod: 0,
    clientId: "five",
  });
  const answer = await new Promise((resolve) => {
    five.once("connect", () => resolve("let in"));
    five.once("error", (error) => resolve(error.message));
    five.once("close", () => resolve("closed"));
  });
  five.end(true);
  t.not(answer, "let in", "MQTT 5 with its aliases is not supported");

  // A flood of retained messages on its own topics leaves room for others.
  const flood = await home.connect(twin, { clientId: "flood" });
  await say(flood.client, "tasmota/discovery/AABBCC000009/config", tasmota("AABBCC000009", "flood"), {
    retain: true,
  });
  const large = Buffer.alloc(60_000, "x");
  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      flood.client.publishAsync(`tele/flood/${n}`, large, { qos: 1, retain: true }),
    ),
  );
  await say(plug.client, "tele/plug/AFTER", "kept", { retain: true });
  const reader = await home.connect(plug.credential, { clientId: "reader" });
  await reader.client.subscribeAsync("tele/plug/AFTER", { qos: 1 });
  await eventually(() => reader.heard.includes("tele/plug/AFTER kept"));
  const { body: ghosts } = await home.person.call<{ ghosts: { topic: string }[]; total: number }>(
    "GET",
    "/api/bridge/ghosts",
  );
  t.same(
    ghosts.ghosts.filter(({ topic }) => !topic.startsWith("tele/flood/")),
    [],
    "nothing is retained outside its own topics",
  );

  // What a waiting client leaves in the broker: a persistent session, an unreleased QoS 2 message, a will. And a
  // refused one.
  await home.person.call("POST", "/api/bridge/pairing", { minutes: 5 });
  const word = { username: "sleeper", password: "sleeper-word" };
  const will = {
    topic: "tasmota/discovery/AABBCC000001/config",
    payload: Buffer.from(JSON.stringify(tasmota("AABBCC000001", "taken"))),
    qos: 2 as const,
    retain: true,
  };
  const sleeper = await home.connect(word, { clientId: "sleeper", clean: false, will });
  t.equal(await granted(sleeper.client, "tele/plug/#"), false);
  await say(sleeper.client, "tasmota/discovery/AABBCC000007/config", tasmota("AABBCC000007", "late"), {
    qos: 2,
    retain: true,
  });
  const closed = new Promise((resolve) => sleeper.client.once("close", () => resolve(undefined)));
  const { body } = await home.person.call<{ clients: { id: number; username: string; announces: unknown[] }[] }>(
    "GET",
    "/api/bridge/clients",
  );
  const waiting = body.clients.find(({ username }) => username === "sleeper");
  t.equal(waiting?.announces.length, 1, "it is shown to the owner");
  await home.person.call("POST", `/api/bridge/clients/${waiting?.id}/refuse`);
  await closed;
  await quiet();
  t.same([...(await home.devices()).keys()].sort(), [plug.id, "tasmota-aabbcc000009"], "it created no device");
  t.hasStrict((await home.devices()).get(plug.id), { name: "plug", state: { power: false } });

  // After a restart none of it is left, and everyone else has what they had.
  const after = await home.restart();
  t.hasStrict((await after.devices()).get(plug.id), { name: "plug", state: { power: false } });
  const again = await after.connect(plug.credential, { clientId: "DVES_000001" });
  await again.client.subscribeAsync("cmnd/plug/#", { qos: 1 });
  const foreign = await after.connect(twin, { clientId: "DVES_000001" });
  t.equal(
    await granted(foreign.client, "cmnd/plug/#"),
    false,
    "rights apply at once, before any client has sent anything",
  );
  await say(foreign.client, "cmnd/plug/POWER", "TOGGLE");
  await say(foreign.client, "stat/plug/RESULT", { POWER: "ON" });
  await say(foreign.client, "tasmota/discovery/AABBCC000001/config", tasmota("AABBCC000001", "flood"), {
    retain: true,
  });
  await after.v1("POST", `/v1/devices/${plug.id}/commands`, { power: true });
  await eventually(() => again.heard.includes("cmnd/plug/POWER1 ON"));
  t.same(
    again.heard.filter((line) => line.includes("TOGGLE")),
    [],
  );
  t.same(
    foreign.heard.filter((line) => line.includes("plug")),
    [],
  );
  t.hasStrict((await after.devices()).get(plug.id), { name: "plug", state: { power: false } });
});
