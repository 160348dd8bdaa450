import { spawn, spawnSync } from "node:child_process";
import type { Test } from "tap";

/** Set in the program that runs in its own network. @public scripts/matter-devices.mjs */
export const INSIDE = "GATEHOUSE_TEST_OWN_NETWORK";

/** The length of the inner tests' output shown after a failure; the end names the cause. */
const LAST_TOLD = 4_000;
/**
 * A cable with nothing at the other end: multicast to all on it returns to this machine, and goes nowhere else. @public
 * scripts/matter-devices.mjs
 */
export const SET_UP = [
  "ip link set lo up",
  "ip link add eth0 type veth peer name far0",
  "ip link set far0 up",
  "echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad",
  "ip link set eth0 up",
  "ip address add 10.77.0.1/24 dev eth0",
  "ip route add default via 10.77.0.254 dev eth0",
  'exec "$@"',
].join("\n");

/**
 * Runs a test file in its own network: Matter finds devices by multicast, which must reach no one else. Returns true
 * inside, when the tests are to run; outside it runs the file again inside, as one test.
 */
export function isInOwnNetwork(t: Test, file: string): boolean {
  if (process.env[INSIDE] !== undefined) return true;
  if (spawnSync("unshare", ["-rn", "sh", "-c", SET_UP, "sh", "true"]).status !== 0) {
    t.plan(0, "this user may not make networks");
    return false;
  }
  t.test("in a network of its own", async (t) => {
    const child = spawn("unshare", ["-rn", "sh", "-c", SET_UP, "sh", process.execPath, file], {
      env: { ...process.env, [INSIDE]: "1", TAP_TIMEOUT: "240" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.teardown(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    const code = await new Promise((resolve) => child.once("close", resolve));
    t.equal(code, 0, "every test there passed", code === 0 ? {} : { output: output.slice(-LAST_TOLD) });
    t.match(output, /# \{ total: \d+, pass: \d+ \}|1\.\.\d+/, "and there were some");
  });
  return false;
}
