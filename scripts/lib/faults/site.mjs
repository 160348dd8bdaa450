// @ts-check
/**
 * A broker of the site that the hub joins: Debian's mosquitto, behind a line that can stall, drip or fail on demand.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { OUTSIDE } from "./devices.mjs";

/** @typedef {"pass" | "hang" | "drip" | "gone"} Line how the line between the hub and the broker is */

const PASSWORD = "hub-secret";
const TICK_MS = 50;
/** Beyond this, a stalled side stops reading, so that the other side gets back-pressure. */
const MOST_HELD = 64 * 1_024;

/** @returns {string | null} */
export const withoutMosquitto = () => {
  const isThere = ["mosquitto", "mosquitto_passwd"].every((name) => spawnSync(name, ["-h"]).error === undefined);
  return isThere ? null : "mosquitto is not installed";
};

/** See the head of the file. */
export class Site {
  #folder;
  #port = 0;
  /** @type {import("node:child_process").ChildProcess | null} */
  #broker = null;
  #most = 100_000;
  /** @type {Line} */
  #line = "pass";
  #bytesPerSecond = 400;
  #server = createServer((socket) => this.#relay(socket));
  #linePort = 0;
  /** @type {Set<() => void>} */
  #ends = new Set();
  /** @type {import("mqtt").MqttClient[]} */
  #clients = [];
  /**
   * Commands that the device got, by number: count and time of the last.
   * @type {Map<number, { times: number, at: number }>}
   */
  commands = new Map();

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
  }

  /**
   * Starts the broker and the line.
   * @param {{ most?: number }} [options] `most`: messages that the broker keeps for a client that is away
   */
  async start({ most = 100_000 } = {}) {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    this.#most = most;
    await this.#listen(0);
    this.#linePort = portOf(this.#server);
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    this.#port = portOf(free);
    await new Promise((done) => free.close(done));
    writeFileSync(this.passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    this.allow(true);
    await this.startBroker();
  }

  /** Environment of a hub that joins it. */
  get env() {
    return {
      GATEHOUSE_OUTSIDE_BROKER_URL: `mqtt://127.0.0.1:${this.#linePort}`,
      GATEHOUSE_OUTSIDE_BROKER_USERNAME: "hub",
      GATEHOUSE_OUTSIDE_BROKER_PASSWORD_FILE: this.passwordFile,
    };
  }

  get passwordFile() {
    return join(this.#folder, "hub.password");
  }

  /** Whether the broker knows the hub's password; it learns of it when it starts. @param {boolean} isKnown */
  allow(isKnown) {
    const file = join(this.#folder, "passwords");
    writeFileSync(file, "", { mode: 0o600 });
    const users = { hub: isKnown ? PASSWORD : "another one", [OUTSIDE]: OUTSIDE, site: "site" };
    for (const [user, password] of Object.entries(users)) spawnSync("mosquitto_passwd", ["-b", file, user, password]);
  }

  async startBroker() {
    const configuration = join(this.#folder, "mosquitto.conf");
    const lines = [
      "user root", // otherwise it switches to a user who cannot read the folder
      `listener ${this.#port} 127.0.0.1`,
      "allow_anonymous false",
      `password_file ${join(this.#folder, "passwords")}`,
      "persistence true",
      `persistence_location ${this.#folder}/`,
      `max_queued_messages ${this.#most}`,
    ];
    writeFileSync(configuration, `${lines.join("\n")}\n`);
    this.#broker = spawn("mosquitto", ["-c", configuration], { stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    this.#broker.stderr?.on("data", (chunk) => (output += chunk));
    for (let n = 0; ; n++) {
      const isUp = await new Promise((resolve) => {
        const socket = connect(this.#port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
        socket.on("connect", () => socket.destroy());
      });
      if (isUp) return;
      if (this.#broker.exitCode !== null || n > 500) throw new Error(`mosquitto did not start: ${output}`);
      await pause(20);
    }
  }

  /**
   * Stops the broker, which saves its state.
   * @param {{ forgets?: boolean }} [options] `forgets`: its sessions and messages are gone
   */
  async stopBroker({ forgets = false } = {}) {
    const broker = this.#broker;
    this.#broker = null;
    if (broker !== null && broker.exitCode === null) {
      broker.kill("SIGTERM");
      await once(broker, "exit");
    }
    if (forgets) rmSync(join(this.#folder, "mosquitto.db"), { force: true });
  }

  /**
   * Sets how the line is from now on. @param {Line} line @param {number} [bytesPerSecond] of a dripping one, each way
   */
  async be(line, bytesPerSecond = 400) {
    const was = this.#line;
    this.#line = line;
    this.#bytesPerSecond = bytesPerSecond;
    if (line === "gone") {
      this.#server.close();
      this.cut();
    } else if (was === "gone") await this.#listen(this.#linePort);
  }

  /** Cuts all connections over the line. */
  cut() {
    for (const end of [...this.#ends]) end();
  }

  /** @param {number} port */
  async #listen(port) {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** @param {import("node:net").Socket} hub */
  #relay(hub) {
    const broker = connect(this.#port, "127.0.0.1");
    const pumps = [this.#pump(hub, broker), this.#pump(broker, hub)];
    const timer = setInterval(() => {
      for (const pump of pumps) pump();
    }, TICK_MS);
    const end = () => {
      clearInterval(timer);
      this.#ends.delete(end);
      hub.destroy();
      broker.destroy();
    };
    this.#ends.add(end);
    for (const socket of [hub, broker]) for (const event of ["error", "close"]) socket.on(event, end);
  }

  /**
   * Passes on one side's data as the line allows; call it again to pass what is due.
   * @param {import("node:net").Socket} from
   * @param {import("node:net").Socket} to
   */
  #pump(from, to) {
    /** @type {Buffer[]} */
    const held = [];
    let bytes = 0;
    const pass = () => {
      let due =
        this.#line === "pass"
          ? Number.POSITIVE_INFINITY
          : this.#line === "drip"
            ? Math.ceil((this.#bytesPerSecond * TICK_MS) / 1000)
            : 0;
      while (due > 0 && to.writable) {
        const chunk = held.shift();
        if (chunk === undefined) break;
        const part = chunk.subarray(0, due);
        if (part.length < chunk.length) held.unshift(chunk.subarray(part.length));
        due -= part.length;
        bytes -= part.length;
        to.write(part);
      }
      if (bytes < MOST_HELD) from.resume();
    };
    from.on("data", (chunk) => {
      held.push(chunk);
      bytes += chunk.length;
      if (bytes >= MOST_HELD) from.pause();
      if (this.#line === "pass") pass();
    });
    return pass;
  }

  /**
   * A client connected directly to the broker, not over the line.
   * @param {string} username
   * @param {import("mqtt").IClientOptions} [more]
   */
  async client(username, more = {}) {
    const client = mqtt.connect(`mqtt://127.0.0.1:${this.#port}`, {
      username,
      password: username,
      clientId: username,
      reconnectPeriod: 100,
      ...more,
    });
    client.on("error", () => {});
    this.#clients.push(client);
    await new Promise((resolve) => client.once("connect", resolve));
    return client;
  }

  /** The device, which announces itself and counts its commands. */
  async device() {
    const topic = `gatehouse/${OUTSIDE}`;
    const client = await this.client(OUTSIDE, {
      clean: false,
      will: { topic: `${topic}/status`, payload: Buffer.from("offline"), qos: 1, retain: true },
    });
    client.on("message", (_topic, payload) => {
      const { n } = JSON.parse(payload.toString());
      this.commands.set(n, { times: (this.commands.get(n)?.times ?? 0) + 1, at: performance.now() });
    });
    const begin = () => {
      client.subscribe(`${topic}/command`, { qos: 1 });
      client.publish(`${topic}/status`, "online", { qos: 1, retain: true });
    };
    client.on("connect", begin);
    begin();
    return client;
  }

  /** Stops everything. */
  async end() {
    for (const client of this.#clients) client.end(true);
    await this.stopBroker();
    this.cut();
    this.#server.close();
  }
}

/** @param {import("node:net").Server} server */
function portOf(server) {
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
