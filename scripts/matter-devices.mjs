#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/matter-devices.mjs [--build FOLDER] [--kinds plug,lamp,…] [--restarts N] [--json]
 *
 * Matter devices of twelve kinds, each in its own process (matter.js' device classes), join a whole hub by their
 * codes, in an isolated network. Then:
 *   - each gets a command and carries it out; the hub reports the command as acknowledged;
 *   - its reports become the hub's state, and its measurements the history;
 *   - N times one side is killed (SIGKILL) and started again, the hub and one device in turn; after each, every device
 *     is online under its id, and its next report arrives.
 * Exits 0 if everything held, 1 otherwise. Needs `unshare` (root, or a user who may make networks).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hubMain } from "./lib/hub-environment.mjs";
import { prepare } from "./lib/prepare.mjs";

const BACK_MS = 90_000;

/**
 * The tests of each kind: a command of the hub and the device's state afterwards; a report of the device and the hub's
 * state afterwards.
 * @typedef {{ endpoint: string, command: object, does: readonly [cluster: string, attribute: string, value: unknown],
 *   reports: readonly (readonly [set: Record<string, Record<string, unknown>>, name: string, value: unknown])[] }} Kind
 */
/** @type {Record<string, Kind>} */
const KINDS = {
  plug: { endpoint: "plug", command: { power: true }, does: ["onOff", "onOff", true], reports: onOff("power") },
  strip: { endpoint: "two", command: { ch: 2, on: true }, does: ["onOff", "onOff", true], reports: onOff("power2") },
  dimmer: {
    endpoint: "lamp",
    command: { brightness: 40 },
    does: ["levelControl", "currentLevel", 102],
    reports: onOff("power"),
  },
  lamp: {
    endpoint: "lamp",
    command: { colorTemperature: 4_000 },
    does: ["colorControl", "colorTemperatureMireds", 250],
    reports: onOff("power"),
  },
  thermostat: {
    endpoint: "thermostat",
    command: { target: 22.5 },
    does: ["thermostat", "occupiedHeatingSetpoint", 2_250],
    reports: [19, 23].map((degrees) => [{ thermostat: { occupiedHeatingSetpoint: degrees * 100 } }, "target", degrees]),
  },
  blind: {
    endpoint: "blind",
    command: { position: 30 },
    does: ["windowCovering", "targetPositionLiftPercent100ths", 7_000],
    reports: [10, 60].map((open) => [
      { windowCovering: { currentPositionLiftPercent100ths: 10_000 - open * 100 } },
      "position",
      open,
    ]),
  },
  lock: {
    endpoint: "lock",
    command: { locked: false },
    does: ["doorLock", "lockState", 2],
    reports: [true, false].map((locked) => [{ doorLock: { lockState: locked ? 1 : 2 } }, "locked", locked]),
  },
  fan: {
    endpoint: "fan",
    command: { speed: 2 },
    does: ["fanControl", "speedSetting", 2],
    reports: [1, 3].map((speed) => [{ fanControl: { speedSetting: speed } }, "speed", speed]),
  },
  contact: sensor(
    "contact",
    [true, false].map((closed) => [{ booleanState: { stateValue: closed } }, "contact", closed]),
  ),
  motion: sensor(
    "motion",
    [true, false].map((occupied) => [{ occupancySensing: { occupancy: { occupied } } }, "motion", occupied]),
  ),
  climate: sensor("temperature", []),
  bridge: { endpoint: "hall", command: { power: true }, does: ["onOff", "onOff", true], reports: onOff("power") },
};

/** @param {string} name @returns {Kind["reports"]} */
function onOff(name) {
  return [true, false].map((on) => [{ onOff: { onOff: on } }, name, on]);
}

/** @param {string} endpoint @param {Kind["reports"]} reports @returns {Kind} */
function sensor(endpoint, reports) {
  return { endpoint, command: {}, does: ["", "", null], reports };
}

/**
 * @typedef {{ readonly status: number, readonly body: Record<string, unknown> }} Answer
 * @typedef {{ call(method: string, path: string, body?: unknown): Promise<{ status: number, body: unknown }> }} Person
 * @typedef {{ id: string, online: boolean, type: string, state: Record<string, unknown> }} ShownDevice
 * @typedef {{ manual: string, tell(order: object): Promise<Record<string, Record<string, unknown>>>, kill():
 *   Promise<void> }} Device
 */

