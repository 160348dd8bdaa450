/** Long-term series of a whole hub: who may set them up and fetch them, and how a real Prometheus reads them. */
import { connectAsync, type MqttClient } from "mqtt";
import t, { type Test } from "tap";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { eventually } from "../support/hub-process.ts";
import { Influx, NO_INFLUX } from "../support/influx.ts";
import { NO_PROMETHEUS, Prometheus } from "../support/prometheus.ts";

t.setTimeout(120_000);
const house = await startConsoleHub(t, {
  env: { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true", GATEHOUSE_DEVICES_OFFLINE_AFTER_SECONDS: "1" },
});
const { call } = house;
const METRICS = "/v1/telemetry/metrics";

async function device(t: Test, { hub }: ConsoleHub, id: string): Promise<MqttClient> {
  const { body } = await call("POST", "/api/devices", { id, name: `The "${id}"`, type: "smart-plug" });
  const password = String(body.password ?? body.mqtt?.password);
  const url = `mqtt://127.0.0.1:${hub.mqtt.broker.port}`;
  const client = await connectAsync(url, { username: id, password, clientId: id });
  t.teardown(() => client.endAsync(true));
  return client;
}

/** A program outside asks. */
async function fetched(path: string, secret?: string): Promise<{ status: number; text: string }> {
  const headers = secret === undefined ? {} : { Authorization: `Bearer ${secret}` };
  const answer = await fetch(`http://127.0.0.1:${house.port}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

async function key(scopes: readonly string[], env = "live"): Promise<string> {
  const { status, body } = await call("POST", "/api/keys", { name: "scraper", env, scopes });
  if (status !== 201) throw new Error(`key: ${status}`);
  return String(body.secret);
}

t.test("everything is off until an owner switches it on", async (t) => {
  const { body } = await call("GET", "/api/series");
  t.match(body.series, { influx: null, export: { state: "off" }, prometheus: { enabled: false }, leftOut: [] });
  const scraper = await key(["telemetry:export"]);
  t.match(await fetched(METRICS, scraper), { status: 404, text: /"not_found"/ });
});

t.test("the hub's own addresses, and secrets, stay its own", async (t) => {
  const target = {
    enabled: true,
    version: "1",
    database: "x",
    user: "u",
    org: "",
    bucket: "",
    home: "Home",
    secret: "nobody's business",
    begin: "now",
  };
  const own = await call("PUT", "/api/series/influx", { ...target, url: `http://127.0.0.1:${house.port}` });
  t.hasStrict(own, { status: 400, body: { error: { details: [{ field: "/url" }] } } });
  const { status } = await call("PUT", "/api/series/influx", { ...target, url: "http://127.0.0.1:9" });
  t.equal(status, 200);
  const waiting = await eventually(async () => {
    const { body } = await call("GET", "/api/series");
    return body.series.influx !== null ? body : undefined;
  });
  t.notMatch(JSON.stringify(waiting), /nobody's business/);
  t.match(waiting.series.influx, { hasSecret: true, url: "http://127.0.0.1:9" });
  const { body: audit } = await call("GET", "/api/audit");
  t.match(audit.audit[0], { action: /^series\.sent$/, target: "127.0.0.1:9" });
});

t.test("a device's measurements reach a real InfluxDB", { skip: NO_INFLUX }, async (t) => {
  const influx = await Influx.start(t);
  const meter = await device(t, house, "meter");
  const { status, body } = await call("PUT", "/api/series/influx", {
    enabled: true,
    version: "1",
    url: influx.url,
    database: influx.database,
    user: influx.user,
    secret: influx.password,
    org: "",
    bucket: "",
    home: "घर",
    begin: "kept",
  });
  t.equal(status, 200, JSON.stringify(body));
  await meter.publishAsync("gatehouse/meter/telemetry", JSON.stringify({ watts: 41.5 }), { qos: 1 });
  await call("PUT", "/api/series/devices", { leftOut: [] }); // checks at once
  await eventually(async () => {
    const { body } = await call("GET", "/api/series");
    return body.series.export.sent > 0 ? true : undefined;
  });
  t.match(await influx.query("SELECT * FROM gatehouse"), [{ device: "meter", home: "घर", watts: 41.5 }]);
  t.match((await call("GET", "/api/series")).body.series.export, { state: "sending", problem: null });
  const { body: health } = await call("GET", "/api/health");
  t.match(
    health.checks.find(({ code }: { code: string }) => code === "series"),
    { level: "ok", text: /^Sent last/ },
  );
});

t.test("the first scrape of a large house gives others their turn", async (t) => {
  for (let n = 0; n < 6; n++)
    await call("POST", "/api/devices", { id: `large-${n}`, name: `Large ${n}`, type: "sensor", room: null });
  await call("PUT", "/api/series/prometheus", { enabled: false }); // forgets the rows read
  await call("PUT", "/api/series/prometheus", { enabled: true });
  const secret = await key(["telemetry:export"]);
  const { telemetry } = house.hub;
  const original = telemetry.telemetry.recent.bind(telemetry.telemetry);
  const readsByTurn: number[] = [];
  let isNewTurn = true;
  telemetry.telemetry.recent = (id, query) => {
    if (isNewTurn) readsByTurn.push(0);
    isNewTurn = false;
    setImmediate(() => {
      isNewTurn = true;
    });
    readsByTurn.push((readsByTurn.pop() ?? 0) + 1);
    for (const begun = performance.now(); performance.now() - begun < 5; ); // a slow card
    return original(id, query);
  };
  t.teardown(() => {
    telemetry.telemetry.recent = original;
  });
  t.equal((await fetched(METRICS, secret)).status, 200);
  t.ok(readsByTurn.length >= 6, `${readsByTurn.length} turns`);
  t.ok(Math.max(...readsByTurn) <= 2, `${Math.max(...readsByTurn)} devices in one turn`);
});

t.test("a real Prometheus fetches values with its own key", { skip: NO_PROMETHEUS }, async (t) => {
  t.equal((await call("PUT", "/api/series/prometheus", { enabled: true })).status, 200);
  const secret = await key(["telemetry:export"]);
  for (const scopes of [["telemetry:read", "devices:read"], ["events:read"]])
    t.equal((await fetched(METRICS, await key(scopes))).status, 403, scopes.join());
  t.equal((await fetched(METRICS)).status, 401);
  t.equal((await fetched("/v1/devices/plug/telemetry", secret)).status, 403, "the key does nothing else");
  const plug = await device(t, house, "plug");
  const measure = (data: object): Promise<unknown> =>
    plug.publishAsync("gatehouse/plug/telemetry", JSON.stringify(data), { qos: 1 });
  await measure({ watts: 41.5, kwh: 2 });
  await measure({ temperature: 21 });
  const prometheus = await Prometheus.start(
    t,
    `global: { scrape_interval: 100ms, scrape_timeout: 100ms }
scrape_configs:
  - job_name: house
    metrics_path: ${METRICS}
    authorization: { credentials_file: key }
    static_configs: [{ targets: ["127.0.0.1:${house.port}"] }]
`,
    { key: secret },
  );
  const power = (): Promise<number | undefined> =>
    prometheus.query('gatehouse_power_watts{device="plug"}').then(([found]) => found?.value);
  t.equal(await eventually(power), 41.5);
  t.match(await prometheus.query('gatehouse_energy_joules_total{device="plug"}'), [{ value: 7_200_000 }]);
  t.hasStrict(await prometheus.query("gatehouse_power_watts * on (device) group_left (name) gatehouse_device_info"), [
    { labels: { name: 'The "plug"' }, value: 41.5 },
  ]);
  await measure({ watts: 50 });
  t.equal(await eventually(async () => ((await power()) === 50 ? true : undefined)), true);
  t.equal((await prometheus.query("count by (device) (gatehouse_power_watts)")).length, 1, "one series, not two");
  await plug.endAsync();
  await eventually(async () => ((await power()) === undefined ? true : undefined));
  t.match(await eventually(() => prometheus.query('gatehouse_device_online{device="plug"} == 0')), [{ value: 0 }]);
  t.match(await prometheus.query("up"), [{ value: 1 }], "and the scrape itself was healthy");
  await call("PUT", "/api/series/devices", { leftOut: ["plug"] });
  t.notMatch((await fetched(METRICS, secret)).text, /device="plug"/);
  const simulated = await fetched(METRICS, await key(["telemetry:export"], "test"));
  t.match(simulated.text, /gatehouse_device_info/);
  t.notMatch(simulated.text, /device="meter"/, "a test key sees the simulated household");
});
