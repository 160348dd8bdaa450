// @ts-check
/**
 * The set-up of an estate check: a separate network with a bridge; each hub and server is a process that can be killed,
 * connected by a cable that can be pulled.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { NODE_ARGUMENTS } from "../hub-environment.mjs";

/** @typedef {import("../../../src/features/estate/views.ts").EstateHealth} EstateHealth */
/** @typedef {import("../../../src/features/estate/estate-view.ts").EstateView} EstateView */
/**
 * The answers of a hub's process to each order; see test/support/estate-process.ts.
 *
 * @typedef {{
 *   pass: object,
 *   rule: { rule: number },
 *   edit: { rule: number },
 *   remove: object,
 *   part: object,
 *   knows: { at: string },
 *   dump: { rules: string[], reads: string[], visits: string[], occupancy: ReturnType<EstateView["occupancy"]> },
 *   far: { at: number | null },
 *   health: {
 *     health: EstateHealth,
 *     peers: ReturnType<EstateView["peers"]>,
 *     rss: number,
 *     cpu: NodeJS.CpuUsage,
 *     decisions: number[],
 *     loop: { max: number, p99: number },
 *   },
 * }} Answers
 */

const ip = (/** @type {string} */ words) =>
  void execFileSync("ip", words.split(" "), { stdio: ["ignore", "ignore", "pipe"] });
const BRIDGE = "10.78.0.1";
const CLIENT_PORT = 4222;

/** Creates the bridge; the script itself is at one end of it. */
export function layBridge() {
  ip("link add br0 type bridge");
  ip(`addr add ${BRIDGE}/24 dev br0`);
  ip("link set br0 up");
}

/** A network of one machine on the bridge. */
export class Place {
  #holder;

  /** @param {string} name @param {number} number */
  constructor(name, number) {
    this.name = name;
    this.cable = `v${number}`;
    this.address = `10.78.0.${number}`;
    this.isCut = false;
    this.#holder = spawn("unshare", ["-n", "sleep", "1000000"], { stdio: "ignore" });
  }

