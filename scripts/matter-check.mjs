// @ts-check
/**
 * node scripts/matter-check.mjs [--quick] [--build FOLDER]
 *
 * Homes that join a hub over Matter, each in its own process and network namespace (a pair of virtual cables;
 * needs root, or user namespaces): they see and drive the demo household's 14 types, receive changes, and open the gate
 * only with its PIN; the hub and the controller are killed, a second home joins, one leaves. Prints how fast changes
 * arrived. `--quick`: joining, one plug both ways, the gate.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startHome as startHomeProcess } from "./lib/matter-home.mjs";
import { DEMO_TYPES, PIN } from "./lib/matter-household.mjs";
import {
  device,
  devices,
  HUB_URL,
  makePerson,
  matter,
  OWNER,
  ok,
  restoreTo,
  startDemoHub,
  until,
} from "./lib/matter-hub.mjs";
import { delays, listen } from "./lib/matter-latency.mjs";
import { openRun } from "./lib/matter-run.mjs";
import { enterOwnNetwork } from "./lib/own-network.mjs";
import { prepare } from "./lib/prepare.mjs";

const { values: options } = parseArgs({
  options: { quick: { type: "boolean", default: false }, build: { type: "string" } },
});

await prepare({ tests: true, isBuilt: options.build !== undefined });
enterOwnNetwork();
const { build = "build-hub" } = options;

const LIMIT_MS = 300;
/** Time that a quick run, which measures nothing, waits for a change. */
const ARRIVAL_MS = 20_000;
/** Changes of each type that are waited for. */
const CHANGES = 10;

/** @typedef {import("./lib/matter-home.mjs").Home} Home @typedef {import("./lib/matter-hub.mjs").Person} Person */

const { folder, mistakes, running, neighbour, conclude } = openRun("gatehouse-matter-");
await conclude(check);

