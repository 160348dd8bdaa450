/** Settings of where data is kept and how others reach the hub. */
import { Type } from "typebox";
import { choice, flag, list, text, whole } from "./builders.ts";

/** Group `storage`. */
export const storage = Type.Object(
  {
    folder: text({
      default: "./data",
      env: "GATEHOUSE_DATA",
      description: "Folder of the database, the pictures and the hub's own key.",
    }),
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
      description:
        "Free space under which the hub warns of a full disk and gives up the oldest: copies kept aside, backups on this disk but the last, pictures.",
      restart: false,
    }),
  },
  { description: "Where data is kept." },
);

/** Group `http`. */
export const http = Type.Object(
  {
    host: text({
      default: "0.0.0.0",
      env: "GATEHOUSE_HOST",
      description: "Address that the web server and the broker listen on.",
    }),
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
      description:
        "Most open connections to the web server with a credential; as many without one have room beside them, and the address with most gives way.",
    }),
    trustProxy: flag({
      default: false,
      env: "GATEHOUSE_HTTP_TRUST_PROXY",
      description:
        "Take the client's address and scheme from X-Forwarded-For and X-Forwarded-Proto. Only behind a reverse proxy that sets both.",
    }),
  },
  { description: "The web server with the API and the console." },
);

/** Group `tls`. */
export const tls = Type.Object(
  {
    mode: choice(["auto", "off", "own", "files"], {
      default: "auto",
      env: "GATEHOUSE_TLS",
      description:
        "auto: a new hub offers https with certificates of its own authority, and its first page leads there; a hub that began without stays so. off: http only. own: own certificates, and plain http is closed from the start. files: the same with the certificate and key named below.",
    }),
    plainHttp: choice(["auto", "open", "closed"], {
      default: "auto",
      env: "GATEHOUSE_PLAIN_HTTP",
      description:
        "Where TLS is on: closed answers plain http with the way to https only. auto: closed once the hub was claimed over https; a household from before stays as it was.",
      restart: false,
    }),
    httpsPort: whole({
      default: 8443,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_HTTPS_PORT",
      description: "Port of https when TLS is on.",
    }),
    mqttsPort: whole({
      default: 8883,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MQTTS_PORT",
      description: "Port of MQTT over TLS when TLS is on.",
    }),
    certificateFile: text({
      default: "",
      env: "GATEHOUSE_TLS_CERTIFICATE",
      description: "PEM file of the certificate chain, for mode files.",
    }),
    keyFile: text({
      default: "",
      env: "GATEHOUSE_TLS_KEY",
      description: "PEM file of the private key, for mode files.",
    }),
  },
  { description: "Encrypted connections." },
);

/** Group `mqtt`. */
export const mqtt = Type.Object(
  {
    plain: flag({
      default: true,
      env: "GATEHOUSE_MQTT_PLAIN",
      description:
        "Take MQTT without encryption. Off needs TLS: then only the port of MQTT over TLS is open, and devices need the hub's certificate (/ca-devices.crt).",
    }),
    port: whole({
      default: 1883,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MQTT_PORT",
      description: "Port of the MQTT broker; 0 takes any free one and prints it.",
    }),
    webSocket: flag({
      default: false,
      env: "GATEHOUSE_MQTT_WEBSOCKET",
      description: "Also take MQTT over WebSocket at /mqtt on the web server's port.",
    }),
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
      description:
        "Most clients connected at a time; as many that have not shown a credential yet have room beside them.",
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
