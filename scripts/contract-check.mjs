// @ts-check
/**
 * node scripts/contract-check.mjs [--build FOLDER]
 *
 * Starts a hub and checks it against docs/spec/device-control-api.md, word for word: every operation, field, limit,
 * status and delivery rule that the page names, over HTTP, MQTT and a receiver of webhooks. Written from that page
 * alone, without the hub's own description or code. Prints the deviations; exits 1 unless each is in KNOWN with its
 * reason.
 */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { benchDevices, option, provision } from "./lib/bench-hub.mjs";
import { callAs, hubEnvironment, signIn, startHub } from "./lib/hub-process.mjs";
import { prepare } from "./lib/prepare.mjs";

/**
 * The members read from the answers of docs/spec/device-control-api.md §2; each answer has some of them. Links are URIs
 * (RFC 3986).
 * @typedef {{ version: string, documentation: string, openapi: string, info: { version: string }, webhookEvents:
 *   string[], scopes: { scope: string, description: unknown }[], account: { id: number }, deviceCount: number, auth: {
 *   method: string, env: string }, devices: { id: string }[], device: Record<string, unknown>, rooms: { id: number,
 *   deviceCount: number }[], accepted: boolean, deleted: boolean, id: string, event: string, deviceId: string,
 *   telemetry: { data: { watts: number } }[], granularity: string, metric: string, kwh: number, capacity: number |
 *   null, inside: number, automation: { id: number, enabled: boolean }, error: { code: string }, rule: { id: number,
 *   kind: string, plate: string, deviceId: string | null, enabled: boolean, hits: number }, secret: string, key: { id:
 *   number }, webhook: { id: number }, webhooks: { id: number, active: boolean }[] }} Body
 */

/** Where the hub differs on purpose, and why. */
const KNOWN = new Map(
  Object.entries({
    "a rule that commands a device needs automations:write alone":
      "a rule has its author's rights: it also takes devices:control, or a key could do through a rule what it may not do",
    "a command of 20 KB is forwarded":
      "a command has at most 16 KiB, so that one sender cannot fill the devices' queues",
  }),
);
const SCOPES = [
  ...["devices:read", "devices:write", "devices:control", "telemetry:read", "rooms:read", "scenes:read", "scenes:run"],
  ...["automations:read", "automations:write", "events:read", "plates:read", "plates:write"],
];
const EVENTS = ["device.state", "device.telemetry", "device.online", "device.offline"];
const SCOPED = /** @type {[string, string, string][]} */ ([
  ["GET", "/v1/me", "devices:read"],
  ["GET", "/v1/devices", "devices:read"],
  ["GET", "/v1/devices/plug", "devices:read"],
  ["PATCH", "/v1/devices/plug", "devices:write"],
  ["POST", "/v1/devices/plug/commands", "devices:control"],
  ["GET", "/v1/devices/plug/telemetry", "telemetry:read"],
  ["GET", "/v1/devices/plug/energy", "telemetry:read"],
  ["GET", "/v1/rooms", "rooms:read"],
  ["GET", "/v1/scenes", "scenes:read"],
  ["POST", "/v1/scenes/1/activate", "scenes:run"],
  ["GET", "/v1/automations", "automations:read"],
  ["POST", "/v1/automations", "automations:write"],
  ["PATCH", "/v1/automations/1", "automations:write"],
  ["DELETE", "/v1/automations/1", "automations:write"],
  ["GET", "/v1/events", "events:read"],
  ["GET", "/v1/plates", "plates:read"],
  ["GET", "/v1/plates/1/image", "plates:read"],
  ["GET", "/v1/vehicles", "plates:read"],
  ["GET", "/v1/vehicles/MH12AB1234", "plates:read"],
  ["GET", "/v1/occupancy", "plates:read"],
  ["GET", "/v1/plate-rules", "plates:read"],
  ["POST", "/v1/plate-rules", "plates:write"],
  ["DELETE", "/v1/plate-rules/1", "plates:write"],
]);
/** Parameter limits: path, name, least, most. */
const LIMITS = /** @type {[string, string, number, number][]} */ ([
  ["/v1/devices/plug/telemetry", "limit", 1, 1_000],
  ["/v1/devices/plug/energy", "hours", 1, 2_160],
  ["/v1/events", "limit", 1, 500],
  ["/v1/plates", "limit", 1, 500],
  ["/v1/vehicles", "days", 1, 365],
  ["/v1/vehicles", "limit", 1, 1_000],
]);