/**
 * Runs the trial; resolves with the findings.
 * @param {{ build?: string, kinds?: readonly string[], restarts?: number, print?: (line: string) => void }} [options]
 */
export async function run({ build = "build-hub", kinds = Object.keys(KINDS), restarts = 2, print = console.log } = {}) {
  const { startHubProcess, startOwnedHub, Person, eventually } = await import("../test/support/hub-process.ts");
  const { startMatterDevice } = await import("../test/support/matter-device.ts");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-matter-devices-"));
  const environment = { GATEHOUSE_MATTER: "true", GATEHOUSE_MATTER_PORT: "0", GATEHOUSE_RECOGNITION: "false" };
  const data = join(folder, "hub");
  /**
   * @type {{ hub: { url: string, kill(): Promise<void>, stop(): Promise<unknown>, output(): string }, owner: Person &
   *   { cookie: string } }}
   */
  let running = await startOwnedHub(data, environment);
  /** @type {Map<string, { device: Device, ids: string[] }>} */
  const joined = new Map();
  /** @type {string[]} */
  const failures = [];
  /**
   * A device keeps its port, as those in houses do.
   * @param {string} kind
   * @param {number} index
   * @returns {Promise<Device>}
   */
  const start = (kind, index) =>
    startMatterDevice({ kind, folder: join(folder, kind), discriminator: 256 * (index + 1), port: 5_600 + index });
  /** @param {string} path @returns {Promise<Record<string, unknown>>} */
  const read = async (path) => /** @type {Record<string, unknown>} */ ((await running.owner.call("GET", path)).body);
  /** @param {string} id @returns {Promise<ShownDevice>} */
  const shown = async (id) => /** @type {ShownDevice} */ ((await read(`/v1/devices/${id}`)).device);
  /** @param {string} what @param {() => Promise<unknown>} work */
  const holds = async (what, work) => {
    const begun = performance.now();
    try {
      await work();
      print(`ok   ${what} (${Math.round(performance.now() - begun)} ms)`);
    } catch (error) {
      failures.push(what);
      print(`FAIL ${what}: ${error instanceof Error ? error.message : error}`);
    }
  };
  const times = {
    join: /** @type {number[]} */ ([]),
    command: /** @type {number[]} */ ([]),
    back: /** @type {number[]} */ ([]),
  };
  try {
    for (const [index, kind] of kinds.entries()) {
      const device = await start(kind, index);
      joined.set(kind, { device, ids: [] });
      await holds(`${kind} joins`, async () => {
        const begun = performance.now();
        await eventually(
          async () => (await running.owner.call("POST", "/api/matter/joins", { code: device.manual })).status === 202,
          30_000,
        );
        const join = await eventually(async () => {
          const now = /** @type {{ state: string, failure: string | null, devices: string[] }} */ (
            (await read("/api/matter/joins")).join
          );
          return ["added", "failed"].includes(now.state) ? now : undefined;
        }, 60_000);
        if (join.state !== "added" || join.devices.length === 0) throw new Error(JSON.stringify(join));
        joined.set(kind, { device, ids: join.devices });
        times.join.push(performance.now() - begun);
      });
    }
    for (const [kind, { device, ids }] of joined)
      await holds(`${kind} is commanded and reports`, () => drive(kind, device, ids));
    for (let round = 1; round <= restarts; round++) {
      const isHub = round % 2 === 1;
      const kind = kinds[Math.floor(round / 2) % kinds.length] ?? "plug";
      await holds(`restart ${round}: ${isHub ? "the hub" : kind}`, async () => {
        if (isHub) await restartHub();
        else await restartDevice(kind, kinds.indexOf(kind));
        const begun = performance.now();
        await allThere(round, isHub ? null : kind);
        times.back.push(performance.now() - begun);
      });
    }
  } finally {
    for (const { device } of joined.values()) await device.kill();
    await running.hub.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    kinds: kinds.length,
    restarts,
    failures,
    times: Object.fromEntries(Object.entries(times).map(([name, all]) => [name, spread(all)])),
  };

  /** @param {string} kind @param {Device} device @param {readonly string[]} ids */
  async function drive(kind, device, ids) {
    const { endpoint, command, does, reports } = KINDS[kind] ?? sensor(kind, []);
    const [id = ""] = ids;
    await eventually(async () => (await shown(id)).online, BACK_MS);
    if (Object.keys(command).length > 0) {
      const begun = performance.now();
      const sent = await running.owner.call("POST", `/v1/devices/${id}/commands`, command);
      if (sent.status !== 202) throw new Error(`command: ${sent.status} ${JSON.stringify(sent.body)}`);
      const { commandId } = /** @type {{ commandId: number }} */ (sent.body);
      await eventually(
        async () =>
          /** @type {{ status: string }} */ ((await read(`/v1/commands/${commandId}`)).command).status ===
          "acknowledged",
        10_000,
      );
      times.command.push(performance.now() - begun);
      const [cluster, attribute, value] = does;
      await eventually(async () => (await device.tell({ endpoint }))[cluster]?.[attribute] === value, 10_000);
    }
    await reported(id, device, endpoint, reports);
    if (kind === "climate") {
      await device.tell({ endpoint, set: { temperatureMeasurement: { measuredValue: 2_310 } } });
      await eventually(async () => JSON.stringify(await read(`/v1/devices/${id}/telemetry`)).includes("23.1"), BACK_MS);
    }
  }

  /** @param {string} id @param {Device} device @param {string} endpoint @param {Kind["reports"]} reports */
  async function reported(id, device, endpoint, reports) {
    for (const [set, name, value] of reports) {
      await device.tell({ endpoint, set });
      await eventually(async () => (await shown(id)).state[name] === value, BACK_MS).catch(async () => {
        throw new Error(
          `${name} is ${JSON.stringify((await shown(id)).state[name])} and should be ${JSON.stringify(value)}`,
        );
      });
    }
  }

  async function restartHub() {
    const { cookie } = running.owner;
    await running.hub.kill();
    const hub = await startHubProcess(data, environment, { main: hubMain(build) });
    running = { hub, owner: new Person(hub.url, cookie) };
  }

  /** @param {string} kind @param {number} index */
  async function restartDevice(kind, index) {
    const known = joined.get(kind);
    if (known === undefined) return;
    await known.device.kill();
    joined.set(kind, { ...known, device: await start(kind, index) });
  }

  /** @param {number} round @param {string | null} only */
  async function allThere(round, only) {
    const all = /** @type {ShownDevice[]} */ ((await read("/v1/devices")).devices).filter(({ id }) =>
      id.startsWith("matter-"),
    );
    const expected = [...joined.values()].flatMap(({ ids }) => ids).sort();
    const found = all.map(({ id }) => id).sort();
    if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`devices: ${found.join(", ")}`);
    for (const [kind, { device, ids }] of joined) {
      const [id = ""] = ids;
      await eventually(async () => (await shown(id)).online, BACK_MS);
      if (only !== null && kind !== only) continue;
      const { endpoint, reports } = KINDS[kind] ?? sensor(kind, []);
      await reported(id, device, endpoint, round % 4 < 2 ? reports : [...reports].reverse());
    }
  }
}

