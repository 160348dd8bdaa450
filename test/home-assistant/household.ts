import { connectAsync, type MqttClient } from "mqtt";
import type { Test } from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { DEVICES, infoOf } from "../../src/features/sandbox/household.ts";
import type { Reaction, World } from "../../src/features/sandbox/model.ts";
import type { ConsoleHub } from "../support/console-hub.ts";

/** The demo's devices at a hub, each a real MQTT client that obeys at once. */
export async function moveDevicesIn(
  t: Test,
  { hub }: Pick<ConsoleHub, "hub">,
  keys: readonly string[] = DEVICES.map(({ key }) => key),
): Promise<Map<string, MqttClient>> {
  const siteId = liveSite(hub);
  const world = (): World => ({ at: Date.now(), hour: 12, tick: 0, random: () => 0.5, load: () => 100 });
  const clients = new Map<string, MqttClient>();
  await Promise.all(
    DEVICES.filter(({ key }) => keys.includes(key)).map(async (device) => {
      const { key, name, type, room } = device;
      const { password } = await hub.devices.registry.create(siteId, { id: key, name, type, room });
      const client = await connectAsync(`mqtt://127.0.0.1:${hub.mqtt.broker.port}`, {
        clientId: key,
        username: key,
        password: password ?? "",
      });
      t.teardown(() => client.end(true));
      clients.set(key, client);
      const model = device.make({});
      const tell = async (leaf: string, message: object, retain = false): Promise<void> =>
        void (await client.publishAsync(`gatehouse/${key}/${leaf}`, JSON.stringify(message), { qos: 1, retain }));
      const act = async ({ patch, telemetry, later }: Reaction): Promise<void> => {
        Object.assign(model.state, patch);
        if (patch !== undefined) await tell("state", patch);
        if (telemetry !== undefined) await tell("telemetry", telemetry);
        if (later !== undefined && later.afterMs <= 1_000)
          setTimeout(() => void act(later.react(world())).catch(() => {}), 20); // it may be gone
      };
      client.on(
        "message",
        (_topic, payload) =>
          void act(model.command(JSON.parse(payload.toString()) as JsonObject, world())).catch(() => {}),
      ); // it may be gone
      await client.subscribeAsync(`gatehouse/${key}/command`, { qos: 1 });
      await tell("status", { status: "online" }, true);
      await tell("info", infoOf(device), true);
      await tell("state", model.state);
      await act(model.tick(world()));
    }),
  );
  return clients;
}

/** The household of the hub's owner. */
export function liveSite(hub: ConsoleHub["hub"]): number {
  return hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
}

/** A broker's retained messages, kept up to date. */
export class RetainedTopics {
  readonly messages = new Map<string, string>();
  /** Topics of all messages, in order, including clearing ones. */
  readonly heard: string[] = [];
  readonly client: MqttClient;

  private constructor(client: MqttClient) {
    this.client = client;
  }

  static async watch(t: Test, port: number, clientId = "looker-on"): Promise<RetainedTopics> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId });
    t.teardown(() => client.end(true));
    const seen = new RetainedTopics(client);
    client.on("message", (topic, payload, { retain }) => {
      // commands and birth messages: never retained
      if (topic.includes("/set/") || topic === "homeassistant/status") return;
      seen.heard.push(topic);
      if (topic.includes("/event/") && !retain) return;
      if (payload.length === 0) seen.messages.delete(topic);
      else seen.messages.set(topic, payload.toString());
    });
    await client.subscribeAsync("#", { qos: 1 });
    return seen;
  }

  /** Discovery messages of devices, by the device's name. */
  get devices(): Map<
    string,
    { readonly topic: string; readonly config: JsonObject & { readonly components: Record<string, JsonObject> } }
  > {
    const configs = [...this.messages].filter(([topic]) => /^homeassistant\/device\/.*\/config$/.test(topic));
    return new Map(
      configs.map(([topic, text]) => {
        const config = JSON.parse(text) as JsonObject & {
          readonly components: Record<string, JsonObject>;
          readonly device: { readonly name: string };
        }; // checked against the schema by a test
        return [config.device.name, { topic, config }];
      }),
    );
  }

  /** The topic of a hub's values with this ending. */
  topic(ending: string): string {
    return [...this.messages.keys()].find((topic) => topic.includes("gatehouse-ha/") && topic.endsWith(ending)) ?? "";
  }
}