const options = process.argv.slice(2);
await prepare({ tests: true });
const build = option(options, "--build", "build-hub");
const data = mkdtempSync(join(tmpdir(), "gatehouse-contract-"));
/** @type {{ what: string, holds: boolean, seen: string }[]} */
const checks = [];
/** @param {string} what @param {boolean} holds @param {unknown} [seen] */
const check = (what, holds, seen = "") =>
  checks.push({ what, holds, seen: typeof seen === "string" ? seen : JSON.stringify(seen) });
try {
  const env = hubEnvironment(data, {
    GATEHOUSE_RECOGNITION: "false",
    GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
    GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE: "0",
  });
  const { account, key } = provision(build, env, [
    ...benchDevices("smart-plug", null, "plug"),
    ...benchDevices("camera", null, "cam"),
  ]);
  const hub = await startHub({ build, env });
  try {
    const owner = callAs(hub.url, { cookie: await signIn(hub.url, account) });
    await owner("POST", "/api/session/proof", { password: account.password });
    const device = await connect(hub.mqttPort);
    await index(hub.url);
    await credentials(hub.url, owner);
    await devices(hub.url, key, device);
    await limits(hub.url, key);
    await rules(hub.url, key, owner);
    await plateRules(hub.url, key);
    await webhooks(owner, device);
    device.end(true);
  } finally {
    await hub.stop();
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}
const failed = checks.filter(({ holds }) => !holds);
console.log(`${checks.length} checks, ${checks.length - failed.length} as the contract says`);
for (const { what, seen } of failed)
  console.log(`${KNOWN.has(what) ? "known deviation" : "DEVIATION"}: ${what} (${seen})\n  ${KNOWN.get(what) ?? ""}`);
process.exit(failed.some(({ what }) => !KNOWN.has(what)) ? 1 : 0);

/** @param {number} port */
function connect(port) {
  const who = { username: "plug", password: "password-of-plug", clientId: "plug" };
  return mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, who);
}

/**
 * @param {string} url @param {string} key
 * @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [more]
 */
async function ask(url, key, method, path, body, more = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...more,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  let json = /** @type {Body} */ ({});
  try {
    json = JSON.parse(text);
  } catch {
    // a picture, or nothing
  }
  return { status: answer.status, text, body: json };
}

/** @param {string} url */
async function index(url) {
  const { status, body } = await ask(url, "", "GET", "/v1");
  check("GET /v1 needs no authentication", status === 200, status);
  check("version is a string", typeof body.version === "string");
  check("documentation and openapi are URIs", URL.canParse(body.documentation) && URL.canParse(body.openapi));
  const scopes = body.scopes.map((/** @type {{ scope: string }} */ { scope }) => scope);
  check("scopes are the table's twelve", JSON.stringify(scopes) === JSON.stringify(SCOPES), scopes);
  const described = body.scopes.every(
    (/** @type {{ description: unknown }} */ one) => typeof one.description === "string",
  );
  check("each scope has a description", described);
  check(
    "webhookEvents are the four",
    JSON.stringify(body.webhookEvents) === JSON.stringify(EVENTS),
    body.webhookEvents,
  );
  const description = /** @type {Body} */ (await (await fetch(body.openapi)).json());
  check("the description is OpenAPI 3.1", /^3\.1\./.test(description.openapi), description.openapi);
  check("the description's version is 1.0.0", description.info.version === "1.0.0", description.info.version);
}

/** @param {string} url @param {ReturnType<typeof callAs>} owner */
async function credentials(url, owner) {
  for (const [method, path, scope] of SCOPED) {
    const none = await ask(url, "", method, path);
    check(`${method} ${path} without a key is 401`, none.status === 401, none.status);
    const wrong = await ask(url, "gth_live_wrong", method, path);
    check(`${method} ${path} with a wrong key is 401`, wrong.status === 401, wrong.status);
    const others = SCOPES.filter((one) => one !== scope);
    const made = /** @type {Body} */ (
      await owner("POST", "/api/keys", { name: "others", env: "live", scopes: others })
    );
    const lacking = await ask(url, made.secret, method, path, method === "GET" || method === "DELETE" ? undefined : {});
    check(`${method} ${path} without ${scope} is 403`, lacking.status === 403, lacking.status);
    const own = /** @type {Body} */ (await owner("POST", "/api/keys", { name: "own", env: "live", scopes: [scope] }));
    const held = await ask(url, "", method, path, method === "GET" || method === "DELETE" ? undefined : {}, {
      "x-api-key": own.secret,
    });
    check(`${method} ${path} with X-API-Key and ${scope} is let in`, ![401, 403].includes(held.status), held.status);
    for (const { key } of [made, own]) await owner("DELETE", `/api/keys/${key.id}`);
  }
}

