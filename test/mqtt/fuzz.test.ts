import t from "tap";
import { fuzzBroker } from "./fuzz.ts";
import { startBroker, until } from "./harness.ts";

t.test("a thousand valid, mutated and random packets crash nothing and leave nothing behind", async (t) => {
  const hub = await startBroker(t, { limits: { connectTimeoutMs: 2_000 } });
  const report = await fuzzBroker(hub.port, 1_000, 20_260_301);
  t.ok(report.packets >= 1_000);
  t.ok(report.heapGrowth < 16 << 20, `${report.heapGrowth} bytes of heap`);
  await until(() => hub.broker.figures()?.connections.open === 0);
  const plug = await hub.connect();
  await plug.publishAsync("gatehouse/plug-1/state", '{"still":"here"}', { qos: 1 });
  t.ok(hub.calls.some(([name, , patch]) => name === "state" && JSON.stringify(patch) === '{"still":"here"}'));
  t.match(hub.broker.figures(), { messages: { unfinished: 0 }, stored: { failing: false } });
});
