/**
 * node scripts/fuzz-http.mjs [--requests 10000] [--seed N] [--build build]
 *
 * Sends random and mutated requests over every operation of /v1 and /api to a whole hub in a process of its own, and
 * fails on a 5xx, an error without the one shape, a crash, or memory that keeps growing. Bounded in number; loopback only.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HUB_ENVIRONMENT, hubMain, NODE_ARGUMENTS } from "./lib/hub-environment.mjs";

const option = (name, fallback) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback);
const total = Number(option("--requests", "10000"));
const build = option("--build", "build");
let seed = Number(option("--seed", String(Date.now() % 1e6)));
/** A small seeded generator (mulberry32), so that a finding can be repeated. */
const random = () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const pick = (list) => list[Math.floor(random() * list.length)];
const SCOPES =
  "devices:read devices:write devices:control telemetry:read rooms:read scenes:read scenes:run automations:read automations:write events:read plates:read plates:write".split(
    " ",
  );
/** They wait on purpose, for a network, a password's hash or a camera: one in so many of them is sent. */
const SLOW = new Set(
  "discoverCameras inspectCamera lookThroughSource previewCamera tryPicture signIn joinHousehold recoverAccount claimHub makeBackup rehearseRestore testWebhook".split(
    " ",
  ),
);
const ONE_SLOW_IN = 50;
const PASSWORD = "a sentence is the best password";
/** What is dangerous asks for a proof that is not older than five minutes. */
const PROVE_EVERY_MS = 60_000;
/** Operations that would end the session or the hub's owner; they have tests of their own. */
const LEFT_OUT = new Set([
  "proveByPassword",
  "endPersonSession",
  "editPerson",
  "removePerson",
  "updateOwnAccount",
  "signOut",
  "changePassword",
  "openStream",
  "revokeSession",
  "revokeKey",
  "rotateKey",
]);
const ODD = [
  "",
  " ",
  "0",
  "-1",
  "1e999",
  "null",
  "true",
  "NaN",
  "%00",
  "%zz",
  "../../etc/passwd",
  "a".repeat(5000),
  "\u0000",
  "💥",
  "' OR 1=1 --",
  "__proto__",
  "constructor",
  "9007199254740993",
  "2026-13-40T99:99:99Z",
  "<script>",
];

console.log(`seed ${seed}, ${total} requests`);
const data = mkdtempSync(join(tmpdir(), "gatehouse-fuzz-"));
const hub = spawn(process.execPath, [...NODE_ARGUMENTS, hubMain(build)], {
  env: {
    ...HUB_ENVIRONMENT,
    PATH: process.env.PATH,
    GATEHOUSE_DATA: data,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_LOG_LEVEL: "error",
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_SCENES_PER_MINUTE: "0",
    GATEHOUSE_RATE_IMAGES_PER_MINUTE: "0",
    GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE: "0",
  },
  stdio: ["ignore", "pipe", "pipe"],
});
let output = "";
for (const stream of [hub.stdout, hub.stderr])
  stream.on("data", (chunk) => {
    output += chunk;
  });