/** @param {string} url @param {string} key @param {import("mqtt").MqttClient} device */
async function devices(url, key, device) {
  await device.subscribeAsync("gatehouse/plug/command", { qos: 1 });
  const me = (await ask(url, key, "GET", "/v1/me")).body;
  check("me: account, deviceCount, auth", Number.isInteger(me.account.id) && me.deviceCount === 2, me);
  check("me: method, keyName, env, scopes", me.auth.method === "api_key" && me.auth.env === "live", me.auth);
  const list = (await ask(url, key, "GET", "/v1/devices?type=smart-plug&online=true")).body.devices;
  check("devices are filtered by type and online", list.length === 1 && list[0]?.id === "plug", list);
  const one = (await ask(url, key, "GET", "/v1/devices/plug")).body.device;
  const types = {
    id: "string",
    name: "string",
    type: "string",
    favorite: "boolean",
    online: "boolean",
    state: "object",
  };
  for (const [field, type] of Object.entries(types)) check(`Device.${field} is ${type}`, typeof one[field] === type);
  for (const field of ["room", "lastSeen", "firmware"]) check(`Device.${field} is there`, field in one);
  check("an unknown device is 404", (await ask(url, key, "GET", "/v1/devices/nobody")).status === 404);
  const edit = async (/** @type {object} */ body) => (await ask(url, key, "PATCH", "/v1/devices/plug", body)).status;
  check("a name of 120 characters is taken", (await edit({ name: "é".repeat(120) })) === 200);
  check("a name of 121 characters is 400", (await edit({ name: "é".repeat(121) })) === 400);
  check("a room of 80 characters is taken", (await edit({ room: "r".repeat(80) })) === 200);
  check("a room of 81 characters is 400", (await edit({ room: "r".repeat(81) })) === 400);
  check("favorite is a boolean", (await edit({ favorite: true })) === 200 && (await edit({ favorite: "yes" })) === 400);
  const rooms = (await ask(url, key, "GET", "/v1/rooms")).body.rooms;
  check(
    "a room has id, name, icon, sort, deviceCount",
    Number.isInteger(rooms[0]?.id) && rooms[0]?.deviceCount === 1,
    rooms,
  );
  for (const text of [
    ...[
      '{"power":true}',
      '{"ch":2,"on":false}',
      '{"relays":[true,false,false,true]}',
      '{"power":true,"brightness":40}',
    ],
    ...[
      '{"speed":2}',
      '{"scene":"evening"}',
      "{}",
      '{"__proto__":{"a":1}}',
      '{"n":12345678901234567890}',
      '{"a":1,"a":2}',
    ],
  ]) {
    const arrived = new Promise((resolve) => device.once("message", (_topic, payload) => resolve(payload.toString())));
    const sent = await ask(url, key, "POST", "/v1/devices/plug/commands", text);
    check(`command ${text} is 202`, sent.status === 202 && sent.body?.accepted === true, sent.text);
    if (sent.status !== 202) continue;
    const got = await Promise.race([arrived, pause(5_000).then(() => "nothing")]);
    check(`command ${text} is forwarded unchanged`, got === text, String(got));
    check(`command ${text} is repeated in the 202`, sent.text.includes(`"command":${text}`), sent.text);
    await pause(600); // twenty commands in ten seconds
  }
  const long = await ask(url, key, "POST", "/v1/devices/plug/commands", { text: "x".repeat(20_000) });
  check("a command of 20 KB is forwarded", long.status === 202, long.status);
  for (const text of ["[1]", "7", "null", "{"])
    check(`command ${text} is 400`, (await ask(url, key, "POST", "/v1/devices/plug/commands", text)).status === 400);
  const nobody = await ask(url, key, "POST", "/v1/devices/nobody/commands", {});
  check("a command to an unknown device is 404", nobody.status === 404, nobody.status);
  await device.publishAsync("gatehouse/plug/telemetry", JSON.stringify({ watts: 1_000 }), { qos: 1 });
  await pause(1_000);
  const samples = (await ask(url, key, "GET", "/v1/devices/plug/telemetry")).body;
  check(
    "telemetry: deviceId, at, data",
    samples.deviceId === "plug" && samples.telemetry[0]?.data.watts === 1_000,
    samples,
  );
  const energy = async (/** @type {number} */ hours) =>
    (await ask(url, key, "GET", `/v1/devices/plug/energy?hours=${hours}`)).body;
  const [short, large] = [await energy(48), await energy(49)];
  check(
    "energy is hourly up to 48 hours and daily beyond",
    short.granularity === "hour" && large.granularity === "day",
  );
  check("energy: metric watts, kwh, buckets", short.metric === "watts" && typeof short.kwh === "number", short);
  const picture = await ask(url, key, "GET", "/v1/plates/1/image", undefined, { accept: "application/json" });
  check("an image that is not there is 404, whatever Accept says", picture.status === 404, picture.status);
}