  async lay() {
    await once(this.#holder, "spawn");
    await new Promise((done) => setTimeout(done, 150)); // until it has entered its own network
    ip(`link add ${this.cable} type veth peer name eth0 netns ${this.#holder.pid}`);
    ip(`link set ${this.cable} master br0`);
    ip(`link set ${this.cable} up`);
    for (const words of [`addr add ${this.address}/24 dev eth0`, "link set lo up", "link set eth0 up"])
      execFileSync("nsenter", ["-t", String(this.#holder.pid), "-n", "ip", ...words.split(" ")], {
        stdio: ["ignore", "ignore", "pipe"],
      });
  }

  /** The prefix of a command that runs here. */
  get prefix() {
    return ["nsenter", "-t", String(this.#holder.pid), "-n"];
  }

  /** Pulls the cable silently. */
  cut() {
    ip(`link set ${this.cable} down`);
    this.isCut = true;
  }

  mend() {
    ip(`link set ${this.cable} up`);
    this.isCut = false;
  }

  end() {
    this.#holder.kill();
  }
}

/** A process at a place; it can be killed and restarted on the same files. */
class Resident {
  /** @type {import("node:child_process").ChildProcess | null} */
  child = null;

  /** @param {Place} place @param {string} folder */
  constructor(place, folder) {
    this.place = place;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get isUp() {
    return this.child !== null;
  }

  async kill() {
    const { child } = this;
    this.child = null;
    if (child === null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
}

/** One node of the JetStream cluster. */
export class Node extends Resident {
  /** @param {Place} place @param {string} folder @param {readonly Place[]} cluster */
  constructor(place, folder, cluster) {
    super(place, folder);
    const settings = {
      server_name: place.name,
      listen: `${place.address}:${CLIENT_PORT}`,
      jetstream: { store_dir: join(folder, "store"), max_memory_store: 67_108_864, max_file_store: 17_179_869_184 },
      cluster: {
        name: "check",
        listen: `${place.address}:6222`,
        routes: cluster.map(({ address }) => `nats://${address}:6222`),
      },
    };
    writeFileSync(join(folder, "nats.conf"), JSON.stringify(settings).slice(1, -1));
  }

  get url() {
    return `nats://${this.place.address}:${CLIENT_PORT}`;
  }

  async start() {
    const [command = "", ...words] = [
      ...this.place.prefix,
      "nats-server",
      "-c",
      join(this.folder, "nats.conf"),
      "-l",
      join(this.folder, "log"),
    ];
    this.child = spawn(command, words, { stdio: "ignore" });
    await once(this.child, "spawn");
  }
}

/** A hub whose cameras get the passes given here. */
export class HubAt extends Resident {
  #last = 0;
  /** @type {Map<number, { resolve(answer: unknown): void, reject(error: Error): void }>} */
  #waiting = new Map();

  /**
   * @param {Place} place @param {string} folder
   * @param {{
   *   program: string,
   *   estate: { servers: readonly string[], part: string, plateKey: string } | null,
   *   hasLog?: boolean,
   * }} options
   */
  constructor(place, folder, { program, estate, hasLog = false }) {
    super(place, folder);
    this.program = program;
    this.hasLog = hasLog;
    this.part = estate?.part ?? "";
    if (estate === null) return;
    mkdirSync(join(folder, "estate"), { recursive: true });
    writeFileSync(join(folder, "estate/plate.key"), estate.plateKey);
    const { servers, part } = estate;
    const file = {
      estate: "check",
      hub: place.name,
      name: place.name,
      part,
      role: "manager",
      servers,
      plateKeyFile: "plate.key",
    };
    writeFileSync(join(folder, "estate/estate.json"), JSON.stringify(file));
  }

  async start() {
    const [command = "", ...words] = [...this.place.prefix, process.execPath, ...NODE_ARGUMENTS, this.program];
    const env = {
      PATH: process.env.PATH ?? "",
      TMPDIR: process.env.TMPDIR ?? "",
      GATEHOUSE_DATA: this.folder,
      GATEHOUSE_HOST: "0.0.0.0",
      GATEHOUSE_HTTP_PORT: "8080",
      GATEHOUSE_MQTT_PORT: "1883",
      GATEHOUSE_TLS: "off",
      GATEHOUSE_MDNS: "false",
      GATEHOUSE_SNTP: "false",
      GATEHOUSE_RECOGNITION: "false",
      GATEHOUSE_GATE_PASS_SECONDS: "0",
      GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
      ...(this.hasLog ? { LOG_FILE: join(this.folder, "log") } : {}),
    };
    const child = spawn(command, words, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.child = child;
    const lines = createInterface({ input: child.stdout });
    const ready = new Promise((resolve, reject) => {
      child.once("exit", () => reject(new Error(`${this.place.name} ended`)));
      lines.on("line", (line) => {
        const { id, ready: isReady, ...answer } = JSON.parse(line);
        if (isReady) resolve(undefined);
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (answer.error === undefined) waiting?.resolve(answer);
        else waiting?.reject(new Error(answer.error));
      });
    });
    child.stdin.on("error", () => {}); // it was killed
    child.once("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("killed"));
      this.#waiting.clear();
    });
    await ready;
  }

  /**
   * Has the hub do something. Rejects with the problem's code, or `killed`.
   * @template {keyof Answers} What
   * @param {{ do: What, plate?: string, direction?: "in" | "out", at?: number, key?: string, kind?: string }} order
   * @returns {Promise<Answers[What]>}
   */
  ask(order) {
    const { child } = this;
    if (child === null) return Promise.reject(new Error("killed"));
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      child.stdin?.write(`${JSON.stringify({ id, ...order })}\n`);
    });
  }
}