/** @param {readonly number[]} all milliseconds */
function spread(all) {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), most: at(1) };
}

if (import.meta.filename === resolve(process.argv[1] ?? "")) {
  const { values } = parseArgs({
    options: {
      build: { type: "string" },
      kinds: { type: "string" },
      restarts: { type: "string", default: "2" },
      json: { type: "boolean" },
    },
  });
  await prepare({ tests: true, isBuilt: values.build !== undefined });
  const { build = "build-hub" } = values;
  const { SET_UP, INSIDE } = await import("../test/support/matter-space.ts");
  if (process.env[INSIDE] === undefined) {
    const again = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
    process.exit(
      spawnSync("unshare", ["-rn", "sh", "-c", SET_UP, "sh", ...again], {
        env: { ...process.env, [INSIDE]: "1" },
        stdio: "inherit",
      }).status ?? 1,
    );
  }
  const result = await run({
    build,
    restarts: Number(values.restarts),
    ...(values.kinds === undefined ? {} : { kinds: values.kinds.split(",") }),
  });
  console.log(
    values.json === true
      ? JSON.stringify(result)
      : `${result.kinds} kinds, ${result.restarts} restarts, ${result.failures.length} failures ${JSON.stringify(result.times)}`,
  );
  process.exit(result.failures.length === 0 ? 0 : 1);
}
