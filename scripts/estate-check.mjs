#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/estate-check.mjs [--minutes M] [--seed S] [--cars N] [--rate N] [--catch-up N] [--quiet SECONDS]
 * [--json]
 *
 * An estate as it would stand: four hubs and a cluster of three JetStream servers, each a process in a network
 * namespace of its own. Cars pass random gates at a steady rate (200 cars, 20 passes a second), rules are edited, and
 * meanwhile hubs and servers are killed and cables pulled at random, by a seed. At the end all hubs must have the same
 * rules, reads, visits and occupancy as a plain sequential model of what the gates acknowledged. Then a hub is cut off
 * for N reads (100,000) and must catch up within a minute while its API answers as ever. Exits 0 when all held. Needs
 * root, ip, unshare, nsenter and nats-server; what it measures of time is meant for a quiet machine.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { enterOwnNetwork, hasOwnNetwork } from "./lib/faults/namespace.mjs";
import { ensureDebian, prepare, root } from "./lib/prepare.mjs";

const text = /** @type {const} */ ({ type: "string" });
const { values } = parseArgs({
  options: {
    minutes: text,
    seed: text,
    cars: text,
    rate: text,
    "catch-up": text,
    quiet: text,
    json: { type: "boolean", default: false },
  },
});
await prepare({ tests: true });
ensureDebian(["nats-server"]);
enterOwnNetwork();
if (!hasOwnNetwork()) throw new Error("Only root may have networks of its own (unshare, ip).");
// What follows needs the modules and the network.
const { seeded } = await import("./lib/faults/random.mjs");
const { insideOf, quantile, readsOf, visitsOf } = await import("./lib/estate/model.mjs");
const { HubAt, layBridge, Node, Place } = await import("./lib/estate/town.mjs");
const { connect } = await import("@nats-io/transport-node");
const { jetstream } = await import("@nats-io/jetstream");
const { createEstateStreams } = await import(join(root, "build/src/estate/streams.js"));
const { plateTokens } = await import(join(root, "build/src/estate/plate-token.js"));

const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Date.now() % 1e6);
const cars = Number(values.cars ?? 200);
const rate = Number(values.rate ?? 20);
const catchUp = Number(values["catch-up"] ?? 100_000);
const quietSeconds = Number(values.quiet ?? Math.max(15, minutes * 6));
/** Each has its own numbers, so that the order in which they ask does not matter. */
const [random, chance, choice] = [seeded(seed), seeded(seed + 1), seeded(seed + 2)];
const say = values.json ? () => {} : console.log;
const scratch = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-estate-"));
const program = join(root, "build/test/support/estate-process.js");
const plateKey = randomBytes(32);
/** Bars of what was asked for. */
const BARS = { ruleMs: 300, catchUpSeconds: 60, apiMs: 20, decisionShare: 1.1 };
const SETTLED_MS = 120_000;
const KINDS = ["allow", "deny", "watch"];

/** @typedef {import("./lib/estate/town.mjs").HubAt} Hub */
/** @typedef {import("./lib/estate/model.mjs").Pass} Pass */

layBridge();
const places = await Promise.all(
  ["north", "east", "south", "west", "node-1", "node-2", "node-3"].map(async (name, index) => {
    const place = new Place(name, 11 + index);
    await place.lay();
    return place;
  }),
);
const nodes = places.slice(4).map((place) => new Node(place, join(scratch, place.name), places.slice(4)));
/** @type {Hub[]} */
const started = [];
/** @type {Record<string, unknown>} */
const report = { seed, minutes, cars, rate };
let isGood = true;
/** @param {string} what @param {boolean} holds @param {unknown} figure */
const judge = (what, holds, figure) => {
  isGood &&= holds;
  report[what] = figure;
  say(`${holds ? "held  " : "FAILED"}  ${what}: ${typeof figure === "object" ? JSON.stringify(figure) : figure}`);
};

/** @param {boolean} joined @param {string} folder */
async function hubs(joined, folder) {
  const made = places.slice(0, 4).map((place, index) => {
    const estate = joined
      ? {
          servers: nodes.map(({ url }) => url),
          part: index < 2 ? "main" : "deck",
          plateKey: plateKey.toString("base64"),
        }
      : null;
    return new HubAt(place, join(scratch, folder, place.name), { program, estate });
  });
  started.push(...made);
  for (const hub of made) await hub.start();
  return made;
}

