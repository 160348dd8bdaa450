/** What the description says of deliveries is what devices and telemetry put into the outbox. */
import t from "tap";
import { AUTOMATION_DEFINITIONS } from "../../src/contract/resources/automation.js";
import { WEBHOOK_EVENTS, WEBHOOKS } from "../../src/contract/resources/webhook-delivery.js";
import { DAMPING_MS } from "../../src/devices/presence.js";
import { SchemaChecks } from "../../src/http/middleware/validate.js";
import { deliveryBody, type WebhookReport } from "../../src/webhooks/events.js";
import { openDatabase, seedAccount } from "../support/database.js";
import { DeviceHalf } from "../support/device-half.js";
import { qos1, startTelemetry } from "../telemetry/setup.js";

t.test("every delivery that is made has the members that are described, and no others", async (t) => {
  const database = await openDatabase(t.testdir());
  const { siteId } = seedAccount(database);
  const half = await new DeviceHalf(database).start();
  for (const id of ["d", "gone"]) await half.registry.create(siteId, { id, name: id, type: "light" });
  await half.state.apply("d", { power: true }, { source: "device", at: half.clock.now() });
  await half.state.apply("d", { power: false, level: 3 }, { source: "api", at: half.clock.now() });
  half.presence.connected("d");
  half.presence.connected("gone");
  await half.pass(DAMPING_MS);
  half.presence.disconnected("d", "disconnect");
  await half.pass(DAMPING_MS);
  await half.registry.remove(siteId, "gone");
  await half.pass(DAMPING_MS);
  const bench = await startTelemetry(database, { webhooks: true, clock: half.clock });
  await bench.telemetry.ingest("d", [{ at: null, data: { watts: 5 } }], qos1(1, half.clock.now()));

  const reports: WebhookReport[] = [...half.deliveries, ...bench.reports];
  t.same([...new Set(reports.map(({ event }) => event))].sort(), [...WEBHOOK_EVENTS].sort(), "one of each at least");
  const checks = new SchemaChecks(AUTOMATION_DEFINITIONS);
  for (const { siteId: _, ...report } of reports) {
    const schema = WEBHOOKS.find(({ event }) => event === report.event)?.schema ?? {};
    const { properties } = schema as { properties: Record<string, { properties: object }> }; // TypeBox objects are plain JSON Schema
    for (const test of [false, true]) {
      const body = JSON.parse(deliveryBody("dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0", report, test));
      t.equal(checks.body(schema)(body), null, `${report.event}: ${JSON.stringify(body)}`);
      for (const member of Object.keys(body.data)) t.ok(member in (properties.data?.properties ?? {}), `${report.event}: data.${member} is described`);
    }
  }
  await bench.telemetry.stop();
  await half.stop();
  await database.stop();
});
