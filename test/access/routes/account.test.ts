import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ALL_SCOPES } from "../../../src/core/api/scopes.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { PROJECT_ROOT } from "../../support/database.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;

t.test("the index needs no credential and gives absolute addresses under the requested host", async (t) => {
  const { status, body } = await api.get("/v1", { headers: { Host: "gatehouse.local:8080" } });
  t.equal(status, 200);
  t.match(body, {
    version: "1.0.0",
    documentation: "http://gatehouse.local:8080/v1/docs",
    openapi: "http://gatehouse.local:8080/v1/openapi.json",
  });
  // Earlier versions mixed the additions into the contract's table; clients that decode closed tables failed on them.
  const contract = readFileSync(join(PROJECT_ROOT, "docs/spec/device-control-api.md"), "utf8");
  const table = contract.slice(contract.indexOf("\nScopes:\n"), contract.indexOf("\n## 6."));
  const scopes = [...table.matchAll(/^\| ([a-z]+:[a-z]+) \|/gm)].map(([, scope]) => scope);
  const names = (list: { scope: string }[]) => list.map(({ scope }) => scope);
  t.equal(scopes.length, 12);
  t.same(names(body.scopes), scopes, "the contract's table");
  t.same(names(body.additionalScopes), ["telemetry:export", "gate:confirm", "estate:read"]);
  t.same([...names(body.scopes), ...names(body.additionalScopes)], ALL_SCOPES);
  t.same(body.webhookEvents, ["device.state", "device.telemetry", "device.online", "device.offline"]);
  t.same(body.additionalWebhookEvents, [
    ...["device.event", "plate.read", "gate.followed", "command.failed", "automation.notify"],
  ]);
});

t.test("/me names the account, key and scopes of the credential", async (t) => {
  await hub.device("plug");
  await hub.device("foreign", { siteId: hub.other.siteId });
  const key = await hub.key({ scopes: ["devices:read", "rooms:read"] });
  const { body } = await api.get("/v1/me", { key });
  t.hasStrict(body, {
    account: { id: hub.home.accountId, email: "owner@example.org", name: "Owner" },
    deviceCount: 1,
    auth: { method: "api_key", keyName: "test", env: "live", scopes: ["devices:read", "rooms:read"] },
  });
});

t.test("/me under a test key counts the simulated household", async (t) => {
  const { body } = await api.get("/v1/me", { key: await hub.key({ env: "test" }) });
  t.match(body, { deviceCount: 0, auth: { env: "test" } });
});

t.test("/me requires its scope, and the response names it", async (t) => {
  const { status, body } = await api.get("/v1/me", { key: await hub.key({ scopes: ["rooms:read"] }) });
  t.hasStrict(
    { status, ...body.error },
    { status: 403, code: "insufficient_scope", requiredScope: "devices:read", keyScopes: ["rooms:read"] },
  );
});

t.test("a console session holds all scopes under the name console", async (t) => {
  const { body } = await api.get("/v1/me", { headers: { Cookie: await hub.cookie() } });
  t.hasStrict(body.auth, { method: "session", keyName: "console", env: "live", scopes: ALL_SCOPES });
});
