/**
 * A house full of third-party devices starts at once, as after a power cut; then the hub is restarted. How fast: `npm
 * run bench -- bridge`.
 */
import mqtt from "mqtt";
import t from "tap";
import { ALL_SCOPES } from "../../src/core/api/scopes.ts";
import { send } from "../support/api-client.ts";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(240_000);

const EACH = 125;
const TIMEOUT_MS = 60_000;

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly state: Record<string, unknown>;
}

interface Saying {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** A third-party device: its messages, and what the hub ought to make of them. */
interface HouseDevice {
  readonly is: (device: Shown) => boolean;
  readonly says: readonly Saying[];
  readonly state: Record<string, unknown>;
}

const says = (topic: string, payload: unknown, retain = true): Saying => ({
  topic,
  payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  retain,
});
const mac = (first: string, n: number): string => `${first}00${n.toString(16).padStart(8, "0")}`;

const ieee = (n: number): string => `0x00158d${n.toString(16).padStart(10, "0")}`;

function tasmota(n: number): HouseDevice {
  const address = mac("aa", n);
  const config = {
    mac: address.toUpperCase(),
    dn: `Plug ${n}`,
    t: `plug_${n}`,
    ft: "%prefix%/%topic%/",
    tp: ["cmnd", "stat", "tele"],
    rl: [1],
    ver: 1,
  };
  const time = "2026-03-01T12:00:00";
  return {
    is: ({ id }) => id === `tasmota-${address}`,
    says: [
      says(`tasmota/discovery/${config.mac}/config`, config),
      says(`tele/plug_${n}/LWT`, "Online"),
      says(`tele/plug_${n}/STATE`, { Time: time, POWER: n % 2 === 0 ? "ON" : "OFF" }, false),
      says(`tele/plug_${n}/SENSOR`, { Time: time, ENERGY: { Total: 1.5, Power: n } }, false),
    ],
    state: { power: n % 2 === 0, watts: n, kwh: 1.5 },
  };
}

function shelly(n: number): HouseDevice {
  const address = mac("bb", n);
  const id = `shelly1pm-${address.toUpperCase()}`;
  return {
    is: (device) => device.id === `shelly1-${address}`,
    says: [
      says(
        `shellies/${id}/announce`,
        { id, model: "SHSW-PM", mac: address.toUpperCase(), ip: "10.0.0.2", fw_ver: "20230913-112003/v1.14.0" },
        false,
      ),
      says(`shellies/${id}/online`, "true", false),
      says(`shellies/${id}/relay/0`, n % 2 === 0 ? "on" : "off", false),
      says(`shellies/${id}/relay/0/power`, String(n), false),
    ],
    state: { power: n % 2 === 0, watts: n },
  };
}

function zigbee(n: number): HouseDevice {
  return {
    is: ({ id }) => id === `zigbee2mqtt-${ieee(n)}`,
    says: [says(`zigbee2mqtt/sensor_${n}`, { temperature: 20 + (n % 10), humidity: 40 })],
    state: { temperature: 20 + (n % 10), humidity: 40 },
  };
}

function zigbeeInventory(): Saying {
  const exposes = [
    { type: "numeric", name: "temperature", property: "temperature", access: 1, unit: "°C" },
    { type: "numeric", name: "humidity", property: "humidity", access: 1, unit: "%" },
  ];
  const sensors = Array.from({ length: EACH }, (_, n) => ({
    ieee_address: ieee(n),
    type: "EndDevice",
    supported: true,
    friendly_name: `sensor_${n}`,
    power_source: "Battery",
    interview_completed: true,
    disabled: false,
    definition: { model: "WSDCGQ11LM", vendor: "Aqara", description: "Sensor", options: [], exposes },
  }));
  return says("zigbee2mqtt/bridge/devices", [
    { ieee_address: "0x00124b0000000001", type: "Coordinator", friendly_name: "Coordinator" },
    ...sensors,
  ]);
}

function announced(n: number): HouseDevice {
  const dev = { ids: [`node${n}`], name: `Node ${n}`, cns: [["mac", mac("cc", n).replaceAll(/(..)(?=.)/g, "$1:")]] };
  return {
    is: ({ name }) => name === `Node ${n}`,
    says: [
      says(`homeassistant/sensor/node${n}/t/config`, {
        name: "Temperature",
        uniq_id: `node${n}_t`,
        stat_t: `nodes/${n}/t`,
        unit_of_meas: "°C",
        dev_cla: "temperature",
        dev,
      }),
      says(`nodes/${n}/t`, String(15 + (n % 10))),
    ],
    state: { temperature: 15 + (n % 10) },
  };
}

const HOUSE: ReadonlyMap<string, readonly HouseDevice[]> = new Map([
  ["tasmota", Array.from({ length: EACH }, (_, n) => tasmota(n))],
  ["shelly1", Array.from({ length: EACH }, (_, n) => shelly(n))],
  ["zigbee2mqtt", Array.from({ length: EACH }, (_, n) => zigbee(n))],
  ["homeassistant", Array.from({ length: EACH }, (_, n) => announced(n))],
]);

async function listed(hub: ConsoleHub, key: string): Promise<Shown[]> {
  const answer = await send(hub.port, "GET", "/v1/devices", { key });
  if (answer.status !== 200) throw new Error(`GET /v1/devices: ${answer.status}`);
  return (answer.body as { devices: Shown[] }).devices;
}

/** What is not yet as it ought to be. */
function missing(shown: readonly Shown[]): string[] {
  return [...HOUSE].flatMap(([family, devices]) =>
    devices.flatMap(({ is, state }, n) => {
      const found = shown.find(is);
      const wrong = Object.entries(state).find(([field, value]) => found?.state[field] !== value);
      return wrong === undefined ? [] : [`${family} ${n}: ${wrong[0]} is ${String(found?.state[wrong[0]])}`];
    }),
  );
}

async function complete(hub: ConsoleHub, key: string): Promise<Shown[]> {
  return eventually(async () => {
    const shown = await listed(hub, key);
    return missing(shown).length === 0 ? shown : undefined;
  }, TIMEOUT_MS);
}

t.test(
  "500 devices of four makes at once are all known with their states, and are again after a restart of the hub",
  async (t) => {
    const folder = testFolder(t);
    const hub = await startConsoleHub(t, { folder });
    const { secret } = (await hub.call("POST", "/api/keys", { name: "house", env: "live", scopes: [...ALL_SCOPES] }))
      .body as { secret: string };
    const speak = async (family: string, devices: readonly HouseDevice[]): Promise<void> => {
      const { username, password } = (await hub.call("POST", "/api/bridge/clients", { family, name: family })).body as {
        username: string;
        password: string;
      };
      // Without a client id a connection may publish for the whole family.
      const url = `mqtt://127.0.0.1:${hub.hub.mqtt.broker.port}`;
      const client = await mqtt.connectAsync(url, {
        username,
        password,
        clientId: "",
        protocolVersion: 4,
        reconnectPeriod: 0,
      });
      const list = [
        ...(family === "zigbee2mqtt" ? [zigbeeInventory()] : []),
        ...devices.flatMap((device) => device.says),
      ];
      await Promise.all(
        list.map(({ topic, payload, retain }) => client.publishAsync(topic, payload, { qos: 1, retain })),
      );
      await client.endAsync();
    };
    await Promise.all([...HOUSE].map(([family, devices]) => speak(family, devices)));
    const shown = await complete(hub, secret);
    t.same(
      shown.filter(({ id }) => !/^[A-Za-z0-9_-]{1,64}$/.test(id)),
      [],
      "every id is valid",
    );
    const made = shown.filter(({ name }) => !/coordinator|zigbee2mqtt/i.test(name)).length;
    t.equal(made, 4 * EACH, "each is one device, none is two");

    await hub.hub.stop();
    const again = await startConsoleHub(t, { folder, claim: false });
    t.equal((await complete(again, secret)).length, shown.length, "the same devices with the same states");
  },
);