/** @param {string} url @param {string} key */
async function limits(url, key) {
  for (const [path, name, least, most] of LIMITS)
    for (const [value, expected] of /** @type {[string | number, number][]} */ ([
      [least, 200],
      [most, 200],
      [least - 1, 400],
      [most + 1, 400],
      ["abc", 400],
      ["1.5", 400],
    ])) {
      const { status } = await ask(url, key, "GET", `${path}?${name}=${value}`);
      check(`${path}?${name}=${value} is ${expected}`, status === expected, status);
    }
  check("online=perhaps is 400", (await ask(url, key, "GET", "/v1/devices?online=perhaps")).status === 400);
  check("since=yesterday is 400", (await ask(url, key, "GET", "/v1/events?since=yesterday")).status === 400);
  const never = await ask(url, key, "GET", "/v1/vehicles/MH12AB1234");
  check("a vehicle never seen is 404", never.status === 404, never.status);
  const occupancy = (await ask(url, key, "GET", "/v1/occupancy")).body;
  check(
    "occupancy: capacity null when it is not managed",
    occupancy.capacity === null && occupancy.inside === 0,
    occupancy,
  );
  check("an unknown scene is 404", (await ask(url, key, "POST", "/v1/scenes/999/activate")).status === 404);
}

/** @param {string} url @param {string} key @param {ReturnType<typeof callAs>} owner */
async function rules(url, key, owner) {
  const command = { type: "command", deviceId: "plug", command: { power: false } };
  const time = { type: "time", at: "07:30", days: [1, 2, 3, 4, 5] };
  const rule = { name: "Off", enabled: true, trigger: time, action: command };
  const made = await ask(url, key, "POST", "/v1/automations", rule);
  check(
    "POST /v1/automations is 201 with the rule",
    made.status === 201 && Number.isInteger(made.body.automation?.id),
    made.text,
  );
  const state = { type: "state", deviceId: "plug", field: "power", op: "truthy" };
  const notify = { type: "notify", title: "On", body: "It is on." };
  const second = await ask(url, key, "POST", "/v1/automations", {
    name: "On",
    enabled: true,
    trigger: state,
    action: notify,
  });
  check("a rule with a state trigger and a notification is 201", second.status === 201, second.text);
  const path = `/v1/automations/${made.body.automation?.id}`;
  for (const enabled of [false, true]) {
    const changed = await ask(url, key, "PATCH", path, { enabled });
    check(
      `PATCH enabled ${enabled} returns the rule`,
      changed.status === 200 && changed.body.automation.enabled === enabled,
    );
  }
  for (const [what, body] of /** @type {[string, object][]} */ ([
    ["trigger", { ...rule, trigger: { ...state, deviceId: "foreign" } }],
    ["action", { ...rule, action: { ...command, deviceId: "foreign" } }],
  ])) {
    const { status, body: answer } = await ask(url, key, "POST", "/v1/automations", body);
    check(
      `a foreign device in the ${what} is 403 device_not_owned`,
      status === 403 && answer.error.code === "device_not_owned",
    );
  }
  const own = /** @type {Body} */ (
    await owner("POST", "/api/keys", { name: "w", env: "live", scopes: ["automations:write"] })
  );
  const alone = await ask(url, own.secret, "POST", "/v1/automations", rule);
  check("a rule that commands a device needs automations:write alone", alone.status === 201, alone.status);
  const gone = await ask(url, key, "DELETE", path);
  check("DELETE of a rule says deleted", gone.status === 200 && gone.body.deleted === true, gone.text);
  check("a rule that is gone is 404", (await ask(url, key, "DELETE", path)).status === 404);
}

