// @ts-check
/**
 * npm run bench -- api [--seconds N] [--rounds N] [--connections N]
 *
 * How many GET /v1/devices (50 devices) the hub answers per second, beside a bare koa that serves the same bytes, in
 * the same run and in turns. Servers and client are separate processes; the client is a plain keep-alive socket loop.
 * Prints requests per second and per second of the server's processor time (the fair measure on a machine that is doing
 * other things), both ratios, and p50 and p99 in milliseconds.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { option } from "../lib/bench-hub.mjs";
import { processorSeconds, say, startHelper } from "../lib/helper-process.mjs";

/**
 * @typedef {import("../lib/helper-process.mjs").Helper} Helper
 * @typedef {{ count: number, perSecond: number, p50: number, p99: number, bytes: number }} Load
 * @typedef {Load & { perCpuSecond: number }} Figures
 * @typedef {{ port: number, headers: Record<string, string> }} Server
 * @typedef {{ seconds: number, connections: number }} Wishes
 */

const SELF = fileURLToPath(import.meta.url);
const ROOT = resolve(SELF, "../../..");
const DEVICES = 50;

/** Runs the comparison and prints it; resolves with the figures. @param {string[]} options */
export async function run(options = []) {
  const [seconds, rounds] = [Number(option(options, "--seconds", "3")), Number(option(options, "--rounds", "3"))];
  const connections = Number(option(options, "--connections", "10"));
  const hub = await startHelper(SELF, ["--role", "hub", "{}"]);
  const koa = await startHelper(SELF, ["--role", "koa", JSON.stringify({ body: await bodyOf(hub.ready) })]);
  /** @type {{ hub: Figures[], koa: Figures[] }} */
  const figures = { hub: [], koa: [] };
  await measure(koa, { seconds: 1, connections });
  await measure(hub, { seconds: 1, connections });
  for (let round = 0; round < rounds; round++) {
    figures.koa.push(await measure(koa, { seconds, connections }));
    figures.hub.push(await measure(hub, { seconds, connections }));
  }
  await Promise.all([hub.disconnect(), koa.disconnect()]);
  const ratioOf = (/** @type {"perSecond" | "perCpuSecond"} */ what) =>
    median(figures.hub.map((figure, i) => figure[what] / (figures.koa[i]?.[what] ?? Number.NaN)));
  const [ratio, cpuRatio] = [ratioOf("perSecond"), ratioOf("perCpuSecond")];
  const result = {
    bytes: figures.hub[0]?.bytes ?? 0,
    koa: middle(figures.koa),
    hub: middle(figures.hub),
    ratio,
    cpuRatio,
  };
  console.log(
    `GET /v1/devices with ${DEVICES} devices, ${result.bytes} bytes, ${connections} connections, ${rounds} rounds of ${seconds} s`,
  );
  for (const name of /** @type {const} */ (["koa", "hub"])) {
    const { perSecond, perCpuSecond, p50, p99 } = result[name];
    console.log(
      `${name.padEnd(5)}${perSecond.toFixed(0).padStart(8)} req/s ${perCpuSecond.toFixed(0).padStart(8)} per CPU s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`,
    );
  }
  console.log(
    `ratio ${(ratio * 100).toFixed(1)} % of bare koa (at least 80 % wanted), ${(cpuRatio * 100).toFixed(1)} % per CPU second`,
  );
  return result;
}

/**
 * @param {Helper} server
 * @param {Wishes} wishes
 * @returns {Promise<Figures>}
 */
async function measure({ pid, ready }, wishes) {
  const before = processorSeconds(pid);
  /** @type {{ ready: Load }} */
  const { ready: figures } = await startHelper(SELF, ["--role", "load", JSON.stringify({ ...ready, ...wishes })]);
  return { ...figures, perCpuSecond: figures.count / (processorSeconds(pid) - before) };
}

