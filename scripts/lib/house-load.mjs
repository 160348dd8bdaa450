// @ts-check
/** The load of a whole household for benches, with its latencies. Plain Node. */
import { setTimeout as pause } from "node:timers/promises";
import { encodedAnew } from "./car-pictures.mjs";

const FRAMES = 4;
const FRAME_GAP_MS = 250;

/**
 * Repeats an action until a moment of `performance.now()`; returns the durations in milliseconds.
 * @param {string} what
 * @param {number} until
 * @param {number} everyMs
 * @param {(n: number) => Promise<number>} once
 */
export async function paced(what, until, everyMs, once) {
  /** @type {number[]} */
  const times = [];
  for (let n = 0; performance.now() < until; n++) {
    times.push(await once(n));
    await pause(everyMs);
  }
  return { what, times };
}

/** Milliseconds that a task takes. @param {() => Promise<unknown>} task */
export async function timed(task) {
  const before = performance.now();
  await task();
  return performance.now() - before;
}

/**
 * Milliseconds until the device has the message that `cause` sends. @throws Error if nothing arrived within `givenUpMs`
 * @param {import("mqtt").MqttClient} device
 * @param {() => Promise<unknown>} cause
 * @param {number} givenUpMs
 */
export async function arrival(device, cause, givenUpMs) {
  const before = performance.now();
  const arrived = nextMessage(device, givenUpMs);
  const caused = cause();
  const at = await arrived;
  await caused;
  return at - before;
}

/**
 * Sends bursts of allowed cars; each returns the milliseconds from its last frame to the gate's command, inference
 * included.
 * @param {import("./bench-hub.mjs").BenchHub} hub
 * @param {Map<string, import("mqtt").MqttClient>} clients
 * @param {{ cars: import("./car-pictures.mjs").Car[], givenUpMs: number }} wishes
 */
export async function gateOf(hub, clients, { cars, givenUpMs }) {
  for (const { plate } of cars) await hub.api("POST", "/v1/plate-rules", { plate });
  await hub.console("PATCH", "/api/cameras/camera", {
    direction: "in",
    gate: { deviceId: "gate", command: { open: true } },
  });
  const [camera, gate] = [clientOf(clients, "camera"), clientOf(clients, "gate")];
  let capture = 0;
  const send = async () => {
    const jpeg = cars[capture % cars.length]?.jpeg ?? Buffer.alloc(0);
    capture += 1;
    const topic = `gatehouse/camera/capture/${capture}`;
    // the hub opens for no repeated frame
    const frames = await Promise.all(Array.from({ length: FRAMES }, () => encodedAnew(jpeg)));
    const opened = nextMessage(gate, givenUpMs);
    /** @type {Promise<unknown>[]} */
    const sent = [];
    let last = 0;
    for (const [n, frame] of frames.entries()) {
      if (n > 0) await pause(FRAME_GAP_MS);
      last = performance.now();
      sent.push(camera.publishAsync(`${topic}/${n}`, frame, { qos: 1 }));
    }
    sent.push(camera.publishAsync(`${topic}/done`, JSON.stringify({ trigger: "loop", frames: FRAMES }), { qos: 1 }));
    const took = (await opened) - last;
    await Promise.all(sent);
    return Math.max(0, took);
  };
  for (let n = 0; n < 2; n++) {
    await send(); // loads the models
    await pause(1_500);
  }
  return send;
}

/** The client of a device. @param {Map<string, import("mqtt").MqttClient>} clients @param {string} id */
export function clientOf(clients, id) {
  const client = clients.get(id);
  if (client === undefined) throw new Error(`${id} is not connected`);
  return client;
}

/**
 * Resolves with the time at which the device gets its next message.
 * @param {import("mqtt").MqttClient} device
 * @param {number} givenUpMs
 * @returns {Promise<number>}
 */
function nextMessage(device, givenUpMs) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${device.options.clientId} got no command`)), givenUpMs);
    device.once("message", () => {
      clearTimeout(late);
      resolve(performance.now());
    });
  });
}
