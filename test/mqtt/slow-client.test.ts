import t from "tap";
import { message, startBroker, until } from "./harness.ts";

const BIG = JSON.stringify({ kind: "x", body: "y".repeat(1_900) });

t.test(
  "a client that has stopped reading delays no other, and is disconnected when too much is waiting for it",
  async (t) => {
    const hub = await startBroker(t, { limits: { frozenClientBytes: 200_000, slowClientBytes: 50_000 } });
    t.same(hub.broker.figures()?.slow, { dropped: 0, disconnected: 0 });
    const frozen = await hub.raw();
    frozen.connect("plug-1", { clientId: "plug-1:frozen" });
    await frozen.packet();
    frozen.subscribe("gatehouse/plug-1/#", 1);
    await frozen.packet();
    frozen.socket.pause();

    const other = await hub.connect({ device: "plug-2" });
    await other.subscribeAsync("gatehouse/plug-2/command", { qos: 1 });
    const plug = await hub.connect();
    // The kernel first buffers some megabytes for the frozen client; every publish is answered all the while.
    for (let n = 0; n < 20_000 && hub.broker.figures()?.slow.disconnected === 0; n++) {
      await Promise.all(
        Array.from({ length: 100 }, () => plug.publishAsync("gatehouse/plug-1/event", BIG, { qos: 1 })),
      );
      if (n % 10 === 0) {
        const received = message(other);
        t.equal(await hub.broker.publishCommand("plug-2", `{"n":${n}}`, 60_000), "sent");
        t.equal((await received).payload, `{"n":${n}}`);
      }
    }
    t.equal(hub.broker.figures()?.slow.disconnected, 1);
    await plug.publishAsync("gatehouse/plug-1/event", BIG, { qos: 1 });
    frozen.socket.destroy();
  },
);

t.test("a hundred commands for a frozen device do not delay those of another", async (t) => {
  const hub = await startBroker(t);
  const frozen = await hub.raw();
  frozen.connect("plug-1");
  await frozen.packet();
  frozen.subscribe("gatehouse/plug-1/command", 1);
  await frozen.packet();
  frozen.socket.pause();
  const other = await hub.connect({ device: "plug-2" });
  await other.subscribeAsync("gatehouse/plug-2/command", { qos: 1 });
  const payload = JSON.stringify({ x: "y".repeat(16_000) });
  for (let n = 0; n < 600; n++) void hub.broker.publishCommand("plug-1", payload, 60_000);
  const received = message(other);
  t.equal(await hub.broker.publishCommand("plug-2", "{}", 60_000), "sent");
  t.equal((await received).payload, "{}");
  frozen.socket.destroy();
});

t.test("a persistent session keeps what its frozen connection did not receive", async (t) => {
  const hub = await startBroker(t, { limits: { frozenClientBytes: 100_000 } });
  const frozen = await hub.raw();
  frozen.connect("plug-1", { clean: false });
  await frozen.packet();
  frozen.subscribe("gatehouse/plug-1/command", 1);
  await frozen.packet();
  frozen.socket.pause();
  const payload = JSON.stringify({ x: "y".repeat(15_000) });
  let sent = 0;
  while (hub.broker.figures()?.slow.disconnected === 0) {
    sent += 1;
    await hub.broker.publishCommand("plug-1", payload, 60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => hub.broker.figures()?.devices === 0);
  t.ok(sent > 5);
  t.ok((hub.broker.figures()?.stored.queued.messages ?? 0) > 5, "within the limits of its queue");
  frozen.socket.destroy();
});
