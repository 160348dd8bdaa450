// @ts-check
// Sends many valid, mutated and random MQTT packets to a broker and watches for crashes and growth of memory.
//   node scripts/fuzz-mqtt.mjs [--packets 10000] [--seed 1]
// Exits 1 when something is wrong; the seed repeats a run exactly.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    packets: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
await prepare({ tests: true });
const { fuzzBroker } = await import("../test/mqtt/fuzz.ts");
const { startBroker } = await import("../test/mqtt/harness.ts");

const folder = mkdtempSync(join(tmpdir(), "gatehouse-fuzz-"));
/** @type {(() => Promise<void> | void)[]} */
const teardowns = [];
const hub = await startBroker(
  { testdir: () => folder, teardown: (/** @type {() => void} */ task) => teardowns.push(task) },
  { limits: { connectTimeoutMs: 2_000 } },
);
// the harness records every call for the tests: that growth is not the broker's
const forget = setInterval(() => hub.calls.splice(0), 100);
const report = await fuzzBroker(hub.port, Number(values.packets), Number(values.seed));
clearInterval(forget);
console.log(JSON.stringify(report));
const plug = await welcome(20_000);
await plug.publishAsync("gatehouse/plug-1/state", "{}", { qos: 1 });
const figures = hub.broker.figures();
if (figures === null) throw new Error("the broker has stopped");
const { messages, stored, refused } = figures;
console.log(JSON.stringify({ seed: Number(values.seed), ...report, taken: messages.taken, refused, stored }, null, 2));
for (const task of teardowns) await task();
rmSync(folder, { recursive: true });
const healthy = report.heapGrowth < 32 << 20 && messages.unfinished === 0 && !stored.failing;
if (!healthy) console.error("the broker is unhealthy after the run");
process.exitCode = healthy ? 0 : 1;

/**
 * A device that is served again: connections that the fuzzer left open end by themselves, and take up room until then.
 * @param {number} limitMs
 */
async function welcome(limitMs) {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      return await hub.connect();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
