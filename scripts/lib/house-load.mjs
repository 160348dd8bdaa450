/** What the benches of a whole household do to a hub, and how long each takes. Plain Node. */
import { pause } from "./bench-hub.mjs";

const FRAMES = 4;
const FRAME_GAP_MS = 250;

/** Does something again and again until a moment of `performance.now()`; answers what it took, in milliseconds. */
export async function paced(what, until, everyMs, once) {
  const times = [];
  for (let n = 0; performance.now() < until; n++) {
    times.push(await once(n));
    await pause(everyMs);
  }
  return { what, times };
}

/** Milliseconds that a task takes. */
export async function timed(task) {
  const before = performance.now();
  await task();
  return performance.now() - before;
}

/** Milliseconds until the device has what `cause` sends it. @throws Error when nothing has come after `givenUpMs` */
export async function arrival(device, cause, givenUpMs) {
  const before = performance.now();
  const arrived = nextMessage(device, givenUpMs);
  const caused = cause();
  const at = await arrived;
  await caused;
  return at - before;
}

/** Sends bursts of allowed cars; each answers the milliseconds from its last frame to the gate's command, inference included. */
export async function gateOf(hub, clients, { cars, givenUpMs }) {
  for (const { plate } of cars) await hub.api("POST", "/v1/plate-rules", { plate });
  await hub.console("PATCH", "/api/cameras/camera", { direction: "in", gate: { deviceId: "gate", command: { open: true } } });
  const [camera, gate] = [clients.get("camera"), clients.get("gate")];
  let capture = 0;
  const send = async () => {
    const { jpeg } = cars[capture % cars.length];
    capture += 1;
    const topic = `gatehouse/camera/capture/${capture}`;
    const opened = nextMessage(gate, givenUpMs);
    const sent = [];
    let last = 0;
    for (let n = 0; n < FRAMES; n++) {
      if (n > 0) await pause(FRAME_GAP_MS);
      last = performance.now();
      sent.push(camera.publishAsync(`${topic}/${n}`, jpeg, { qos: 1 }));
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

/** Resolves with the time at which the device gets its next message. */
function nextMessage(device, givenUpMs) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${device.options.clientId} got no command`)), givenUpMs);
    device.once("message", () => {
      clearTimeout(late);
      resolve(performance.now());
    });
  });
}
