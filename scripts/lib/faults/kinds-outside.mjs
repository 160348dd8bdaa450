// @ts-check
/**
 * A broker of the site that the hub has joined: gone, silent, dripping, forgetful, refusing, with a message far too
 * large, or full.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { OUTSIDE } from "./devices.mjs";
import { Site, withoutMosquitto } from "./site.mjs";

/** @typedef {import("./household.mjs").Household} Household */
/** @typedef {import("./random.mjs").Random} Random */

const COMMAND_TTL_S = 5;
/** Allowance for a busy machine: how long after its expiry a command may still arrive. */
const LATE_MS = 3_000;
/** The hub tries again after at most a minute, and gives a broker ten seconds to answer. */
const JOIN_MS = 120_000;
const LARGE_BYTES = 30 * 1024 * 1024;
/** Temporary memory that a discarded message may take. */
const LARGE_MOST_MB = 40;
/** Most messages that wait in the hub for a disconnected broker (docs/outside-broker.md). */
const MOST_WAITING = 1_000;

/** What the hub says of the outside broker. @param {Household} house */
async function saysOf(house) {
  const { body } = await house.call("GET", "/api/health").catch(() => ({ body: {} }));
  return body.checks?.find((/** @type {import("./hub.mjs").Check} */ check) => check.code === "outside-broker") ?? null;
}

/**
 * Waits until the hub reports it; otherwise its last report is the evidence.
 * @param {Household} house
 * @param {"ok" | "degraded"} level
 * @param {number} limitMs
 */
async function says(house, level, limitMs, words = /./) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const check = await saysOf(house);
    if (check?.level === level && words.test(check.text)) return true;
    if (performance.now() > deadline) {
      house.find(
        "health-lies",
        `the outside broker is ${level === "ok" ? "there" : "not"} for ${limitMs / 1000} s, and the hub says: ${check?.level} ${check?.text}`,
      );
      return false;
    }
    await pause(100);
  }
}

/**
 * The household with a hub that has joined a broker of the site, and a device there.
 * @param {Household} house
 * @param {Random} random
 * @param {string} scratch
 * @param {{ most?: number }} [options] see {@link Site.start}
 */
async function serveOnSite(house, random, scratch, options) {
  const site = new Site(join(scratch, "site"));
  house.endNetwork = () => site.end();
  await site.start(options);
  const protocol = random.of(["5", "5", "3.1.1"]);
  house.env = {
    ...site.env,
    GATEHOUSE_OUTSIDE_BROKER_PROTOCOL: protocol,
    COMMAND_TTL: String(COMMAND_TTL_S),
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0",
  };
  await house.start();
  await house.signIn();
  await house.devices.connect();
  await says(house, "ok", JOIN_MS);
  const device = await site.device();
  house.busy(40);
  let isPromised = true;
  let isTalking = true;
  const timer = setInterval(() => isTalking && house.devices.reportOutside(device, isPromised), 40);
  /** Commands by their number, and when they were accepted. @type {Map<number, number>} */
  const commands = new Map();
  const end = house.endNetwork;
  house.endNetwork = async () => {
    clearInterval(timer);
    await end();
  };
  return {
    site,
    protocol,
    commands,
    device,
    /** From now on the broker guarantees nothing. */
    promise: (/** @type {boolean} */ is) => {
      isPromised = is;
    },
    talk: () => {
      isTalking = true;
    },
    /** One command; it counts when it was accepted. @param {number} n */
    async command(n) {
      const { status } = await house
        .call("POST", `/v1/devices/${OUTSIDE}/commands`, { n })
        .catch(() => ({ status: 0 }));
      if (status === 202) commands.set(n, performance.now());
      return status;
    },
    /** Stops the device; the hub has all its messages. */
    async hush() {
      isTalking = false;
      await house.devices.settled(20_000);
      const own = [...house.ledger.samples].filter((key) => key.startsWith(OUTSIDE));
      const deadline = performance.now() + JOIN_MS;
      while (own.some((key) => !house.options.receivers.counts().has(key)) && performance.now() < deadline)
        await pause(100);
    },
  };
}

/**
 * While the line is in this state, the house is served: its own devices and its writes are acknowledged.
 * @param {Household} house
 */
