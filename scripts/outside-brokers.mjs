// @ts-check
// node scripts/outside-brokers.mjs [--messages 4000] [--kills 3] [--only NAME]
// Tests the hub's connection to a site's broker against common brokers that are killed under load. Takes some minutes;
// needs nats-server, rabbitmq-server and mosquitto from Debian.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { trial } from "./lib/broker-trial.mjs";
import { prepare } from "./lib/prepare.mjs";
import { notInstalled, startMosquittoPair, startNats, startRabbit } from "./lib/site-brokers.mjs";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "4000" },
    kills: { type: "string", default: "3" },
    only: { type: "string", default: "" },
  },
});
await prepare({ tests: true });
const { OutsideBroker } = await import("../src/features/outside-broker/outside-broker.ts");
const { systemClock } = await import("../src/core/kernel/clock.ts");

/**
 * @type {readonly [name: string, why: string | false, start: (folder: string) =>
 *   Promise<import("./lib/site-brokers.mjs").SiteBroker>][]}
 */
const BROKERS = [
  ["nats", notInstalled("nats-server", "nats-server"), startNats],
  ["rabbitmq", notInstalled("rabbitmq-server", "rabbitmq-server"), startRabbit],
  ["mosquitto-near", notInstalled("mosquitto", "mosquitto"), (folder) => startMosquittoPair(folder, "near")],
  ["mosquitto-far", notInstalled("mosquitto", "mosquitto"), (folder) => startMosquittoPair(folder, "far")],
];

let isFine = true;
for (const [name, why, start] of BROKERS) {
  if (values.only !== "" && values.only !== name) continue;
  if (why !== false) {
    console.log(`${name}: left out, ${why}`);
    continue;
  }
  const folder = mkdtempSync(join(tmpdir(), "outside-"));
  const broker = await start(folder);
  try {
    const result = await trial(broker, {
      messages: Number(values.messages),
      kills: Number(values.kills),
      OutsideBroker,
      clock: systemClock,
    });
    console.log(JSON.stringify(result));
    isFine &&=
      result.lost === 0 &&
      result.disordered === 0 &&
      result.commandsLost === 0 &&
      result.acknowledged === result.published;
  } finally {
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(isFine ? "kept" : "NOT KEPT");
process.exitCode = isFine ? 0 : 1;