let failed = 0;
try {
  while (!/Claim code: \S+/.test(output)) await new Promise((resolve) => setTimeout(resolve, 20));
  const url = new URL(/Gatehouse is ready: (\S+)/.exec(output)[1]);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const claim = await send(agent, url, {
    method: "POST",
    path: "/api/claim",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: /Claim code: (\S+)/.exec(output)[1], name: "Fuzz", email: "fuzz@example.org", password: PASSWORD }),
  });
  const cookie = claim.headers["set-cookie"][0].split(";")[0];
  const json = { cookie, "content-type": "application/json" };
  const key = JSON.parse(
    (await send(agent, url, { method: "POST", path: "/api/keys", headers: json, body: JSON.stringify({ name: "fuzz", env: "live", scopes: SCOPES }) })).text,
  ).secret;
  for (const id of ["plug-1", "cam-1"])
    await send(agent, url, {
      method: "POST",
      path: "/api/devices",
      headers: json,
      body: JSON.stringify({ id, name: id, type: id.startsWith("cam") ? "camera" : "smart-plug" }),
    });
  const operations = [];
  for (const [file, auth] of [
    ["/v1/openapi.json", { authorization: `Bearer ${key}` }],
    ["/api/openapi.json", { cookie }],
  ]) {
    const document = JSON.parse((await send(agent, url, { method: "GET", path: file, headers: { cookie } })).text);
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods))
        if (!LEFT_OUT.has(operation.operationId)) operations.push({ path, method: method.toUpperCase(), operation, document, auth });
  }
  console.log(`${operations.length} operations`);
  const statuses = {};
  let warm = 0;
  let provedMs = performance.now();
  for (let n = 0; n < total; n += 4) {
    if (performance.now() - provedMs > PROVE_EVERY_MS) {
      provedMs = performance.now();
      const proof = { method: "POST", path: "/api/session/proof", headers: json, body: JSON.stringify({ password: PASSWORD }) };
      const { status, text } = await send(agent, url, proof);
      if (status >= 300 && status !== 429) throw new Error(`the owner cannot prove who they are any more: ${status} ${text}`); // 429: after wrong sign-ins
    }
    if (n > 0 && n % 20_000 === 0) console.log(`${n} requests, resident ${resident().toFixed(0)} MB`);
    if (n >= total * 0.4 && warm === 0) warm = resident();
    await Promise.all(
      [0, 1, 2, 3].map(async () => {
        let chosen = pick(operations);
        while (SLOW.has(chosen.operation.operationId) && random() > 1 / ONE_SLOW_IN) chosen = pick(operations);
        const wanted = makeRequest(chosen);
        const answer = await send(agent, url, wanted).catch((error) => ({ status: 0, text: String(error), headers: {} }));
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        const problem = judge(wanted, answer);
        if (problem === null) return;
        failed += 1;
        if (failed <= 10)
          console.error(
            `${problem}: ${wanted.method} ${wanted.path.slice(0, 200)} ${String(wanted.body ?? "").slice(0, 300)}\n  -> ${answer.status} ${answer.text.slice(0, 300)}`,
          );
      }),
    );
  }
  const end = resident();
  console.log(`statuses ${JSON.stringify(statuses)}; resident ${warm.toFixed(0)} MB after 40 %, ${end.toFixed(0)} MB at the end`);
  if (hub.exitCode !== null) {
    failed += 1;
    console.error("the hub crashed");
  }
  if (end > warm + 40) {
    failed += 1;
    console.error("memory grows");
  }
} finally {
  if (failed > 0) console.error(output.slice(-3000));
  hub.kill("SIGTERM");
  await new Promise((resolve) => (hub.exitCode === null ? hub.on("exit", resolve) : resolve()));
  rmSync(data, { recursive: true, force: true });
}
console.log(failed === 0 ? "no finding" : `${failed} findings`);
process.exit(failed === 0 ? 0 : 1);

function resident() {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))[1]) / 1024;
}

function judge(wanted, { status, text, headers }) {
  if (status === 0) return wanted.mayBreak ? null : "no answer";
  if (status >= 500) return "server error";
  if (status < 400 || wanted.method === "HEAD") return null;
  if (!String(headers["content-type"]).startsWith("application/json")) return "error that is no JSON";
  try {
    const { error } = JSON.parse(text);
    return typeof error.code === "string" &&
      typeof error.message === "string" &&
      typeof error.requestId === "string" &&
      Array.isArray(error.details) &&
      !/\bat .*\.js|SQLITE/.test(text)
      ? null
      : "error of another shape";
  } catch {
    return "error that is no JSON";
  }
}

