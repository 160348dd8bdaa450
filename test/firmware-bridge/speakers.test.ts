/** Third-party programs, run against the hub: conversations that this project did not write down itself. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { DiscoveryRegistry } from "../../firmware-bridge/homeassistant/discovery-registry.ts";
import { ALL_SCOPES } from "../../src/core/api/scopes.ts";
import { send } from "../support/api-client.ts";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";

const START_MS = 60_000;

interface Device {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly online: boolean;
  readonly state: Record<string, unknown>;
}

/** A hub with the real Zigbee2MQTT beside it. */
class Site {
  readonly hub: ConsoleHub;
  readonly #key: string;
  readonly #child: ChildProcess;
  readonly fromChild: unknown[] = [];
  readonly credential: { readonly username: string; readonly password: string };

  private constructor(parts: {
    hub: ConsoleHub;
    key: string;
    child: ChildProcess;
    credential: { username: string; password: string };
  }) {
    this.hub = parts.hub;
    this.#key = parts.key;
    this.#child = parts.child;
    this.credential = parts.credential;
    this.#child.on("message", (message) => this.fromChild.push(message));
  }

  static async open(t: Test): Promise<Site> {
    const hub = await startConsoleHub(t);
    const client = await hub.call("POST", "/api/bridge/clients", { family: "zigbee2mqtt", name: "Zigbee2MQTT" });
    const credential = client.body as { username: string; password: string };
    const created = await hub.call("POST", "/api/keys", { name: "test", scopes: ALL_SCOPES, env: "live" });
    const { secret } = created.body as { secret: string };
    const data = join(hub.dataFolder, "zigbee2mqtt");
    mkdirSync(data);
    const child = fork(join(import.meta.dirname, "../support/zigbee2mqtt-process.ts"), [], {
      cwd: PROJECT_ROOT,
      env: {
        ...process.env,
        ZIGBEE2MQTT_DATA: data,
        MQTT_PORT: String(hub.hub.mqtt.broker.port),
        MQTT_USERNAME: credential.username,
        MQTT_PASSWORD: credential.password,
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    t.teardown(async () => {
      if (child.exitCode !== null) return;
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
    });
    return new Site({ hub, key: secret, child, credential });
  }

  async v1(method: string, path: string, json?: unknown): Promise<{ status: number; body: unknown }> {
    return send(this.hub.port, method, path, { key: this.#key, ...(json === undefined ? {} : { json }) });
  }

  async devices(): Promise<Map<string, Device>> {
    const { body } = await this.v1("GET", "/v1/devices");
    return new Map((body as { devices: Device[] }).devices.map((device) => [device.id, device]));
  }

  /** Resolves with the device once `isSo` holds for it. */
  async until(id: string, isSo: (device: Device) => boolean, limitMs = 15_000): Promise<Device> {
    return eventually(async () => {
      const device = (await this.devices()).get(id);
      return device && isSo(device) ? device : undefined;
    }, limitMs);
  }

  tell(message: object): void {
    this.#child.send(message);
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await new Promise((resolve) => this.#child.once("exit", resolve));
  }
}

t.test("Zigbee2MQTT, the program: its devices, states, commands and presence", { timeout: 180_000 }, async (t) => {
  const site = await Site.open(t);
  const outlet = "zigbee2mqtt-0x000b57fffec6a5b3";
  const bulb = "zigbee2mqtt-0x90fd9ffffe6494fc";
  const weather = "zigbee2mqtt-0x00158d0001ab23c4";
  const bridge = "zigbee2mqtt-bridge-00124b00120144ae";

  await site.until(outlet, ({ online }) => online, START_MS);
  const found = await eventually(async () => {
    const devices = await site.devices();
    return devices.size >= 5 ? devices : undefined;
  });
  t.same(
    [...found.keys()].sort(),
    [bulb, outlet, weather, bridge, "zigbee2mqtt-group-1"].sort(),
    "its own discovery for Home Assistant makes no second devices",
  );
  t.hasStrict(found.get(outlet), { name: "kitchen/outlet", type: "switch" });
  t.hasStrict(found.get(bulb), { name: "bulb", type: "dimmer" });
  t.hasStrict(found.get(weather), { name: "weather", type: "sensor" });

  const command = async (id: string, json: object): Promise<number> =>
    (await site.v1("POST", `/v1/devices/${id}/commands`, json)).status;
  t.equal(await command(outlet, { power: true }), 202);
  await site.until(outlet, ({ state }) => state.power === true);
  t.equal(await command(outlet, { ch: 1, on: false }), 202);
  await site.until(outlet, ({ state }) => state.power === false);
  t.equal(await command(bulb, { power: true, brightness: 40 }), 202);
  await site.until(bulb, ({ state }) => state.power === true && state.brightness === 40);
  t.equal(await command(bulb, { color: "#ff0000" }), 202);
  await site.until(bulb, ({ state }) => typeof state.color === "string" && /^#f[0-9a-f]0/.test(state.color));
  t.equal(await command(bulb, { colorTemperature: 4000 }), 202);
  await site.until(bulb, ({ state }) => state.colorTemperature === 4000);
  t.equal(await command("zigbee2mqtt-group-1", { power: false }), 202);
  await site.until("zigbee2mqtt-group-1", ({ state }) => state.power === false);
  t.equal(await command(outlet, { speed: 3 }), 400, "what it cannot do");

  site.tell({ temperature: 21.5 });
  await site.until(weather, ({ state }) => state.temperature === 21.5);

  t.equal(await command(bridge, { permitJoin: 60 }), 202);
  await eventually(() => site.fromChild.find((message) => JSON.stringify(message) === '{"permitJoin":60}'));
  await site.until(bridge, ({ state }) => state.permitJoin === true);

  await t.test("its messages for Home Assistant are understood by the reader of that format too", async (t) => {
    const registry = new DiscoveryRegistry({ prefix: "homeassistant", isOwn: () => true });
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${site.hub.hub.mqtt.broker.port}`, {
      ...site.credential,
      protocolVersion: 4,
      clientId: "reader",
    });
    const effects = [];
    const messages: { topic: string; payload: Buffer }[] = [];
    client.on("message", (topic, payload) => messages.push({ topic, payload }));
    await client.subscribeAsync(["homeassistant/#", "zigbee2mqtt/#"], { qos: 1 });
    await eventually(() => (messages.filter(({ topic }) => topic.endsWith("/config")).length > 20 ? true : undefined));
    await client.endAsync();
    for (const { topic, payload } of messages.filter(({ topic }) => topic.endsWith("/config")))
      effects.push(...registry.message({ topic, payload, retained: true, at: 0 }));
    const reasons = effects.flatMap((effect) => (effect.do === "problem" ? [effect.reason] : []));
    t.same(
      reasons.filter((reason) => !reason.includes("now")),
      [],
      "only templates that need the time cannot be evaluated",
    );
    const key = "zigbee2mqtt_0x000b57fffec6a5b3";
    t.match(registry.command(key, { power: true }), {
      publish: [{ topic: /^zigbee2mqtt\/kitchen\/outlet\/set$/, payload: "ON" }],
      expects: { power: true },
    });
    t.hasStrict(registry.command("zigbee2mqtt_0x90fd9ffffe6494fc", { power: true, brightness: 50 }), {
      publish: [{ topic: "zigbee2mqtt/bulb/set" }],
      expects: { brightness: 50 },
    });
    const heard = registry.message({
      topic: "zigbee2mqtt/kitchen/outlet",
      payload: Buffer.from('{"state":"ON","linkquality":100}'),
      retained: false,
      at: 1,
    });
    t.hasStrict(
      heard.find((effect) => effect.do === "state"),
      { key, patch: { power: true } },
    );
  });

  await site.stop();
  await site.until(outlet, ({ online }) => !online, 20_000);
  t.equal((await site.devices()).get(bulb)?.online, false, "with the gateway everything behind it goes offline");
});
