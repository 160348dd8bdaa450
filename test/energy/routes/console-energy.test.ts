import t from "tap";
import { startConsoleHub } from "../../support/console-hub.ts";

const MINUTE = 60_000;
const { hub, call } = await startConsoleHub(t);
const siteId = hub.access.accounts.siteIdOf(hub.access.accounts.owner()?.id ?? 0, "live");
for (const [id, type] of [
  ["meter", "energy-meter"],
  ["plug", "smart-plug"],
] as const)
  await hub.devices.registry.create(siteId, { id, name: id, type });
const now = Date.now();
for (const [id, watts] of [
  ["meter", 1_000],
  ["plug", 100],
] as const) {
  const samples = Array.from({ length: 600 }, (_, n) => ({
    at: now - (600 - n) * 5 * MINUTE,
    data: { watts, kwh: 10 + (n * watts * 5) / 60_000 },
  }));
  await hub.telemetry.telemetry.ingest(id, samples, { messageId: null, duplicate: false, at: now, durable: true });
}
const price = { validFrom: null, perKwh: 8, exportPerKwh: 0, periods: [] };

t.test("the house's energy, its prices and the parts of devices", async (t) => {
  const first = (await call("GET", "/api/energy?period=week")).body.energy;
  t.match(first, { period: "week", currency: null, unplaced: [], sums: { cost: null } });
  t.same(
    first.devices.map(({ deviceId, role, source }: Record<string, string>) => [deviceId, role, source]),
    [
      ["meter", "grid", "counter"],
      ["plug", "load", "counter"],
    ],
  );
  t.equal(Math.round((first.sums.untracked / first.sums.used) * 100), 90, "a tenth is the plug's");
  const body = {
    tariff: { currency: "INR", prices: [price] },
    roles: [{ deviceId: "plug", role: "load", behind: null, reversed: false }],
  };
  const put = await call("PUT", "/api/energy/settings", body);
  t.match(put, { status: 200, body: { settings: { tariff: body.tariff } } });
  t.same(
    put.body.settings.roles.map(({ deviceId, chosen }: { deviceId: string; chosen: boolean }) => [deviceId, chosen]),
    [
      ["meter", false],
      ["plug", true],
    ],
  );
  const second = (await call("GET", "/api/energy?period=week")).body.energy;
  t.equal(second.currency, "INR");
  t.ok(Math.abs(second.sums.cost - second.sums.fromGrid * 8) < 0.01);
  t.hasStrict((await call("GET", "/api/energy?deviceId=plug&period=month")).body.energy.devices, [
    { deviceId: "plug" },
  ]);
  t.hasStrict((await call("GET", "/api/energy/settings")).body.settings.tariff, body.tariff);
  t.hasStrict((await call("GET", "/api/audit")).body.audit[0], { action: "energy.changed" });
});

t.test("odd values are refused, and nothing of them stays", async (t) => {
  for (const query of [
    "period=decade",
    "date=2026-02-31",
    "date=yesterday",
    "date=2026-03-01T00:00:00Z",
    "deviceId=",
  ]) {
    t.equal((await call("GET", `/api/energy?${query}`)).body.error.code, "invalid_query", query);
  }
  t.equal((await call("GET", "/api/energy?deviceId=nobody")).body.error.code, "device_not_found");
  t.equal((await call("GET", "/api/energy?period=year&date=1000-01-01")).status, 200, "the distant past is empty");
  const role = { deviceId: "plug", role: "load", behind: null, reversed: false };
  const period = { days: [1], from: "18:00", to: "22:00", perKwh: 9 };
  const kept = (await call("GET", "/api/energy/settings")).body;
  for (const [code, body] of [
    ["invalid_body", { tariff: null, roles: [role, role] }],
    ["invalid_body", { tariff: null, roles: [{ ...role, behind: "plug" }] }],
    ["unknown_device", { tariff: null, roles: [{ ...role, deviceId: "nobody" }] }],
    ["unknown_device", { tariff: null, roles: [{ ...role, behind: "nobody" }] }],
    ["invalid_body", { tariff: null, roles: [{ ...role, role: "king" }] }],
    ["invalid_body", { tariff: { currency: "INR", prices: [] }, roles: [] }],
    ["invalid_body", { tariff: { currency: "rupees", prices: [price] }, roles: [] }],
    ["invalid_body", { tariff: { currency: "INR", prices: [{ ...price, perKwh: -1 }] }, roles: [] }],
    [
      "invalid_body",
      { tariff: { currency: "INR", prices: [{ ...price, periods: [{ ...period, from: "18:10" }] }] }, roles: [] },
    ],
    [
      "invalid_body",
      { tariff: { currency: "INR", prices: [{ ...price, periods: [{ ...period, days: [0] }] }] }, roles: [] },
    ],
    ["invalid_body", { tariff: { currency: "INR", prices: [{ ...price, validFrom: "2026-02-30" }] }, roles: [] }],
  ] as const) {
    t.equal((await call("PUT", "/api/energy/settings", body)).body.error?.code, code, JSON.stringify(body));
  }
  t.same((await call("GET", "/api/energy/settings")).body, kept);
});

t.test("a removed device takes its part with it", async (t) => {
  await hub.devices.registry.create(siteId, { id: "lamp", name: "lamp", type: "light" });
  const roles = [
    { deviceId: "lamp", role: "load", behind: "plug", reversed: false },
    { deviceId: "plug", role: "load", behind: null, reversed: false },
  ];
  t.equal((await call("PUT", "/api/energy/settings", { tariff: null, roles })).status, 200);
  t.equal((await call("DELETE", "/api/devices/plug")).status, 200);
  const left = (await call("GET", "/api/energy/settings")).body.settings;
  t.match(
    left.roles.find(({ deviceId }: { deviceId: string }) => deviceId === "lamp"),
    { behind: null, role: /^load$/ },
  );
  t.notOk(left.roles.some(({ deviceId }: { deviceId: string }) => deviceId === "plug"));
});
