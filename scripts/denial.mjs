// @ts-check
/**
 * node scripts/denial.mjs [--build DIR] [--seconds 8] [--only NAME]
 *
 * What a household notices while an unauthenticated client on the network tries to stop the hub. Starts a hub in a
 * separate process, runs one denial-of-service attack after the other from another process, and meanwhile measures from
 * another loopback address GET /healthz, a gate command from the API to the device, and the hub's memory. Attacker and
 * household would be other machines; here they share the hub's processor, so the attacker runs at a lower priority than
 * the hub and, if this user may, the household at a higher one. That times the hub, and not the wait for a core that a
 * real attacker could not take. Loopback only, bounded in number and time. `--build`: folder with `src/main.js` of the
 * hub to measure (such as an earlier version, for comparison).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import mqtt from "mqtt";
import { HELD_LOOP, held, option, percentile } from "./lib/bench-hub.mjs";
import { claim, hubEnvironment, startHub } from "./lib/hub-process.mjs";
import { prepare } from "./lib/prepare.mjs";

/**
 * @typedef {{ port: number, mqttPort: number, cookie: string }} Target a hub's ports and a session's cookie
 * @typedef {import("node:net").Socket} Socket
 * @typedef {{ status: number, body: string }} Answer
 */

const WATCHER = "127.0.0.2";

