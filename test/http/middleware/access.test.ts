import t from "tap";
import { ALL_SCOPES, type Scope } from "../../../src/core/api/scopes.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();

/** docs/spec/device-control-api.md §4: every operation with the scope that it needs. */
const OPERATIONS: [string, string, Scope][] = [
  ["GET", "/v1/me", "devices:read"],
  ["GET", "/v1/devices", "devices:read"],
  ["GET", "/v1/devices/x", "devices:read"],
  ["PATCH", "/v1/devices/x", "devices:write"],
  ["POST", "/v1/devices/x/commands", "devices:control"],
  ["GET", "/v1/devices/x/telemetry", "telemetry:read"],
  ["GET", "/v1/devices/x/telemetry.csv", "telemetry:read"],
  ["GET", "/v1/devices/x/energy", "telemetry:read"],
  ["GET", "/v1/rooms", "rooms:read"],
  ["GET", "/v1/scenes", "scenes:read"],
  ["POST", "/v1/scenes/1/activate", "scenes:run"],
  ["GET", "/v1/automations", "automations:read"],
  ["POST", "/v1/automations", "automations:write"],
  ["PATCH", "/v1/automations/1", "automations:write"],
  ["DELETE", "/v1/automations/1", "automations:write"],
  ["GET", "/v1/events", "events:read"],
  ["GET", "/v1/plates", "plates:read"],
  ["GET", "/v1/plates/1/image", "plates:read"],
  ["GET", "/v1/vehicles", "plates:read"],
  ["GET", "/v1/vehicles/MH12AB1234", "plates:read"],
  ["GET", "/v1/occupancy", "plates:read"],
  ["GET", "/v1/plate-rules", "plates:read"],
  ["POST", "/v1/plate-rules", "plates:write"],
  ["DELETE", "/v1/plate-rules/1", "plates:write"],
  ["GET", "/v1/telemetry/metrics", "telemetry:export"],
  ["GET", "/v1/estate/plates", "estate:read"],
  ["GET", "/v1/estate/occupancy", "estate:read"],
  ["GET", "/v1/estate/vehicles/MH12AB1234", "estate:read"],
];

t.test("every operation but the index needs a credential with exactly its own scope", async (t) => {
  for (const [method, path, scope] of OPERATIONS) {
    const name = `${method} ${path}`;
    t.hasStrict((await api.call(method, path)).body.error, { code: "missing_credential" }, name);
    const others = ALL_SCOPES.filter((one) => one !== scope);
    const { status, body } = await api.call(method, path, { key: await hub.key({ scopes: others }) });
    t.match(
      { status, code: body.error.code, required: body.error.requiredScope, held: body.error.keyScopes },
      { status: 403, code: /^insufficient_scope$/, required: scope, held: others },
      name,
    );
    const { status: own } = await api.call(method, path, { key: await hub.key({ scopes: [scope] }) });
    t.notOk([401, 403].includes(own), `${name} with its scope: ${own}`);
    await revokeAll();
  }
});

t.test("401 names the way to authenticate", async (t) => {
  const { status, headers } = await api.get("/v1/me");
  t.equal(status, 401);
  t.match(headers["www-authenticate"], /^Bearer/);
});

t.test("the key goes into Authorization or X-API-Key; two different ones are refused", async (t) => {
  const mine = await hub.key();
  const second = await hub.key();
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await api.get("/v1/me", { headers })).status;
  t.equal(await status({ Authorization: `Bearer ${mine}` }), 200);
  t.equal(await status({ Authorization: `bearer ${mine}` }), 200);
  t.equal(await status({ "X-API-Key": mine }), 200);
  t.equal(await status({ Authorization: `Bearer ${mine}`, "X-API-Key": mine }), 200);
  t.equal(await status({ Authorization: `Bearer ${mine}`, "X-API-Key": second }), 401);
  t.equal(await status({ Authorization: `Basic ${Buffer.from(`a:${mine}`).toString("base64")}` }), 401);
  t.equal(await status({ Authorization: `Bearer ${mine}x` }), 401);
  t.equal((await api.get(`/v1/me?key=${mine}`)).status, 401, "never in the address");
});

t.test("revoked and expired keys are reported differently", async (t) => {
  t.hasStrict((await api.get("/v1/me", { key })).body.error, { code: "revoked_credential" });
  const short = await hub.key({ expiresAt: hub.clock.now() + 1_000 });
  hub.clock.advance(2_000);
  t.hasStrict((await api.get("/v1/me", { key: short })).body.error, { code: "expired_credential" });
});

async function revokeAll(): Promise<void> {
  const { accountId } = hub.home;
  for (const { id, revokedAt } of hub.access.keys.list(accountId))
    if (revokedAt === null) await hub.access.keys.revoke(accountId, id, { accountId, actor: "cli" });
}
