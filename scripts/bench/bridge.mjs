// @ts-check
/**
 * npm run bench -- bridge [--build FOLDER] [--devices N]
 *
 * A house full of other makes' firmware starts at once: Tasmota and Shelly devices on separate connections, a Zigbee
 * gateway and a publisher of Home Assistant discovery for the rest. Measures the time until the hub knows all of them,
 * the latency of the API meanwhile (the baseline: the same calls before), and the time after a restart of the hub until
 * every state is complete.
 */
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { processorSeconds } from "../lib/helper-process.mjs";

/**
 * @typedef {import("mqtt").MqttClient} MqttClient
 * @typedef {[topic: string, payload: string, retain: boolean]} Message
 * @typedef {"tasmota" | "shelly" | "zigbee" | "discovery"} Make
 * @typedef {{ make: Make, id: string | null, clientId?: string, anyId?: string, nodeName?: string, inventory?: object,
 *   messages: Message[], keys: string[] }} Device
 * @typedef {Record<Make, { username: string, password: string }>} Credentials
 * @typedef {Awaited<ReturnType<typeof connectAll>>} Connections
 * @typedef {{ id: string, name: string, state: Record<string, unknown> }} Listed
 * @typedef {(method: string, path: string, body?: unknown) => Promise<unknown>} Call
 */

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const count = Number(option(options, "--devices", "500"));
  const hub = await startBenchHub({
    build,
    env: { GATEHOUSE_MQTT_MAX_CONNECTIONS: "1000", GATEHOUSE_RECOGNITION: "false" },
  });
  try {
    const credential = (/** @type {string} */ family) =>
      hub.console("POST", "/api/bridge/clients", { family, name: family });
    const tasmota = await credential("tasmota");
    const shelly = await credential("shelly1");
    const zigbee = await credential("zigbee2mqtt");
    const discovery = await credential("homeassistant");
    /** @returns {Promise<Listed[]>} */
    const listing = async () => (await hub.api("GET", "/v1/devices")).devices;
    const kinds = [tasmotaDevice, shellyDevice, zigbeeDevice, discoveryDevice];
    const devices = Array.from({ length: count }, (_, n) => (kinds[n % kinds.length] ?? tasmotaDevice)(n));
    const connections = await connectAll(hub.port, devices, { tasmota, shelly, zigbee, discovery });
    await listing();
    const quiet = await apiTimes(hub.api, 2_000);

    const cpuBefore = processorSeconds(hub.pid());
    const began = performance.now();
    const load = apiTimes(hub.api, 8_000);
    await announce(devices, connections);
    const knownMs = await until(async () => (await listing()).length >= count, began);
    const cpu = processorSeconds(hub.pid()) - cpuBefore;
    const busy = await load;
    await until(async () => complete(await listing(), devices) === devices.length, began);

    await hub.restart();
    const back = performance.now();
    const restoredMs = await until(async () => complete(await listing(), devices) === devices.length, back);
    for (const connection of connections.all) connection.end(true);
    const memory = hub.memory();
    console.log(`${count} devices of four makes on ${connections.all.length} connections`);
    console.log(
      `all known after ${(knownMs / 1000).toFixed(2)} s with ${cpu.toFixed(2)} s of processor time; all states complete ${(restoredMs / 1000).toFixed(2)} s after the hub's restart; resident ${memory.toFixed(0)} MB`,
    );
    console.log("\nGET /v1/events\n| | p50 ms | p99 ms | calls |\n| --- | --- | --- | --- |");
    for (const { label, p50, p99, calls } of [
      { label: "before", ...quiet },
      { label: "while all announce themselves", ...busy },
    ])
      console.log(`| ${label} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${calls} |`);
    return { knownMs, restoredMs, quiet, busy };
  } finally {
    await hub.stop();
  }
}

const hex = (/** @type {number} */ n, /** @type {number} */ digits) => n.toString(16).padStart(digits, "0");

