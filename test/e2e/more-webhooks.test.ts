/**
 * The webhook events beyond the contract's four, from a real device to a real receiver; and that nobody gets them
 * unasked.
 */
import { Stripe } from "stripe";
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";
import { Receiver } from "../webhooks/setup.ts";

t.setTimeout(60_000);

t.test(
  "a bell, a rule's message and a lost command reach their registered receivers, signed like the others",
  async (t) => {
    const house = await HouseholdProcess.start(t, { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true", COMMAND_TTL: "1" });
    const [four, more] = [new Receiver(), new Receiver()];
    for (const receiver of [four, more]) {
      await receiver.start();
      t.teardown(() => receiver.stop());
    }
    const contract = ["device.state", "device.telemetry", "device.online", "device.offline"];
    const extra = ["device.event", "plate.read", "gate.followed", "command.failed", "automation.notify"];
    const register = (url: string, events: readonly string[]) =>
      house.owner.call<{ secret: string; webhook: { events: string[] } }>("POST", "/api/webhooks", { url, events });
    t.equal((await register(four.url, contract)).status, 201);
    const { status, body } = await register(more.url, [...extra].reverse());
    t.equal(status, 201);
    t.same(body.webhook.events, extra, "in the order of GET /v1");
    t.hasStrict(await register(more.url, ["plate.reads"]), { status: 400, body: { error: { code: "invalid_body" } } });
    t.match(await (await fetch(`${house.hub.url}/v1`)).json(), {
      webhookEvents: contract,
      additionalWebhookEvents: extra,
    });

    const bell = await house.connect(t, "bell", await house.device("bell", "smart-plug"));
    const rule = {
      name: "Bell",
      trigger: { type: "state", deviceId: "bell", field: "on", op: "truthy" },
      action: { type: "notify", title: "Door", body: "Ring" },
    };
    t.equal((await house.owner.call("POST", "/v1/automations", rule)).status, 201);
    await bell.publishAsync("gatehouse/bell/state", '{"on":false}', { qos: 1 });
    await bell.publishAsync("gatehouse/bell/state", '{"on":true}', { qos: 1 });
    await bell.publishAsync("gatehouse/bell/event", '{"kind":"ring","title":"Front door"}', { qos: 1 });
    const sent = await house.owner.call<{ commandId: number }>("POST", "/v1/devices/bell/commands", { chime: 1 });
    const of = (event: string) =>
      eventually(() => more.received.find(({ body }) => JSON.parse(body).event === event), 15_000);
    const stripe = new Stripe("sk_test_unused");
    const bodies: Record<string, object> = {};
    for (const event of ["device.event", "automation.notify", "command.failed"]) {
      const delivery = await of(event);
      stripe.webhooks.constructEvent(delivery.body, String(delivery.headers["x-service-signature"]), body.secret);
      bodies[event] = JSON.parse(delivery.body);
    }
    t.match(bodies, {
      "device.event": { deviceId: /^bell$/, data: { kind: /^ring$/, title: "Front door", body: "" } },
      "automation.notify": { deviceId: null, data: { title: "Door", body: "Ring" } },
      "command.failed": {
        deviceId: /^bell$/,
        data: { commandId: sent.body.commandId, status: /^expired$/, reason: /^device_away$/ },
      },
    });
    t.notOk(
      four.bodies.some(({ event }) => extra.includes(event)),
      "a receiver of the contract's events gets no others",
    );
    t.notOk(more.bodies.some(({ event }) => contract.includes(event)));
  },
);
