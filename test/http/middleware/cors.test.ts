import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const ORIGIN = "https://app.example.org";
const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const withOrigin = await hub.key({ origins: [ORIGIN] });
const without = await hub.key();
const preflight = (origin: string, path = "/v1/devices/plug") =>
  api.call("OPTIONS", path, { headers: { Origin: origin, "Access-Control-Request-Method": "PATCH" } });

t.test(
  "a preflight from an origin listed by any active key is allowed by its exact name, without credentials",
  async (t) => {
    const { status, headers } = await preflight(ORIGIN);
    t.equal(status, 204);
    t.match(headers, {
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-methods": "GET, PATCH, HEAD, OPTIONS",
    });
    t.match(headers["access-control-allow-headers"], /Authorization/);
    t.match(headers.vary, /Origin/);
    t.equal(headers["access-control-allow-credentials"], undefined);
  },
);

t.test("other origins, and null, are refused", async (t) => {
  for (const origin of [
    "https://evil.example.org",
    "http://app.example.org",
    "https://app.example.org:444",
    "null",
    "https://APP.example.org",
  ]) {
    const { status, body, headers } = await preflight(origin);
    t.match(
      { status, code: body.error.code, allowed: headers["access-control-allow-origin"] },
      { status: 403, code: /^origin_not_allowed$/, allowed: undefined },
      origin,
    );
  }
});

t.test("a request from a page is held to its own key's origins", async (t) => {
  const good = await api.get("/v1/devices", { key: withOrigin, headers: { Origin: ORIGIN } });
  t.match(
    { status: good.status, allowed: good.headers["access-control-allow-origin"] },
    { status: 200, allowed: ORIGIN },
  );
  t.match(good.headers["access-control-expose-headers"], /X-Request-Id/);
  for (const [key, origin] of [
    [without, ORIGIN],
    [withOrigin, "https://evil.example.org"],
    [withOrigin, "null"],
    [without, `http://127.0.0.1:${hub.server.port}`],
  ] as const) {
    t.hasStrict(
      (await api.get("/v1/devices", { key, headers: { Origin: origin } })).body.error,
      { code: "origin_not_allowed" },
      origin,
    );
  }
  t.equal((await api.get("/v1/devices", { key: without })).status, 200, "without Origin it is not a browser page");
});

t.test("a registered page can read errors too", async (t) => {
  const { status, headers } = await api.get("/v1/devices", { headers: { Origin: ORIGIN } });
  t.match({ status, allowed: headers["access-control-allow-origin"] }, { status: 401, allowed: ORIGIN });
});

t.test("the service's metadata may be read by a page of any origin, including its preflight", async (t) => {
  for (const path of ["/v1", "/v1/openapi.json"]) {
    const { status, headers } = await api.get(path, { headers: { Origin: "https://anybody.example.com" } });
    t.match({ status, allowed: headers["access-control-allow-origin"] }, { status: 200, allowed: "*" }, path);
    t.equal(headers["access-control-allow-credentials"], undefined);
    const asked = await api.call("OPTIONS", path, {
      headers: { Origin: "https://anybody.example.com", "Access-Control-Request-Method": "GET" },
    });
    t.match(
      { status: asked.status, allowed: asked.headers["access-control-allow-origin"] },
      { status: 204, allowed: "*" },
      `before ${path}`,
    );
  }
});

t.test("a registered page can read 404 and 405; others cannot", async (t) => {
  for (const [method, path, status] of [
    ["GET", "/v1/nowhere", 404],
    ["PUT", "/v1/devices", 405],
  ] as const) {
    const ours = await api.call(method, path, { key: withOrigin, headers: { Origin: ORIGIN } });
    t.hasStrict(
      { status: ours.status, allowed: ours.headers["access-control-allow-origin"] },
      { status, allowed: ORIGIN },
    );
    t.match(ours.headers.vary, /Origin/);
    const theirs = await api.call(method, path, { headers: { Origin: "https://evil.example.org" } });
    t.hasStrict(
      { status: theirs.status, allowed: theirs.headers["access-control-allow-origin"] },
      { status, allowed: undefined },
    );
  }
});