async function check() {
  let hub = await startHub();
  const person = makePerson();
  const claimed = await person("POST", "/api/claim", { code: hub.claimCode, ...OWNER });
  if (claimed.status !== 201) throw new Error(`claim: ${claimed.status} ${JSON.stringify(claimed.body)}`);
  await until(
    "the household lives",
    async () => (await devices(person)).filter((device) => device.online).length >= 14,
    60_000,
  );
  const rss = [Math.round(hub.memory())];
  await ok(person("PUT", "/api/matter", { enabled: true }));
  const begun = performance.now();
  await until(
    "Matter runs",
    async () => (await matter(person)).process.state === "running" && (await matter(person)).network.port !== null,
    60_000,
  );
  console.log(
    `Matter runs after ${Math.round(performance.now() - begun)} ms; the hub's process ${rss[0]} MB before, ${Math.round(hub.memory())} MB after`,
  );

  const before = await matter(person);
  for (const id of ["demo-gate", "demo-lock", "demo-sentinel"])
    expect(
      before.shown.find((one) => one.subject === `device:${id}`)?.shown === false,
      `${id} is hidden until an owner shows it`,
    );
  const refused = await person("PUT", "/api/matter/shown", { subject: "device:demo-gate", shown: true });
  expect(refused.status === 409, `the gate is not shown before there is a choice of a PIN (${refused.status})`);
  await ok(person("PUT", "/api/matter/pin", { pin: PIN }));
  for (const id of ["demo-gate", "demo-lock", "demo-sentinel"])
    await ok(person("PUT", "/api/matter/shown", { subject: `device:${id}`, shown: true }));

  const home = await joined(person, "home");
  const seen = await until("every type is seen", async () => {
    const list = await home.list();
    return list.length >= 20 ? list : null;
  });
  const names = new Map((await devices(person)).map((device) => [device.id.slice("demo-".length), device.name]));
  /** @param {string} key @param {string} [cluster] */
  const endpointOf = (key, cluster = "") => {
    const name = names.get(key) ?? key;
    const found = seen.find(
      (one) =>
        (one.name === name || one.name?.startsWith(`${name} `)) &&
        (cluster === "" || one.states[cluster] !== undefined),
    );
    if (found === undefined)
      throw new Error(
        `${key} (${name}${cluster === "" ? "" : `, ${cluster}`}) is not seen among ${seen.map((one) => one.name).join(", ")}`,
      );
    return found;
  };
  console.log(
    `${seen.filter((one) => one.name !== null).length} endpoints of ${names.size} devices and the scenes are seen`,
  );

  // The gate: never without the PIN.
  const gate = endpointOf("gate").number;
  for (const [what, input] of /** @type {[string, object][]} */ ([
    ["no PIN", {}],
    ["a wrong PIN", { pin: "0000" }],
  ])) {
    const answer = await home
      .ask({ do: "invoke", endpoint: gate, cluster: "doorLock", command: "unlockDoor", input })
      .catch(messageOf);
    expect(typeof answer === "string", `the gate does not open with ${what}: ${JSON.stringify(answer)}`);
  }
  await wait(300);
  expect((await device(person, "demo-gate")).state.open === false, "the gate stayed closed");

  for (const [key, { drive }] of DEMO_TYPES) {
    if (drive === undefined || (options.quick && key !== "plug" && key !== "gate")) continue;
    const { invoke, write, expect: holds } = drive;
    const cluster = invoke?.[0] ?? write?.[0] ?? "";
    const { number: endpoint } = endpointOf(key, cluster);
    const done =
      invoke === undefined
        ? home.ask({ do: "write", endpoint, cluster, values: write?.[1] ?? {} })
        : home.ask({ do: "invoke", endpoint, cluster, command: invoke[1], ...(invoke[2] && { input: invoke[2] }) });
    await done.catch((error) => noted(new Error(`${key}: ${messageOf(error)}`)));
    await until(`${key} obeys`, async () => holds((await device(person, `demo-${key}`)).state), 15_000).catch(noted);
    const [command] = (await person("GET", `/api/devices/demo-${key}/commands?limit=5`)).body.commands;
    expect(
      command !== undefined && /^matter:/.test(command.actor) && command.name === "Test home",
      `${key}: the command tells who sent it (${JSON.stringify(command)})`,
    );
  }
  const openings = (await person("GET", "/api/openings?limit=5")).body.openings;
  expect(
    openings[0]?.by?.name === "Test home (Matter)" || openings[1]?.by?.name === "Test home (Matter)",
    `the opener is reported: ${JSON.stringify(openings[0])}`,
  );

  await changesAreHeard(person, home, (key, cluster) => endpointOf(key, cluster).number);
  const network = (await person("GET", "/api/network")).body.network;
  expect(network.name === "gatehouse.local", `two responders live with each other: the hub is still ${network.name}`);
  if (options.quick) {
    await harms(person, home, gate, seen.find((one) => one.name === "Evening")?.number ?? 0);
    await home.stop();
    await hub.stop();
    return;
  }

  // Scenes.
  const scene = seen.find((one) => one.name === "Evening");
  expect(scene !== undefined, "the scene is seen");
  if (scene) {
    await home.ask({ do: "invoke", endpoint: scene.number, cluster: "onOff", command: "on" });
    await until("the scene ran", async () => (await device(person, "demo-light")).state.power === true, 10_000).catch(
      noted,
    );
    await until(
      "the scene goes off by itself",
      async () => (await home.list()).find((one) => one.number === scene.number)?.states.onOff?.onOff === false,
      10_000,
    ).catch(noted);
  }

  // A device comes and goes without pairing again.
  await ok(person("PUT", "/api/matter/shown", { subject: "device:demo-light", shown: false }));
  await until(
    "a hidden device goes",
    async () => !(await home.list()).some((one) => one.name === names.get("light")),
    15_000,
  ).catch(noted);
  await ok(person("PUT", "/api/matter/shown", { subject: "device:demo-light", shown: true }));
  const again = await until(
    "it comes back",
    async () => (await home.list()).find((one) => one.name === names.get("light")) ?? null,
    15_000,
  );
  expect(again.number === endpointOf("light").number, "under the number that it had");

  // The controller is killed, and the hub.
  await home.kill();
  const back = await startHome("home");
  await until("the home is back after its kill", async () => (await back.list()).length >= 20, 60_000);
  const toggle = async () => {
    await back.ask(
      { do: "invoke", endpoint: endpointOf("plug", "onOff").number, cluster: "onOff", command: "toggle" },
      20_000,
    );
    return true;
  };
  await until("the home commands again after its kill", toggle, 90_000); // its shown state may be cached
  await hub.kill();
  hub = await startHub();
  const later = makePerson(person.cookie());
  await until(
    "Matter is back after the hub's kill",
    async () => (await matter(later)).process.state === "running",
    60_000,
  );
  await ok(later("POST", "/api/session/proof", { password: OWNER.password }));
  const killed = performance.now();
  await until("the home commands again after the hub's kill", toggle, 90_000);
  console.log(
    `the home commands again ${((performance.now() - killed) / 1_000).toFixed(1)} s after the hub is back from its kill`,
  );
  // A second home joins; the first leaves; the second goes on.
  const second = await joined(later, "second", "Second home");
  expect((await matter(later)).fabrics.length === 2, "two homes have joined");
  await back.ask({ do: "leave" }, 30_000);
  await until("one is left", async () => (await matter(later)).fabrics.length === 1, 15_000);
  await second.ask({ do: "invoke", endpoint: endpointOf("light").number, cluster: "onOff", command: "on" });
  await until("the second goes on", async () => (await device(later, "demo-light")).state.power === true, 10_000).catch(
    noted,
  );
  const [left] = (await matter(later)).fabrics;
  await ok(later("DELETE", `/api/matter/fabrics/${left?.id}`));
  expect((await matter(later)).fabrics.length === 0, "the owner has the last one leave");
  await wait(2_000);
  const third = await joined(later, "third", "Third home");
  expect(
    (await third.list()).some((one) => one.number === endpointOf("plug", "onOff").number),
    "numbers stay, also after everybody has left",
  );
  const { megabytes } = (await matter(later)).process;
  console.log(`the Matter process: ${megabytes} MB`);

  // Another host, with an encrypted backup: the home continues there, and adds nothing again.
  await ok(later("PUT", "/api/backups/passphrase", { passphrase: OWNER.password }));
  await ok(later("POST", "/api/backups", { destination: "local" }));
  await hub.stop();
  await restoreTo({ from: join(folder, "data"), to: join(folder, "box") });
  hub = await startHub("box");
  const there = makePerson(later.cookie());
  expect((await matter(there)).restored, "Matter rests until somebody says that the other box is off");
  await ok(there("POST", "/api/session/proof", { password: OWNER.password }));
  await ok(there("POST", "/api/matter/takeover"));
  const plug = endpointOf("plug", "onOff").number;
  const commanded = async () => {
    await third.ask({ do: "invoke", endpoint: plug, cluster: "onOff", command: "toggle" }, 20_000);
    return true;
  };
  await until("the home commands the hub on another box", commanded, 90_000);
  await third.stop();
  await hub.stop();
}

