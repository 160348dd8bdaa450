// @ts-check
/**
 * npm run bench -- matter [--build FOLDER]
 *
 * The cost of Matter: memory of the hub's process before and after it is switched on, memory of the Matter process with
 * 20 and with 100 bridged devices of seven types, and the time for a controller to join and to subscribe to
 * all of them (matter.js' own, in a network namespace beside the hub's).
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { benchDevices, benchEnvironment, option, provision } from "../lib/bench-hub.mjs";
import { callAs, signIn, startHub } from "../lib/hub-process.mjs";
import { enterOwnNetwork, startNeighbour } from "../lib/own-network.mjs";
import { root } from "../lib/prepare.mjs";

const TYPES = ["smart-plug", "dimmer", "light", "fan", "cover", "thermostat", "switch"];
/** src/core/platform/after-start.ts tidies up after five seconds. */
const REST_MS = 8_000;
/** The process reports its memory every ten seconds. */
const TOLD_MS = 21_000;

/** @param {string[]} options */
export async function run(options) {
  enterOwnNetwork();
  const neighbour = startNeighbour();
  const build = option(options, "--build", "build-hub");
  console.log(
    "| bridged devices | hub before, MB | hub after, MB | Matter process, MB | joined and subscribed, s |\n| --- | --- | --- | --- | --- |",
  );
  for (const count of [20, 100]) {
    const { before, after, own, seconds } = await once(build, count, String(neighbour.pid));
    console.log(`| ${count} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${own} | ${seconds.toFixed(1)} |`);
  }
  neighbour.kill("SIGKILL");
}

/** @param {string} build @param {number} count @param {string} beside process in the other namespace */
async function once(build, count, beside) {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-matter-"));
  const env = benchEnvironment(data, { GATEHOUSE_MATTER_PORT: "0", GATEHOUSE_MATTER_INTERFACE: "gh0" });
  const devices = benchDevices("", count, "device").map((device, n) => ({
    ...device,
    type: TYPES[n % TYPES.length] ?? "",
  }));
  const { account } = provision(build, env, devices);
  const hub = await startHub({ build, env });
  /** @type {import("node:child_process").ChildProcess | null} */
  let controller = null;
  try {
    const call = callAs(hub.url, { cookie: await signIn(hub.url, account) });
    await wait(REST_MS);
    const before = hub.memory();
    await call("PUT", "/api/matter", { enabled: true });
    for (;;) {
      const { matter } = await call("GET", "/api/matter");
      if (matter.network.port !== null) break;
      await wait(100);
    }
    const { matter } = await call("POST", "/api/matter/window", { minutes: 10 });
    const child = spawn(
      "nsenter",
      [
        "-t",
        beside,
        "-n",
        process.execPath,
        join(root, "scripts/lib/matter-controller.mjs"),
        join(data, "controller"),
        "gh1",
      ],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    controller = child;
    const seconds = await new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const message = JSON.parse(line);
        if (message.ready) child.stdin.write(`${JSON.stringify({ id: 1, do: "join", code: matter.window.qr })}\n`);
        if (message.re !== 1) return;
        if (message.error) reject(new Error(message.error));
        else if (message.result.endpoints < count) reject(new Error(`only ${message.result.endpoints} endpoints`));
        else resolve(message.result.ms / 1_000);
      });
      child.once("exit", () => reject(new Error("the controller ended")));
    });
    await wait(TOLD_MS);
    const own = (await call("GET", "/api/matter")).matter.process.megabytes;
    return { before, after: hub.memory(), own, seconds };
  } finally {
    controller?.kill("SIGKILL");
    await hub.stop();
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }
}