/** @param {string} url @param {string} key */
async function plateRules(url, key) {
  const made = await ask(url, key, "POST", "/v1/plate-rules", { plate: "mh 12-ab 1234" });
  const rule = made.body?.rule;
  check("POST /v1/plate-rules is 201, allow by default", made.status === 201 && rule?.kind === "allow", made.text);
  check("the plate is normalised", rule?.plate === "MH12AB1234", rule);
  check("a rule's fields", rule?.deviceId === null && rule?.enabled === true && rule?.hits === 0, rule);
  const again = await ask(url, key, "POST", "/v1/plate-rules", { plate: "MH12AB1234", kind: "deny" });
  check("a plate already on a list is 409", again.status === 409, again.status);
  const scoped = await ask(url, key, "POST", "/v1/plate-rules", { plate: "MH12AB1234", kind: "deny", deviceId: "cam" });
  check("another scope is another list", scoped.status === 201, scoped.text);
  check("an invalid plate is 400", (await ask(url, key, "POST", "/v1/plate-rules", { plate: "!" })).status === 400);
  const label = async (/** @type {number} */ length) =>
    (await ask(url, key, "POST", "/v1/plate-rules", { plate: `KA01AB${1_000 + length}`, label: "l".repeat(length) }))
      .status;
  check("a label of 80 characters is taken", (await label(80)) === 201);
  check("a label of 81 characters is 400", (await label(81)) === 400);
  const gone = await ask(url, key, "DELETE", `/v1/plate-rules/${rule?.id}`);
  check("DELETE of a plate rule says deleted", gone.status === 200 && gone.body.deleted === true, gone.text);
  check(
    "a plate rule that is gone is 404",
    (await ask(url, key, "DELETE", `/v1/plate-rules/${rule?.id}`)).status === 404,
  );
}

/** @param {ReturnType<typeof callAs>} owner @param {import("mqtt").MqttClient} device */
async function webhooks(owner, device) {
  /** @type {{ body: string, signature: string }[]} */
  const got = [];
  let status = 204;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => (body += part));
    request.on("end", () => {
      got.push({ body, signature: String(request.headers["x-service-signature"]) });
      response.writeHead(status, status === 302 ? { Location: "/elsewhere" } : {}).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver listens on TCP");
  const url = `http://127.0.0.1:${address.port}/`;
  const made = /** @type {Body} */ (await owner("POST", "/api/webhooks", { url, events: ["device.state"] }));
  const change = (/** @type {number} */ n) =>
    device.publishAsync("gatehouse/plug/state", JSON.stringify({ n }), { qos: 1 });
  const until = async (/** @type {() => boolean} */ holds, /** @type {number} */ ms) => {
    for (const end = performance.now() + ms; !holds() && performance.now() < end; ) await pause(50);
    return holds();
  };
  await change(1);
  check("a delivery comes", await until(() => got.length === 1, 10_000));
  const [first] = got;
  const body = JSON.parse(first?.body ?? "{}");
  check(
    "delivery: id, event, deviceId, data, at",
    typeof body.id === "string" && body.deviceId === "plug" && body.event === "device.state",
    body,
  );
  const [, t = "", v1 = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(first?.signature ?? "") ?? [];
  const hmac = createHmac("sha256", made.secret).update(`${t}.${first?.body}`).digest("hex");
  check("the signature is the HMAC of timestamp, dot and raw body", hmac === v1, first?.signature);
  check("the timestamp is now", Math.abs(Number(t) - Date.now() / 1_000) < 60);
  status = 302;
  got.length = 0;
  const begun = performance.now();
  await change(2);
  const isActive = async () => {
    const list = /** @type {Body} */ (await owner("GET", "/api/webhooks"));
    return list.webhooks.find((/** @type {{ id: number }} */ one) => one.id === made.webhook.id)?.active === true;
  };
  for (const end = begun + 420_000; (await isActive()) && performance.now() < end; ) await pause(1_000);
  check(
    "20 failures in a row disable the webhook, redirects are failures and not followed",
    !(await isActive()) && got.length === 20,
    got.length,
  );
  check("each attempt has the same bytes", new Set(got.map((one) => one.body)).size === 1);
  server.closeAllConnections();
  server.close();
}
