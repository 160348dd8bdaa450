/**
 * The one schema of everything that can be configured: default, bounds, meaning, environment variable, and whether a
 * change needs a restart. The loader, the console's settings page and docs/settings.md are made from it.
 * Knows names and bounds only, never where a value comes from.
 */
import { type Static, type TObject, type TSchema, Type } from "typebox";

/** What every setting says of itself. */
interface About<Value> {
  readonly default: Value;
  /** Environment variable that sets it. */
  readonly env: string;
  readonly description: string;
  /** False when a change in the console takes effect at once; true unless given. */
  readonly restart?: boolean;
}

const whole = (about: About<number> & { readonly minimum: number; readonly maximum: number }) => Type.Integer({ restart: true, ...about });
const decimal = (about: About<number> & { readonly minimum: number; readonly maximum: number }) => Type.Number({ restart: true, ...about });
const flag = (about: About<boolean>) => Type.Boolean({ restart: true, ...about });
const text = (about: About<string> & { readonly pattern?: string; readonly maxLength?: number }) => Type.String({ restart: true, maxLength: 400, ...about });
const list = (about: About<string[]> & { readonly item: string }) =>
  Type.Array(Type.String({ pattern: about.item }), { restart: true, maxItems: 50, default: about.default, env: about.env, description: about.description });
const choice = <const Names extends readonly [string, ...string[]]>(names: Names, about: About<Names[number]>) =>
  Type.Enum([...names], { restart: true, ...about });

const storage = Type.Object(
  {
    folder: text({ default: "./data", env: "GATEHOUSE_DATA", description: "Folder of the database, the pictures and the hub's own key." }),
    commitIntervalMs: whole({
      default: 20,
      minimum: 1,
      maximum: 1000,
      env: "GATEHOUSE_STORAGE_COMMIT_INTERVAL_MS",
      description: "Least time between two group commits to disk. Longer wears flash less and answers later.",
    }),
    minFreeMegabytes: whole({
      default: 200,
      minimum: 0,
      maximum: 1_000_000,
      env: "GATEHOUSE_STORAGE_MIN_FREE_MB",
      description: "Free space under which the hub warns of a full disk.",
      restart: false,
    }),
  },
  { description: "Where data is kept." },
);

const http = Type.Object(
  {
    host: text({ default: "0.0.0.0", env: "GATEHOUSE_HOST", description: "Address that the web server and the broker listen on." }),
    port: whole({
      default: 8080,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_HTTP_PORT",
      description: "Port of the API and the console; 0 takes any free one and prints it.",
    }),
    allowedHosts: list({
      default: [],
      item: "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$",
      env: "GATEHOUSE_ALLOWED_HOSTS",
      description:
        "Further host names under which the hub may be called, separated by commas. Addresses, dotless names, *.local, *.lan, *.home.arpa and *.internal always may.",
    }),
    maxConnections: whole({
      default: 500,
      minimum: 10,
      maximum: 10_000,
      env: "GATEHOUSE_HTTP_MAX_CONNECTIONS",
      description: "Most open connections to the web server.",
    }),
    trustProxy: flag({
      default: false,
      env: "GATEHOUSE_HTTP_TRUST_PROXY",
      description: "Take the client's address and scheme from X-Forwarded-For and X-Forwarded-Proto. Only behind a reverse proxy that sets both.",
    }),
  },
  { description: "The web server with the API and the console." },
);

const tls = Type.Object(
  {
    mode: choice(["off", "own", "files"], {
      default: "off",
      env: "GATEHOUSE_TLS",
      description: "off: http only. own: certificates of the hub's own authority. files: the certificate and key named below.",
    }),
    httpsPort: whole({ default: 8443, minimum: 0, maximum: 65_535, env: "GATEHOUSE_HTTPS_PORT", description: "Port of https when TLS is on." }),
    mqttsPort: whole({ default: 8883, minimum: 0, maximum: 65_535, env: "GATEHOUSE_MQTTS_PORT", description: "Port of MQTT over TLS when TLS is on." }),
    certificateFile: text({ default: "", env: "GATEHOUSE_TLS_CERTIFICATE", description: "PEM file of the certificate chain, for mode files." }),
    keyFile: text({ default: "", env: "GATEHOUSE_TLS_KEY", description: "PEM file of the private key, for mode files." }),
  },
  { description: "Encrypted connections." },
);

