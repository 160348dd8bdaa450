import t from "tap";
import { webhooksCheck } from "../../src/features/webhooks/health.ts";
import { pass, pausedHouse } from "./setup.ts";

const MINUTE = 60_000;

t.test("deliveries that have failed for ten minutes are reported, with their number and since when", async (t) => {
  const { clock, database, siteId, receiver, hooks } = await pausedHouse(t);
  const { check } = webhooksCheck(hooks.deliveries, clock);
  const create = (label: string) =>
    hooks.registry.create(siteId, { url: receiver.url, events: ["device.state"], label });
  const { webhook } = await create("Home");
  t.same(hooks.deliveries.pending(), []);
  receiver.respond = (response) => response.socket?.destroy();
  const since = clock.now();
  await hooks.report(siteId, 1);
  await hooks.report(siteId, 2);
  await pass({ clock, database, receiver }, 3);
  t.same(hooks.deliveries.pending(), [{ webhookId: webhook.id, name: "Home", count: 2, since }]);
  t.match(check(), { level: "ok", words: { code: /^webhooks\.ok$/ } }, "a receiver may be away for a moment");
  await hooks.registry.disable(siteId, webhook.id);
  clock.advance(since + 10 * MINUTE - 1 - clock.now());
  t.equal(check().level, "ok");
  clock.advance(1);
  const at = new Date(since).toISOString();
  t.same(check(), { level: "degraded", words: { code: "webhooks.pending", name: "Home", n: 2, at, more: 0 } });
  const other = await create("");
  await hooks.registry.disable(siteId, other.webhook.id);
  await hooks.report(siteId, 3);
  t.equal(hooks.deliveries.pending().at(-1)?.name, `127.0.0.1:${receiver.port}`);
  clock.advance(10 * MINUTE);
  t.hasStrict(check().words, { name: "Home", n: 3, more: 1 });
});
