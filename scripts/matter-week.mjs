#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/matter-week.mjs [--days N] [--devices N]
 *
 * Days of reports of Matter devices (a third plugs with meters that never rest, a third climate sensors, a third lamps
 * and contacts) through the hub's own parts on a real database, with a simulated clock: measurements come
 * every thirty seconds, as the Matter process lets them through. Prints the bytes written per device and day
 * (`wchar` of the process: log, database, threads), and exits 1 above 5 MB. One device alone is the most expensive,
 * because no other shares its pages.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "1" },
    devices: { type: "string", default: "9" },
  },
});
await prepare({ tests: true });
const { openDatabase, seedAccount } = await import("../test/support/database.ts");
const { DeviceParts } = await import("../test/support/device-parts.ts");
const { silentLogger } = await import("../src/core/kernel/logger.ts");
const { Telemetry } = await import("../src/features/telemetry/telemetry.ts");
const { MatterDevices } = await import("../src/features/matter/controller/devices.ts");
const { MatterMemory } = await import("../src/features/matter/controller/memory.ts");
const { bridgeDevices } = await import("../src/features/bridge/bridged-devices.ts");

const STEP_MS = 30_000;
const MOST_BYTES = 5_000_000;
const [days, count] = [Number(values.days), Number(values.devices)];
const folder = mkdtempSync(join(tmpdir(), "gatehouse-matter-week-"));
const database = await openDatabase(folder);
const { siteId } = seedAccount(database);
const parts = new DeviceParts(database);
const { clock, quietWrites, bus, registry, state, presence } = parts;
await registry.start();
await state.start();
await presence.start();
const telemetry = new Telemetry({
  database,
  bus,
  clock,
  quietWrites,
  logger: silentLogger,
  settings: { rawDays: 35, hourlyDays: 1095, maxBytes: 1_000_000_000, reportGapMs: 1_000 },
  siteOf: () => siteId,
  clockTrusted: () => true,
  webhooks: { wanted: () => false, enqueue: () => {} },
});
await telemetry.start();
const known = bridgeDevices(
  { clock },
  { devices: parts, telemetry: { telemetry }, siteId: () => siteId },
  { take: async () => {} },
  true,
);
const matter = new MatterDevices({
  devices: known,
  memory: new MatterMemory({ database, logger: silentLogger }),
  process: { call: async () => Promise.reject(new Error("nothing is asked of a device here")) },
  commandResults: { onDelivered: () => {}, onTimeout: () => {} },
  maxDevices: () => 1_000,
  clock,
  quietWrites,
  logger: silentLogger,
});
await matter.start();
/** @param {number} index */
const kindOf = (index) => {
  const kind = FIRST[index % FIRST.length];
  if (kind === undefined) throw new Error("unreachable");
  return kind;
};
/** @param {number} index */
const nameOf = (index) => index.toString(16).padStart(16, "0");
const root = { number: 0, deviceTypes: [0x16], parts: [1], values: { vendorName: "Acme", productName: "Device" } };
/** @typedef {Parameters<typeof matter.report>[0]["values"]} Reported */
/** @type {readonly Omit<Parameters<typeof matter.node>[0]["endpoints"][number], "number" | "parts">[]} */
const FIRST = [
  { deviceTypes: [0x010a], values: { onOff: true, watts: 40_000, voltage: 230_000, current: 170, imported: 0 } },
  { deviceTypes: [0x0302], values: { temperature: 2_000, humidity: 5_000 } },
  { deviceTypes: [0x0101], values: { onOff: false, level: 254 } },
];
for (let index = 0; index < count; index++)
  await matter.node({ node: nameOf(index), endpoints: [root, { number: 1, parts: [], ...kindOf(index) }] });

const written = () => Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
const before = written();
const steps = Math.round((days * 86_400_000) / STEP_MS);
for (let step = 1; step <= steps; step++) {
  clock.advance(STEP_MS);
  const reports = Array.from({ length: count }, (_, index) => ({
    node: nameOf(index),
    values: valuesAt(index, step),
    pressed: [],
  }));
  await Promise.all(reports.filter((report) => report.values.length > 0).map((report) => matter.report(report)));
  await database.write(() => {}); // the commit of this step: in a real house the next one is half a minute away
}
await matter.stop();
await telemetry.stop();
await presence.stop();
await database.stop();
const each = (written() - before) / count / days;
console.log(
  `${count} devices, ${days} days: ${Math.round(each / 1_000).toLocaleString("en")} kB written for each device and day`,
);
rmSync(folder, { recursive: true, force: true });
process.exit(each <= MOST_BYTES ? 0 : 1);

/** What a device reports at a step. @param {number} index @param {number} step @returns {Reported} */
function valuesAt(index, step) {
  const wave = Math.sin((step + index * 500) / 460);
  /** @param {[name: Reported[number]["name"], value: number | boolean][]} pairs */
  const report = (...pairs) => pairs.map(([name, value]) => ({ endpoint: 1, name, value }));
  if (index % 3 === 0) {
    const watts = Math.round(60_000 + 40_000 * wave + Math.random() * 900);
    return report(
      ["watts", watts],
      ["current", Math.round(watts / 230)],
      ["voltage", 230_000 + Math.round(Math.random() * 1_500)],
      ["imported", step * 500],
    );
  }
  if (index % 3 === 1)
    return report(
      ["temperature", Math.round(2_000 + 300 * wave + Math.random() * 12)],
      ["humidity", Math.round(5_000 - 800 * wave + Math.random() * 20)],
    );
  return (step + index) % 130 === 0 ? report(["onOff", step % 260 < 130]) : [];
}
