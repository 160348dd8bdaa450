/** Receivers that were away, on the real clock: with a simulated one no timer fires early unless it is made to. */
import t from "tap";
import { livingHouse, Receiver } from "./setup.ts";

const STATE = { events: ["device.state"] };
const AWAY_MS = 3_000;
/** Attempts after 1, 2 and 4 s ± 20 % have failed or arrived by then, plus five seconds for a busy machine. */
const BACK_WITHIN_MS = 1.2 * 4_000 + 5_000;

t.test("receivers that were away get the pending deliveries as soon as the next attempt is due", async (t) => {
  const { siteId, hooks } = await livingHouse(t, { random: Math.random });
  const receivers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const receiver = new Receiver(`127.0.77.${n + 1}`);
      await receiver.start();
      const { port, url } = receiver;
      await receiver.stop();
      await hooks.registry.create(siteId, { url, ...STATE });
      t.teardown(() => receiver.stop());
      return { receiver, port };
    }),
  );
  await hooks.report(siteId, 1);
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
  for (const { receiver, port } of receivers) await receiver.start(port);
  const deadline = performance.now() + BACK_WITHIN_MS;
  const without = () => receivers.filter(({ receiver }) => receiver.received.length === 0).length;
  while (without() > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(without(), 0, "receivers that got nothing");
});
