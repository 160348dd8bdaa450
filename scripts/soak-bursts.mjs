// @ts-check
/**
 * node scripts/soak-bursts.mjs [--build FOLDER] [--bursts N] [--frames N] [--every N]
 *
 * Sends N bursts (2,000 unless given) back to back to a hub in a process of its own and prints its resident memory
 * every 100 of them, then how far it grew between the first and the last quarter. Memory that only grows is a leak; a
 * hub that reads stays below 300 MB.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { benchDevices, option, percentile, startBenchHub } from "./lib/bench-hub.mjs";
import { prepare, root } from "./lib/prepare.mjs";

const options = process.argv.slice(2);
await prepare({ tests: true, isBuilt: options.includes("--build") });
const bursts = Number(option(options, "--bursts", "2000"));
const frames = Number(option(options, "--frames", "3"));
const every = Number(option(options, "--every", "100"));
const MOST_MB = 300;
/** Bursts sent and not stored yet: the recogniser never waits, and nothing is dropped. */
const IN_FLIGHT = 4;

const pictures = await framesOf(join(root, "test/fixtures/plates"));
const hub = await startBenchHub({ build: option(options, "--build", "build-hub"), devices: benchDevices("camera") });
const camera = await hub.connect("camera");
/** @type {number[]} */
const memory = [];
const started = performance.now();
console.log("bursts | resident MB | bursts per second");
for (let n = 1; n <= bursts; n++) {
  for (let i = 0; i < frames; i++)
    await camera.publishAsync(`gatehouse/camera/capture/${n}/${i}`, pictures[(n + i) % pictures.length] ?? "", {
      qos: 1,
    });
  await camera.publishAsync(`gatehouse/camera/capture/${n}/done`, JSON.stringify({ trigger: "motion", frames }), {
    qos: 1,
  });
  while (n - (await stored()) >= IN_FLIGHT) await pause(20);
  if (n % every !== 0) continue;
  const megabytes = hub.memory();
  memory.push(megabytes);
  console.log(
    `${String(n).padStart(6)} | ${megabytes.toFixed(0).padStart(11)} | ${((n / (performance.now() - started)) * 1000).toFixed(1)}`,
  );
}
await camera.endAsync();
const code = await hub.stop();
const quarter = Math.max(1, Math.floor(memory.length / 4));
const [first, last] = [percentile(memory.slice(0, quarter), 0.5), percentile(memory.slice(-quarter), 0.5)];
console.log(
  `\nmedian of the first quarter ${first.toFixed(0)} MB, of the last ${last.toFixed(0)} MB, highest ${Math.max(...memory).toFixed(0)} MB; exit code ${code}`,
);
process.exit(Math.max(...memory) <= MOST_MB && last - first < 20 && code === 0 ? 0 : 1);

/** Bursts that the gate has taken. */
async function stored() {
  const text = await (await fetch(`${hub.url}/metrics`)).text();
  return Number(/^gatehouse_plates_bursts (\S+)$/m.exec(text)?.[1] ?? 0);
}

/** The test fixtures as frames of a 1080p camera. @param {string} folder */
async function framesOf(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith(".jpg"));
  return Promise.all(
    files.map((file) =>
      sharp(readFileSync(join(folder, file)))
        .resize(1920, 1080, { fit: "contain" })
        .jpeg({ quality: 85 })
        .toBuffer(),
    ),
  );
}