/** Every attack runs until it is stopped. @type {Record<string, (hub: Target) => Promise<void>>} */
const ATTACKS = {
  none: async () => {},
  async "recover: long Hangul passwords"(hub) {
    const password = "비밀번호가나다라마바사".repeat(24).slice(0, 256);
    await flood(hub, 95, () =>
      post(hub, "/api/session/recover", { email: "nobody@example.org", code: "AAAAA-AAAAA", password }),
    );
  },
  async "sign-in: 200 at a time from 20 addresses"(hub) {
    await flood(hub, 200, (at) =>
      post(
        hub,
        "/api/session",
        { email: `p${at}@example.org`, password: "x".repeat(1_000) },
        `127.0.3.${(at % 20) + 1}`,
      ),
    );
  },
  async "uploads: 480 pieces under invented ids"(hub) {
    const head = `PUT /api/uploads/${"A".repeat(32)}?offset=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\nContent-Length: 4194304\r\n\r\n`;
    const part = Buffer.alloc(4_194_304 - 1);
    await hold(hub, 480, (socket) => {
      socket.write(head);
      socket.write(part);
    });
  },
  async "JSON bodies: 480 slow ones of 64 KiB"(hub) {
    const head =
      "POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 65536\r\n\r\n";
    const part = Buffer.alloc(65_000, " ");
    await hold(hub, 480, (socket) => {
      socket.write(head);
      socket.write(part);
    });
  },
  async "half-sent requests: 500 of one address, answers never read"(hub) {
    await hold(hub, 600, (socket) => {
      socket.pause();
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    });
  },
  async "half-sent requests: 600 of 51 addresses"(hub) {
    await hold(hub, 600, (socket) => socket.write("GET / HTTP/1.1\r\nHost: x\r\n"), { addresses: 51 });
  },
  async "answers never read: 500 pipelined requests for a page"(hub) {
    const many = "GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(20);
    await hold(hub, 500, (socket) => {
      socket.pause();
      socket.write(many);
    });
  },
  async "event streams: 500 of one session"(hub) {
    await hold(hub, 500, (socket) =>
      socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${hub.cookie}\r\n\r\n`),
    );
  },
  async "MQTT: 600 silent connections of 51 addresses"(hub) {
    await hold(hub, 600, () => {}, { port: hub.mqttPort, addresses: 51 });
  },
  async "MQTT: 600 half CONNECT packets of one address"(hub) {
    await hold(hub, 600, (socket) => socket.write(Buffer.from([0x10, 60, 0, 4, 0x4d])), { port: hub.mqttPort });
  },
  async "WebSocket upgrades: 500 with silence afterwards"(hub) {
    const head =
      "GET /mqtt HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n";
    await hold(hub, 500, (socket) => socket.write(head));
  },
};

let ending = false;

/**
 * Keeps `count` calls of `act` in progress until the end.
 * @param {Target} _hub
 * @param {number} count
 * @param {(at: number) => Promise<unknown>} act
 */
async function flood(_hub, count, act) {
  let at = 0;
  const one = async () => {
    while (!ending) {
      await act(at++).catch(() => {});
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}

/**
 * Keeps `count` connections open that `act` has written to; reopens those that are closed.
 * @param {Target} hub
 * @param {number} count
 * @param {(socket: Socket) => void} act
 */
async function hold({ port }, count, act, { port: other = port, addresses = 1 } = {}) {
  /** @type {Set<Socket>} */
  const open = new Set();
  let at = 0;
  while (!ending) {
    while (open.size < count) {
      const socket = connect({
        port: other,
        host: "127.0.0.1",
        localAddress: addresses === 1 ? "127.0.0.1" : `127.0.2.${(at++ % addresses) + 1}`,
      });
      open.add(socket);
      socket.on("error", () => {});
      socket.on("data", () => {});
      socket.on("close", () => open.delete(socket));
      socket.on("end", () => {}); // ignore the server's FIN, as a hostile client does
      socket.once("connect", () => act(socket));
      if (at % 50 === 0 || open.size % 50 === 0) await sleep(1);
    }
    await sleep(20);
  }
  for (const socket of open) socket.destroy();
}

/**
 * @param {{ port: number, cookie?: string }} hub
 * @param {string} path
 * @param {unknown} json
 * @param {string} [localAddress]
 * @param {string} [method]
 * @returns {Promise<Answer>}
 */
function post({ port, cookie }, path, json, localAddress = "127.0.0.1", method = "POST") {
  const body = json === undefined ? "" : JSON.stringify(json);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        localAddress,
        agent: false,
        headers: {
          ...(json === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          ...(cookie ? { Cookie: cookie } : {}),
        },
      },
      (answer) => {
        let text = "";
        answer.on("data", (chunk) => (text += chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
        answer.on("error", reject);
      },
    );
    asked.on("error", reject);
    asked.setTimeout(10_000, () => asked.destroy(new Error("no answer in 10 s")));
    asked.end(body);
  });
}

const shown = (/** @type {number} */ value) => (Number.isNaN(value) ? "none" : `${value.toFixed(0)} ms`);

/** @param {string} name @param {string} build @param {number} seconds */
async function measure(name, build, seconds) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-denial-"));
  const heldFile = join(folder, "held.json");
  const shipped = { GATEHOUSE_TLS: "auto", GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "600" };
  const env = { ...shipped, HELD_FILE: heldFile, GATEHOUSE_MQTT_WEBSOCKET: "true", GATEHOUSE_RECOGNITION: "false" };
  const hub = await startHub({ build, env: hubEnvironment(folder, env), preload: HELD_LOOP });
  const { cookie, call } = await claim(hub);
  const target = { port: Number(new URL(hub.url).port), mqttPort: hub.mqttPort, cookie };
  const { password } = await call("POST", "/api/devices", { id: "gate", name: "Gate", type: "gate" });
  const client = (/** @type {string} */ clientId, /** @type {string} */ localAddress, more = {}) =>
    new mqtt.MqttClient(() => connect({ host: "127.0.0.1", port: hub.mqttPort, localAddress }), {
      username: "gate",
      password,
      clientId,
      ...more,
    });
  const device = client("gate", WATCHER);
  await new Promise((connected) => device.once("connect", connected));
  await device.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  // a fresh process is slower and smaller than one that has been running
  for (let at = 0; at < 400; at++) await post({ port: target.port }, "/healthz", undefined, "127.0.0.9", "GET");
  /** @type {((word: "heard") => void)[]} */
  const heard = [];
  device.on("message", () => heard.shift()?.("heard"));
  const command = async () => {
    const arrived = Promise.race([new Promise((resolve) => heard.push(resolve)), sleep(5_000, "silence")]);
    const { status } = await post(target, "/v1/devices/gate/commands", { command: { open: true } }, WATCHER);
    if (status >= 300) throw new Error(String(status));
    if ((await arrived) === "silence") throw new Error("the device heard nothing");
  };
  for (let at = 0; at < 5; at++) await command(); // the first ones include compilation
  await sleep(3_000); // until the test household that comes with a claim is set up
  const before = hub.memory();
  await held(hub, heldFile);
  const attacker = fork(new URL(import.meta.url), ["--attack", JSON.stringify({ name, hub: target })]);
  await once(attacker, "message"); // it has started
  attacker.send("begin");
  /** @type {number[]} */
  const health = [];
  /** @type {number[]} */
  const commands = [];
  const lost = { health: 0, command: 0, mqtt: 0 };
  let peak = before;
  const until = Date.now() + seconds * 1_000;
  /** @param {number[]} list @param {keyof typeof lost} kind @param {() => Promise<void>} act */
  const timed = async (list, kind, act) => {
    const begun = performance.now();
    await act().then(
      () => list.push(performance.now() - begun),
      () => (lost[kind] += 1),
    );
  };
  /** @param {number} gap @param {() => Promise<unknown>} act */
  const watch = async (gap, act) => {
    while (Date.now() < until) {
      await act();
      await sleep(gap);
    }
  };
  /** @type {number[]} */
  const arrivals = [];
  await Promise.all([
    watch(80, () =>
      timed(health, "health", async () => {
        const { status } = await post({ port: target.port }, "/healthz", undefined, WATCHER, "GET");
        if (status !== 200) throw new Error(String(status));
      }),
    ),
    watch(300, () => timed(commands, "command", command)),
    watch(500, () =>
      timed(arrivals, "mqtt", async () => {
        const other = client("gate:2", "127.0.0.3", { reconnectPeriod: 0, connectTimeout: 5_000 });
        other.on("error", () => {});
        try {
          await new Promise((connected, closed) => {
            other.once("connect", connected);
            other.once("close", () => closed(new Error("closed")));
          });
        } finally {
          other.end(true);
        }
      }),
    ),
    watch(100, async () => (peak = Math.max(peak, hub.memory()))),
  ]);
  const loop = await held(hub, heldFile);
  const gone = once(attacker, "exit");
  attacker.send("end");
  await Promise.race([gone, sleep(3_000).then(() => attacker.kill("SIGKILL"))]);
  device.end(true);
  await Promise.race([hub.stop(), sleep(8_000).then(() => hub.kill())]);
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `${name}\n  healthz p50 ${shown(percentile(health, 0.5))}, p99 ${shown(percentile(health, 0.99))}, ${health.length} answered, ${lost.health} lost` +
      `; gate command p50 ${shown(percentile(commands, 0.5))}, worst ${shown(percentile(commands, 1))}, ${lost.command} lost; new MQTT client worst ${shown(percentile(arrivals, 1))}, ${lost.mqtt} lost` +
      `; event loop held p99 ${loop.p99.toFixed(1)}, most ${loop.most.toFixed(1)} ms of processor time, busy ${(loop.used / 10 / seconds).toFixed(0)} %` +
      `; memory ${before.toFixed(0)} → ${peak.toFixed(0)} MB`,
  );
}

if (process.argv.includes("--attack")) {
  setPriority(Math.min(19, getPriority() + 10));
  /** @type {{ name: string, hub: Target }} */
  const { name, hub } = JSON.parse(option(process.argv, "--attack", ""));
  process.send?.("ready");
  await once(process, "message");
  process.once("message", () => {
    ending = true;
    setTimeout(() => process.exit(0), 500);
  });
  await ATTACKS[name]?.(hub);
} else {
  await prepare({ tests: true, isBuilt: process.argv.includes("--build") });
  const build = resolve(option(process.argv, "--build", "build-hub"));
  const only = option(process.argv, "--only", "");
  for (const name of Object.keys(ATTACKS))
    if (name.includes(only)) await measure(name, build, Number(option(process.argv, "--seconds", "8")));
  process.exit(0);
}