const mqtt = Type.Object(
  {
    port: whole({
      default: 1883,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MQTT_PORT",
      description: "Port of the MQTT broker; 0 takes any free one and prints it.",
    }),
    webSocket: flag({ default: false, env: "GATEHOUSE_MQTT_WEBSOCKET", description: "Also take MQTT over WebSocket at /mqtt on the web server's port." }),
    topicRoot: text({
      default: "gatehouse",
      pattern: "^[A-Za-z0-9_-]{1,32}$",
      env: "GATEHOUSE_MQTT_TOPIC_ROOT",
      description: "First level of the topics of native devices.",
    }),
    maxConnections: whole({
      default: 500,
      minimum: 1,
      maximum: 10_000,
      env: "GATEHOUSE_MQTT_MAX_CONNECTIONS",
      description: "Most clients connected at a time.",
    }),
    maxPacketBytes: whole({
      default: 65_536,
      minimum: 4_096,
      maximum: 1_048_576,
      env: "GATEHOUSE_MQTT_MAX_PACKET_BYTES",
      description: "Largest packet of a device.",
    }),
    maxFrameBytes: whole({
      default: 1_048_576,
      minimum: 65_536,
      maximum: 8_388_608,
      env: "GATEHOUSE_MQTT_MAX_FRAME_BYTES",
      description: "Largest picture packet of a camera.",
    }),
    messagesPerSecond: whole({
      default: 50,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_MQTT_MESSAGES_PER_SECOND",
      description: "Messages per second of one device; 0 = no limit.",
    }),
    messageBurst: whole({
      default: 200,
      minimum: 1,
      maximum: 100_000,
      env: "GATEHOUSE_MQTT_MESSAGE_BURST",
      description: "Messages that one device may send at once.",
    }),
    queuedMessages: whole({
      default: 1_000,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_MQTT_QUEUED_MESSAGES",
      description: "Messages kept for one device that is away; the oldest is dropped.",
    }),
    queuedBytes: whole({
      default: 1_048_576,
      minimum: 0,
      maximum: 104_857_600,
      env: "GATEHOUSE_MQTT_QUEUED_BYTES",
      description: "Bytes kept for one device that is away.",
    }),
    sessionExpiryDays: whole({
      default: 7,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_MQTT_SESSION_EXPIRY_DAYS",
      description: "Days after which the session of a device that stays away is forgotten.",
    }),
  },
  { description: "The MQTT broker for devices." },
);

const devices = Type.Object(
  {
    commandTtlSeconds: whole({
      default: 60,
      minimum: 0,
      maximum: 3_600,
      env: "COMMAND_TTL",
      description: "How long a command waits for a device that is offline. A gate must not open an hour later because a device came back.",
    }),
    offlineAfterSeconds: whole({
      default: 5,
      minimum: 0,
      maximum: 300,
      env: "GATEHOUSE_DEVICES_OFFLINE_AFTER_SECONDS",
      description: "Absence after which a device is announced as offline.",
    }),
  },
  { description: "Devices and their commands." },
);

const telemetry = Type.Object(
  {
    rawDays: whole({
      default: 35,
      minimum: 1,
      maximum: 1_825,
      env: "GATEHOUSE_TELEMETRY_RAW_DAYS",
      description: "Days that single samples are kept.",
      restart: false,
    }),
    hourlyDays: whole({
      default: 1_095,
      minimum: 35,
      maximum: 7_300,
      env: "GATEHOUSE_TELEMETRY_HOURLY_DAYS",
      description: "Days that hourly sums are kept.",
      restart: false,
    }),
    maxMegabytes: whole({
      default: 2_000,
      minimum: 50,
      maximum: 1_000_000,
      env: "GATEHOUSE_TELEMETRY_MAX_MB",
      description: "Most space for samples; the oldest go first.",
      restart: false,
    }),
  },
  { description: "How long telemetry is kept." },
);

const feed = Type.Object(
  {
    days: whole({ default: 90, minimum: 1, maximum: 1_825, env: "GATEHOUSE_FEED_DAYS", description: "Days that feed items are kept.", restart: false }),
    maxRows: whole({
      default: 50_000,
      minimum: 100,
      maximum: 1_000_000,
      env: "GATEHOUSE_FEED_MAX_ROWS",
      description: "Most feed items kept; the oldest go first.",
      restart: false,
    }),
  },
  { description: "The activity feed." },
);

const webhooks = Type.Object(
  {
    parallel: whole({
      default: 4,
      minimum: 1,
      maximum: 32,
      env: "GATEHOUSE_WEBHOOKS_PARALLEL",
      description: "Webhooks that are served side by side; each has one request in flight.",
    }),
    allowLoopback: flag({ default: false, env: "GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK", description: "Allow receivers on this machine." }),
    telemetryGapMs: whole({
      default: 1_000,
      minimum: 0,
      maximum: 3_600_000,
      env: "GATEHOUSE_WEBHOOKS_TELEMETRY_GAP_MS",
      description: "Least time between two telemetry deliveries of one device.",
    }),
    keepHours: whole({
      default: 72,
      minimum: 1,
      maximum: 720,
      env: "GATEHOUSE_WEBHOOKS_KEEP_HOURS",
      description: "Hours that deliveries of a disabled webhook are kept.",
    }),
    keepRows: whole({
      default: 10_000,
      minimum: 100,
      maximum: 1_000_000,
      env: "GATEHOUSE_WEBHOOKS_KEEP_ROWS",
      description: "Most deliveries kept for a disabled webhook.",
    }),
    logDays: whole({
      default: 30,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_WEBHOOKS_LOG_DAYS",
      description: "Days that the delivery log is kept.",
      restart: false,
    }),
  },
  { description: "Signed deliveries to receivers." },
);

