// @ts-check
/**
 * Separate networks: the script moves itself into one network namespace, and puts the hub of a fault into another,
 * joined by a virtual cable. On the script's side of the cable the owner, the devices and the receivers each have an
 * address, so that each can be disconnected separately.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";

const MARK = "GATEHOUSE_OWN_NETWORK";
const CABLE = ["gh0", "gh1"];
export const HUB = "10.77.0.2";
/** The owner's is the first: the default of a connection. */
export const PEERS = { owner: "10.77.0.1", devices: "10.77.0.11", receivers: "10.77.0.12" };

/** Whether the script runs in a network of its own. */
export const hasOwnNetwork = () => process.env[MARK] === "1";

/** Restarts this script, as the same process, in a separate network; continues here if that is not permitted. */
export function enterOwnNetwork() {
  if (hasOwnNetwork() || process.getuid?.() !== 0 || process.execve === undefined) return;
  if (spawnSync("unshare", ["-n", "ip", "link", "set", "lo", "up"], { stdio: "ignore" }).status !== 0) return;
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const script =
    'unshare=$(command -v unshare) && exec "$unshare" -n sh -c \'ip link set lo up && exec "$0" "$@"\' "$0" "$@"';
  process.execve("/bin/sh", ["sh", "-c", script, ...again], { ...process.env, [MARK]: "1" });
}

/** @returns {string | null} */
export const withoutNamespaces = () =>
  hasOwnNetwork() ? null : "only root may have networks of its own (unshare, ip)";

/** @returns {string | null} */
export function withoutLossyCable() {
  if (!hasOwnNetwork()) return withoutNamespaces();
  if (spawnSync("gcc", ["--version"], { stdio: "ignore" }).status !== 0) return "gcc is not installed";
  return existsSync("/dev/net/tun") ? null : "the kernel has no /dev/net/tun";
}

const ip = (/** @type {string} */ words) =>
  void execFileSync("ip", words.split(" "), { stdio: ["ignore", "ignore", "pipe"] });

/** The hub's network; from `lay` to `end`. */
export class Cable {
  #holder;
  /** @type {import("node:child_process").ChildProcess | null} */
  #program = null;

  constructor() {
    this.#holder = spawn("unshare", ["-n", "sleep", "1000000"], { stdio: "ignore" });
  }

  /**
   * Creates the cable.
   * @param {{ program: string, seed: number }} [lossy] the compiled lossy-cable.c, which is the cable then
   */
  async lay(lossy) {
    await once(this.#holder, "spawn");
    await new Promise((done) => setTimeout(done, 100)); // until it has left for its own network
    if (lossy === undefined) ip(`link add ${CABLE[0]} type veth peer name ${CABLE[1]} netns ${this.#holder.pid}`);
    else await this.#run(lossy);
    for (const address of Object.values(PEERS)) ip(`addr add ${address}/24 dev ${CABLE[0]}`);
    ip(`link set ${CABLE[0]} up`);
    this.inside(`ip addr add ${HUB}/24 dev ${CABLE[1]}`);
    this.inside("ip link set lo up");
    this.inside(`ip link set ${CABLE[1]} up`);
  }

  /** @param {{ program: string, seed: number }} lossy */
  async #run({ program, seed }) {
    const words = [...CABLE, `/proc/${this.#holder.pid}/ns/net`, String(seed)];
    this.#program = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = await Promise.race([
      once(/** @type {import("node:stream").Readable} */ (this.#program.stdout), "data"),
      once(this.#program, "exit"),
    ]);
    if (String(line) !== "laid\n") throw new Error(`the lossy cable was not laid: ${line}`);
  }

  /** The prefix of a command that runs in the hub's network. */
  get prefix() {
    return ["nsenter", "-t", String(this.#holder.pid), "-n"];
  }

  /** @param {string} command */
  inside(command) {
    const [first = "", ...words] = [...this.prefix, ...command.split(" ")];
    execFileSync(first, words, { stdio: ["ignore", "ignore", "pipe"] });
  }

  /** Disconnects one of the peers silently. @param {keyof typeof PEERS} peer */
  cutOff(peer) {
    ip(`rule add from ${PEERS[peer]} blackhole`);
  }

  /** @param {keyof typeof PEERS} peer */
  joinAgain(peer) {
    ip(`rule del from ${PEERS[peer]} blackhole`);
  }

  unplug() {
    ip(`link set ${CABLE[0]} down`);
  }

  plug() {
    ip(`link set ${CABLE[0]} up`);
  }

  /** What passes the cable fares as these words of tc(8) say, both ways. @param {string} qdisc */
  spoil(qdisc) {
    execFileSync("tc", ["qdisc", "replace", "dev", CABLE[0] ?? "", "root", ...qdisc.split(" ")]);
    this.inside(`tc qdisc replace dev ${CABLE[1]} root ${qdisc}`);
  }

  /** Reverts {@link Cable.spoil} and {@link Cable.lose}. */
  mend() {
    if (this.#program !== null) return this.lose({ fromHub: 0, toHub: 0, delayMs: 0, jitterMs: 0, doubled: 0 });
    spawnSync("tc", ["qdisc", "del", "dev", CABLE[0] ?? "", "root"]);
    const [first = "", ...words] = [...this.prefix, "tc", "qdisc", "del", "dev", CABLE[1] ?? "", "root"];
    spawnSync(first, words);
  }

  /**
   * Sets a lossy cable's behaviour: the percentages lost from the hub (`fromHub`) and to it (`toHub`), the delay, whose
   * jitter also reorders packets, and the percentage that is duplicated.
   * @param {{ fromHub: number, toHub: number, delayMs: number, jitterMs: number, doubled: number }} how
   */
  lose({ fromHub, toHub, delayMs, jitterMs, doubled }) {
    this.#program?.stdin?.write(`${[fromHub, toHub, delayMs, jitterMs, doubled].join(" ")}\n`);
  }

  /** Removes the hub's network and the cable. */
  async end() {
    for (const address of Object.values(PEERS))
      spawnSync("ip", ["rule", "del", "from", address, "blackhole"], { stdio: "ignore" });
    if (this.#program === null) spawnSync("ip", ["link", "del", CABLE[0] ?? ""], { stdio: "ignore" });
    else if (this.#program.exitCode === null) {
      this.#program.kill("SIGKILL");
      await once(this.#program, "exit");
    }
    this.#holder.kill("SIGKILL");
    await once(this.#holder, "close");
  }
}

/** How a device reaches the broker over the cable. @param {number} port */
export const dialOverCable = (port) => connect({ port, host: HUB, localAddress: PEERS.devices });
