// @ts-check
/** Receivers that misbehave, and a network that cuts, delays and loses. */
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

/** @typedef {import("./household.mjs").Household} Household */

/** @param {Household} house */
async function serve(house) {
  await house.start();
  await house.signIn();
  await house.devices.connect();
  house.busy();
}

/**
 * A connection over a network that may stall: then nothing arrives on either side, without an error; data in flight
 * comes late, or never.
 * @param {number} port @param {{ stands: boolean, onMove: Set<(isLost: boolean) => void> }} network
 */
function standing(port, network) {
  const socket = connect(port, "127.0.0.1");
  /** @type {(() => void)[]} */
  const held = [];
  const pass = (/** @type {() => void} */ act) => (network.stands ? void held.push(act) : act());
  const wrapped = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      pass(() => socket.writable && socket.write(chunk));
      done();
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  network.onMove.add((isLost) => {
    if (isLost) socket.resetAndDestroy();
    else for (const act of held.splice(0)) act();
  });
  socket.on("connect", () => wrapped.emit("connect"));
  socket.on("data", (chunk) => pass(() => wrapped.push(chunk)));
  for (const event of ["error", "close"]) socket.on(event, () => wrapped.destroy());
  return wrapped;
}

/**
 * A connection that is reset after a random number of bytes, in the middle of the exchange.
 * @param {number} port
 * @param {() => number} bytes
 */
function cutting(port, bytes) {
  const socket = connect(port, "127.0.0.1");
  let left = bytes();
  const wrapped = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      if (socket.destroyed) return done(new Error("cut"));
      const part = chunk.subarray(0, left);
      left -= part.length;
      socket.write(part, () => {
        if (left <= 0) socket.resetAndDestroy();
        done();
      });
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("connect", () => wrapped.emit("connect"));
  socket.on("data", (chunk) => wrapped.push(chunk));
  socket.on("error", () => wrapped.destroy());
  socket.on("close", () => wrapped.destroy());
  return wrapped;
}

/** @type {import("./kinds.mjs").Fault[]} */
export const networkFaults = [
  .../** @type {const} */ (["hang", "drip", "late", "large", "reset", "refuse"]).map((behaviour) => ({
    name: `receiver-${behaviour}`,
    /** @type {import("./kinds.mjs").Fault["run"]} */
    async run(house, random) {
      house.options.receivers.behave(behaviour);
      await serve(house);
      const ms = random.int(1_000, 4_000);
      await pause(ms);
      const isKilled = random.of([true, false]);
      if (isKilled) {
        await house.hub.kill();
        await house.start();
        await house.signIn();
        await pause(500);
      }
      return `for ${ms} ms${isKilled ? ", killed meanwhile" : ""}`;
    },
  })),
  {
    name: "network-stands",
    async run(house, random) {
      await house.start();
      await house.signIn();
      const network = { stands: false, onMove: /** @type {Set<(isLost: boolean) => void>} */ (new Set()) };
      house.dial = (port) => standing(port, network);
      await house.devices.connect();
      house.busy();
      const summary = [];
      for (let times = random.int(1, 4); times > 0; times--) {
        await pause(random.int(100, 600));
        const ms = random.int(100, 1_500);
        const isLost = random.of([true, false]);
        network.stands = true;
        await pause(ms);
        network.stands = false;
        for (const move of network.onMove) move(isLost);
        summary.push(`${ms} ms${isLost ? ", then cut" : ""}`);
      }
      return summary.join("; ");
    },
  },
  {
    name: "sockets-cut",
    quick: true,
    async run(house, random) {
      await house.start();
      await house.signIn();
      house.dial = (port) => cutting(port, () => random.int(60, 6_000));
      await house.devices.connect();
      house.busy(120);
      const { httpPort } = house.hub;
      const until = performance.now() + random.int(1_500, 3_500);
      let cut = 0;
      while (performance.now() < until) {
        // Requests whose bodies stop in the middle.
        const socket = connect(httpPort, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(
          'POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"email":',
        );
        await pause(random.int(5, 60));
        socket.resetAndDestroy();
        cut += 1;
      }
      house.dial = (port) => connect(port, "127.0.0.1");
      return `MQTT after 60 to 6000 bytes, and ${cut} requests in the middle`;
    },
  },
];