const plates = Type.Object(
  {
    imageRetentionDays: whole({
      default: 30,
      minimum: 0,
      maximum: 365,
      env: "ANPR_IMAGE_RETENTION_DAYS",
      description: "Days that the picture of a plate read is kept; 0 = pictures are never stored.",
      restart: false,
    }),
    readRetentionDays: whole({
      default: 365,
      minimum: 7,
      maximum: 1_825,
      env: "ANPR_READ_RETENTION_DAYS",
      description: "Days that plate reads and visits are kept; never shorter than their pictures.",
      restart: false,
    }),
  },
  { description: "How long number plates are kept." },
);

const recognition = Type.Object(
  {
    enabled: flag({ default: true, env: "GATEHOUSE_RECOGNITION", description: "Read number plates. Off: captures are stored as unrecognised." }),
    modelsFolder: text({ default: "./models", env: "GATEHOUSE_MODELS", description: "Folder of the two model files." }),
    threads: whole({
      default: 0,
      minimum: 0,
      maximum: 64,
      env: "GATEHOUSE_RECOGNITION_THREADS",
      description: "Threads of the recogniser; 0 = chosen for the machine.",
    }),
    budgetMs: whole({
      default: 5_000,
      minimum: 200,
      maximum: 60_000,
      env: "GATEHOUSE_RECOGNITION_BUDGET_MS",
      description: "Time that one burst may take before its read counts as timed out.",
    }),
    queuedBursts: whole({
      default: 16,
      minimum: 1,
      maximum: 200,
      env: "GATEHOUSE_RECOGNITION_QUEUED_BURSTS",
      description: "Bursts that may wait for the recogniser.",
    }),
  },
  { description: "The number plate recogniser." },
);

const gate = Type.Object(
  {
    passSeconds: whole({
      default: 30,
      minimum: 0,
      maximum: 600,
      env: "GATEHOUSE_GATE_PASS_SECONDS",
      description: "Reads of one plate at one camera within this time are one pass.",
    }),
    minConfidence: whole({
      default: 0,
      minimum: 0,
      maximum: 100,
      env: "GATEHOUSE_GATE_MIN_CONFIDENCE",
      description: "Least confidence of a read that may open a gate.",
    }),
  },
  { description: "From a read to a decision." },
);

const rates = Type.Object(
  {
    requestsPerMinute: whole({
      default: 600,
      minimum: 0,
      maximum: 1_000_000,
      env: "GATEHOUSE_RATE_REQUESTS_PER_MINUTE",
      description: "Requests per minute and API key; 0 = no limit.",
    }),
    requestBurst: whole({
      default: 100,
      minimum: 1,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_REQUEST_BURST",
      description: "Requests that one key may make at once.",
    }),
    commandsPerMinute: whole({
      default: 120,
      minimum: 0,
      maximum: 1_000_000,
      env: "GATEHOUSE_RATE_COMMANDS_PER_MINUTE",
      description: "Commands per minute and API key; 0 = no limit.",
    }),
    commandBurst: whole({
      default: 30,
      minimum: 1,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_COMMAND_BURST",
      description: "Commands that one key may send at once.",
    }),
    deviceCommandsPer10Seconds: whole({
      default: 20,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS",
      description: "Commands per ten seconds, key and device; 0 = no limit.",
    }),
    scenesPerMinute: whole({
      default: 30,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_SCENES_PER_MINUTE",
      description: "Scene activations per minute and key; 0 = no limit.",
    }),
    imagesPerMinute: whole({
      default: 120,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_IMAGES_PER_MINUTE",
      description: "Plate pictures per minute and key; 0 = no limit.",
    }),
    failedCredentialsPerMinute: whole({
      default: 20,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE",
      description: "Wrong credentials per minute and address; 0 = no limit.",
    }),
  },
  { description: "Rate limits of the API." },
);