/** Cars that drive: mostly in and out by turns, sometimes past a camera that misses them. */
class Traffic {
  /** @type {Pass[]} */
  passes = [];
  /** Passes that a hub has yet to acknowledge. */
  open = 0;
  #sent = 0;
  /** @type {Map<string, { inside: boolean, at: number }>} */
  #cars = new Map();

  /** @param {readonly Hub[]} gates */
  constructor(gates) {
    this.gates = gates;
  }

  /** @param {number} until `performance.now()` */
  async drive(until) {
    const every = 1000 / rate;
    for (let next = performance.now(); next < until; next += every) {
      const wait = next - performance.now();
      if (wait > 0) await pause(wait);
      this.#pass();
    }
    while (this.open > 0) await pause(20);
  }

  #pass() {
    const hub = random.of(this.gates);
    const plate = `MH12AB${1000 + random.int(0, cars - 1)}`;
    const key = `${hub.part} ${plate}`;
    const car = this.#cars.get(key) ?? { inside: false, at: 0 };
    const at = Math.max(Date.now(), car.at + 1);
    const direction = car.inside !== random.next() < 0.03 ? "out" : "in";
    this.#cars.set(key, { inside: direction === "in", at });
    this.open += 1;
    this.#sent += 1;
    void this.#tell(hub, { plate, direction, at, key: `capture-${this.#sent}` });
  }

  /**
   * As a camera does: again, until the hub says that it has it.
   * @param {Hub} hub
   * @param {{ plate: string, direction: "in" | "out", at: number, key: string }} pass
   */
  async #tell(hub, { plate, direction, at, key }) {
    for (;;) {
      try {
        await hub.ask({ do: "pass", plate, direction, at, key });
        break;
      } catch {
        await pause(200);
      }
    }
    this.passes.push({ part: hub.part, plate, at, hub: hub.place.name, direction });
    this.open -= 1;
  }
}

/** Decision times since the last time that somebody asked. @param {readonly Hub[]} gates */
async function decisions(gates) {
  /** @type {number[]} */
  const all = [];
  for (const hub of gates)
    if (hub.isUp) all.push(...(await hub.ask({ do: "health" }).catch(() => ({ decisions: [] }))).decisions);
  return all;
}

/** Kills and pulls until it is told to end; then everything is well again. */
class Faults {
  /** @type {string[]} */
  done = [];
  lastAt = 0;
  #isEnded = false;
  #busy = 0;
  /** @type {Set<unknown>} */
  #victims = new Set();

  /** @param {readonly Hub[]} gates */
  constructor(gates) {
    this.gates = gates;
  }