/**
 * A home that guesses the PIN and runs scenes without end; the long form is matter-hostile.mjs.
 * @param {Person} person
 * @param {Home} home
 * @param {number} gate
 * @param {number} scene
 */
async function harms(person, home, gate, scene) {
  const guesses = /** @type {Record<string, number>} */ (
    await home.ask({
      do: "flood",
      endpoint: gate,
      cluster: "doorLock",
      commands: ["unlockDoor"],
      times: 20,
      input: { pin: "0000" },
    })
  );
  expect((guesses.done ?? 0) === 0, `no guess opens the gate: ${JSON.stringify(guesses)}`);
  const refused = (await person("GET", "/api/audit?limit=100")).body.audit.filter(
    ({ action }) => action === "matter.pin_refused",
  );
  expect(
    refused.length >= 1 && refused.length <= 6,
    `one wrong PIN before and five of these are looked at, not ${refused.length}`,
  );
  expect(
    refused.every(({ person }) => person === "Test home"),
    `with the home's name: ${JSON.stringify(refused[0])}`,
  );
  const runs = /** @type {Record<string, number>} */ (
    await home.ask({ do: "flood", endpoint: scene, cluster: "onOff", commands: ["on"], times: 40 })
  );
  expect((runs.done ?? 0) <= 15, `scenes are not run without end: ${JSON.stringify(runs)}`);
}

/**
 * Opens the window and has a home join.
 * @param {Person} person
 * @param {string} name
 * @param {string} [label]
 */
