import t from "tap";
import type { CallAnswer } from "../../support/api-client.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
const HOUR = 3_600_000;
const now = hub.clock.now();
await hub.device("camera-gate", { type: "camera" });
await hub.read("MH 12 AB 1234", { at: now - 5 * HOUR, direction: "in" });
await hub.read("MH 12 AB 1234", { at: now - 3 * HOUR, direction: "out" });
await hub.read("DL 01 CD 5678", { at: now - 2 * HOUR, direction: "in" });
await hub.read("KA 05 EF 9012", { at: now - 40 * 24 * HOUR, direction: "in" });
await hub.read("TN 09 GH 3456", { siteId: hub.other.siteId, direction: "in" });
const plates = (body: { vehicles: { plate: string }[] }): string[] => body.vehicles.map(({ plate }) => plate);

t.test(
  "the register holds vehicles of the window, most recently seen first, and counts all that are inside",
  async (t) => {
    const { status, body } = await api.get("/v1/vehicles", { key });
    t.match({ status, days: body.days, insideNow: body.insideNow }, { status: 200, days: 30, insideNow: 2 });
    t.same(plates(body), ["DL01CD5678", "MH12AB1234"]);
    t.match(body.vehicles[1], {
      formatted: "MH 12 AB 1234",
      passes: 2,
      entries: 1,
      exits: 1,
      visits: 1,
      inside: false,
      averageStaySeconds: 7200,
      totalStaySeconds: 7200,
      cameras: ["camera-gate"],
      list: null,
      label: null,
    });
    t.same(plates((await api.get("/v1/vehicles?days=365", { key })).body), ["DL01CD5678", "MH12AB1234", "KA05EF9012"]);
  },
);

t.test("days is 1 to 365, limit 1 to 1000, strictly", async (t) => {
  for (const query of ["days=1", "days=365", "limit=1", "limit=1000"])
    t.equal((await api.get(`/v1/vehicles?${query}`, { key })).status, 200, query);
  for (const query of ["days=0", "days=366", "days=x", "limit=0", "limit=1001", "limit=1.0", "cursor=x"]) {
    t.hasStrict((await api.get(`/v1/vehicles?${query}`, { key })).body.error, { code: "invalid_query" }, query);
  }
});

t.test("pages of the register join exactly", async (t) => {
  const found: string[] = [];
  let path: string | undefined = "/v1/vehicles?days=365&limit=1";
  for (let page = 0; path !== undefined && page < 5; page++) {
    const { body, headers }: CallAnswer = await api.get(path, { key });
    found.push(...plates(body));
    path = /<https?:\/\/[^/]+([^>]+)>/.exec(String(headers.link ?? ""))?.[1];
  }
  t.same(found, ["DL01CD5678", "MH12AB1234", "KA05EF9012"]);
});

t.test("one vehicle is found however its plate is written, with its visits", async (t) => {
  for (const plate of ["MH12AB1234", "mh-12-ab-1234", "MH%2012%20AB%201234"]) {
    const { status, body } = await api.get(`/v1/vehicles/${plate}`, { key });
    t.match(
      { status, ...body },
      {
        status: 200,
        plate: /^MH12AB1234$/,
        formatted: "MH 12 AB 1234",
        passes: 2,
        inside: false,
        totalStaySeconds: 7200,
      },
      plate,
    );
    t.match(body.visits, [
      { status: /^closed$/, staySeconds: 7200, entryCamera: "camera-gate", exitCamera: "camera-gate" },
    ]);
  }
  t.match((await api.get("/v1/vehicles/DL01CD5678", { key })).body.visits, [
    { status: /^open$/, exitAt: null, staySeconds: null },
  ]);
});

t.test("a plate never seen here has no profile", async (t) => {
  for (const plate of ["MH12AB9999", "TN09GH3456", "hello", "%20"]) {
    t.hasStrict((await api.get(`/v1/vehicles/${plate}`, { key })).body.error, { code: "vehicle_not_found" }, plate);
  }
});

t.test("occupancy counts open visits; without a capacity it says nothing about room", async (t) => {
  t.same((await api.get("/v1/occupancy", { key })).body, {
    inside: 2,
    capacity: null,
    free: null,
    full: false,
    percent: null,
  });
  hub.capacity = 3;
  t.same((await api.get("/v1/occupancy", { key })).body, { inside: 2, capacity: 3, free: 1, full: false, percent: 67 });
  hub.capacity = 1;
  t.same((await api.get("/v1/occupancy", { key })).body, { inside: 2, capacity: 1, free: 0, full: true, percent: 200 });
  hub.capacity = 0;
  t.same((await api.get("/v1/occupancy", { key })).body, { inside: 2, capacity: 0, free: 0, full: true, percent: 100 });
});