/** @param {number} n @returns {Device} */
function tasmotaDevice(n) {
  const mac = `AA00${hex(n, 8)}`.toUpperCase();
  const topic = `plug_${n}`;
  const config = {
    ip: "10.0.0.1",
    dn: `Plug ${n}`,
    fn: [`Plug ${n}`],
    hn: topic,
    mac,
    md: "Generic",
    ty: 0,
    if: 0,
    ofln: "Offline",
    onln: "Online",
    state: ["OFF", "ON", "TOGGLE", "HOLD"],
    sw: "14.2.0",
    t: topic,
    ft: "%prefix%/%topic%/",
    tp: ["cmnd", "stat", "tele"],
    rl: [1],
    swc: [-1],
    so: {},
    ver: 1,
  };
  return {
    make: "tasmota",
    id: `tasmota-${mac.toLowerCase()}`,
    clientId: `DVES_${n}`,
    messages: [
      [`tasmota/discovery/${mac}/config`, JSON.stringify(config), true],
      [
        `tasmota/discovery/${mac}/sensors`,
        JSON.stringify({ sn: { Time: "2026-03-01T12:00:00", ENERGY: { Total: 1, Power: n } }, ver: 1 }),
        true,
      ],
      [`tele/${topic}/LWT`, "Online", true],
      [
        `tele/${topic}/STATE`,
        JSON.stringify({
          Time: "2026-03-01T12:00:00",
          POWER: n % 8 < 4 ? "ON" : "OFF",
          Wifi: { RSSI: 80, Signal: -55 },
        }),
        false,
      ],
      [
        `tele/${topic}/SENSOR`,
        JSON.stringify({
          Time: "2026-03-01T12:00:00",
          ENERGY: { TotalStartTime: "2025-01-01T00:00:00", Total: 1.5, Power: n, Voltage: 230, Current: 0.1 },
        }),
        false,
      ],
    ],
    keys: ["power", "watts", "voltage", "kwh"],
  };
}

/** @param {number} n @returns {Device} */
function shellyDevice(n) {
  const mac = `BB00${hex(n, 8)}`.toUpperCase();
  const id = `shelly1pm-${mac}`;
  return {
    make: "shelly",
    id: `shelly1-${mac.toLowerCase()}`,
    clientId: id,
    messages: [
      [
        `shellies/${id}/announce`,
        JSON.stringify({
          id,
          model: "SHSW-PM",
          mac,
          ip: "10.0.0.2",
          new_fw: false,
          fw_ver: "20230913-112003/v1.14.0-gcb84623",
        }),
        false,
      ],
      [`shellies/${id}/online`, "true", false],
      [`shellies/${id}/relay/0`, n % 8 < 4 ? "on" : "off", false],
      [`shellies/${id}/relay/0/power`, String(n), false],
    ],
    keys: ["power", "watts"],
  };
}

/** @param {number} n @returns {Device} */
function zigbeeDevice(n) {
  const ieee = `0x00158d${hex(n, 10)}`;
  const name = `sensor_${n}`;
  return {
    make: "zigbee",
    id: `zigbee2mqtt-${ieee.slice(2)}`,
    anyId: ieee.slice(2),
    inventory: {
      ...{
        ieee_address: ieee,
        type: "EndDevice",
        network_address: n,
        supported: true,
        friendly_name: name,
        power_source: "Battery",
        interview_completed: true,
        disabled: false,
      },
      definition: {
        model: "WSDCGQ11LM",
        vendor: "Aqara",
        description: "Sensor",
        options: [],
        exposes: ["temperature", "humidity"].map((property) => ({
          type: "numeric",
          name: property,
          property,
          access: 1,
          unit: property === "humidity" ? "%" : "°C",
        })),
      },
    },
    messages: [
      [`zigbee2mqtt/${name}`, JSON.stringify({ temperature: 20 + (n % 10), humidity: 40, linkquality: 90 }), true],
    ],
    keys: ["temperature", "humidity"],
  };
}

