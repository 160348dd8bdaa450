// @ts-check
/**
 * npm run bench -- gate [--build FOLDER] [--bursts N] [--frames N] [--gap MS]
 *
 * A camera sends bursts over MQTT as a camera does, one frame every GAP ms; each burst shows another allowed car, and
 * the gate's device notes when its command comes. Printed: the hub's own figures (gatehouse_gate_latency_seconds), the
 * time measured at camera and gate, and, as the baseline of the same run, bursts whose frames all come at once (nothing
 * can be read earlier).
 */
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { carPictures, encodedAnew } from "../lib/car-pictures.mjs";

/**
 * @typedef {import("../lib/car-pictures.mjs").Car} Car
 * @typedef {{ buckets: Map<string, number>, sum: number, count: number }} Stage
 * @typedef {{ count: number, mean: number, p50: string, p95: string, p99: string }} Figures
 * @typedef {{ name: string, outside: number[], inside: Map<string, Figures> }} Row
 */

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const bursts = Number(option(options, "--bursts", "30"));
  const frames = Number(option(options, "--frames", "4"));
  const gapMs = Number(option(options, "--gap", "250"));
  const cars = await carPictures();
  const hub = await startBenchHub({
    build,
    devices: [...benchDevices("camera"), ...benchDevices("gate")],
    env: { GATEHOUSE_GATE_PASS_SECONDS: "1" },
  });
  try {
    for (const { plate } of cars) await hub.api("POST", "/v1/plate-rules", { plate });
    await hub.console("PATCH", "/api/cameras/camera", {
      direction: "in",
      gate: { deviceId: "gate", command: { open: true } },
      presented: "open", // the same pictures are sent again and again
    });
    const [camera, gate] = [await hub.connect("camera"), await hub.connect("gate")];
    await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
    const send = sender(camera, gate, frames);
    const car = (/** @type {number} */ n) => /** @type {Car} */ (cars[n % cars.length]);
    for (let n = 0; n < 3; n++) await send(car(n), 0); // loads the models and warms up code that is compiled at first use
    /** @type {Row[]} */
    const rows = [];
    for (const { name, gap } of [
      { name: `frames ${gapMs} ms apart`, gap: gapMs },
      { name: "frames all at once", gap: 0 },
    ]) {
      const before = await histogram(hub);
      /** @type {number[]} */
      const outside = [];
      for (let n = 0; n < bursts; n++) outside.push(await send(car(n), gap));
      rows.push({ name, outside, inside: difference(before, await histogram(hub)) });
    }
    print(rows, frames, hub.memory());
    await Promise.all([camera.endAsync(), gate.endAsync()]);
  } finally {
    await hub.stop();
  }
}

/**
 * Sends a burst and resolves with the milliseconds from handing over its last frame until the gate has its command.
 * @param {import("mqtt").MqttClient} camera
 * @param {import("mqtt").MqttClient} gate
 * @param {number} frames
 */
function sender(camera, gate, frames) {
  let captureId = 0;
  /** @param {Car} car @param {number} gapMs */
  return async ({ plate, jpeg }, gapMs) => {
    await pause(1_100); // a pass lasts a second here: every burst is a separate car
    captureId += 1;
    const picture = await encodedAnew(jpeg); // the hub opens for no repeated frame
    const topic = `gatehouse/camera/capture/${captureId}`;
    /** @type {Promise<number>} */
    const opened = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no command for ${plate}`)), 15_000);
      gate.once("message", () => {
        clearTimeout(late);
        resolve(performance.now());
      });
    });
    /** @type {Promise<unknown>[]} */
    const sent = [];
    let last = 0;
    for (let n = 0; n < frames; n++) {
      if (n > 0 && gapMs > 0) await pause(gapMs);
      last = performance.now();
      sent.push(camera.publishAsync(`${topic}/${n}`, picture, { qos: 1 }));
    }
    sent.push(camera.publishAsync(`${topic}/done`, JSON.stringify({ trigger: "loop", frames }), { qos: 1 }));
    const [at] = await Promise.all([opened, ...sent]);
    return at - last;
  };
}

/** @param {{ url: string }} hub */
async function histogram({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  /** @type {Map<string, Stage>} */
  const stages = new Map();
  for (const [, kind, labels = "", value] of text.matchAll(
    /^gatehouse_gate_latency_seconds_(bucket|sum|count)\{([^}]*)\} (\S+)$/gm,
  )) {
    const stage = /stage="(\w+)"/.exec(labels)?.[1] ?? "";
    const entry = stages.get(stage) ?? { buckets: new Map(), sum: 0, count: 0 };
    if (kind === "bucket") entry.buckets.set(/le="([^"]+)"/.exec(labels)?.[1] ?? "", Number(value));
    else entry[kind === "sum" ? "sum" : "count"] = Number(value);
    stages.set(stage, entry);
  }
  return stages;
}

/** @param {Map<string, Stage>} before @param {Map<string, Stage>} after */
function difference(before, after) {
  /** @type {Map<string, Figures>} */
  const stages = new Map();
  for (const [stage, { buckets, sum, count }] of after) {
    const earlier = before.get(stage) ?? { buckets: new Map(), sum: 0, count: 0 };
    const counts = [...buckets].map(([le, value]) => ({ le, value: value - (earlier.buckets.get(le) ?? 0) }));
    const total = count - earlier.count;
    const bound = (/** @type {number} */ share) => {
      const le = counts.find(({ value }) => value >= total * share)?.le ?? "+Inf";
      return le === "+Inf" ? "> 5000" : `≤ ${Number(le) * 1000}`;
    };
    const mean = ((sum - earlier.sum) / total) * 1000;
    stages.set(stage, { count: total, mean, p50: bound(0.5), p95: bound(0.95), p99: bound(0.99) });
  }
  return stages;
}

/** @param {Row[]} rows @param {number} frames @param {number} memory */
function print(rows, frames, memory) {
  console.log(`${frames} frames of 1920 by 1080 per burst; milliseconds\n`);
  console.log("| bursts | stage | count | mean | p50 | p95 | p99 |\n| --- | --- | --- | --- | --- | --- | --- |");
  for (const { name, outside, inside } of rows) {
    for (const stage of ["read", "decide", "publish", "total"]) {
      const figures = inside.get(stage);
      if (figures === undefined) continue;
      const { count, mean, p50, p95, p99 } = figures;
      console.log(`| ${name} | ${stage} | ${count} | ${mean.toFixed(1)} | ${p50} | ${p95} | ${p99} |`);
    }
    const mean = outside.reduce((sum, ms) => sum + ms, 0) / outside.length;
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(outside, share).toFixed(1));
    console.log(`| ${name} | seen from outside | ${outside.length} | ${mean.toFixed(1)} | ${p50} | ${p95} | ${p99} |`);
  }
  console.log(
    "\nread: last frame to end of inference; decide: from there to the decision; publish: from the end of inference until the",
  );
  console.log(
    `broker holds the gate's command; total: last frame until then. Resident memory ${memory.toFixed(0)} MB.`,
  );
}
