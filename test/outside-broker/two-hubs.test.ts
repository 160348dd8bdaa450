/** docs/outside-broker.md, run verbatim: its files, Debian's mosquitto with TLS, and two hubs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import t, { type Test } from "tap";
import { send } from "../support/api-client.ts";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually as within } from "../support/hub-process.ts";
import { Mosquitto, NO_MOSQUITTO } from "../support/mosquitto.ts";
import { testFolder } from "../support/test-folder.ts";

/** A slow machine is not a failure. */
const eventually = <Found>(probe: () => Promise<Found | undefined> | Found | undefined): Promise<Found> =>
  within(probe, 40_000);
t.setTimeout(240_000);

const NAMES = ["north", "south"] as const;
type Name = (typeof NAMES)[number];

interface Site {
  readonly mosquitto: Mosquitto;
  readonly folder: string;
  readonly ca: Buffer;
  readonly hubs: Readonly<Record<Name, ConsoleHub>>;
}

/** The files that a page shows, by the name after the language of each block. */
function files(page: string): Map<string, string> {
  const text = readFileSync(join(PROJECT_ROOT, "docs", page), "utf8");
  return new Map(
    [...text.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", body = ""]) => [name, body]),
  );
}

function certificates(folder: string): Buffer {
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: folder });
    if (status !== 0) throw new Error(String(stderr));
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  openssl("req", "-x509", ...key, "-subj", "/CN=Site", "-keyout", "ca.key", "-out", "ca.pem");
  openssl("req", ...key, "-subj", "/CN=broker", "-keyout", "broker.key", "-out", "broker.csr");
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost,IP:127.0.0.1");
  openssl(
    "x509",
    "-req",
    "-in",
    "broker.csr",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    "names",
    "-out",
    "broker.pem",
  );
  return readFileSync(join(folder, "ca.pem"));
}

async function site(t: Test): Promise<Site> {
  const folder = testFolder(t, { broker: {}, north: {}, south: {}, secrets: {} });
  const broker = join(folder, "broker");
  const ca = certificates(broker);
  const documented = files("outside-broker.md");
  const passwords = join(broker, "passwords");
  writeFileSync(passwords, "", { mode: 0o600 });
  for (const user of ["hub-north", "hub-south", "lamp-1", "lamp-2"])
    spawnSync("mosquitto_passwd", ["-b", passwords, user, `${user}-secret`]);
  writeFileSync(join(broker, "acl"), documented.get("acl") ?? "", { mode: 0o600 });
  const text = (documented.get("mosquitto.conf") ?? "")
    .replace("listener 8883", "listener {port} 127.0.0.1")
    .replaceAll("/etc/mosquitto/certs/", `${broker}/`)
    .replaceAll("/etc/mosquitto/", `${broker}/`)
    .replaceAll("/var/lib/mosquitto/", `${broker}/`);
  const mosquitto = await Mosquitto.start(t, broker, text);
  const start = async (name: Name): Promise<ConsoleHub> => {
    const secret = join(folder, "secrets", name);
    writeFileSync(secret, `hub-${name}-secret\n`);
    const lines = (documented.get(`${name}.env`) ?? "")
      .replace("broker.site.lan:8883", `localhost:${mosquitto.port}`)
      .replace("/etc/gatehouse/outside-broker.password", secret)
      .replace("/etc/gatehouse/ca.pem", join(broker, "ca.pem"));
    const env = Object.fromEntries(
      lines.split("\n").flatMap((line) => (line.includes("=") ? [line.split("=", 2) as [string, string]] : [])),
    ); // two parts: it has a =
    mkdirSync(join(folder, name), { recursive: true });
    const hub = await startConsoleHub(t, { env, folder: join(folder, name) });
    await eventually(() =>
      hub.hub.system.health().checks.find(({ code, level }) => code === "outside-broker" && level === "ok"),
    );
    return hub;
  };
  return { mosquitto, folder, ca, hubs: { north: await start("north"), south: await start("south") } };
}