const access = Type.Object(
  {
    sessionIdleDays: whole({
      default: 14,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_SESSION_IDLE_DAYS",
      description: "Days without use after which a console session ends.",
    }),
    sessionMaxDays: whole({
      default: 90,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_SESSION_MAX_DAYS",
      description: "Days after which a console session ends in any case.",
    }),
    claimFromAnywhere: flag({ default: false, env: "GATEHOUSE_CLAIM_FROM_ANYWHERE", description: "Take the claim code from public addresses too." }),
    auditDays: whole({
      default: 730,
      minimum: 30,
      maximum: 3_650,
      env: "GATEHOUSE_AUDIT_DAYS",
      description: "Days that the audit list is kept.",
      restart: false,
    }),
  },
  { description: "Sign-in and sessions." },
);

const site = Type.Object(
  {
    name: text({ default: "Home", maxLength: 120, env: "GATEHOUSE_SITE_NAME", description: "Name that a new household gets." }),
    timeZone: text({
      default: "",
      maxLength: 64,
      env: "GATEHOUSE_TIME_ZONE",
      description: "IANA time zone that a new household gets; empty = that of the machine.",
    }),
  },
  { description: "What a new household starts with." },
);

const log = Type.Object(
  {
    level: choice(["debug", "info", "warn", "error"], { default: "info", env: "GATEHOUSE_LOG_LEVEL", description: "Least severity that is logged." }),
    format: choice(["auto", "json", "text"], { default: "auto", env: "GATEHOUSE_LOG_FORMAT", description: "auto: text on a terminal, JSON lines otherwise." }),
  },
  { description: "The log." },
);

const metrics = Type.Object(
  {
    enabled: flag({ default: false, env: "GATEHOUSE_METRICS", description: "Serve Prometheus figures at /metrics." }),
  },
  { description: "Figures for monitoring." },
);

const discovery = Type.Object(
  {
    mdns: flag({ default: true, env: "GATEHOUSE_MDNS", description: "Announce the hub on the local network." }),
    name: text({
      default: "gatehouse",
      pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
      env: "GATEHOUSE_NAME",
      description: "Host name announced, without .local.",
    }),
  },
  { description: "How the hub is found." },
);

const demo = Type.Object(
  {
    enabled: flag({ default: false, env: "GATEHOUSE_DEMO", description: "Run a simulated household (also: gatehouse start --demo)." }),
    speed: decimal({ default: 1, minimum: 0.1, maximum: 60, env: "GATEHOUSE_DEMO_SPEED", description: "How fast the simulated devices live." }),
  },
  { description: "The simulated household." },
);

/** All settings in their groups. */
export const SETTINGS_SCHEMA = Type.Object({
  storage,
  http,
  tls,
  mqtt,
  devices,
  telemetry,
  feed,
  webhooks,
  plates,
  recognition,
  gate,
  rates,
  access,
  site,
  log,
  metrics,
  discovery,
  demo,
});

/** Every setting with its value. */
export type Settings = Static<typeof SETTINGS_SCHEMA>;

/** One setting as the schema describes it. */
export interface SettingField {
  /** `group.name`, as in the settings file and on the command line. */
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly env: string;
  readonly description: string;
  readonly default: unknown;
  readonly restart: boolean;
  readonly kind: "integer" | "number" | "boolean" | "string" | "choice" | "list";
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly maxLength: number | null;
  readonly pattern: string | null;
  readonly choices: readonly string[] | null;
}

/** All settings as a flat table, in the order of the schema. */
export function settingFields(): SettingField[] {
  return Object.entries(SETTINGS_SCHEMA.properties).flatMap(
    ([group, schema]) => Object.entries((schema as TObject).properties).map(([name, leaf]) => describeField(group, name, leaf)), // every member of the root is an object of settings
  );
}

/** JSON Schema words that occur in a leaf of the schema above. */
interface Leaf {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly pattern?: string };
  readonly env: string;
  readonly description: string;
  readonly default: unknown;
  readonly restart: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

function describeField(group: string, name: string, schema: TSchema): SettingField {
  const leaf = schema as Leaf; // built by the helpers at the top of this file
  return {
    key: `${group}.${name}`,
    group,
    name,
    env: leaf.env,
    description: leaf.description,
    default: leaf.default,
    restart: leaf.restart,
    kind: kindOf(leaf),
    minimum: leaf.minimum ?? null,
    maximum: leaf.maximum ?? leaf.maxItems ?? null,
    maxLength: leaf.maxLength ?? null,
    pattern: leaf.pattern ?? leaf.items?.pattern ?? null,
    choices: leaf.enum ?? null,
  };
}

function kindOf(leaf: Leaf): SettingField["kind"] {
  if (leaf.enum) return "choice";
  if (leaf.type === "array") return "list";
  if (leaf.type === "integer" || leaf.type === "number" || leaf.type === "boolean") return leaf.type;
  return "string";
}
