/**
 * The real Zigbee2MQTT (npm package `zigbee2mqtt`) as a process of its own, with a radio that is not there: devices
 * stand in its database, frames to them go nowhere, reports from them come when the parent asks. Everything above the
 * radio, converters, exposes, MQTT, discovery, is the program as its users run it.
 *
 * Environment: `ZIGBEE2MQTT_DATA` an empty folder; `MQTT_PORT`, `MQTT_USERNAME`, `MQTT_PASSWORD` of the broker.
 * From the parent: `{"temperature": 21.5}` reports it. To the parent: `{"permitJoin": seconds}`.
 */
import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { ZIGBEE2MQTT_DATA: data = "", MQTT_PORT = "1883", MQTT_USERNAME = "", MQTT_PASSWORD = "" } = process.env;
const load = createRequire(import.meta.url);
const loadAsZigbee2Mqtt = createRequire(load.resolve("zigbee2mqtt/package.json"));

const COORDINATOR = "0x00124b00120144ae";
const OUTLET = "0x000b57fffec6a5b3";
const BULB = "0x90fd9ffffe6494fc";
const WEATHER = "0x00158d0001ab23c4";
const WEATHER_ADDRESS = 1003;
const TEMPERATURE_CLUSTER = 0x0402;

function endpoint(profId: number, devId: number, inClusterList: readonly number[], outClusterList: readonly number[]) {
  return {
    profId,
    epId: 1,
    devId,
    inClusterList,
    outClusterList,
    clusters: {},
    binds: [],
    configuredReportings: [],
    meta: {},
  };
}

/** A row of zigbee-herdsman's database. */
function row(
  id: number,
  type: string,
  about: { ieeeAddr: string; nwkAddr: number; manufName?: string; powerSource?: string; modelId?: string },
  one: unknown,
): object {
  const versions = {
    appVersion: 1,
    stackVersion: 1,
    hwVersion: 1,
    dateCode: "20200101",
    swBuildId: "2.0.0",
    zclVersion: 1,
  };
  return {
    id,
    type,
    ...about,
    manufId: 4476,
    epList: [1],
    endpoints: { 1: one },
    ...versions,
    interviewCompleted: true,
    interviewState: "SUCCESSFUL",
    meta: { configured: 1 },
    lastSeen: Date.now(),
  };
}

const ikea = { manufName: "IKEA of Sweden", powerSource: "Mains (single phase)" };
const rows = [
  row(1, "Coordinator", { ieeeAddr: COORDINATOR, nwkAddr: 0 }, endpoint(260, 5, [], [])),
  row(
    2,
    "Router",
    { ieeeAddr: OUTLET, nwkAddr: 1001, ...ikea, modelId: "TRADFRI control outlet" },
    endpoint(260, 266, [0, 3, 4, 5, 6, 8, 4096], [5, 25, 32]),
  ),
  row(
    3,
    "Router",
    { ieeeAddr: BULB, nwkAddr: 1002, ...ikea, modelId: "TRADFRI bulb E27 CWS opal 600lm" },
    endpoint(49_246, 528, [0, 3, 4, 5, 6, 8, 768, 4096], [25]),
  ),
  row(
    4,
    "EndDevice",
    { ieeeAddr: WEATHER, nwkAddr: WEATHER_ADDRESS, manufName: "LUMI", powerSource: "Battery", modelId: "lumi.weather" },
    endpoint(260, 24_321, [0, 3, 1026, 1027, 1029], []),
  ),
  { id: 5, type: "Group", groupID: 1, members: [{ deviceIeeeAddr: BULB, endpointID: 1 }], meta: {} },
];

const configuration = `version: 5
mqtt:
  base_topic: zigbee2mqtt
  server: mqtt://127.0.0.1:${MQTT_PORT}
  user: ${MQTT_USERNAME}
  password: ${MQTT_PASSWORD}
  version: 4
serial:
  port: /dev/null
  adapter: ember
advanced:
  network_key: [1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 13]
  pan_id: 6754
  ext_pan_id: [221, 221, 221, 221, 221, 221, 221, 221]
  channel: 11
  log_output: []
frontend:
  enabled: false
homeassistant:
  enabled: true
availability:
  enabled: true
devices:
  '${OUTLET}':
    friendly_name: kitchen/outlet
  '${BULB}':
    friendly_name: bulb
  '${WEATHER}':
    friendly_name: weather
groups:
  '1':
    friendly_name: all
`;

/** A radio without air. The methods are those of zigbee-herdsman's abstract adapter. */
class Radio extends EventEmitter {
  readonly hasZdoMessageOverhead = false;
  readonly manufacturerID = 0;
  async start(): Promise<string> {
    return "resumed";
  }
  async stop(): Promise<void> {}
  async getCoordinatorIEEE(): Promise<string> {
    return COORDINATOR;
  }
  async getCoordinatorVersion(): Promise<object> {
    return { type: "Simulated", meta: { revision: 1 } };
  }
  async supportsBackup(): Promise<boolean> {
    return false;
  }
  async getNetworkParameters(): Promise<object> {
    return { panID: 6754, extendedPanID: "0xdddddddddddddddd", channel: 11, nwkUpdateID: 0 };
  }
  async permitJoin(seconds: number): Promise<void> {
    process.send?.({ permitJoin: seconds });
  }
  async sendZdo(): Promise<undefined> {}
  async sendZclFrameToEndpoint(): Promise<undefined> {}
  async sendZclFrameToGroup(): Promise<void> {}
  async sendZclFrameToAll(): Promise<void> {}
}

const radio = new Radio();
// the part of its interface that is used
const { Zcl } = loadAsZigbee2Mqtt("zigbee-herdsman") as { Zcl: { Header: { fromBuffer(bytes: Buffer): unknown } } };

/** An attribute report of the weather sensor. */
function report(celsius: number): void {
  const bytes = Buffer.from([0x18, 1, 0x0a, 0, 0, 0x29, 0, 0]);
  bytes.writeInt16LE(Math.round(celsius * 100), 6);
  const about = { endpoint: 1, linkquality: 120, groupID: 0, wasBroadcast: false, destinationEndpoint: 1 };
  radio.emit("zclPayload", {
    clusterID: TEMPERATURE_CLUSTER,
    address: WEATHER_ADDRESS,
    data: bytes,
    header: Zcl.Header.fromBuffer(bytes),
    ...about,
  });
}

writeFileSync(join(data, "configuration.yaml"), configuration);
writeFileSync(join(data, "database.db"), rows.map((entry) => JSON.stringify(entry)).join("\n"));
const adapters = loadAsZigbee2Mqtt("zigbee-herdsman/dist/adapter/adapter.js") as {
  Adapter: { create: () => Promise<Radio> };
}; // its only way to a radio
adapters.Adapter.create = async () => radio;
const { Controller } = load("zigbee2mqtt/dist/controller.js") as {
  Controller: new (
    restart: () => Promise<void>,
    exit: (code: number) => Promise<void>,
  ) => { start(): Promise<void>; stop(restart: boolean): Promise<void> };
}; // as its own index.js uses it
const controller = new Controller(
  async () => {},
  async (code) => process.exit(code),
);
process.on("message", (message) => {
  const { temperature } = message as { temperature: number }; // the parent sends nothing else
  report(temperature);
});
process.on("SIGTERM", () => void controller.stop(false));
await controller.start();
