import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
await hub.device("meter");
await hub.device("quiet");
await hub.device("foreign", { siteId: hub.other.siteId });
const now = hub.clock.now();
const minutes = (count: number): number => now - count * 60_000;
await hub.samples(
  "meter",
  Array.from({ length: 150 }, (_, i) => ({ at: minutes(i), data: { watts: 60, i } })),
);
const numbers = (body: { telemetry: { data: { i: number } }[] }): number[] => body.telemetry.map(({ data }) => data.i);

t.test("samples come newest first, 100 by default", async (t) => {
  const { status, body } = await api.get("/v1/devices/meter/telemetry", { key });
  t.match(
    { status, deviceId: body.deviceId, first: body.telemetry[0] },
    { status: 200, deviceId: /^meter$/, first: { at: new Date(now).toISOString(), data: { i: 0, watts: 60 } } },
  );
  t.same(
    numbers(body),
    Array.from({ length: 100 }, (_, i) => i),
  );
  t.same((await api.get("/v1/devices/quiet/telemetry", { key })).body.telemetry, []);
});

t.test("limit is 1 to 1000, strictly", async (t) => {
  for (const limit of ["1", "1000"])
    t.equal((await api.get(`/v1/devices/meter/telemetry?limit=${limit}`, { key })).status, 200, limit);
  for (const limit of ["0", "1001", "-1", "1.5", "abc", "", "1e2", "0x10", " 5", "05"]) {
    const { status, body } = await api.get(`/v1/devices/meter/telemetry?limit=${encodeURIComponent(limit)}`, { key });
    t.hasStrict(
      { status, code: body.error.code, field: body.error.details[0].field },
      { status: 400, code: "invalid_query", field: "limit" },
      `'${limit}'`,
    );
  }
});

t.test("since is inclusive and needs an offset", async (t) => {
  const since = new Date(minutes(2)).toISOString();
  t.same(numbers((await api.get(`/v1/devices/meter/telemetry?since=${since}`, { key })).body), [0, 1, 2]);
  t.same(
    numbers((await api.get(`/v1/devices/meter/telemetry?since=2026-03-01T17:28:00%2B05:30`, { key })).body),
    [0, 1, 2],
  );
  t.same(
    numbers((await api.get(`/v1/devices/meter/telemetry?since=2026-03-01T17:28:00+05:30`, { key })).body),
    [0, 1, 2],
    "a plus sign that was not encoded",
  );
  for (const wrong of [
    "2026-03-01T12:00:00",
    "2026-03-01",
    "yesterday",
    "1772366400",
    "2026-02-30T00:00:00Z",
    "2026-03-01T24:00:00Z",
  ]) {
    t.equal(
      (await api.get(`/v1/devices/meter/telemetry?since=${wrong}`, { key })).body.error.code,
      "invalid_query",
      wrong,
    );
  }
});

t.test("the Link header leads through all samples exactly once", async (t) => {
  await hub.device("burst");
  await hub.samples(
    "burst",
    Array.from({ length: 25 }, (_, i) => ({ at: minutes(i < 13 ? 1 : 2), data: { i } })),
  );
  const found: number[] = [];
  let path: string | undefined = "/v1/devices/burst/telemetry?limit=4&since=2026-01-01T00:00:00Z";
  for (let page = 0; path !== undefined && page < 20; page++) {
    const { body, headers } = await api.get(path, { key });
    found.push(...numbers(body));
    path = /<https?:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(headers.link ?? ""))?.[1];
  }
  t.equal(found.length, 25);
  t.same(
    [...found].sort((left, right) => left - right),
    Array.from({ length: 25 }, (_, i) => i),
  );
  t.equal(
    (await api.get("/v1/devices/burst/telemetry?limit=25", { key })).headers.link,
    undefined,
    "no link past the last one",
  );
});

t.test("a cursor that was never issued is refused", async (t) => {
  for (const cursor of ["x", "bnVsbA", Buffer.from('["a","b"]').toString("base64url"), "", "x".repeat(201)]) {
    t.equal(
      (await api.get(`/v1/devices/meter/telemetry?cursor=${cursor}`, { key })).body.error.code,
      "invalid_query",
      cursor,
    );
  }
});