  async run() {
    while (!this.#isEnded) {
      await pause(chance.int(2_000, 9_000));
      if (this.#isEnded || this.#busy >= 2) continue;
      void this.#commit();
    }
    while (this.#busy > 0) await pause(100);
  }

  end() {
    this.#isEnded = true;
  }

  async #commit() {
    const victim = chance.of([...this.gates, ...nodes]);
    const lasts = chance.int(1_000, 8_000);
    if (this.#victims.has(victim)) return; // nobody is harmed twice at once, also not while it starts
    this.#victims.add(victim);
    this.#busy += 1;
    this.lastAt = performance.now();
    if (chance.next() < 0.5) {
      this.done.push(`kill ${victim.place.name}`);
      await victim.kill();
      await pause(lasts);
      await victim.start();
    } else {
      this.done.push(`cut ${victim.place.name}`);
      victim.place.cut();
      await pause(lasts);
      victim.place.mend();
    }
    this.lastAt = performance.now();
    this.#victims.delete(victim);
    this.#busy -= 1;
  }
}

/** Rules that are edited at one gate and awaited at another, and the value that each must have at the end. */
class Editors {
  /** Milliseconds from the edit to where another gate decides by it: while all was well, and at other times. */
  calm = /** @type {number[]} */ ([]);
  rough = /** @type {number[]} */ ([]);
  conflicts = 0;
  refused = 0;
  /** Two edits of one rule that were not at once after all: the second was made when the first was known there. */
  both = 0;
  /** @type {Map<string, Set<string>>} what each rule may be */
  may = new Map();
  #isEnded = false;
  #count = 0;

  /** @param {readonly Hub[]} gates @param {Faults | null} faults @param {number} gapMs */
  constructor(gates, faults, gapMs) {
    this.gates = gates;
    this.faults = faults;
    this.gapMs = gapMs;
  }

  async run() {
    while (!this.#isEnded) {
      await pause(this.gapMs);
      const plate = `KA01CD${2000 + (this.#count++ % 8)}`;
      if (choice.next() < 0.25) await this.#atOnce(plate);
      else await this.#one(plate);
    }
  }

  end() {
    this.#isEnded = true;
  }

  #isCalm() {
    return (
      this.faults === null ||
      (performance.now() - this.faults.lastAt > 8_000 && this.gates.every(({ isUp, place }) => isUp && !place.isCut))
    );
  }

  /** @param {string} plate */
  async #one(plate) {
    const [here, there] = [choice.of(this.gates), choice.of(this.gates)];
    const wasCalm = this.#isCalm();
    const before = process.hrtime.bigint();
    const others = KINDS.filter((one) => !this.may.get(plate)?.has(one));
    const kind = choice.of(others.length > 0 ? others : KINDS);
    if (!(await this.#edit(here, plate, kind))) return;
    const known = await there.ask({ do: "knows", plate, kind }).catch(() => null);
    if (known === null) return;
    const ms = Number(BigInt(known.at) - before) / 1e6;
    (wasCalm && this.#isCalm() ? this.calm : this.rough).push(ms);
  }

  /** @param {string} plate */
  async #atOnce(plate) {
    if ((this.may.get(plate)?.size ?? 0) !== 1) return;
    const [one, other] = [this.gates[0], this.gates[3]];
    if (one === undefined || other === undefined) return;
    const [standing = ""] = this.may.get(plate) ?? [];
    const kinds = KINDS.filter((kind) => kind !== standing);
    await Promise.all([one, other].map((hub) => hub.ask({ do: "knows", plate, kind: standing }).catch(() => null)));
    const results = await Promise.all([
      this.#edit(one, plate, kinds[0] ?? ""),
      this.#edit(other, plate, kinds[1] ?? ""),
    ]);
    const won = results.flatMap((done, index) => (done ? [kinds[index] ?? ""] : []));
    // Two edits of which the second was made after this hub had heard of the first are no conflict; then the later one
    // holds.
    if (won.length === 2) {
      this.both += 1;
      this.may.set(plate, new Set(won));
    } else if (won.length === 1 && this.refusedLast === 0) this.may.set(plate, new Set(won));
  }

  refusedLast = 0;

  /** @param {Hub} hub @param {string} plate @param {string} kind */
  async #edit(hub, plate, kind) {
    const may = this.may.get(plate) ?? new Set();
    this.refusedLast = 0;
    try {
      await hub.ask({ do: may.size === 0 ? "rule" : "edit", plate, kind });
      this.may.set(plate, new Set([kind]));
      return true;
    } catch (error) {
      const code = error instanceof Error ? error.message : "";
      if (code === "conflict" || code === "plate_already_listed") this.conflicts += 1;
      else {
        // Nobody knows whether the servers took it.
        this.refused += 1;
        this.refusedLast += 1;
        this.may.set(plate, new Set([...(this.may.get(plate) ?? may), kind]));
      }
      return false;
    }
  }
}

/** Waits until every hub says that it has sent and taken everything. @param {readonly Hub[]} gates */
async function settled(gates) {
  const began = performance.now();
  while (performance.now() - began < SETTLED_MS) {
    const states = await Promise.all(gates.map((hub) => hub.ask({ do: "health" })));
    if (states.every(({ health }) => health.connected && health.waiting === 0 && health.behind === 0))
      return performance.now() - began;
    await pause(250);
  }
  return Number.NaN;
}

/** Time of an answer of a hub's API, milliseconds. @param {Hub} hub */
function apiTime(hub) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(`http://${hub.place.address}:8080/healthz`, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(performance.now() - began));
    }).on("error", reject);
  });
}

