// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of a set-up document are written so
import { GOOD_PASSWORD } from "./access.ts";

/** A household of every kind that a set-up document can have, with variables in it. */
export const RICH_HOUSEHOLD = {
  account: { email: "owner@example.org", name: "Olga $${x}", password: GOOD_PASSWORD },
  site: { name: "Villa ${SERIAL}", timeZone: "Asia/Kolkata", latitude: "${LATITUDE}", longitude: 73.8, capacity: 12 },
  rooms: [
    { name: "Kitchen", icon: "kitchen", sort: 1 },
    { name: "Gate", icon: "gate", sort: 2 },
  ],
  devices: [
    { id: "plug-1", name: "Kettle", type: "smart-plug", room: "Kitchen", favorite: true, password: "secret-123" },
    { id: "gate-1", name: "Gate", type: "gate", room: "Gate" },
    { id: "cam-1", name: "Gate camera", type: "camera", room: "Gate", icon: "camera" },
    { id: "cam-2", name: "Back camera", type: "camera" },
    {
      ...{ id: "shelly2-aabbccddeeff", name: "Pump", type: "smart-plug", password: null },
      from: { client: "old shellies", family: "shelly2", key: "aabbccddeeff", hardware: ["aabbccddeeff"] },
    },
  ],
  scenes: [
    { name: "Good night", actions: [{ deviceId: "plug-1", command: { power: false, price: "5$${a}" } }] },
    { name: "Morning", icon: "sun", actions: [{ deviceId: "shelly2-aabbccddeeff", command: { power: true } }] },
  ],
  clients: [
    { name: "Plugs", family: "tasmota" },
    { name: "Plugs", family: "shelly2", also: ["shelly1"], username: "old shellies" },
  ],
  keys: [
    { name: "App", env: "live", scopes: ["devices:read", "devices:control"], origins: ["https://app.example.org"] },
    { name: "App", env: "live", scopes: ["rooms:read"], expiresAt: "2035-01-01T00:00:00.000Z" },
    { name: "All", env: "test", scopes: "all" },
  ],
  webhooks: [
    { url: "http://192.168.1.20:9000/hook", events: ["device.online", "device.state"], env: "live", label: "App" },
    { url: "http://192.168.1.20:9000/hook", events: ["device.state"], env: "test", probe: false },
  ],
  cameras: [
    {
      deviceId: "cam-1",
      direction: "in",
      source: { kind: "native" },
      gate: { deviceId: "gate-1", command: { open: true } },
    },
    {
      deviceId: "cam-2",
      enabled: false,
      approach: "out",
      source: {
        kind: "rtsp",
        url: "rtsp://viewer@192.168.1.9/live?token=abc",
        password: "${CAMERA}",
        watch: { kind: "motion", sensitivity: 40 },
      },
    },
  ],
  gateChoices: {
    defaults: [
      {
        earns: "confirm",
        deviceId: "cam-1",
        windows: [{ days: [1, 7], from: "22:00", to: "06:00" }],
        away: true,
      },
    ],
    away: { deviceId: "plug-1", field: "away", value: true },
    confirmedBy: [{ kind: "event", cameraId: null, deviceId: "plug-1", event: "tag" }],
    whenInside: "refuse",
    elsewhere: null,
    asksNearMisses: true,
    followed: [{ gateId: "gate-1", loop: null }],
  },
  plateRules: [
    { plate: "mh-12 ab 1234", kind: "allow", label: "Olga", earns: "ask" },
    { plate: "KA01MM1111", kind: "deny", deviceId: "cam-1", validTo: "2035-01-01T00:00:00Z" },
  ],
  automations: [
    {
      name: "Night",
      trigger: { type: "time", at: "22:00", days: [1, 2] },
      conditions: [{ type: "not", condition: { type: "state", deviceId: "plug-1", field: "power", op: "falsy" } }],
      action: {
        type: "sequence",
        actions: [
          { type: "scene", scene: "Good night" },
          { type: "delay", seconds: 5 },
          { type: "notify", title: "Night", body: "It cost $$${PRICE}" },
        ],
      },
    },
    {
      name: "Arrival",
      enabled: false,
      trigger: { type: "plate", decision: "allow" },
      action: { type: "scene", scene: "Morning" },
      mode: "queued",
    },
  ],
  settings: {
    "backups.destinations": ["local", "usb:BACKUP"],
    "discovery.name": "villa-${SERIAL}",
    "telemetry.rawDays": "${RAW_DAYS}",
  },
  backups: { passphrase: "a long passphrase" },
};

/** What {@link RICH_HOUSEHOLD} needs. */
export const RICH_VARIABLES = { SERIAL: "0042", LATITUDE: "18.5", CAMERA: "pa$$ w/rd", PRICE: "7", RAW_DAYS: 21 };