async function houseGoesOn(house) {
  const { ledger } = house;
  const home = () => [...ledger.samples].filter((key) => !key.startsWith(OUTSIDE)).length;
  const [samples, rooms] = [home(), ledger.rooms.size];
  for (let n = 0; n < 150; n++) {
    await pause(100);
    if (home() > samples && ledger.rooms.size > rooms) return;
  }
  house.find("house-stands", "for 15 s no sample of the house's own devices and no room was acknowledged");
}

/**
 * No command arrives late or repeatedly; each in `due` arrives.
 * @param {Household} house
 * @param {Awaited<ReturnType<typeof serveOnSite>>} place
 * @param {readonly number[]} due
 */
async function commandsFared(house, { site, commands }, due) {
  for (let n = 0; n < 100 && due.some((number) => !site.commands.has(number)); n++) await pause(100);
  const missing = due.filter((number) => commands.has(number) && !site.commands.has(number));
  if (missing.length > 0)
    house.find("lost", `commands ${missing.join(", ")} were accepted with the line there and did not come`);
  for (const [n, { times, at }] of site.commands) {
    const accepted = commands.get(n);
    if (times > 2) house.find("doubled", `command ${n} came ${times} times`);
    if (accepted !== undefined && at - accepted > COMMAND_TTL_S * 1000 + LATE_MS)
      house.find("late", `command ${n} came ${Math.round(at - accepted)} ms after it was accepted`);
  }
}

/** Kills the hub in some of the runs, and starts it again. @param {Household} house @param {Random} random */
async function maybeKill(house, random) {
  const isKilled = random.next() < 0.3;
  if (isKilled) {
    await house.hub.kill();
    await house.start();
    await house.signIn();
  }
  return isKilled ? ", killed meanwhile" : "";
}