async function lamp(
  t: Test,
  { mosquitto, ca }: Site,
  id: string,
  name: Name,
): Promise<{ client: MqttClient; commands: string[] }> {
  const client = await connectAsync(`mqtts://localhost:${mosquitto.port}`, {
    ca,
    username: id,
    password: `${id}-secret`,
    clientId: id,
    clean: false,
    reconnectPeriod: 200,
    will: { topic: `${name}/gatehouse/${id}/status`, payload: Buffer.from("offline"), qos: 1, retain: true },
  });
  t.teardown(() => client.end(true));
  const commands: string[] = [];
  client.on("message", (_topic, payload) => commands.push(payload.toString()));
  await client.subscribeAsync(`${name}/gatehouse/${id}/command`, { qos: 1 });
  const online = (): void => void client.publish(`${name}/gatehouse/${id}/status`, "online", { qos: 1, retain: true });
  client.on("connect", online);
  online();
  return { client, commands };
}

const state = (hub: ConsoleHub, id: string): Record<string, unknown> | undefined =>
  hub.hub.devices.registry.find(id)?.state;

async function command(hub: ConsoleHub, id: string, body: object): Promise<number> {
  return (await send(hub.port, "POST", `/v1/devices/${id}/commands`, { headers: { Cookie: hub.cookie }, json: body }))
    .status;
}

