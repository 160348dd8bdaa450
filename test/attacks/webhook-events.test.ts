/** A receiver that waits for what it may not have any more: an owner who is gone had added an event to its webhook. */
import t from "tap";
import { pass, pausedHouse } from "../webhooks/setup.ts";

t.setTimeout(180_000);

t.test("what was kept of an event that was taken out of a webhook is not sent", async (t) => {
  const house = await pausedHouse(t);
  const { siteId, receiver, hooks } = house;
  receiver.respond = (response) => response.writeHead(500).end();
  const events = ["device.state", "device.event"];
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, events });
  await hooks.report(siteId, 1, "device.event", "bell");
  await hooks.report(siteId, 2);
  await hooks.report(siteId, 3, "device.event", "door");
  await pass(house, 1);
  await house.database.write(() => hooks.registry.narrow(webhook.id, "device.event"));
  receiver.received.length = 0;
  receiver.respond = (response) => response.writeHead(204).end();
  const sent = (): string[] => receiver.bodies.map(({ event }) => event);
  await hooks.report(siteId, 4);
  await pass(house, 2);
  await hooks.deliverer.save();
  t.same(sent(), ["device.state", "device.state"]);
  const log = () => hooks.deliveries.list(siteId, webhook.id, { limit: 10 }).items;
  t.same(
    log().map(({ deviceId, status }) => `${deviceId} ${status}`),
    ["plug delivered", "door dropped", "plug delivered", "bell dropped"],
    "the log says so",
  );
  const bell = log().find(({ deviceId }) => deviceId === "bell");
  await hooks.deliveries.redeliver(siteId, webhook.id, bell?.id ?? "");
  await hooks.deliveries.redeliverFailed(siteId, webhook.id, 0);
  await hooks.report(siteId, 5);
  await pass(house, 3);
  t.same(sent(), ["device.state", "device.state", "device.state"], "nor by sending it again");
});