t.test("energy is bucketed by the hour up to 48 hours and by the day beyond", async (t) => {
  const day = await api.get("/v1/devices/meter/energy", { key });
  t.match(
    { status: day.status, ...day.body },
    { status: 200, deviceId: /^meter$/, metric: /^watts$/, granularity: "hour" },
  );
  t.ok(
    day.body.series.length >= 3 &&
      day.body.series.every(({ avg, max }: { avg: number; max: number }) => avg === 60 && max === 60),
  );
  t.equal((await api.get("/v1/devices/meter/energy?hours=48", { key })).body.granularity, "hour");
  t.equal((await api.get("/v1/devices/meter/energy?hours=49", { key })).body.granularity, "day");
});

t.test("without samples energy is an empty series", async (t) => {
  t.match((await api.get("/v1/devices/quiet/energy", { key })).body, { series: [], kwh: 0 });
  t.hasStrict((await api.get("/v1/devices/meter/energy?metric=volts", { key })).body, {
    metric: "volts",
    series: [],
    kwh: 0,
  });
});

t.test("energy limits: hours 1 to 2160, metric a plain name", async (t) => {
  for (const hours of [1, 2160])
    t.equal((await api.get(`/v1/devices/meter/energy?hours=${hours}`, { key })).status, 200, String(hours));
  for (const query of [
    "hours=0",
    "hours=2161",
    "hours=-1",
    "hours=x",
    "metric=",
    "metric=1a",
    `metric=${"a".repeat(33)}`,
    "metric=a.b",
    "hours=1&hours=2",
  ]) {
    t.hasStrict(
      (await api.get(`/v1/devices/meter/energy?${query}`, { key })).body.error,
      { code: "invalid_query" },
      query,
    );
  }
  t.equal((await api.get(`/v1/devices/meter/energy?metric=${"a".repeat(32)}`, { key })).status, 200);
});

t.test("devices that do not exist or belong to another account have neither samples nor energy", async (t) => {
  for (const id of ["nobody", "foreign"]) {
    for (const what of ["telemetry", "energy"]) {
      const { status, body } = await api.get(`/v1/devices/${id}/${what}`, { key });
      t.hasStrict({ status, code: body.error.code }, { status: 404, code: "device_not_found" }, `${id} ${what}`);
    }
  }
});

t.test("history: any range of any metric, thinned, in the household's days", async (t) => {
  const { status, body } = await api.get("/v1/devices/meter/history?metric=watts&points=60", { key });
  t.match(
    { status, body },
    {
      status: 200,
      body: {
        deviceId: /^meter$/,
        metric: /^watts$/,
        metrics: ["watts", "i"],
        timeZone: "Asia/Kolkata",
        to: new Date(now).toISOString(),
      },
    },
  );
  t.match(body.series.at(-1), { avg: 60, min: 60, max: 60 });
  const few = (
    await api.get(
      `/v1/devices/meter/history?metric=i&from=${new Date(minutes(10)).toISOString()}&to=${new Date(now).toISOString()}`,
      { key },
    )
  ).body;
  t.equal(few.stepSeconds, 0, "nothing to thin");
  t.same(
    few.series.map(({ avg }: { avg: number }) => avg),
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    "from is inclusive, to is not",
  );
  t.match((await api.get("/v1/devices/quiet/history", { key })).body, { metric: null, metrics: [], series: [] });
  t.hasStrict((await api.get("/v1/devices/meter/history?metric=volts", { key })).body, { metric: "volts", series: [] });
  const since = "from=2026-03-01T00:00:00Z";
  for (const query of [
    "points=9",
    "points=1501",
    "metric=a.b",
    "from=yesterday",
    `${since}&to=2026-02-01T00:00:00Z`,
    `${since}&to=2026-03-01T00:00:00Z`,
    "from=1990-01-01T00:00:00Z",
  ]) {
    t.hasStrict(
      (await api.get(`/v1/devices/meter/history?${query}`, { key })).body.error,
      { code: "invalid_query" },
      query,
    );
  }
  for (const id of ["nobody", "foreign"])
    t.equal((await api.get(`/v1/devices/${id}/history`, { key })).body.error.code, "device_not_found", id);
});