t.test(
  "two hubs on one broker, each with its own prefix, over TLS",
  { skip: NO_MOSQUITTO, timeout: 120_000 },
  async (t) => {
    const place = await site(t);
    const { north, south } = place.hubs;
    await north.call("POST", "/api/devices", { id: "lamp-1", name: "Lamp 1", type: "light", room: null });
    await south.call("POST", "/api/devices", { id: "lamp-2", name: "Lamp 2", type: "light", room: null });
    // A name that the other hub has too: the prefix keeps them apart.
    await south.call("POST", "/api/devices", { id: "lamp-1", name: "Another lamp 1", type: "light", room: null });
    const first = await lamp(t, place, "lamp-1", "north");
    const second = await lamp(t, place, "lamp-2", "south");

    await t.test("native devices are there with state and telemetry, each at its hub", async (t) => {
      await first.client.publishAsync("north/gatehouse/lamp-1/state", '{"power":true}', { qos: 1 });
      await second.client.publishAsync("south/gatehouse/lamp-2/state", '{"power":false}', { qos: 1 });
      await eventually(() =>
        state(north, "lamp-1")?.power === true && state(south, "lamp-2")?.power === false ? true : undefined,
      );
      t.same(state(south, "lamp-1"), {}, "the southern lamp of the same name heard nothing");
      t.ok(north.hub.devices.registry.find("lamp-1")?.online);
    });

    await t.test("a command is sent under the prefix of its hub", async (t) => {
      t.equal(await command(north, "lamp-1", { power: false }), 202);
      await eventually(() => first.commands[0]);
      t.same(first.commands, ['{"power":false}']);
      t.same(second.commands, []);
    });

    await t.test("a third-party device is accepted below the prefix", async (t) => {
      const announce = {
        id: "shellyplug-s-E09806",
        model: "SHPLG-S",
        mac: "4022D8E09806",
        ip: "192.168.1.50",
        fw_ver: "1.14.0",
      };
      const tool = await connectAsync(`mqtts://localhost:${place.mosquitto.port}`, {
        ca: place.ca,
        username: "hub-north",
        password: "hub-north-secret",
      });
      const heard: string[] = [];
      tool.on("message", (topic, payload) => heard.push(`${topic} ${payload}`));
      await tool.subscribeAsync("north/shellies/shellyplug-s-E09806/relay/0/command", { qos: 1 });
      await tool.publishAsync("north/shellies/announce", JSON.stringify(announce), { qos: 1 });
      await tool.publishAsync("north/shellies/shellyplug-s-E09806/relay/0", "on", { qos: 1 });
      await eventually(() => (state(north, "shelly1-4022d8e09806")?.power === true ? true : undefined));
      t.equal(south.hub.devices.registry.find("shelly1-4022d8e09806"), null);
      t.equal(await command(north, "shelly1-4022d8e09806", { power: false }), 202);
      await eventually(() => heard[0]);
      t.same(heard, ["north/shellies/shellyplug-s-E09806/relay/0/command off"]);
      await tool.endAsync();
    });

    await t.test(
      "the broker is restarted under messages: nothing is lost, commands arrive after the outage",
      async (t) => {
        const published: Promise<unknown>[] = [];
        const base = Date.now() - 3_600_000;
        for (let n = 0; n < 200; n++) {
          const sample = JSON.stringify({ at: base + n * 1_000, data: { watts: n } });
          published.push(first.client.publishAsync("north/gatehouse/lamp-1/telemetry", sample, { qos: 1 }));
          if (n === 100) {
            await place.mosquitto.stop("SIGTERM");
            await eventually(() =>
              north.hub.system.health().checks.find(({ code }) => code === "outside-broker")?.level === "degraded"
                ? true
                : undefined,
            );
            t.equal(await command(north, "lamp-1", { power: true, n: "in the cut" }), 202);
            await place.mosquitto.start();
          }
        }
        await Promise.all(published);
        await eventually(() => (first.commands.some((text) => text.includes("in the cut")) ? true : undefined));
        const samples = (): number => north.hub.telemetry.telemetry.figures().received;
        await eventually(() => (samples() >= 200 ? true : undefined));
        const answer = await eventually(async () => {
          const { body } = await send(north.port, "GET", `/v1/devices/lamp-1/telemetry?limit=1000`, {
            headers: { Cookie: north.cookie },
          });
          const { telemetry } = body as { telemetry?: { data: { watts?: number } }[] }; // checked by what follows
          return telemetry !== undefined && telemetry.length >= 200 ? telemetry : undefined;
        });
        t.equal(new Set(answer.map(({ data }) => data.watts)).size, 200, "all samples, each once");
        t.equal(answer.length, 200);
      },
    );

    await t.test("a killed device is offline by its will, and gets what was sent meanwhile", async (t) => {
      second.client.stream.destroy();
      await second.client.endAsync(true);
      await eventually(() => (south.hub.devices.registry.find("lamp-2")?.online === false ? true : undefined));
      t.equal(await command(south, "lamp-2", { power: true, n: "while away" }), 202);
      const back = await lamp(t, place, "lamp-2", "south");
      await eventually(() => back.commands[0]);
      t.same(back.commands, ['{"power":true,"n":"while away"}'], "a command waits for it");
      t.ok(north.hub.devices.registry.find("lamp-1")?.online, "the other one came back after the broker's restart");
    });
  },
);

t.test("a broker with another certificate is refused", { skip: NO_MOSQUITTO }, async (t) => {
  const folder = testFolder(t, { a: {}, b: {}, hub: {} });
  certificates(join(folder, "a"));
  certificates(join(folder, "b"));
  const text =
    "listener {port} 127.0.0.1\nallow_anonymous true\ncafile {folder}/ca.pem\ncertfile {folder}/broker.pem\nkeyfile {folder}/broker.key\n";
  const mosquitto = await Mosquitto.start(t, join(folder, "a"), text);
  const env = {
    GATEHOUSE_OUTSIDE_BROKER_URL: `mqtts://localhost:${mosquitto.port}`,
    GATEHOUSE_OUTSIDE_BROKER_CA: join(folder, "b", "ca.pem"),
  };
  const { hub } = await startConsoleHub(t, { env, folder: join(folder, "hub") });
  const check = await eventually(() =>
    hub.system
      .health()
      .checks.find(({ code, text: message }) => code === "outside-broker" && /certificate|signature/i.test(message)),
  );
  t.equal(check.level, "degraded");
});
