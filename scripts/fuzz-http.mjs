// @ts-check
/**
 * node scripts/fuzz-http.mjs [--requests 10000] [--seed N] [--build build]
 *
 * Sends random and mutated requests over every operation of /v1 and /api to a whole hub in a separate process, and
 * fails on a 5xx, an error that does not have the error shape, a crash, or memory that keeps growing. Bounded in
 * number; loopback only.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seeded } from "./lib/faults/random.mjs";
import { claim, hubEnvironment, startHub } from "./lib/hub-process.mjs";
import { prepare } from "./lib/prepare.mjs";

const text = /** @type {const} */ ({ type: "string" });
const { values } = parseArgs({ options: { requests: text, seed: text, build: text } });
await prepare({ tests: true, isBuilt: values.build !== undefined });
const total = Number(values.requests ?? 10_000);
const seed = Number(values.seed ?? Date.now() % 1e6);
/** The same seed sends the same requests, so that a finding can be repeated. */
const { next: random, of: pick } = seeded(seed);

/**
 * @typedef {import("./lib/client-types.mjs").Schema} Schema
 * @typedef {import("./lib/client-types.mjs").Description} Description
 * @typedef {Record<string, string>} Headers
 * @typedef {{ path: string, method: string, operation: import("./lib/client-types.mjs").Operation, document:
 *   Description, auth: Headers }} Target
 * @typedef {{ method: string, path: string, headers: Headers, body?: string | Buffer | undefined }} Wanted
 * @typedef {{ status: number, headers: import("node:http").IncomingHttpHeaders, text: string }} Answer
 */

const SCOPES =
  "devices:read devices:write devices:control telemetry:read rooms:read scenes:read scenes:run automations:read automations:write events:read plates:read plates:write".split(
    " ",
  );
