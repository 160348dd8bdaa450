// @ts-check
/** Network namespaces for checks that must not reach anything else. Needs root, or user namespaces, and `ip`. */
import { spawn, spawnSync } from "node:child_process";

/**
 * Runs the program again in a separate network, unless it runs in one, and exits with its code. Nothing of this machine
 * is reachable from there.
 */
export function enterOwnNetwork() {
  if (process.env.OWN_NETWORK !== undefined) return;
  const isRoot = process.getuid?.() === 0;
  const { status, error } = spawnSync("unshare", [isRoot ? "-n" : "-rn", process.execPath, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, OWN_NETWORK: "1" },
  });
  if (error) throw error;
  process.exit(status ?? 1);
}

/**
 * A network namespace beside this one, joined by a cable: `gh0` here, `gh1` there. Its processes are started by
 * `nsenter -t PID -n`; it ends with the process.
 */
export function startNeighbour() {
  const child = spawn("unshare", ["-n", "sleep", "100000"], { stdio: "ignore" });
  const ip = (/** @type {string[]} */ ...words) => {
    const { status, stderr } = spawnSync("ip", words, { encoding: "utf8" });
    if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${stderr}`);
  };
  const pid = String(child.pid);
  ip("link", "set", "lo", "up");
  ip("link", "add", "gh0", "type", "veth", "peer", "name", "gh1");
  // Until `unshare` has run, its namespace is this one.
  for (let tries = 0; tries < 100; tries++) {
    const { stdout } = spawnSync("readlink", ["/proc/self/ns/net", `/proc/${pid}/ns/net`], { encoding: "utf8" });
    const [own, other] = stdout.trim().split("\n");
    if (other !== undefined && own !== other) break;
    spawnSync("sleep", ["0.02"]);
  }
  ip("link", "set", "gh1", "netns", pid);
  ip("addr", "add", "10.77.0.1/24", "dev", "gh0");
  ip("-6", "addr", "add", "fd77::1/64", "dev", "gh0", "nodad");
  ip("link", "set", "gh0", "up");
  ip("route", "add", "default", "via", "10.77.0.2");
  spawnSync("nsenter", [
    "-t",
    pid,
    "-n",
    "sh",
    "-c",
    "ip link set lo up; ip addr add 10.77.0.2/24 dev gh1; ip -6 addr add fd77::2/64 dev gh1 nodad; ip link set gh1 up; ip route add default via 10.77.0.1",
  ]);
  return child;
}
