import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import type { Test } from "tap";

/** Machines on one switch, each in a network name space of its own. */
export interface PlayedNetwork {
  /** `10.77.0.1` is the first machine's. */
  address(machine: number): string;
  /** Runs a program on a machine until the test ends; with the test's own file system. */
  start(machine: number, command: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess;
  /** Gives a machine another address, as a DHCP server does. */
  move(machine: number, address: string): void;
}

const SUBNET = "10.77.0";

/** Builds the network; null if this user may not, or `ip` is missing. It ends with the test. */
export function playNetwork(t: Test, machines: number): PlayedNetwork | null {
  const name = (index: number | "switch"): string => `gatehouse-${process.pid}-${index}`;
  const ip = (...words: string[]): void => void execFileSync("ip", words, { stdio: "pipe" });
  const spaces = ["switch" as const, ...Array.from({ length: machines }, (_, index) => index)];
  const children: ChildProcess[] = [];
  t.teardown(async () => {
    for (const child of children.reverse()) await ended(child);
    for (const space of spaces) spawnSync("ip", ["netns", "delete", name(space)]);
  });
  try {
    for (const space of spaces) ip("netns", "add", name(space));
    ip("-n", name("switch"), "link", "add", "bridge", "type", "bridge", "mcast_snooping", "0");
    ip("-n", name("switch"), "link", "set", "bridge", "up");
    for (let index = 0; index < machines; index++) {
      ip("-n", name(index), "link", "set", "lo", "up");
      ip(
        "link",
        "add",
        "eth0",
        "netns",
        name(index),
        "type",
        "veth",
        "peer",
        "name",
        `port${index}`,
        "netns",
        name("switch"),
      );
      ip("-n", name("switch"), "link", "set", `port${index}`, "master", "bridge", "up");
      ip("-n", name(index), "address", "add", `${SUBNET}.${index + 1}/24`, "dev", "eth0");
      ip("-n", name(index), "link", "set", "eth0", "up");
    }
  } catch {
    return null;
  }
  return {
    address: (machine) => `${SUBNET}.${machine + 1}`,
    start: (machine, command, env = process.env) => {
      const child = spawn("ip", ["netns", "exec", name(machine), ...command], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      return child;
    },
    move: (machine, address) => {
      ip("-n", name(machine), "address", "flush", "dev", "eth0");
      ip("-n", name(machine), "address", "add", `${address}/24`, "dev", "eth0");
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