/** Most memory that the hub ever took. @param {Household} house */
const mostMegabytes = (house) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${house.hub.pid}/status`, "utf8"))?.[1]) / 1024;

/** What a started hub prepares takes memory too, and is no part of what a message takes. @param {Household} house */
async function untilPrepared(house) {
  const untilMs = performance.now() + 90_000;
  for (let before = 0, calm = 0; calm < 3 && performance.now() < untilMs; ) {
    await pause(1_000);
    const now = mostMegabytes(house);
    calm = now - before < 1 ? calm + 1 : 0;
    before = now;
  }
}

/** @type {import("./kinds.mjs").Fault[]} */
export const outsideFaults = [
  .../** @type {const} */ (["gone", "hang", "drip"]).map((line) => ({
    name: `outside-${line}`,
    lacks: withoutMosquitto,
    /** @type {import("./kinds.mjs").Fault["run"]} */
    async run(house, random, { scratch }) {
      const place = await serveOnSite(house, random, scratch);
      const { site } = place;
      await place.command(1);
      const ms = random.int(1_000, 9_000);
      const isCut = line === "hang" && random.of([true, false]);
      await commandsFared(house, place, [1]);
      await site.be(line, random.int(100, 2_000));
      if (isCut) site.cut(); // a reconnecting client is accepted, and gets no answer
      await place.command(2);
      if (line === "gone") await says(house, "degraded", 20_000);
      if (isCut) await says(house, "degraded", 20_000);
      await houseGoesOn(house);
      const killed = await maybeKill(house, random);
      await pause(ms);
      await site.be("pass");
      if (await says(house, "ok", JOIN_MS)) {
        await place.command(3);
        await commandsFared(house, place, isCut || killed !== "" ? [] : [3]);
      }
      await place.hush();
      return `MQTT ${place.protocol}, for ${ms} ms${isCut ? ", also to who comes back" : ""}${killed}`;
    },
  })),
  {
    name: "outside-forgets",
    lacks: withoutMosquitto,
    async run(house, random, { scratch }) {
      const place = await serveOnSite(house, random, scratch);
      await pause(random.int(200, 1_500));
      // Messages that the broker accepted and had not passed on are lost with its sessions: only the hub's are
      // guaranteed.
      await place.hush();
      place.promise(false);
      place.talk();
      const ms = random.int(0, 3_000);
      await place.site.stopBroker({ forgets: true });
      await place.command(1);
      await pause(ms);
      await place.site.startBroker();
      const killed = await maybeKill(house, random);
      if (await says(house, "ok", JOIN_MS)) {
        await pause(2_500); // the device announces itself again
        place.promise(true);
        await place.command(2);
        await commandsFared(house, place, [2]);
      }
      await houseGoesOn(house);
      await place.hush();
      return `MQTT ${place.protocol}, after ${ms} ms without sessions and messages${killed}`;
    },
  },
  {
    name: "outside-refuses",
    lacks: withoutMosquitto,
    async run(house, random, { scratch }) {
      const place = await serveOnSite(house, random, scratch);
      await place.site.stopBroker();
      place.site.allow(false);
      await place.site.startBroker();
      await says(house, "degraded", 20_000, /authori[sz]ed|user ?name|password/i);
      await houseGoesOn(house);
      const killed = await maybeKill(house, random);
      const ms = random.int(0, 4_000);
      await pause(ms);
      await place.site.stopBroker();
      place.site.allow(true);
      await place.site.startBroker();
      await says(house, "ok", JOIN_MS);
      await place.hush();
      return `MQTT ${place.protocol}, for ${ms} ms${killed}`;
    },
  },
  {
    name: "outside-large",
    lacks: withoutMosquitto,
    async run(house, random, { scratch }) {
      const place = await serveOnSite(house, random, scratch);
      await untilPrepared(house);
      const before = mostMegabytes(house);
      const topic = random.of([
        `gatehouse/${OUTSIDE}/state`,
        `gatehouse/${OUTSIDE}/telemetry`,
        "gatehouse/nobody/state",
        "tele/plug/STATE",
        "homeassistant/switch/x/config",
        "zigbee2mqtt/bridge/devices",
      ]);
      const site = await place.site.client("site");
      await site.publishAsync(topic, Buffer.alloc(LARGE_BYTES, "x"), { qos: 1, retain: true });
      await houseGoesOn(house);
      place.site.cut(); // it is delivered again with the subscriptions
      const killed = await maybeKill(house, random);
      await says(house, "ok", JOIN_MS);
      await pause(1_500);
      await says(house, "ok", 20_000);
      const grown = mostMegabytes(house) - before;
      if (killed === "" && grown > LARGE_MOST_MB)
        house.find("memory", `a message of 30 MB, MQTT ${place.protocol}: the hub took ${Math.round(grown)} MB more`);
      await place.command(1);
      await commandsFared(house, place, [1]);
      await place.hush();
      return `MQTT ${place.protocol}, 30 MB retained at ${topic}${killed}`;
    },
  },
  {
    name: "outside-full",
    lacks: withoutMosquitto,
    async run(house, random, { scratch }) {
      const most = random.of([20, 100]);
      const place = await serveOnSite(house, random, scratch, { most });
      await pause(500);
      await place.hush();
      await place.site.be("gone");
      await says(house, "degraded", 20_000);
      place.promise(false); // the broker drops messages that it has no room for, and still acknowledges them
      for (let n = 0; n < most * 4; n++) house.devices.reportOutside(place.device, false);
      const sent = random.of([20, MOST_WAITING + 100]);
      for (let n = 0; n < sent; n += 10)
        await Promise.all(Array.from({ length: 10 }, (_, more) => place.command(n + more)));
      const check = await saysOf(house);
      const waiting = Number(/(\d+) messages wait/.exec(check?.text ?? "")?.[1]);
      if (!(waiting <= MOST_WAITING))
        house.find("unbounded", `${sent} commands to a broker that is gone: ${check?.text}`);
      await house.devices.settled(20_000);
      const ms = random.int(0, 6_000);
      await pause(ms);
      await place.site.be("pass");
      if (await says(house, "ok", JOIN_MS)) {
        await pause(1_000);
        place.promise(true);
        place.talk();
        await place.command(90_000);
        await commandsFared(house, place, [90_000]);
      }
      await houseGoesOn(house);
      await place.hush();
      return `MQTT ${place.protocol}, the broker keeps ${most}; ${sent} commands, of which ${waiting} waited, and back after ${ms} ms`;
    },
  },
];
