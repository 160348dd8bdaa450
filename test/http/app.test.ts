import t from "tap";
import type { CallOptions } from "../support/api-client.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const ORIGIN = "https://app.example.org";

t.test(
  "checks run in the promised order: each request fails every later check too, and gets the first error",
  async (t) => {
    const hub = await ApiHub.open(testFolder(t), { rates: { commandsPerMinute: 1, commandBurst: 1 } });
    t.teardown(() => hub.close());
    await hub.device("plug");
    const reader = await hub.key({ scopes: ["devices:read"] });
    const sender = await hub.key({ scopes: ["devices:control"] });
    const path = "/v1/devices/plug/commands";
    await hub.api.post(path, { key: sender, json: {} });

    const wrongBody = { body: "[", headers: { "Content-Type": "text/plain" } };
    const with_ = (headers: Record<string, string>, options: CallOptions = wrongBody): CallOptions => ({
      ...options,
      headers: { ...options.headers, ...headers },
    });
    const table: [number, string, string, string, CallOptions][] = [
      [
        421,
        "host_not_allowed",
        "POST",
        "/v1/nowhere",
        with_({ Host: "evil.example.com", Authorization: "Bearer nonsense" }),
      ],
      [404, "route_not_found", "PUT", "/v1/nowhere", with_({ Authorization: "Bearer nonsense" })],
      [405, "method_not_allowed", "PUT", path, with_({ Authorization: "Bearer nonsense" })],
      [401, "missing_credential", "POST", path, with_({ Origin: ORIGIN })],
      [401, "invalid_credential", "POST", path, with_({ Origin: ORIGIN, Authorization: "Bearer nonsense" })],
      [403, "origin_not_allowed", "POST", path, with_({ Origin: ORIGIN, Authorization: `Bearer ${reader}` })],
      [403, "insufficient_scope", "POST", path, with_({ Authorization: `Bearer ${reader}` })],
      [429, "rate_limited", "POST", path, with_({ Authorization: `Bearer ${sender}` })],
    ];
    for (const [status, code, method, target, options] of table) {
      const answer = await hub.api.call(method, target, options);
      t.hasStrict({ status: answer.status, code: answer.body.error.code }, { status, code }, `${method} ${target}`);
    }
  },
);

t.test("after the rate limit come media type, size, path, query, body, object", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const key = await hub.key();
  const json = { "Content-Type": "application/json" };
  const table: [number, string, string, string, CallOptions][] = [
    [
      406,
      "not_acceptable",
      "PATCH",
      "/v1/devices/%zz?a=%zz",
      { body: "[", headers: { "Content-Type": "text/plain", Accept: "text/html" } },
    ],
    [
      415,
      "unsupported_media_type",
      "PATCH",
      "/v1/devices/%zz?a=%zz",
      { body: "x".repeat(70_000), headers: { "Content-Type": "text/plain" } },
    ],
    [413, "body_too_large", "PATCH", "/v1/devices/%zz?a=%zz", { body: "x".repeat(70_000), headers: json }],
    [400, "invalid_path", "PATCH", "/v1/devices/%zz?a=%zz", { body: "[", headers: json }],
    [400, "invalid_query", "PATCH", "/v1/devices/nobody?a=%zz", { body: "[", headers: json }],
    [400, "invalid_json", "PATCH", "/v1/devices/nobody", { body: "[", headers: json }],
    [400, "invalid_body", "PATCH", "/v1/devices/nobody", { body: "{}", headers: json }],
    [
      404,
      "device_not_found",
      "PATCH",
      "/v1/devices/nobody",
      { body: '{"favorite":true}', headers: { ...json, "If-Match": '"x"' } },
    ],
  ];
  for (const [status, code, method, path, options] of table) {
    const answer = await hub.api.call(method, path, { key, ...options });
    t.hasStrict(
      { status: answer.status, code: answer.body.error.code },
      { status, code },
      `${code}: ${method} ${path}`,
    );
  }
});

t.test("paths are exact: case, trailing slash, empty segments, encoded letters", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const key = await hub.key();
  for (const path of [
    "/V1/devices",
    "/v1/Devices",
    "/v1/devices/",
    "/v1//devices",
    "/v1/devices//commands",
    "/v1/",
    "/",
    "/v2",
    "/v1/%64evices",
    "/v1/devices/a/b/c",
  ]) {
    const { status, body } = await hub.api.get(path, { key });
    t.hasStrict({ status, code: body.error.code }, { status: 404, code: "route_not_found" }, path);
  }
});

t.test("HEAD answers like GET without a body; OPTIONS and wrong methods list the allowed ones", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const key = await hub.key();
  const get = await hub.api.get("/v1/devices", { key });
  const head = await hub.api.call("HEAD", "/v1/devices", { key });
  t.match(
    { status: head.status, bytes: head.bytes.length, etag: head.headers.etag, length: head.headers["content-length"] },
    { status: 200, bytes: 0, etag: get.headers.etag, length: String(get.bytes.length) },
  );
  const options = await hub.api.call("OPTIONS", "/v1/devices/plug");
  t.match(
    { status: options.status, allow: options.headers.allow, length: options.bytes.length },
    { status: 204, allow: "GET, PATCH, HEAD, OPTIONS", length: 0 },
  );
  for (const method of ["PUT", "DELETE", "POST"]) {
    const { status, headers } = await hub.api.call(method, "/v1/devices", { key });
    t.match({ status, allow: headers.allow }, { status: 405, allow: "GET, HEAD, OPTIONS" }, method);
  }
  t.equal((await hub.api.call("OPTIONS", "/v1/nowhere")).status, 404);
});

t.test("an unclaimed hub answers only the public operations", async (t) => {
  const { Problem } = await import("../../src/core/kernel/problem.ts");
  const hub = await ApiHub.open(testFolder(t), {
    server: { closed: () => new Problem("unavailable", "Nobody owns this hub yet.") },
  });
  t.teardown(() => hub.close());
  t.hasStrict((await hub.api.get("/v1/devices", { key: await hub.key() })).body.error, { code: "unavailable" });
  t.equal((await hub.api.get("/v1")).status, 200);
});

t.test("an absolute request target brings its own host", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  t.equal((await hub.api.get("/v1")).status, 200);
  const { send } = await import("../support/api-client.ts");
  t.equal(
    (await send(hub.server.port, "GET", "http://gatehouse.local/v1")).body.openapi,
    "http://gatehouse.local/v1/openapi.json",
  );
  t.equal((await send(hub.server.port, "GET", "http://evil.example.com/v1")).status, 421);
});

t.test("every response carries a request id, and keeps a client's own", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const own = await hub.api.get("/v1/nowhere", { headers: { "X-Request-Id": "my-request-0001" } });
  t.match([own.headers["x-request-id"], own.body.error.requestId], ["my-request-0001", "my-request-0001"]);
  for (const bad of ["short", "x".repeat(65), "has space", "sl/ash-slash"]) {
    t.not((await hub.api.get("/v1", { headers: { "X-Request-Id": bad } })).headers["x-request-id"], bad, bad);
  }
  const two = [await hub.api.get("/v1"), await hub.api.get("/v1")].map(({ headers }) => headers["x-request-id"]);
  t.not(two[0], two[1]);
});
