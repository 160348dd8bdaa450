// @ts-check
/**
 * The image's root, booted with systemd as its first program in systemd-nspawn: seconds instead of a minute, for
 * everything except kernel, initrd and card. It has its own network namespace: nothing outside it can be reached. Root
 * only.
 *
 * In: a root folder of build-image.sh --container (used as the lower layer of an overlay; nothing is changed in it).
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const ADDRESS = "192.168.77.2";

/** One booted copy of the root. */
export class Container {
  #root;
  #folder;
  #name = `gh${process.pid}`;
  /** @type {import("node:child_process").ChildProcess | null} */
  #process = null;
  /** Its first program's process id here. @type {number | null} */
  #leader = null;
  console = "";

  /** @param {{ root: string, folder: string }} options */
  constructor({ root, folder }) {
    this.#root = root;
    this.#folder = folder;
  }

  /** A path of the running root, seen from here. @param {string} inside */
  path(inside) {
    return join(this.#folder, "merged", inside);
  }

  get address() {
    return ADDRESS;
  }

  /** Mounts the root with a writable layer; tests add files before the boot through {@link path}. */
  prepare() {
    const [upper, work, merged] = [
      join(this.#folder, "upper"),
      join(this.#folder, "work"),
      join(this.#folder, "merged"),
    ];
    for (const folder of [upper, work, merged]) mkdirSync(folder, { recursive: true });
    execFileSync("mount", [
      "-t",
      "overlay",
      "-o",
      `lowerdir=${this.#root},upperdir=${upper},workdir=${work}`,
      "overlay",
      merged,
    ]);
    writeFileSync(this.path("etc/machine-id"), "");
    for (const folder of ["data/etc", "boot/gatehouse", "data/gatehouse"])
      mkdirSync(this.path(folder), { recursive: true });
    execFileSync("chown", ["480:480", this.path("var/lib/gatehouse")]);
  }

  /** Boots it. */
  async start() {
    const veth = `${this.#name}h`.slice(-12);
    execFileSync("ip", ["netns", "add", this.#name]);
    const inside = (/** @type {string[]} */ ...args) => execFileSync("ip", ["-n", this.#name, ...args]);
    inside("link", "set", "lo", "up");
    execFileSync("ip", ["link", "add", veth, "type", "veth", "peer", "name", "eth0", "netns", this.#name]);
    execFileSync("ip", ["address", "add", "192.168.77.1/24", "dev", veth]);
    execFileSync("ip", ["link", "set", veth, "up"]);
    inside("link", "set", "eth0", "up");
    // The container may not set addresses, so this does systemd-networkd's work.
    inside("address", "add", `${ADDRESS}/24`, "dev", "eth0");
    // Its own mount namespace with the unified cgroup tree: this machine may mount the older one there.
    const boot = [
      "umount -R /sys/fs/cgroup 2> /dev/null; mount -t cgroup2 cgroup2 /sys/fs/cgroup",
      `exec systemd-nspawn --quiet --register=no --keep-unit --network-namespace-path=/run/netns/${this.#name} --resolv-conf=off --timezone=off --console=pipe -D ${join(this.#folder, "merged")} -b`,
    ].join("; ");
    const started = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", boot], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1", SYSTEMD_NSPAWN_LOCK: "0" },
    });
    this.#process = started;
    this.console = "";
    for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => (this.console += chunk));
    const deadline = performance.now() + 60_000;
    while (this.#leader === null) {
      if (performance.now() > deadline || started.exitCode !== null)
        throw new Error(`the container did not start:\n${this.console}`);
      await pause(100);
      this.#leader = findLeader(started.pid ?? 0);
    }
  }

  /** Runs a command inside; answers its exit status and output. @param {string[]} command */
  run(...command) {
    const { status, stdout, stderr } = spawnSync("nsenter", ["-t", String(this.#leader), "-a", ...command], {
      encoding: "utf8",
      timeout: 120_000,
    });
    return { status, out: stdout, err: stderr };
  }

  /** Waits until a command inside ends with 0. @param {string} command */
  async until(command, limitMs = 60_000) {
    const deadline = performance.now() + limitMs;
    for (;;) {
      if (this.run("/bin/sh", "-c", command).status === 0) return;
      if (performance.now() > deadline)
        throw new Error(`not in time: ${command}\n${this.run("journalctl", "-b", "--no-pager", "-n", "60").out}`);
      await pause(200);
    }
  }

  /** Shuts it down and removes everything it left. */
  async stop() {
    const running = this.#process;
    if (running !== null && running.exitCode === null) {
      const gone = once(running, "exit");
      if (this.#leader !== null) spawnSync("kill", ["-s", "RTMIN+4", String(this.#leader)]);
      const late = setTimeout(() => running.kill("SIGKILL"), 30_000);
      await gone;
      clearTimeout(late);
    }
    spawnSync("ip", ["netns", "delete", this.#name]);
    spawnSync("ip", ["link", "delete", `${this.#name}h`.slice(-12)]);
    spawnSync("umount", ["-l", join(this.#folder, "merged")]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * The container's first program: the child of systemd-nspawn in another PID name space.
 * @param {number} pid
 * @returns {number | null}
 */
function findLeader(pid) {
  const own = spawnSync("readlink", ["/proc/self/ns/pid"], { encoding: "utf8" }).stdout;
  const queue = [pid];
  while (queue.length > 0) {
    const next = queue.shift();
    const children = existsSync(`/proc/${next}/task/${next}/children`)
      ? readFileSync(`/proc/${next}/task/${next}/children`, "utf8").trim().split(" ").filter(Boolean)
      : [];
    for (const child of children.map(Number)) {
      const namespace = spawnSync("readlink", [`/proc/${child}/ns/pid`], { encoding: "utf8" }).stdout;
      if (namespace !== "" && namespace !== own && readFileSync(`/proc/${child}/comm`, "utf8").startsWith("systemd"))
        return child;
      queue.push(child);
    }
  }
  return null;
}
