// @ts-check
/**
 * npm run bench -- bursts [--build FOLDER] [--seconds N] [--rounds N]
 *
 * An app's latency while plates are read: GET /v1/devices and GET /v1/plates, 20 times a second each, on a quiet hub
 * (the baseline) and while bursts of four 1080p frames come back to back, in turns. App and camera are separate
 * processes. Wanted: at most 5 ms more at p99, and at most 300 MB of resident memory.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import sharp from "sharp";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { say, startHelper } from "../lib/helper-process.mjs";
import { root } from "../lib/prepare.mjs";

const SELF = fileURLToPath(import.meta.url);
const PICTURES = join(root, "test/fixtures/plates");
const PATHS = ["/v1/devices", "/v1/plates?limit=50"];
const GAP_MS = 25;

/** @typedef {{ quiet: number[], reading: number[] }} Times */

/** @param {string[]} options */
export async function run(options) {
  const seconds = Number(option(options, "--seconds", "10"));
  const rounds = Number(option(options, "--rounds", "3"));
  const devices = [...benchDevices("camera"), ...benchDevices("smart-plug", 20, "plug")];
  const hub = await startBenchHub({ build: option(options, "--build", "build-hub"), devices });
  const camera = await startHelper(SELF, ["--camera", String(hub.port)]);
  const app = await startHelper(SELF, ["--app", hub.url, hub.key]);
  try {
    await camera.ask({ bursts: 5 }); // loads the models
    await app.ask({ ms: 2_000 });
    /** @type {Times} */
    const times = { quiet: [], reading: [] };
    let [read, highest] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      times.quiet.push(...(await app.ask({ ms: seconds * 1_000 })));
      const filming = camera.ask({ ms: seconds * 1_000 + 1_000 });
      await pause(1_000);
      times.reading.push(...(await app.ask({ ms: seconds * 1_000 })));
      highest = Math.max(highest, hub.memory());
      read += await filming;
    }
    print(times, read, highest);
  } finally {
    camera.end();
    app.end();
    await hub.stop();
  }
}

/** @param {Times} times @param {number} bursts @param {number} memory */
function print(times, bursts, memory) {
  console.log("| | requests | p50 ms | p99 ms |\n| --- | --- | --- | --- |");
  for (const [name, values] of Object.entries(times))
    console.log(
      `| ${name} | ${values.length} | ${percentile(values, 0.5).toFixed(2)} | ${percentile(values, 0.99).toFixed(2)} |`,
    );
  const rise = percentile(times.reading, 0.99) - percentile(times.quiet, 0.99);
  console.log(
    `\np99 rises by ${rise.toFixed(2)} ms (at most 5 wanted) while ${bursts} bursts are read; resident memory ${memory.toFixed(0)} MB (at most 300)`,
  );
}

/** The app: asks every 25 ms, and answers how long each request took. @param {string} url @param {string} key */
async function runApp(url, key) {
  process.on("message", async (/** @type {{ ms: number }} */ { ms }) => {
    /** @type {number[]} */
    const times = [];
    const until = performance.now() + ms;
    for (let n = 0; performance.now() < until; n++) {
      const before = performance.now();
      const answer = await fetch(url + PATHS[n % PATHS.length], { headers: { authorization: `Bearer ${key}` } });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${answer.status}`);
      times.push(performance.now() - before);
      await pause(Math.max(0, GAP_MS - (performance.now() - before)));
    }
    say(times);
  });
  say("ready");
}

/**
 * The camera: sends the next burst once the previous one is acknowledged and its read can be started.
 * @param {string} port
 */
async function runCamera(port) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: "camera",
    password: "password-of-camera",
    clientId: "camera",
  });
  const files = readdirSync(PICTURES).filter((file) => file.endsWith(".jpg"));
  const frames = await Promise.all(
    files.map((file) =>
      sharp(readFileSync(join(PICTURES, file)))
        .resize(1920, 1080, { fit: "contain" })
        .jpeg({ quality: 85 })
        .toBuffer(),
    ), // prettier-ignore
  );
  let captureId = 0;
  process.on(
    "message",
    async (
      /** @type {{ ms?: number, bursts?: number }} */ {
        ms = Number.POSITIVE_INFINITY,
        bursts = Number.POSITIVE_INFINITY,
      },
    ) => {
      const until = performance.now() + ms;
      let sent = 0;
      while (performance.now() < until && sent < bursts) {
        captureId += 1;
        sent += 1;
        for (const [n, jpeg] of frames.entries()) {
          await client.publishAsync(`gatehouse/camera/capture/${captureId}/${n}`, jpeg, { qos: 1 });
          // about the time to read a frame: the recogniser is never idle, and its queue stays bounded
          await pause(40);
        }
        await client.publishAsync(
          `gatehouse/camera/capture/${captureId}/done`,
          JSON.stringify({ trigger: "motion", frames: frames.length }),
          { qos: 1 },
        );
      }
      say(sent);
    },
  );
  say("ready");
}

if (process.argv[2] === "--camera") await runCamera(process.argv[3] ?? "");
if (process.argv[2] === "--app") await runApp(process.argv[3] ?? "", process.argv[4] ?? "");
