// @ts-check
/**
 * npm run bench -- two-cameras [--build FOLDER] [--seconds N] [--bytes N] [--senders 0,1,2]
 *
 * Whether one camera delays another: camera-1 has a gate and shows an allowed car every two seconds, three frames each;
 * the other cameras, each in a separate process, send captures of one frame as fast as the hub accepts them, over MQTT,
 * and over a new connection as soon as they are refused. Printed for each number of such senders: the time from
 * camera-1's last frame until the gate has its command, how many frames of camera-1 were read, and the highest resident
 * memory. Wanted: at most 500 ms at p95, no frame lost, at most 350 MB. No frame is sent twice: each is newly encoded.
 */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { carPictures, encodedAnew } from "../lib/car-pictures.mjs";
import { say, startHelper } from "../lib/helper-process.mjs";

const SELF = fileURLToPath(import.meta.url);
const FRAMES = 3;
const FRAME_GAP_MS = 100;
const CAR_GAP_MS = 2_000;
const LATE_MS = 150_000;
/** A sender reconnects after this long without an acknowledgement. */
const UNANSWERED_MS = 1_000;

/** @param {string[]} options */
export async function run(options) {
  const seconds = Number(option(options, "--seconds", "60"));
  const rounds = option(options, "--senders", "0,1,2").split(",").map(Number);
  const most = Math.max(...rounds);
  const hub = await startBenchHub({
    build: option(options, "--build", "build-hub"),
    devices: [...benchDevices("camera", most + 2), ...benchDevices("gate")],
    env: { GATEHOUSE_GATE_PASS_SECONDS: "1" },
  });
  const bytes = option(options, "--bytes", "0");
  const senders = await Promise.all(
    Array.from({ length: most }, (_, n) => startHelper(SELF, ["--flood", String(hub.port), bytes, `camera-${n + 2}`])),
  );
  try {
    const cars = await carPictures();
    for (const { plate } of cars) await hub.api("POST", "/v1/plate-rules", { plate });
    await hub.console("PATCH", "/api/cameras/camera-1", {
      direction: "in",
      gate: { deviceId: "gate", command: { open: true } },
      presented: "open", // the same pictures are sent again and again
    });
    // One camera that asks would be enough for repeated frames to be asked about at every camera.
    await hub.console("PATCH", "/api/cameras/camera-0", { presented: "open" });
    for (const n of senders.keys())
      await hub.console("PATCH", `/api/cameras/camera-${n + 2}`, { direction: "in", presented: "open" });
    const [camera, gate] = [await hub.connect("camera-1"), await hub.connect("gate")];
    await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
    let captureId = 0;
    const pass = async () => {
      captureId += 1;
      const car = /** @type {import("../lib/car-pictures.mjs").Car} */ (cars[captureId % cars.length]);
      const frames = await Promise.all(Array.from({ length: FRAMES }, () => encodedAnew(car.jpeg)));
      /** @type {Promise<number | null>} */
      const opened = new Promise((resolve) => {
        const late = setTimeout(() => resolve(null), LATE_MS);
        gate.once("message", () => {
          clearTimeout(late);
          resolve(performance.now());
        });
      });
      let last = 0;
      /** @type {Promise<unknown>[]} */
      const sent = [];
      for (const [n, jpeg] of frames.entries()) {
        if (n > 0) await pause(FRAME_GAP_MS);
        last = performance.now();
        sent.push(camera.publishAsync(`gatehouse/camera-1/capture/${captureId}/${n}`, jpeg, { qos: 1 }));
      }
      const done = JSON.stringify({ trigger: "loop", frames: FRAMES });
      sent.push(camera.publishAsync(`gatehouse/camera-1/capture/${captureId}/done`, done, { qos: 1 }));
      const at = await opened;
      await Promise.all(sent);
      return at === null ? null : at - last;
    };
    const passes = async () => {
      /** @type {number[]} */
      const times = [];
      let [count, lost] = [0, 0];
      for (const until = performance.now() + seconds * 1_000; performance.now() < until; count++) {
        const took = await pass();
        if (took === null) lost += 1;
        else times.push(took);
        await pause(CAR_GAP_MS);
      }
      return { count, lost, times };
    };
    for (let n = 0; n < 3; n++, await pause(CAR_GAP_MS)) await pass(); // loads the models
    console.log(
      "| senders | captures sent | refused | cars | p50 ms | p95 ms | worst ms | no command | frames read | highest MB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    );
    for (const count of rounds) {
      const before = captureId;
      let highest = 0;
      const watch = setInterval(() => (highest = Math.max(highest, hub.memory())), 100);
      const flooding = senders.slice(0, count).map((sender) => sender.ask({ ms: seconds * 1_000 + 3_000 }));
      if (count > 0) await pause(3_000);
      const { count: shown, lost, times } = await passes();
      const floods = /** @type {{ sent: number, refused: number }[]} */ (await Promise.all(flooding));
      clearInterval(watch);
      await pause(2_000);
      const { plates } = await hub.api("GET", "/v1/plates?deviceId=camera-1&limit=500");
      const read = plates
        .filter((/** @type {{ captureId: number }} */ read) => read.captureId > before)
        .reduce((/** @type {number} */ sum, /** @type {{ samples: number }} */ read) => sum + read.samples, 0);
      const all = (/** @type {"sent" | "refused"} */ what) => floods.reduce((sum, flood) => sum + flood[what], 0);
      console.log(
        `| ${[count, all("sent"), all("refused"), shown, ...[0.5, 0.95, 1].map((share) => percentile(times, share).toFixed(0)), lost, `${read} of ${shown * FRAMES}`, highest.toFixed(0)].join(" | ")} |`,
      );
    }
    await Promise.all([camera.endAsync(), gate.endAsync()]);
  } finally {
    for (const sender of senders) sender.end();
    await hub.stop();
  }
}

/**
 * A sender: as many captures of one frame as the hub acknowledges, with twenty in flight.
 * @param {string} port
 * @param {number} bytes the least size of a frame: what it has less is filled up behind the picture
 * @param {string} id
 */
async function runFlood(port, bytes, id) {
  const [car] = await carPictures();
  if (car === undefined) throw new Error("there are no pictures");
  const ready = Array.from({ length: 40 }, () => encodedAnew(car.jpeg));
  const frames = (await Promise.all(ready)).map((jpeg) =>
    Buffer.concat([jpeg, Buffer.alloc(Math.max(0, bytes - jpeg.length))]),
  );
  let [sent, refused, at] = [0, 0, 0];
  process.on("message", async (/** @type {{ ms: number }} */ { ms }) => {
    const until = performance.now() + ms;
    while (performance.now() < until) {
      const client = new mqtt.MqttClient(() => connect(Number(port), "127.0.0.1"), {
        username: id,
        password: `password-of-${id}`,
        clientId: id,
        reconnectPeriod: 0,
      });
      client.on("error", () => {});
      const gone = new Promise((resolve) => client.once("close", () => resolve("gone")));
      const one = async () => {
        while (performance.now() < until) {
          at += 1;
          const jpeg = /** @type {Buffer} */ (frames[at % frames.length]);
          const topic = `gatehouse/${id}/capture/${at}`;
          const done = JSON.stringify({ trigger: "motion", frames: 1 });
          const both = Promise.all([
            client.publishAsync(`${topic}/0`, jpeg, { qos: 1 }),
            client.publishAsync(`${topic}/done`, done, { qos: 1 }),
          ]).then(
            () => "sent",
            () => "gone",
          );
          const answer = await Promise.race([both, gone, pause(UNANSWERED_MS, "gone")]);
          if (answer === "gone") return void client.end(true);
          sent += 1;
        }
      };
      await Promise.race([Promise.all(Array.from({ length: 20 }, one)), gone]);
      if (performance.now() < until) refused += 1;
      client.end(true);
      await pause(20);
    }
    say({ sent, refused });
  });
  say("ready");
}

if (process.argv[2] === "--flood") {
  const [, , , port = "", bytes = "0", id = ""] = process.argv;
  await runFlood(port, Number(bytes), id);
}
