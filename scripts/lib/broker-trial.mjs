// @ts-check
// Checks the hub's guarantees with a broker that is killed under load: nothing acknowledged is lost, order is kept
// within a topic, nothing is repeated more often than QoS 1 allows.
import { connectAsync } from "mqtt";

const TOPICS = 4;
/** Most unacknowledged messages of the device. */
const WINDOW = 20;
const TIMEOUT_MS = 120_000;
/** Longer than any broker takes to restart: an expired command is dropped by the hub on purpose, and not lost. */
const COMMAND_TTL_MS = 900_000;
/** Says nothing. @type {import("../../src/core/kernel/logger.ts").Logger} */
const LOGGER = { debug() {}, info() {}, warn() {}, error() {}, fatal() {}, child: () => LOGGER };

/**
 * @typedef {{ broker: string, mqtt: string, published: number, acknowledged: number, lost: number, repeated: number,
 *   disordered: number, commands: number, commandsLost: number, commandsExpired: number, connections: number, seconds:
 *   number }} TrialResult
 */

/**
 * Has a device publish `messages` through a broker to the hub, which is killed `kills` times meanwhile, and sends
 * commands the other way.
 * @param {import("./site-brokers.mjs").SiteBroker} broker
 * @param {{ messages: number, kills: number, OutsideBroker: typeof
 *   import("../../src/features/outside-broker/outside-broker.ts").OutsideBroker, clock:
 *   import("../../src/core/kernel/clock.ts").Clock }} wish
 * @returns {Promise<TrialResult>}
 */
export async function trial(broker, { messages, kills, OutsideBroker, clock }) {
  const begun = performance.now();
  /** @type {string[]} */
  const arrived = [];
  const hub = new OutsideBroker({
    address: {
      url: `mqtt://127.0.0.1:${broker.hubPort}`,
      clientId: "hub",
      username: null,
      passwordFile: null,
      caFile: null,
      protocol: "auto",
    },
    prefix: "",
    filters: () => ["devices/+/state"],
    message: async ({ topic, payload }) => void arrived.push(`${topic} ${payload}`),
    connected: () => {},
    clock,
    logger: LOGGER,
    random: () => 0,
  });
  await hub.start();
  await until(() => hub.isConnected, "the hub joined");
  const device = await connectAsync(`mqtt://127.0.0.1:${broker.devicePort}`, {
    clientId: "device",
    clean: false,
    reconnectPeriod: 200,
  });
  device.on("error", () => {}); // it reconnects by itself
  const commands = new Set();
  device.on("message", (_topic, payload) => commands.add(String(payload)));
  await device.subscribeAsync("devices/0/command", { qos: 1 });
  // until the bridge has both subscriptions
  if (broker.devicePort !== broker.hubPort) await new Promise((resolve) => setTimeout(resolve, 1_500));

  const acknowledged = new Set();
  /** @type {Set<Promise<unknown>>} */
  const underWay = new Set();
  let asked = 0;
  const every = Math.max(1, Math.floor(messages / (kills + 1)));
  for (let n = 0; n < messages; n++) {
    const [topic, text] = [`devices/${n % TOPICS}/state`, String(Math.floor(n / TOPICS))];
    const sent = device.publishAsync(topic, text, { qos: 1 }).then(() => acknowledged.add(`${topic} ${text}`));
    underWay.add(sent);
    void sent.finally(() => underWay.delete(sent)).catch(() => {});
    if (n % 10 === 0) {
      hub.publish({ topic: "devices/0/command", payload: String(n) }, COMMAND_TTL_MS);
      asked += 1;
    }
    if (n > 0 && n % every === 0 && n < every * (kills + 1)) {
      await broker.kill();
      await broker.restart();
    }
    if (underWay.size >= WINDOW) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  const seen = () => new Set(arrived);
  await until(() => [...acknowledged].every((one) => seen().has(one)), "", true);
  await until(() => commands.size >= asked, "", true);
  const { connections, expired, dropped } = hub.figures;
  const { version } = hub;
  await hub.stop();
  await device.endAsync(true);

  const all = seen();
  let disordered = 0;
  /** @type {Map<string, number>} */
  const latest = new Map();
  for (const one of all) {
    const [topic = "", number = ""] = one.split(" ");
    if (Number(number) < (latest.get(topic) ?? -1)) disordered += 1;
    latest.set(topic, Math.max(Number(number), latest.get(topic) ?? -1));
  }
  return {
    broker: broker.name,
    mqtt: version,
    published: messages,
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((one) => !all.has(one)).length,
    repeated: arrived.length - all.size,
    disordered,
    commands: asked,
    commandsLost: asked - commands.size,
    commandsExpired: expired + dropped,
    connections,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
  };
}

/** Waits until something is so. @param {() => boolean} isSo @param {string} what @param {boolean} [mayFail] */
async function until(isSo, what, mayFail = false) {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!isSo()) {
    if (performance.now() > deadline) {
      if (mayFail) return;
      throw new Error(`not in time: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
