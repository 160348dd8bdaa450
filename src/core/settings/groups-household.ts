/** Settings of the hub's work: devices, retention, webhooks, limits, sign-in, log. */
import { Type } from "typebox";
import { choice, decimal, flag, text, whole } from "./builders.ts";

/** Group `devices`. */
export const devices = Type.Object(
  {
    commandTtlSeconds: whole({
      default: 60,
      minimum: 0,
      maximum: 3_600,
      env: "COMMAND_TTL",
      description:
        "How long a command waits for a device that is offline. A gate must not open an hour later because a device came back.",
    }),
    offlineAfterSeconds: whole({
      default: 5,
      minimum: 0,
      maximum: 300,
      env: "GATEHOUSE_DEVICES_OFFLINE_AFTER_SECONDS",
      description: "Absence after which a device is announced as offline.",
    }),
    stateDays: whole({
      default: 90,
      minimum: 1,
      maximum: 1_825,
      env: "GATEHOUSE_DEVICES_STATE_DAYS",
      description: "Days that changes of states (open, locked, on, motion, online) are kept.",
      restart: false,
    }),
  },
  { description: "Devices and their commands." },
);

/** Group `telemetry`. */
export const telemetry = Type.Object(
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

/** Group `feed`. */
export const feed = Type.Object(
  {
    days: whole({
      default: 90,
      minimum: 1,
      maximum: 1_825,
      env: "GATEHOUSE_FEED_DAYS",
      description: "Days that feed items are kept.",
      restart: false,
    }),
    maxRows: whole({
      default: 50_000,
      minimum: 100,
      maximum: 1_000_000,
      env: "GATEHOUSE_FEED_MAX_ROWS",
      description: "Most feed items kept; beyond it the oldest of whoever has most go.",
      restart: false,
    }),
  },
  { description: "The activity feed." },
);

/** Group `notify`. */
export const notify = Type.Object(
  {
    kind: choice(["none", "ntfy", "webhook"], {
      default: "none",
      env: "GATEHOUSE_NOTIFY_KIND",
      description:
        "What also receives the messages of automations: an ntfy topic, any server that takes a JSON POST, or nothing.",
      restart: false,
    }),
    url: text({
      default: "",
      pattern: "^(https?://[^\\s]+)?$",
      env: "GATEHOUSE_NOTIFY_URL",
      description: "Address of the ntfy topic or of the receiver.",
      restart: false,
    }),
  },
  { description: "Messages of automations to a receiver on the LAN." },
);

/** Group `webhooks`. */
export const webhooks = Type.Object(
  {
    parallel: whole({
      default: 4,
      minimum: 1,
      maximum: 32,
      env: "GATEHOUSE_WEBHOOKS_PARALLEL",
      description: "Webhooks that are served side by side; each has one request in flight.",
    }),
    allowLoopback: flag({
      default: false,
      env: "GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK",
      description: "Allow receivers on this machine.",
    }),
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

/** Group `rates`. */
export const rates = Type.Object(
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
      description:
        "Commands that one sender (a key, a session or a rule) may send to one device in ten seconds; 0 = no limit.",
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

/** Group `access`. */
export const access = Type.Object(
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
    claimFromAnywhere: flag({
      default: false,
      env: "GATEHOUSE_CLAIM_FROM_ANYWHERE",
      description: "Take the claim code from public addresses too.",
    }),
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

/** Group `site`. */
export const site = Type.Object(
  {
    name: text({
      default: "Home",
      maxLength: 120,
      env: "GATEHOUSE_SITE_NAME",
      description: "Name that a new household gets.",
    }),
    timeZone: text({
      default: "",
      maxLength: 64,
      env: "GATEHOUSE_TIME_ZONE",
      description: "IANA time zone that a new household gets; empty = that of the machine.",
    }),
  },
  { description: "What a new household starts with." },
);

/** Group `log`. */
export const log = Type.Object(
  {
    level: choice(["debug", "info", "warn", "error"], {
      default: "info",
      env: "GATEHOUSE_LOG_LEVEL",
      description: "Least severity that is logged.",
    }),
    format: choice(["auto", "json", "text"], {
      default: "auto",
      env: "GATEHOUSE_LOG_FORMAT",
      description: "auto: text on a terminal, JSON lines otherwise.",
    }),
  },
  { description: "The log." },
);

/** Group `metrics`. */
export const metrics = Type.Object(
  {
    enabled: flag({ default: false, env: "GATEHOUSE_METRICS", description: "Serve Prometheus figures at /metrics." }),
  },
  { description: "Figures for monitoring." },
);

/** Group `discovery`. */
export const discovery = Type.Object(
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

/** Group `demo`. */
export const demo = Type.Object(
  {
    enabled: flag({
      default: false,
      env: "GATEHOUSE_DEMO",
      description: "Run a simulated household (also: gatehouse start --demo).",
    }),
    speed: decimal({
      default: 1,
      minimum: 0.1,
      maximum: 60,
      env: "GATEHOUSE_DEMO_SPEED",
      description: "How fast the simulated devices live.",
    }),
  },
  { description: "The simulated household." },
);
