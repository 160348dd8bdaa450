// @ts-check
/**
 * node scripts/console-memory.mjs [MINUTES]
 *
 * Leaves Home open in a browser for 30 minutes (or MINUTES) while ten devices send 50 state changes a second together,
 * and prints the page's heap after garbage collection. Exits 1 when the last third is more than 10 % above the one
 * before.
 */
import mqtt from "mqtt";
import { startStage } from "./lib/console-stage.mjs";
import { prepare } from "./lib/prepare.mjs";

const MINUTES = Number(process.argv[2] ?? 30);
const DEVICES = 10;
const PER_SECOND = 50;
const SAMPLE_MS = 30_000;
await prepare();
const stage = await startStage();
/** @type {import("mqtt").MqttClient[]} */
const clients = [];
let sent = 0;
try {
  for (let i = 0; i < DEVICES; i++) {
    const id = `plug-${i}`;
    const { password } = await stage.call("POST", "/api/devices", {
      id,
      name: `Plug ${i}`,
      type: "smart-plug",
      room: `Room ${i % 3}`,
    });
    clients.push(
      await mqtt.connectAsync(`mqtt://127.0.0.1:${stage.mqttPort}`, { clientId: id, username: id, password }),
    );
  }
  const page = await stage.newPage();
  await page.goto(stage.url);
  await page.locator(".tile").first().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  const began = performance.now();
  // By the clock, not by the timer: a busy machine fires timers late.
  const publishing = setInterval(() => {
    for (const due = Math.floor(((performance.now() - began) / 1_000) * PER_SECOND); sent < due; sent++) {
      const id = `plug-${sent % DEVICES}`;
      clients[sent % DEVICES]?.publish(
        `gatehouse/${id}/state`,
        JSON.stringify({ power: sent % 20 < 10, watts: sent % 2_000 }),
        { qos: 0 },
      );
    }
  }, 100);
  /** @type {number[]} */
  const heaps = [];
  const end = Date.now() + MINUTES * 60_000;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(SAMPLE_MS, Math.max(1, end - Date.now()))));
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    const { nodes } = await session.send("Memory.getDOMCounters");
    heaps.push(usedSize);
    console.log(
      `${((heaps.length * SAMPLE_MS) / 60_000).toFixed(1)} min: ${(usedSize / 1e6).toFixed(2)} MB, ${nodes} nodes, ${sent} updates`,
    );
  }
  clearInterval(publishing);
  const third = Math.floor(heaps.length / 3);
  const mean = (/** @type {number[]} */ part) => part.reduce((sum, value) => sum + value, 0) / Math.max(1, part.length);
  const [before, after] = [mean(heaps.slice(third, 2 * third)), mean(heaps.slice(2 * third))];
  const growth = (100 * (after - before)) / before;
  console.log(
    `heap ${(before / 1e6).toFixed(2)} MB → ${(after / 1e6).toFixed(2)} MB (${growth.toFixed(1)} %) after ${sent} updates in ${MINUTES} min`,
  );
  process.exitCode = growth > 10 ? 1 : 0;
} finally {
  for (const client of clients) await client.endAsync();
  await stage.stop();
}