function makeRequest({ path, method, operation, document, auth }) {
  const parameters = operation.parameters ?? [];
  let target = path.replace(/\{(\w+)\}/g, (_, name) =>
    random() < 0.5
      ? encodeURIComponent(value(parameters.find((p) => p.name === name)?.schema ?? {}, document))
      : encodeURIComponent(pick(["plug-1", "cam-1", "1", "2", ...ODD])),
  );
  if (random() < 0.05) target = pick(["/", "//v1", "/v1/", "/V1/devices", `${path}/x`, "/v1/%zz", "/v1/devices/%E0%A4%A"]);
  const query = parameters
    .filter((p) => p.in === "query" && random() < 0.6)
    .map((p) => `${p.name}=${encodeURIComponent(random() < 0.6 ? value(p.schema, document) : pick(ODD))}`);
  if (query.length > 0 && random() < 0.1) query.push(query[0]);
  const headers = { ...auth };
  if (random() < 0.05) delete headers.authorization;
  if (random() < 0.03) headers.origin = pick(["null", "https://evil.example", "http://localhost"]);
  if (random() < 0.05) headers["if-none-match"] = pick(["*", '"x"', "W/"]);
  if (random() < 0.05) headers["idempotency-key"] = pick(["k1", "k2", "é", ""]);
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  let body;
  if (schema || random() < 0.05) {
    headers["content-type"] = random() < 0.95 ? "application/json" : pick(["text/plain", "application/json; charset=latin1", ""]);
    body = mutateText(JSON.stringify(schema ? value(schema, document) : {}));
  } else if (operation.requestBody) {
    headers["content-type"] = "image/jpeg";
    body = Buffer.from(Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * 256)));
  }
  return {
    method: random() < 0.03 ? pick(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "POST"]) : method,
    path: target + (query.length > 0 ? `?${query.join("&")}` : ""),
    headers,
    body,
  };
}

function mutateText(text) {
  if (random() < 0.75) return text;
  const at = Math.floor(random() * text.length);
  return pick([
    () => text.slice(0, at),
    () => text.slice(0, at) + pick(ODD) + text.slice(at),
    () => `[${text}]`,
    () => text.repeat(2),
    () => "{".repeat(2000),
    () => text.replace(/\d+/, "1e400"),
    () => "",
  ])();
}

/** A value that may fit the schema: seven times in eight it tries to. */
function value(schema, document, depth = 0) {
  if (schema.$ref) return value(document.components.schemas[schema.$ref.split("/").at(-1)], document, depth);
  if (random() < 0.12 || depth > 6) return pick([null, true, -1, 0, 1.5, "x", ...ODD, [], {}]);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return value(pick(alternatives), document, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(schema.enum);
  if (schema.examples && random() < 0.6) return pick(schema.examples);
  const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
  switch (type) {
    case "object": {
      const entries = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name) || random() < 0.6);
      return Object.fromEntries(entries.map(([name, member]) => [name, value(member, document, depth + 1)]));
    }
    case "array":
      return Array.from({ length: Math.floor(random() * 3) }, () => value(schema.items ?? {}, document, depth + 1));
    case "integer":
    case "number":
      return pick([schema.minimum ?? 0, schema.maximum ?? 5, 1, 2, 3]);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    default:
      return schema.format === "date-time"
        ? new Date(1.7e12 + random() * 1e11).toISOString()
        : pick(["plug-1", "cam-1", "MH12AB1234", "Kitchen", "watts", "07:30", "http://127.0.0.1:9/", "a@example.org"]);
  }
}

function send(agent, url, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent,
        host: url.hostname,
        port: url.port,
        method,
        path: /[^\x21-\x7e]/.test(path) ? encodeURI(path) : path,
        headers: { ...safeHeaders(headers), ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
        timeout: 15_000,
      },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("timeout")));
    request.end(body);
  });
}

function safeHeaders(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([, text]) => /^[\x20-\x7e]*$/.test(text)));
}
