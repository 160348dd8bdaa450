import t from "tap";
import { defineRoute, type Method } from "../../src/core/api/route.ts";
import { type BoundRoute, bindOpen } from "../../src/core/http/exchange.ts";
import { Paths } from "../../src/core/http/router.ts";

const route = (method: Method, path: string): BoundRoute =>
  bindOpen(
    defineRoute({
      operationId: `${method} ${path}`,
      method,
      path,
      summary: "A route of this test",
      tag: "test",
      access: { kind: "public" },
      responses: { 204: { description: "Nothing" } },
    }),
    () => ({ status: 204 }),
  );

const paths = new Paths(
  [
    route("GET", "/v1/devices/{id}"),
    route("GET", "/v1/devices/{id}/telemetry.csv"),
    route("GET", "/v1/devices/{id}/rooms/{room}"),
    route("GET", "/v1/devices/new"),
    route("GET", "/v1/devices"),
    route("PATCH", "/v1/devices/{id}"),
  ],
  (own) => own.map(({ spec }) => `${spec.method} ${spec.path}`).join(", "),
);

t.test("a path leads to its operations, with its parameters as sent", async (t) => {
  const table: [path: string, leadsTo: string, params: Record<string, string>][] = [
    ["/v1/devices", "GET /v1/devices", {}],
    ["/v1/devices/plug", "GET /v1/devices/{id}, PATCH /v1/devices/{id}", { id: "plug" }],
    ["/v1/devices/%zz%2Fa", "GET /v1/devices/{id}, PATCH /v1/devices/{id}", { id: "%zz%2Fa" }],
    ["/v1/devices/new", "GET /v1/devices/new", {}],
    ["/v1/devices/new/telemetry.csv", "GET /v1/devices/{id}/telemetry.csv", { id: "new" }],
    ["/v1/devices/a/rooms/b", "GET /v1/devices/{id}/rooms/{room}", { id: "a", room: "b" }],
  ];
  for (const [path, leadsTo, params] of table) {
    const found = paths.find(path);
    t.equal(found?.leadsTo, leadsTo, path);
    t.same({ ...found?.params }, params, path);
  }
});

t.test("paths are exact", async (t) => {
  const others = [
    ...["", "/", "/v1", "/v1/", "/v1/devices/", "/v1/Devices", "/v1/devices/a/", "/v1/devices//telemetry.csv"],
    ...["/v1/devices/a/telemetryxcsv", "/v1/devices/a/rooms", "/x/v1/devices", "/v1/devices/a/rooms/b/c", "v1/devices"],
  ];
  for (const path of others) t.equal(paths.find(path), null, path);
});

t.test("two routes share a path, not a method of it", async (t) => {
  const twice = [route("GET", "/v1/a/{id}"), route("PUT", "/v1/a/{id}"), route("GET", "/v1/a/{id}")];
  t.throws(() => new Paths(twice, () => null), { message: "two routes for GET /v1/a/{id}" });
});
