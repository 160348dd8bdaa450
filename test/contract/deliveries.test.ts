/** The description of deliveries matches what devices and telemetry put into the outbox. */
import t from "tap";
import { WEBHOOKS } from "../../src/core/api/resources/webhook-delivery.ts";
import { WEBHOOK_EVENTS } from "../../src/core/api/webhook-events.ts";
import { SchemaChecks } from "../../src/core/http/middleware/validate.ts";
import { AUTOMATION_DEFINITIONS } from "../../src/features/automations/resources/automation.ts";
import { deliveryBody, type WebhookReport } from "../../src/features/webhooks/events.ts";
import { Premises } from "../gate/premises.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos1, startTelemetry } from "../telemetry/setup.ts";

/** Default of `devices.offlineAfterSeconds`. */
const DAMPING_MS = 5_000;

/** A vehicle comes through a gate that somebody has opened for another one. */
async function isFollowed(p: Premises): Promise<void> {
  await p.following.start();
  await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: { open: true } } });
  await p.choices.set(p.siteId, { ...p.choices.of(p.siteId), followed: [{ gateId: "gate", loop: null }] }, "session:1");
  const [opened, command] = [{ siteId: p.siteId, deviceId: "gate" }, JSON.stringify({ open: true })];
  p.openings.sent({ ...opened, command, commandId: 1, actor: "session:1", delivery: "sent" });
  for (const plate of ["KA01AB2222", "DL8CAF5031"]) {
    p.clock.advance(1_000);
    await p.capture({ plates: [plate] });
  }
  await p.database.write(() => {});
}

t.test("every delivery has exactly the members described", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const parts = await new DeviceParts(database).start();
  for (const id of ["d", "gone"]) await parts.registry.create(siteId, { id, name: id, type: "light" });
  await parts.state.apply("d", { power: true }, { source: "device", at: parts.clock.now() });
  await parts.state.apply("d", { power: false, level: 3 }, { source: "api", at: parts.clock.now() });
  parts.presence.connected("d");
  parts.presence.connected("gone");
  await parts.pass(DAMPING_MS);
  parts.presence.disconnected("d", "disconnect");
  await parts.pass(DAMPING_MS);
  await parts.registry.remove(siteId, "gone");
  await parts.pass(DAMPING_MS);
  await parts.events.record("d", { kind: "bell", title: "Bell" }, parts.clock.now());
  parts.deliver = async () => "queued";
  await parts.commands.send({ siteId, deviceId: "d", command: "{}", actor: "cli", source: "api" });
  await parts.settled();
  parts.clock.advance(60_001);
  await parts.commands.expireDue(parts.clock.now());
  const bench = await startTelemetry(database, { reported: true, clock: parts.clock });
  await bench.telemetry.ingest("d", [{ at: null, data: { watts: 5 } }], qos1(1, parts.clock.now()));

  const premises = await Premises.open(testFolder(t, { gate: {} }));
  await premises.capture({ plates: ["MH12AB1234"] });
  await premises.capture({ reason: "no_plate" });
  t.equal(premises.reports.length, 2);
  await isFollowed(premises);
  const message: WebhookReport = {
    siteId,
    event: "automation.notify",
    deviceId: null,
    data: { title: "Water", body: "" },
    at: 1,
  }; // made in features/automations/feature.ts; test/e2e/more-webhooks.test.ts gets one
  const reports: WebhookReport[] = [...parts.deliveries, ...bench.reports, ...premises.reports, message];
  t.same([...new Set(reports.map(({ event }) => event))].sort(), [...WEBHOOK_EVENTS].sort(), "at least one of each");
  const checks = new SchemaChecks(AUTOMATION_DEFINITIONS);
  for (const { siteId: _, ...report } of reports) {
    const schema = WEBHOOKS.find(({ event }) => event === report.event)?.schema ?? {};
    // TypeBox objects are plain JSON Schema
    const { properties } = schema as { properties: Record<string, { properties: object }> };
    for (const test of [false, true]) {
      const body = JSON.parse(deliveryBody("dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0", report, test));
      t.equal(checks.body(schema)(body), null, `${report.event}: ${JSON.stringify(body)}`);
      for (const member of Object.keys(body.data))
        t.ok(member in (properties.data?.properties ?? {}), `${report.event}: data.${member} is described`);
    }
  }
  await premises.close();
  await bench.telemetry.stop();
  await parts.stop();
  await database.stop();
});