/** A hub is cut off while the estate sees `catchUp` reads. @param {readonly Hub[]} gates */
async function measureCatchUp(gates) {
  const [late] = gates.slice(-1);
  if (late === undefined) return;
  late.place.cut();
  await pause(1_000);
  const connection = await connect({ servers: nodes.map(({ url }) => url) });
  const stream = jetstream(connection);
  const tokenOf = plateTokens(plateKey);
  const began = Date.now() - catchUp;
  for (let from = 0; from < catchUp; from += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, catchUp - from) }, (_, index) => {
        const number = from + index;
        const plate = `DL8CAF${1000 + (number % 5_000)}`;
        const at = began + number;
        const pass = {
          plate,
          formatted: plate,
          deviceId: "camera",
          camera: "Camera",
          direction: Math.floor(number / 5_000) % 2 === 0 ? "in" : "out",
        };
        const read = {
          uid: at,
          version: at,
          kind: 0,
          part: "far",
          ...pass,
          opensVisit: 1,
          decision: "unknown",
          confidence: 95,
          label: "",
          at,
          lastAt: at,
        };
        return stream.publish(`gh.check.far.reads.${tokenOf(plate)}.${at}`, JSON.stringify(read), { retries: 5 });
      }),
    );
  await connection.close();
  /** @type {number[]} */
  const times = [];
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      times.push(Number(await apiTime(late).catch(() => Number.NaN)));
      await pause(20);
    }
  })();
  late.place.mend();
  const mended = performance.now();
  for (let isThere = false; !isThere && performance.now() - mended < SETTLED_MS; ) {
    await pause(200);
    isThere = (await late.ask({ do: "health" })).far === began + catchUp - 1;
  }
  isDone = true;
  await asking;
  const seconds = (performance.now() - mended) / 1000;
  judge(
    `catches up with ${catchUp} reads within ${BARS.catchUpSeconds} s (from the cable on)`,
    seconds <= BARS.catchUpSeconds,
    `${seconds.toFixed(1)} s`,
  );
  const p99 = quantile(times.filter(Number.isFinite), 0.99);
  judge(
    `its API's p99 stays within ${BARS.apiMs} ms meanwhile`,
    p99 <= BARS.apiMs,
    `${p99.toFixed(1)} ms of ${times.length} answers`,
  );
}

