// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of a set-up document are written so
/**
 * A set-up document assigns devices to clients. On the next hub the device is found by its own client's announcement
 * only: real MQTT clients against hubs in their own processes.
 */
import { join } from "node:path";
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { gatehouse } from "../support/cli.ts";
import { eventually, type HubProcess, Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
const ID = "tasmota-aabbcc1a2b3c";
const FROM = { client: "plugs", family: "tasmota", key: "aabbcc1a2b3c", hardware: ["aabbcc1a2b3c"] };
const PASSWORDS = { plugs: "plugs-secret", others: "others-secret" };
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
const document = {
  account: { email: "asha@example.org", password: GOOD_PASSWORD },
  clients: Object.entries(PASSWORDS).map(([username, password]) => ({
    name: username,
    family: "tasmota",
    username,
    password,
  })),
  devices: [{ id: ID, name: "Pump", type: "smart-plug", room: "Garden", from: FROM }],
  keys: [{ name: "App", scopes: "all" }],
};

interface Site {
  readonly hub: HubProcess;
  readonly owner: Person;
  readonly devices: () => Promise<
    readonly { id: string; name: string; online: boolean; manufacturer: string | null }[]
  >;
  readonly problems: () => Promise<string>;
}

async function signedIn(hub: HubProcess): Promise<Site> {
  const owner = new Person(hub.url);
  await owner.call("POST", "/api/session", { email: "asha@example.org", password: GOOD_PASSWORD });
  return {
    hub,
    owner,
    devices: async () =>
      (await owner.call<{ devices: Awaited<ReturnType<Site["devices"]>> }>("GET", "/v1/devices")).body.devices,
    problems: async () => JSON.stringify((await owner.call("GET", "/api/bridge/problems")).body),
  };
}

/** A hub on a folder that a document was applied to while no hub was running. */
async function start(t: Test, folder: string, given: object | string): Promise<Site> {
  const made = await gatehouse(folder, ["provision", "-"], {
    input: typeof given === "string" ? given : JSON.stringify(given),
  });
  if (made.code !== 0) throw new Error(made.err);
  const hub = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.kill());
  return signedIn(hub);
}

async function connect(
  t: Test,
  { hub }: Site,
  username: keyof typeof PASSWORDS,
): Promise<{ client: mqtt.MqttClient; heard: string[] }> {
  const heard: string[] = [];
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    ...{ username, password: PASSWORDS[username], clientId: `${username}-1`, protocolVersion: 4, reconnectPeriod: 0 },
  });
  t.teardown(() => client.end(true));
  client.on("message", (topic, payload) => heard.push(`${topic} ${String(payload)}`));
  await client.subscribeAsync("cmnd/kitchen/#", { qos: 1 });
  return { client, heard };
}

async function announce(client: mqtt.MqttClient): Promise<void> {
  await client.publishAsync("tele/kitchen/LWT", "Online", { qos: 1, retain: true });
  await client.publishAsync("tasmota/discovery/AABBCC1A2B3C/config", JSON.stringify(CONFIG), { qos: 1, retain: true });
}

t.test("only its own client's announcement gets the device, here and on the hub made from the export", async (t) => {
  const folder = testFolder(t, { first: {}, second: {} });
  const site = await start(t, join(folder, "first"), document);
  const other = await connect(t, site, "others");
  await announce(other.client);
  t.match(
    await eventually(async () => ((await site.problems()).includes("another client") ? site.problems() : undefined)),
    /tasmota-aabbcc1a2b3c belongs to another client/,
  );
  t.hasStrict(await site.devices(), [{ id: ID, name: "Pump", online: false }], "neither taken over nor duplicated");
  await other.client.publishAsync("stat/kitchen/RESULT", '{"POWER":"ON"}', { qos: 1 }).catch(() => {});

  const own = await connect(t, site, "plugs");
  await announce(own.client);
  const found = await eventually(async () =>
    (await site.devices()).find(({ manufacturer }) => manufacturer === "Tasmota"),
  );
  t.hasStrict(found, { id: ID, name: "Pump", type: "smart-plug", room: "Garden", online: true });
  t.equal((await site.devices()).length, 1);
  const sent = await site.owner.call("POST", `/v1/devices/${ID}/commands`, { power: true });
  t.equal(sent.status, 202);
  await eventually(() =>
    own.heard.find((line) => line.startsWith("cmnd/kitchen/Power1 ") || line.startsWith("cmnd/kitchen/POWER")),
  );
  t.notOk(
    other.heard.some((line) => /power/i.test(line)),
    "the order goes to its own client alone",
  );

  await site.hub.stop(); // what was learned is on disk
  const exported = await gatehouse(join(folder, "first"), ["export"]);
  t.hasStrict(JSON.parse(exported.out), { devices: [{ id: ID, password: null, from: FROM }] });
  const again = JSON.parse(exported.out);
  again.account.password = GOOD_PASSWORD;
  for (const client of again.clients) client.password = PASSWORDS[client.username as keyof typeof PASSWORDS];
  const next = await start(t, join(folder, "second"), again);
  const thief = await connect(t, next, "others");
  await announce(thief.client);
  await eventually(async () => ((await next.problems()).includes("another client") ? true : undefined));
  await announce((await connect(t, next, "plugs")).client);
  await eventually(async () => (await next.devices()).find(({ id, online }) => id === ID && online));
  t.equal((await next.devices()).length, 1, "it is not created a second time");
});

t.test(
  "a running hub applies the mark at once; a forgotten client leaves it unused; applying again changes nothing",
  async (t) => {
    const { devices: _, ...empty } = document;
    const folder = testFolder(t);
    const site = await start(t, folder, empty);
    const apply = async (given: object): Promise<{ code: number | null; out: string; err: string }> =>
      gatehouse(folder, ["provision", "-", "--json"], { input: JSON.stringify(given) });
    t.match(await apply({ devices: document.devices }), { code: 0 });
    t.match(JSON.parse((await apply({ devices: document.devices })).out), { changed: false });
    const wrong = async (device: object): Promise<string> =>
      (await apply({ devices: [{ id: "x", from: FROM, ...device }] })).err;
    t.match(await wrong({ from: { ...FROM, client: "nobody", key: "1" } }), /no client with the user name nobody/);
    t.match(await wrong({ from: { ...FROM, family: "frigate", key: "1" } }), /not accepted for frigate/);
    t.match(await wrong({ password: "a-word-of-its-own", from: { ...FROM, key: "1" } }), /has none/);
    t.match(await wrong({}), /is the device tasmota-aabbcc1a2b3c already/, "a key is one device");
    t.match((await apply({ devices: [{ id: "native" }, { id: "native2", password: "a-secret-word" }] })).code, 0);
    t.match((await apply({ devices: [{ id: "native2", from: { ...FROM, key: "2" } }] })).err, /password of its own/);

    const { clients } = (
      await site.owner.call<{ clients: { id: number; username: string }[] }>("GET", "/api/bridge/clients")
    ).body;
    const plugs = clients.find(({ username }) => username === "plugs");
    t.match(await site.owner.call("DELETE", `/api/bridge/clients/${plugs?.id}`), { status: 200 });
    await announce((await connect(t, site, "others")).client);
    const made = await eventually(async () =>
      (await site.devices()).find(({ manufacturer }) => manufacturer === "Tasmota"),
    );
    t.hasStrict(made, { id: `${ID}-2`, name: "Kitchen" }, "another client's device is a separate device");
    const all = await site.devices();
    t.hasStrict(
      all.find(({ id }) => id === ID),
      { name: "Pump", online: false },
      JSON.stringify(all),
    );
  },
);