/** Operations that wait on purpose, for a network, a password's hash or a camera: only one in so many is sent. */
const SLOW = new Set(
  "discoverCameras inspectCamera lookThroughSource previewCamera tryPicture signIn joinHousehold recoverAccount claimHub makeBackup rehearseRestore testWebhook".split(
    " ",
  ),
);
const ONE_SLOW_IN = 50;
/** Sensitive operations need a proof that is not older than five minutes. */
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
const hub = await startHub({
  build: values.build ?? "build-hub",
  env: hubEnvironment(data, {
    GATEHOUSE_LOG_LEVEL: "error",
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_SCENES_PER_MINUTE: "0",
    GATEHOUSE_RATE_IMAGES_PER_MINUTE: "0",
    GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE: "0",
  }),
  hearsErrors: true,
});
let failed = 0;
try {
  const url = new URL(hub.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const { cookie, password, call } = await claim(hub);
  const json = { cookie, "content-type": "application/json" };
  const { secret: key } = await call("POST", "/api/keys", { name: "fuzz", env: "live", scopes: SCOPES });
  await call("POST", "/api/devices", { id: "plug-1", name: "plug-1", type: "smart-plug" });
  await call("POST", "/api/devices", { id: "cam-1", name: "cam-1", type: "camera" });
  /** @type {Target[]} */
  const operations = [];
  for (const [file, auth] of /** @type {[string, Headers][]} */ ([
    ["/v1/openapi.json", { authorization: `Bearer ${key}` }],
    ["/api/openapi.json", { cookie }],
  ])) {
    /** @type {Description} */
    const document = await call("GET", file);
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods))
        if (!LEFT_OUT.has(operation.operationId) && !isStream(operation))
          operations.push({ path, method: method.toUpperCase(), operation, document, auth });
  }
  console.log(`${operations.length} operations`);
  /** @type {Record<number, number>} */
  const statuses = {};
  let warm = 0;
  let provedMs = performance.now();
  for (let n = 0; n < total; n += 4) {
    if (performance.now() - provedMs > PROVE_EVERY_MS) {
      provedMs = performance.now();
      const proof = { method: "POST", path: "/api/session/proof", headers: json, body: JSON.stringify({ password }) };
      const { status, text } = await send(agent, url, proof);
      if (status >= 300 && status !== 429)
        throw new Error(`the owner cannot prove who they are any more: ${status} ${text}`); // 429: after wrong sign-ins
    }
    if (n > 0 && n % 20_000 === 0) console.log(`${n} requests, resident ${hub.memory().toFixed(0)} MB`);
    if (n >= total * 0.4 && warm === 0) warm = hub.memory();
    await Promise.all(
      [0, 1, 2, 3].map(async () => {
        let chosen = pick(operations);
        while (SLOW.has(chosen.operation.operationId) && random() > 1 / ONE_SLOW_IN) chosen = pick(operations);
        const wanted = makeRequest(chosen);
        const answer = await send(agent, url, wanted).catch((error) => ({
          status: 0,
          text: String(error),
          headers: {},
        }));
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
  const end = hub.memory();
  console.log(
    `statuses ${JSON.stringify(statuses)}; resident ${warm.toFixed(0)} MB after 40 %, ${end.toFixed(0)} MB at the end`,
  );
  if (hub.hasEnded()) {
    failed += 1;
    console.error("the hub crashed");
  }
  if (end > warm + 40) {
    failed += 1;
    console.error("memory grows");
  }
} finally {
  if (failed > 0) console.error(hub.output().slice(-3000));
  await hub.stop();
  rmSync(data, { recursive: true, force: true });
}
console.log(failed === 0 ? "no finding" : `${failed} findings`);
process.exit(failed === 0 ? 0 : 1);

/** Streams end when their reader goes. @param {import("./lib/client-types.mjs").Operation} operation */
function isStream({ responses }) {
  return responses["200"]?.content?.["text/event-stream"] !== undefined;
}

/** @param {Wanted} wanted @param {Answer} answer */
function judge(wanted, { status, text, headers }) {
  if (status === 0) return "no answer";
  if (status >= 500) return "server error";
  if (status < 400 || wanted.method === "HEAD") return null;
  if (!String(headers["content-type"]).startsWith("application/json")) return "error that is not JSON";
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
    return "error that is not JSON";
  }
}

/** @param {Target} target @returns {Wanted} */
function makeRequest({ path, method, operation, document, auth }) {
  const parameters = operation.parameters ?? [];
  let target = path.replace(/\{(\w+)\}/g, (_, name) =>
    random() < 0.5
      ? encodeURIComponent(String(value(parameters.find((p) => p.name === name)?.schema ?? {}, document)))
      : encodeURIComponent(pick(["plug-1", "cam-1", "1", "2", ...ODD])),
  );
  if (random() < 0.05)
    target = pick(["/", "//v1", "/v1/", "/V1/devices", `${path}/x`, "/v1/%zz", "/v1/devices/%E0%A4%A"]);
  const query = parameters
    .filter((p) => p.in === "query" && random() < 0.6)
    .map((p) => `${p.name}=${encodeURIComponent(String(random() < 0.6 ? value(p.schema, document) : pick(ODD)))}`);
  if (query[0] !== undefined && random() < 0.1) query.push(query[0]);
  /** @type {Headers} */
  const headers = { ...auth };
  if (random() < 0.05) delete headers.authorization;
  if (random() < 0.03) headers.origin = pick(["null", "https://evil.example", "http://localhost"]);
  if (random() < 0.05) headers["if-none-match"] = pick(["*", '"x"', "W/"]);
  if (random() < 0.05) headers["idempotency-key"] = pick(["k1", "k2", "é", ""]);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  /** @type {string | Buffer | undefined} */
  let body;
  if (schema || random() < 0.05) {
    headers["content-type"] =
      random() < 0.95 ? "application/json" : pick(["text/plain", "application/json; charset=latin1", ""]);
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

/** @param {string} text */
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

/**
 * A value that may fit the schema: seven times in eight it tries to.
 * @param {Schema} schema
 * @param {Description} document
 * @returns {unknown}
 */
function value(schema, document, depth = 0) {
  if (schema.$ref)
    return value(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, document, depth);
  if (random() < 0.12 || depth > 6) return pick([null, true, -1, 0, 1.5, "x", ...ODD, [], {}]);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return value(pick(alternatives), document, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(schema.enum);
  if (schema.examples && random() < 0.6) return pick(schema.examples);
  const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
  switch (type) {
    case "object": {
      const entries = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) || random() < 0.6,
      );
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

/** @param {Agent} agent @param {URL} url @param {Wanted} wanted @returns {Promise<Answer>} */
function send(agent, url, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent,
        host: url.hostname,
        port: url.port,
        method,
        path: /[^\x21-\x7e]/.test(path) ? encodeURI(path) : path,
        headers: {
          ...safeHeaders(headers),
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        },
        timeout: 15_000,
      },
      (response) => {
        /** @type {Buffer[]} */
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("timeout")));
    request.end(body);
  });
}

/** @param {Headers} headers */
function safeHeaders(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([, text]) => /^[\x20-\x7e]*$/.test(text)));
}
