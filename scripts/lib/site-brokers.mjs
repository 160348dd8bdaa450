// @ts-check
// Debian's nats-server, rabbitmq-server and mosquitto, each started in a temporary folder on free loopback ports,
// killed and started again.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { freePort } from "./free-port.mjs";

/** RabbitMQ waits for its cluster of one for half a minute after it was killed. */
const READY_MS = 240_000;

/**
 * A broker of the site. `devicePort`: for devices; `hubPort`: for the hub.
 * @typedef {{ name: string, devicePort: number, hubPort: number, kill: () => Promise<void>, restart: () =>
 *   Promise<void>, stop: () => Promise<void> }} SiteBroker
 */

/**
 * The reason why a broker cannot be tested here; false if it can.
 * @param {string} program
 * @param {string} debian
 * @returns {string | false}
 */
export function notInstalled(program, debian) {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0
    ? false
    : `${program} is not installed (Debian: ${debian})`;
}

/** One process that can be killed and started again. */
class Program {
  /** @type {import("node:child_process").ChildProcess | null} */
  #child = null;
  #output = "";
  #wish;

  /** @param {{ command: string, args: readonly string[], env?: Record<string, string>, port: number }} wish */
  constructor(wish) {
    this.#wish = wish;
  }

  /** Starts it, and waits until it accepts MQTT. */
  async start() {
    const { command, args, env = {}, port } = this.#wish;
    const child = spawn(command, [...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (this.#output = (this.#output + String(chunk)).slice(-20_000)));
    const deadline = Date.now() + READY_MS;
    for (;;) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${command} did not start:\n${this.#output}`);
      try {
        const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
          clientId: "is-it-there",
          reconnectPeriod: 0,
          connectTimeout: 2_000,
        });
        await client.endAsync(true);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Ends it and what it has started, at once or in order. @param {"SIGKILL" | "SIGTERM"} signal */
  async end(signal) {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.pid === undefined) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, signal);
    await gone;
  }
}

/** NATS with JetStream and its MQTT listener. @param {string} folder @returns {Promise<SiteBroker>} */
export async function startNats(folder) {
  const [port, own] = [await freePort(), await freePort()];
  const file = join(folder, "nats.conf");
  writeFileSync(
    file,
    `listen: "127.0.0.1:${own}"\nserver_name: site\njetstream { store_dir: "${folder}/store" }\nmqtt { listen: "127.0.0.1:${port}" }\n`,
  );
  return alone("NATS", port, new Program({ command: "nats-server", args: ["-c", file], port }));
}

/**
 * RabbitMQ with its MQTT plugin, everything of it in `folder`. @param {string} folder @returns {Promise<SiteBroker>}
 */
export async function startRabbit(folder) {
  const [port, amqp, distribution, epmd] = [await freePort(), await freePort(), await freePort(), await freePort()];
  for (const name of ["mnesia", "log", "home"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "plugins"), "[rabbitmq_mqtt].\n");
  const lines = [
    `mqtt.listeners.tcp.1 = 127.0.0.1:${port}`,
    `listeners.tcp.1 = 127.0.0.1:${amqp}`,
    "mqtt.allow_anonymous = true",
    "loopback_users = none",
  ];
  writeFileSync(join(folder, "rabbitmq.conf"), `${lines.join("\n")}\n`);
  const cookie = join(folder, "home", ".erlang.cookie");
  writeFileSync(cookie, "GATEHOUSETRIAL");
  chmodSync(cookie, 0o400);
  const env = {
    HOME: join(folder, "home"),
    RABBITMQ_NODENAME: `trial${port}@localhost`,
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_PID_FILE: join(folder, "pid"),
    RABBITMQ_DIST_PORT: String(distribution),
    ERL_EPMD_PORT: String(epmd),
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    ERL_CRASH_DUMP: "/dev/null",
  };
  const program = new Program({ command: "/usr/lib/rabbitmq/bin/rabbitmq-server", args: [], env, port });
  const broker = await alone("RabbitMQ", port, program);
  const stop = async () => {
    await broker.stop();
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // it does not end while it still knows a node
    spawnSync("epmd", ["-port", String(epmd), "-kill"]); // this test's own, on a separate port
  };
  return { ...broker, stop };
}

/** @param {string} name @param {number} port @param {Program} program @returns {Promise<SiteBroker>} */
async function alone(name, port, program) {
  await program.start();
  return {
    name,
    devicePort: port,
    hubPort: port,
    kill: () => program.end("SIGKILL"),
    restart: () => program.start(),
    stop: () => program.end("SIGKILL"),
  };
}

/**
 * Two Mosquittos, the devices at one and the hub at the other, which fetches everything from the first over a bridge.
 * `killed`: which of them dies. Mosquitto acknowledges before it writes, so it is stopped by a signal that makes it
 * write.
 * @param {string} folder
 * @param {"near" | "far"} killed  near: the hub's
 * @returns {Promise<SiteBroker>}
 */
export async function startMosquittoPair(folder, killed) {
  const [near, far] = [await freePort(), await freePort()];
  const start = async (/** @type {string} */ name, /** @type {number} */ port, /** @type {string} */ more) => {
    mkdirSync(join(folder, name), { recursive: true });
    const lines = [
      "user root",
      `listener ${port} 127.0.0.1`,
      "allow_anonymous true",
      "persistence true",
      `persistence_location ${join(folder, name)}/`,
    ];
    writeFileSync(join(folder, `${name}.conf`), `${lines.join("\n")}\nmax_queued_messages 100000\n${more}`);
    const program = new Program({ command: "mosquitto", args: ["-c", join(folder, `${name}.conf`)], port });
    await program.start();
    return program;
  };
  const farProgram = await start("far", far, "");
  const bridge = [
    "connection pair",
    `address 127.0.0.1:${far}`,
    "topic # both 1",
    "cleansession false",
    "restart_timeout 1",
    "bridge_protocol_version mqttv311",
  ];
  const nearProgram = await start("near", near, `${bridge.join("\n")}\n`);
  const victim = killed === "near" ? nearProgram : farProgram;
  return {
    name: `Mosquitto pair, the ${killed === "near" ? "hub's" : "devices'"} ends`,
    devicePort: far,
    hubPort: near,
    kill: () => victim.end("SIGTERM"),
    restart: () => victim.start(),
    stop: async () => void (await Promise.all([nearProgram.end("SIGKILL"), farProgram.end("SIGKILL")])),
  };
}