/** @param {number} n @returns {Device} */
function discoveryDevice(n) {
  const id = `node${n}`;
  const config = {
    name: "Temperature",
    uniq_id: `${id}_t`,
    stat_t: `nodes/${id}/t`,
    unit_of_meas: "°C",
    dev_cla: "temperature",
    dev: {
      ids: [id],
      name: `Node ${n}`,
      mf: "Bench",
      mdl: "One",
      cns: [["mac", `cc:00:00:00:${hex(n >> 8, 2)}:${hex(n & 255, 2)}`]],
    },
  };
  return {
    make: "discovery",
    id: null,
    anyId: `cc000000${hex(n, 4)}`,
    nodeName: `Node ${n}`,
    messages: [
      [`homeassistant/sensor/${id}/t/config`, JSON.stringify(config), true],
      [`nodes/${id}/t`, String(15 + (n % 10)), true],
    ],
    keys: ["temperature"],
  };
}

/** @param {number} port @param {Device[]} devices @param {Credentials} credentials */
async function connectAll(port, devices, credentials) {
  const connect = (
    /** @type {Credentials[Make]} */ { username, password },
    /** @type {string | undefined} */ clientId = "",
  ) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      username,
      password,
      clientId,
      protocolVersion: 4,
      reconnectPeriod: 200,
      resubscribe: true,
    });
  /** @type {Map<Device, MqttClient>} */
  const own = new Map();
  for (const device of devices.filter(({ clientId }) => clientId !== undefined))
    own.set(device, await connect(credentials[device.make], device.clientId));
  const zigbee = await connect(credentials.zigbee, "bench-zigbee");
  const discovery = await connect(credentials.discovery, "bench-discovery");
  return { own, zigbee, discovery, all: [...own.values(), zigbee, discovery] };
}

/** Everything at once, as after a power cut. @param {Device[]} devices @param {Connections} connections */
async function announce(devices, { own, zigbee, discovery }) {
  const inventory = [
    {
      ieee_address: "0x00124b0000000001",
      type: "Coordinator",
      friendly_name: "Coordinator",
      interview_completed: true,
    },
    ...devices.flatMap((device) => device.inventory ?? []),
  ];
  const say = (/** @type {MqttClient} */ client, /** @type {Message} */ [topic, payload, retain]) =>
    client.publishAsync(topic, payload, { qos: 1, retain });
  const gateway = say(zigbee, ["zigbee2mqtt/bridge/state", JSON.stringify({ state: "online" }), true])
    .then(() => say(zigbee, ["zigbee2mqtt/bridge/devices", JSON.stringify(inventory), true]))
    .then(() =>
      Promise.all(
        devices
          .filter(({ make }) => make === "zigbee")
          .flatMap(({ messages }) => messages.map((message) => say(zigbee, message))),
      ),
    );
  const single = devices
    .filter(({ make }) => make !== "zigbee")
    .flatMap((device) => device.messages.map((message) => say(own.get(device) ?? discovery, message)));
  await Promise.all([gateway, ...single]);
}

/**
 * The number of devices whose state contains everything that they reported.
 * @param {Listed[]} listed
 * @param {Device[]} devices
 */
function complete(listed, devices) {
  const byId = new Map(listed.map((device) => [device.id, device]));
  return devices.filter((device) => {
    const found =
      byId.get(device.id ?? "") ??
      listed.find(
        ({ id, name }) => (device.anyId !== undefined && id.includes(device.anyId)) || name === device.nodeName,
      );
    return found !== undefined && device.keys.every((key) => found.state[key] !== undefined);
  }).length;
}

/** @param {Call} api @param {number} forMs */
async function apiTimes(api, forMs) {
  /** @type {number[]} */
  const times = [];
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const began = performance.now();
    await api("GET", "/v1/events?limit=20");
    times.push(performance.now() - began);
    await pause(5);
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), calls: times.length };
}

/** @param {() => Promise<boolean>} probe @param {number} began */
async function until(probe, began) {
  while (!(await probe())) {
    if (performance.now() - began > 120_000) throw new Error(`it did not happen in two minutes: ${await probe()}`);
    await pause(50);
  }
  return performance.now() - began;
}