try {
  say(`seed ${seed}: ${quietSeconds} s of four hubs alone`);
  const alone = await hubs(false, "alone");
  const before = new Traffic(alone);
  await decisions(alone);
  await before.drive(performance.now() + quietSeconds * 1000);
  const without = await decisions(alone);
  const rssAlone = (await alone[0]?.ask({ do: "health" }))?.rss;
  for (const hub of alone) await hub.kill();

  for (const node of nodes) await node.start();
  await pause(3_000);
  const admin = await connect({ servers: nodes.map(({ url }) => url), maxReconnectAttempts: -1 });
  for (let tries = 0; ; tries++) {
    try {
      await createEstateStreams(admin, { estate: "check", replicas: 3, keepDays: 90 });
      break;
    } catch (error) {
      if (tries >= 20) throw error; // a cluster needs a moment until it has a leader
      await pause(1_000);
    }
  }
  await admin.close();
  const gates = await hubs(true, "joined");
  const traffic = new Traffic(gates);
  await settled(gates);

  say(`${quietSeconds} s of the estate in peace`);
  await decisions(gates);
  const calmEditors = new Editors(gates, null, 100);
  const editing = calmEditors.run();
  await traffic.drive(performance.now() + quietSeconds * 1000);
  const within = await decisions(gates);
  calmEditors.end();
  await editing;
  const [pWithout, pWithin] = [quantile(without, 0.99), quantile(within, 0.99)];
  const share = BARS.decisionShare;
  const decided = {
    without: `${pWithout.toFixed(2)} ms of ${without.length}`,
    within: `${pWithin.toFixed(2)} ms of ${within.length}`,
  };
  judge(
    "a decision takes no longer than without the estate (p99 within 10 %, or half a millisecond)",
    pWithin <= Math.max(pWithout * share, pWithout + 0.5),
    decided,
  );
  const calmP99 = quantile(calmEditors.calm, 0.99);
  judge(
    `an edited rule decides at another gate within ${BARS.ruleMs} ms (p99)`,
    calmP99 <= BARS.ruleMs,
    `${calmP99.toFixed(0)} ms of ${calmEditors.calm.length} edits`,
  );
  judge("of two edits at once one is refused", calmEditors.conflicts > 0, {
    refused: calmEditors.conflicts,
    oneAfterTheOther: calmEditors.both,
  });

  say(`${minutes} minutes with faults`);
  const faults = new Faults(gates);
  const editors = new Editors(gates, faults, 400);
  editors.may = calmEditors.may;
  const work = [faults.run(), editors.run()];
  await traffic.drive(performance.now() + minutes * 60_000);
  faults.end();
  editors.end();
  await Promise.all(work);
  report.faults = faults.done;
  say(`${faults.done.length} faults: ${faults.done.join(", ")}`);
  const roughDecisions = await decisions(gates);
  report.decisionsUnderFaults = `p99 ${quantile(roughDecisions, 0.99).toFixed(2)} ms of ${roughDecisions.length} since the hubs' last starts`;
  report.editsUnderFaults = {
    calm: `p99 ${quantile(editors.calm, 0.99).toFixed(0)} ms of ${editors.calm.length}`,
    rough: editors.rough.length,
    refused: editors.refused,
    conflicts: editors.conflicts,
  };
  const settledMs = await settled(gates);
  judge("everything is everywhere once all is well", Number.isFinite(settledMs), `${(settledMs / 1000).toFixed(1)} s`);

  const dumps = await Promise.all(gates.map((hub) => hub.ask({ do: "dump" })));
  const reads = readsOf(traffic.passes);
  const visits = visitsOf(traffic.passes);
  const inside = insideOf(traffic.passes);
  const wanted = new Set(reads);
  for (const [index, dump] of dumps.entries()) {
    const name = gates[index]?.place.name;
    const held = new Set(dump.reads);
    const lost = reads.filter((read) => !held.has(read));
    const doubled =
      dump.reads.length - held.size + [...held].filter((read) => !wanted.has(/** @type {string} */ (read))).length;
    judge(`${name}: no read lost, none doubled`, lost.length === 0 && doubled === 0, {
      of: reads.length,
      lost: lost.length,
      doubled,
    });
    judge(`${name}: the visits of the model`, JSON.stringify(dump.visits) === JSON.stringify(visits), {
      of: visits.length,
      here: dump.visits.length,
    });
    const parts = Object.fromEntries(
      dump.occupancy.parts.flatMap((/** @type {any} */ one) => (one.inside > 0 ? [[one.part, one.inside]] : [])),
    );
    const isSame =
      dump.occupancy.estate.inside === inside.all &&
      Object.entries(inside.parts).every(([part, count]) => parts[part] === count);
    judge(`${name}: the occupancy of the model`, isSame, { estate: dump.occupancy.estate.inside, ...parts });
    judge(
      `${name}: the same rules as the first hub`,
      JSON.stringify(dump.rules) === JSON.stringify(dumps[0].rules),
      dump.rules.length,
    );
  }
  const wrong = dumps[0].rules.filter((/** @type {string} */ line) => {
    const [plate = "", kind = ""] = line.split(" ");
    return editors.may.get(plate)?.has(kind) !== true;
  });
  judge("each rule is what was acknowledged last", wrong.length === 0, wrong);
  const states = await Promise.all(gates.map((hub) => hub.ask({ do: "health" })));
  report.memory = { alone: rssAlone, joined: states.map(({ rss }) => rss) };
  if (catchUp > 0) await measureCatchUp(gates);
} finally {
  for (const hub of started) await hub.kill();
  for (const node of nodes) await node.kill();
  for (const place of places) place.end();
  rmSync(scratch, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify(report, null, 2));
else say(isGood ? "all held" : `not all held; again with --seed ${seed}`);
process.exitCode = isGood ? 0 : 1;