/** @param {Server} server */
async function bodyOf({ port, headers }) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/devices`, { headers });
  return await answer.text();
}

/**
 * The real server, registry, keys and database; the services that this operation does not touch are left out.
 */
async function serveHub() {
  const { Database } = await import("../../src/core/storage/database.ts");
  const { DeviceRegistry } = await import("../../src/features/devices/registry.ts");
  const { Bus } = await import("../../src/core/kernel/bus.ts");
  const { systemClock } = await import("../../src/core/kernel/clock.ts");
  const { silentLogger } = await import("../../src/core/kernel/logger.ts");
  const { Access } = await import("../../src/features/access/access.ts");
  const { loadHubKey } = await import("../../src/core/platform/hub-key.ts");
  const { HttpServer } = await import("../../src/core/http/server.ts");
  const { credentialHeaders } = await import("../../src/core/http/middleware/access.ts");
  const { deviceRoutes } = await import("../../src/features/devices/routes/devices.ts");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const clock = systemClock;
  const logger = silentLogger;
  const database = new Database({
    file: join(folder, "hub.db"),
    migrationsFolder: join(ROOT, "src/core/storage/migrations"),
    commitIntervalMs: 20,
    clock,
    logger,
  });
  await database.start();
  const { accountId, siteId } = database.writeNow(() => {
    const account = database.raw
      .prepare(
        "INSERT INTO account (email, name, password_hash, created_at, updated_at) VALUES ('a@b.c', 'Owner', '', 0, 0)",
      )
      .run();
    const site = database.raw
      .prepare("INSERT INTO site (account_id, env, name) VALUES (?, 'live', 'Home')")
      .run(account.lastInsertRowid);
    return { accountId: Number(account.lastInsertRowid), siteId: Number(site.lastInsertRowid) };
  });
  const nothing = () => {};
  const refused = () => Promise.reject(new Error("this bench only reads"));
  const access = new Access({
    database,
    clock,
    logger,
    hubKey: loadHubKey(folder),
    recordFeedItem: nothing,
    newSite: { name: "Home", timeZone: "UTC" },
    sessionIdleDays: 14,
    sessionMaxDays: 90,
    claimFromAnywhere: false,
    hadOwner: () => true,
    dataFolder: null,
  }); // prettier-ignore
  await access.keys.start();
  await access.watch.start();
  const registry = new DeviceRegistry({
    database,
    bus: new Bus(logger),
    clock,
    feed: nothing,
    enqueue: nothing,
    onRemoved: nothing,
    limits: { devicesPerSite: 500, roomsPerSite: 100 },
  });
  await registry.start();
  for (let i = 0; i < DEVICES; i++)
    await registry.create(siteId, {
      id: `device-${i}`,
      name: `Device ${i}`,
      type: "smart-plug",
      room: `Room ${i % 8}`,
    });
  const { secret } = await access.keys.create(
    accountId,
    { name: "bench", env: "live", scopes: ["devices:read"], origins: [], expiresAt: null },
    { accountId, actor: "cli" },
  );
  const many = 1_000_000_000;
  const server = new HttpServer({
    listen: { host: "127.0.0.1", port: 0 },
    tls: null,
    socketFile: null,
    allowedHosts: [],
    maxConnections: 500,
    trustProxy: false,
    consoleFolder: null,
    rates: {
      requestsPerMinute: many,
      requestBurst: many,
      commandsPerMinute: many,
      commandBurst: many,
      deviceCommandsPer10Seconds: many,
      scenesPerMinute: many,
      imagesPerMinute: many,
      failedCredentialsPerMinute: many,
    },
    routes: deviceRoutes({
      list: (/** @type {number} */ site, /** @type {object} */ filter) => registry.list(site, filter),
      get: (/** @type {number} */ site, /** @type {string} */ id) => registry.get(site, id),
      version: (/** @type {number} */ site) => registry.version(site),
      edit: refused,
      send: refused,
      outcome: () => {
        throw new Error("this bench only reads");
      },
    }),
    credentials: {
      check: (facts) => access.authenticator.check(credentialHeaders(facts)),
      authenticator: access.authenticator,
      watch: access.watch,
      keys: access.keys,
      checkProof: nothing,
      deviceCaller: () => null,
    },
    closed: () => null,
    database,
    clock,
    logger,
  });
  await server.start();
  say({ port: server.port, headers: { Authorization: `Bearer ${secret}` } });
  process.once("disconnect", async () => {
    await server.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
}

/** @param {{ body: string }} wishes */
async function serveKoa({ body }) {
  const { default: Koa } = await import("koa");
  const bytes = Buffer.from(body);
  const app = new Koa();
  app.use((context) => {
    context.type = "application/json";
    context.body = bytes;
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  say({ port: /** @type {import("node:net").AddressInfo} */ (server.address()).port, headers: {} });
  process.once("disconnect", () => process.exit(0));
}

/** Keeps `connections` sockets busy, one request at a time on each. @param {Server & Wishes} wishes */
function load({ port, headers, seconds, connections }) {
  const head = Object.entries({ Host: `127.0.0.1:${port}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const request = Buffer.from(`GET /v1/devices HTTP/1.1\r\n${head}\r\n`);
  /** @type {number[]} */
  const times = [];
  let bytes = 0;
  const end = performance.now() + seconds * 1000;
  let open = connections;
  const begun = performance.now();
  for (let i = 0; i < connections; i++) {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let sentAt = 0;
    let missing = -1;
    let text = "";
    const ask = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("connect", ask);
    socket.on("data", (chunk) => {
      if (missing < 0) {
        text += chunk.toString("latin1");
        const split = text.indexOf("\r\n\r\n");
        if (split === -1) return;
        if (!text.startsWith("HTTP/1.1 200")) throw new Error(text.slice(0, 200));
        bytes = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        missing = bytes - (text.length - split - 4);
        text = "";
      } else missing -= chunk.length;
      if (missing > 0) return;
      missing = -1;
      const now = performance.now();
      times.push(now - sentAt);
      if (now < end) return ask();
      socket.end();
      open -= 1;
      if (open === 0) report();
    });
  }
  const report = () => {
    times.sort((left, right) => left - right);
    const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    say(
      {
        count: times.length,
        perSecond: times.length / ((performance.now() - begun) / 1000),
        p50: at(0.5),
        p99: at(0.99),
        bytes,
      },
      () => process.exit(0),
    );
  };
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** @param {Figures[]} figures */
function middle(figures) {
  return {
    perSecond: median(figures.map((figure) => figure.perSecond)),
    perCpuSecond: median(figures.map((figure) => figure.perCpuSecond)),
    p50: median(figures.map((figure) => figure.p50)),
    p99: median(figures.map((figure) => figure.p99)),
  };
}

const [flag, role, wishes = "{}"] = process.argv.slice(2);
if (flag === "--role" && role === "hub") await serveHub();
else if (flag === "--role" && role === "koa") await serveKoa(JSON.parse(wishes));
else if (flag === "--role") load(JSON.parse(wishes));