async function joined(person, name, label = "Test home") {
  const { body } = await ok(person("POST", "/api/matter/window", { minutes: 5 }));
  const home = await startHome(name, label);
  const { ms, endpoints } = await home.join(body.matter.window?.qr ?? "");
  console.log(`${label} joined and subscribed in ${ms} ms (${endpoints} endpoints)`);
  await until("the window closes", async () => (await matter(person)).window === null, 10_000).catch(noted);
  return home;
}

/**
 * Every type's changes, as the devices reported them, compared with what the home received.
 * @param {Person} person
 * @param {Home} home
 * @param {(key: string, cluster: string) => number} endpointOf
 */
async function changesAreHeard(person, home, endpointOf) {
  const stream = await listen(HUB_URL, person.cookie());
  const types = [...DEMO_TYPES].filter(([key]) => !options.quick || key === "plug" || key === "sensor");
  const from = home.heard.length;
  const begun = Date.now();
  const changes = options.quick ? 4 : CHANGES;
  for (let n = 0; n < changes; n++) {
    for (const [key, { commands }] of types)
      if (commands !== undefined) await ok(person("POST", `/v1/devices/demo-${key}/commands`, commands[n % 2] ?? {}));
    await wait(1_000); // the demo's devices act after 50 to 300 ms, and its sensors report once a second
  }
  if (!options.quick) await wait(2 * LIMIT_MS);
  /** @param {string} key @param {import("./lib/matter-household.mjs").Attribute} attribute */
  const heardOf = (key, attribute) =>
    delays({
      // Not what the demo still tells of its past: no home hears that.
      reported: stream.reported.filter(({ deviceId, at }) => deviceId === `demo-${key}` && at >= begun),
      heard: home.heard.slice(from),
      endpoint: endpointOf(key, attribute.cluster),
      attribute,
      limitMs: options.quick ? ARRIVAL_MS : LIMIT_MS,
    });
  // The last report arrives, however busy the machine is, and nothing older follows it. The stream stays open
  // meanwhile: within the seconds of a quick run a sensor may not have measured anything new yet.
  if (options.quick)
    for (const [key, { seen, commands }] of types)
      for (const attribute of seen)
        await until(
          `the last report of ${key} (${attribute.attribute}) arrives`,
          async () => {
            const { took, missed, isSettled } = heardOf(key, attribute);
            return missed === 0 && took.length > 0 && (commands === undefined || isSettled);
          },
          ARRIVAL_MS,
        );
  await stream.close();
  /** @type {number[]} */
  const all = [];
  for (const [key, { seen }] of types)
    for (const attribute of seen) {
      const { took, missed } = heardOf(key, attribute);
      took.sort((a, b) => a - b);
      all.push(...took);
      const most = took.at(-1) ?? Infinity;
      console.log(
        `${key} ${attribute.attribute}: ${took.length} changes heard, p50 ${took[Math.floor(took.length / 2)]} ms, at most ${most} ms; ${missed} missed`,
      );
      if (!options.quick)
        expect(most <= LIMIT_MS && missed === 0, `every change of ${key} (${attribute.attribute}) is heard in time`);
    }
  all.sort((a, b) => a - b);
  console.log(
    `${all.length} changes were heard, p50 ${all[Math.floor(all.length / 2)]} ms, p99 ${all[Math.ceil(all.length * 0.99) - 1]} ms, at most ${all.at(-1)} ms`,
  );
}

/** A home in the neighbour's namespace. @param {string} name @param {string} [label] */
async function startHome(name, label) {
  const beside = neighbour.pid ?? 0;
  const home = await startHomeProcess({
    folder: join(folder, name),
    beside,
    networkInterface: "gh1",
    ...(label && { label }),
  });
  running.push(home);
  return home;
}

/** @param {unknown} held @param {string} what */
function expect(held, what) {
  if (held !== true) mistakes.push(what);
}

/** @param {unknown} error */
function noted(error) {
  mistakes.push(messageOf(error));
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {string} [name] of its data folder */
async function startHub(name = "data") {
  const hub = await startDemoHub({ folder: join(folder, name), build });
  running.push(hub);
  return hub;
}
