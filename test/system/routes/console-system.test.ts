import { request } from "node:http";
import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { GOOD_PASSWORD } from "../../support/access.ts";
import { wrongSchemas } from "../../support/api-client.ts";
import { cookieOf, startConsoleHub } from "../../support/console-hub.ts";

t.test("settings are listed and changed, and pending restarts are named", async (t) => {
  const { call, settings } = await startConsoleHub(t);
  const listed = (await call("GET", "/api/settings")).body.settings;
  t.match(
    listed.find((setting: { key: string }) => setting.key === "http.port"),
    { value: 0, source: "environment", changeable: false, minimum: 0, maximum: 65_535 },
  );
  const changed = await call("PATCH", "/api/settings", {
    settings: { "plates.imageRetentionDays": 7, "mqtt.webSocket": true },
  });
  t.same(changed.body.restartFor, ["mqtt.webSocket"]);
  t.equal(settings.current.plates.imageRetentionDays, 7);
  for (const [wrong, status, code] of [
    [{ "plates.imageRetentionDays": 366 }, 400, "invalid_setting"],
    [{ nonsense: 1 }, 400, "invalid_setting"],
    [{ "http.port": 81 }, 409, "conflict"],
  ] as const) {
    const answer = await call("PATCH", "/api/settings", { settings: wrong });
    t.same([answer.status, answer.body.error.code], [status, code]);
  }
  t.hasStrict((await call("GET", "/api/audit")).body.audit[0], {
    action: "settings.changed",
    actor: "session:1",
    detail: { settings: { "plates.imageRetentionDays": 7 } },
  });
});

t.test("health reports the state of every part", async (t) => {
  const { call } = await startConsoleHub(t);
  const { body } = await call("GET", "/api/health");
  t.match(body, { version: "0.0.0", startedAt: /Z$/, now: /Z$/ });
  t.ok(body.checks.some((check: { code: string; level: string }) => check.code === "storage" && check.level === "ok"));
});

t.test("feed items are marked as read", async (t) => {
  const { call, hub } = await startConsoleHub(t);
  await call("POST", "/api/keys", { name: "App", env: "live", scopes: ["devices:read"] });
  await call("POST", "/api/keys", { name: "App 2", env: "live", scopes: ["devices:read"] });
  const before = (await call("GET", "/api/feed/unread")).body.unread;
  t.ok(before >= 2);
  const [{ id = 0 } = {}] = hub.feed.feed.list(hub.access.accounts.siteIdOf(1, "live"), { limit: 1 });
  t.same((await call("POST", "/api/feed/read", { id })).body, { unread: before - 1 });
  t.same((await call("POST", "/api/feed/read", { id, read: false })).body, { unread: before });
  t.same((await call("POST", "/api/feed/read", { upToId: 1_000_000 })).body, { unread: 0 });
  for (const wrong of [{}, { read: true }, { id: 0 }])
    t.equal((await call("POST", "/api/feed/read", wrong)).status, 400);
});

t.test("the audit list pages by id", async (t) => {
  const { call } = await startConsoleHub(t);
  for (const name of ["a", "b", "c"]) await call("POST", "/api/keys", { name, env: "live", scopes: ["devices:read"] });
  const first = (await call("GET", "/api/audit?limit=2")).body.audit;
  const second = (await call("GET", `/api/audit?limit=2&before=${first[1].id}`)).body.audit;
  const ids = [...first, ...second].map((line: { id: number }) => line.id);
  t.same(
    ids,
    [...ids].sort((a, b) => b - a),
  );
  t.equal(new Set(ids).size, 4);
  t.ok(
    [...first, ...second].some(
      (line: { target: string; action: string }) => line.action === "key.created" && line.target === "c",
    ),
  );
});

t.test("facts of the own household come over the stream", async (t) => {
  const { api, port, hub } = await startConsoleHub(t);
  const Cookie = cookieOf(
    await api.post("/api/session", { json: { email: "owner@example.org", password: GOOD_PASSWORD } }),
  );
  let text = "";
  const response = await new Promise<import("node:http").IncomingMessage>((resolve) =>
    request({ port, path: "/api/stream", headers: { Cookie } }, resolve).end(),
  );
  t.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
  response.on("data", (chunk) => (text += String(chunk)));
  const siteId = hub.access.accounts.siteIdOf(1, "live");
  const fact = { deviceId: "plug-1", at: Date.parse("2026-03-01T12:00:00Z"), data: { watts: 3 } };
  while (!text.includes("stream.opened")) await new Promise((resolve) => setTimeout(resolve, 5));
  hub.base.bus.announce("device.telemetry", { ...fact, siteId: siteId + 1 });
  hub.base.bus.announce("device.telemetry", { ...fact, siteId });
  while (!text.includes("device.telemetry")) await new Promise((resolve) => setTimeout(resolve, 5));
  response.destroy();
  t.match(
    text,
    'event: device.telemetry\ndata: {"deviceId":"plug-1","at":"2026-03-01T12:00:00.000Z","data":{"watts":3}}\n\n',
  );
  t.equal(text.match(/event:/g)?.length, 2, "nothing of other households");
  t.match(text, /^retry: 2000\n\nevent: stream\.opened\ndata: \{"position":"[\w-]+"\}/);
});

t.test("a browser does not move a trusted clock", async (t) => {
  const { call } = await startConsoleHub(t);
  t.type((await call("POST", "/api/clock", { now: new Date().toISOString() })).body.done, "boolean");
  t.equal((await call("POST", "/api/clock", { now: "yesterday" })).status, 400);
});

t.test("the host's own operations do not exist on the network", async (t) => {
  const { call, port } = await startConsoleHub(t);
  const { body } = await call("GET", "/api/openapi.json");
  t.notOk(Object.keys(body.paths).some((path) => path.startsWith("/api/box")));
  const answer = await fetch(`http://127.0.0.1:${port}/api/box/provision`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  t.equal(answer.status, 404);
});

t.test(
  "the description of this interface is a valid OpenAPI 3.1 document, and every operation in it runs",
  async (t) => {
    const { call, api, hub } = await startConsoleHub(t);
    const { body } = await call("GET", "/api/openapi.json");
    const verdict = await new Validator().validate(structuredClone(body));
    t.same(verdict, { valid: true });
    t.same(wrongSchemas(body), []);
    const described = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const running = hub.web.routes
      .filter(({ spec }) => spec.path.startsWith("/api/") && spec.access.kind !== "box")
      .map(({ spec }) => `${spec.method} ${spec.path}`);
    t.same(described.sort(), running.sort());
    const ids = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => operation.operationId),
    );
    t.equal(new Set(ids).size, ids.length);
    t.equal((await api.get("/api/keys")).body.error.code, "missing_credential");
  },
);
