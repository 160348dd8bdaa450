// @ts-check
/**
 * npm run bench -- large-house [--build FOLDER] [--calls N] [--devices N] [--feed N] [--reads N]
 *
 * A house far beyond the usual one: 10,000 devices, 200,000 feed items, 50,000 plate reads. The database is written
 * directly, then a hub in a separate process answers every list of /v1 and of the console, one call at a time. For
 * each: bytes, p50 and p99 as the caller sees them, and the longest block of the event loop, in processor time (valid
 * on a busy machine too) and elapsed. Then the start, the first seconds after it and the memory. Wanted: p99 ≤ 30 ms
 * for lists with a limit, the loop never blocked > 20 ms, start ≤ 1.5 s, ≤ 300 MB.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { benchEnvironment, HELD_LOOP, held, option, percentile, provision } from "../lib/bench-hub.mjs";
import { processorSeconds } from "../lib/helper-process.mjs";
import { signIn, startHub } from "../lib/hub-process.mjs";

/**
 * @typedef {import("../lib/hub-process.mjs").Hub} Hub
 * @typedef {import("../lib/held-loop.mjs").Held} Held
 * @typedef {Record<string, string>} Headers
 * @typedef {{ devices: number, feed: number, reads: number }} Size
 * @typedef {Awaited<ReturnType<typeof measure>>} Row
 */

const DAY_MS = 86_400_000;
/** Label of the list that is requested after each change. */
const CHANGED = "after a change each";
const STATES = ["KA", "MH", "DL", "TN", "GJ", "UP"];

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const calls = Number(option(options, "--calls", "30"));
  const size = {
    devices: Number(option(options, "--devices", "10000")),
    feed: Number(option(options, "--feed", "200000")),
    reads: Number(option(options, "--reads", "50000")),
  };
  const data = mkdtempSync(join(tmpdir(), "gatehouse-large-"));
  try {
    const heldFile = join(data, "held.json");
    const env = benchEnvironment(data, { GATEHOUSE_RECOGNITION: "false", HELD_FILE: heldFile });
    const { account, key } = provision(build, env, []);
    fill(join(data, "gatehouse.db"), size);
    const preload = HELD_LOOP;
    await (await startHub({ build, env, preload })).stop(); // the first start after an unusual change may compact
    const begun = performance.now();
    const hub = await startHub({ build, env, preload });
    const started = { ms: performance.now() - begun, cpuMs: processorSeconds(hub.pid) * 1_000 };
    try {
      const before = await held(hub, heldFile); // while it loads, nothing is served
      await pause(3_000);
      const first = await held(hub, heldFile);
      /** @type {Row[]} */
      const rows = [];
      const idle = { megabytes: hub.memory() };
      const cookie = await signIn(hub.url, account);
      await pause(500);
      await held(hub, heldFile);
      for (const [path, headers, note] of asked(key, cookie))
        rows.push(await measure(hub, heldFile, { path, headers, calls, note }));
      rows.push(
        await measure(hub, heldFile, {
          path: "/v1/devices",
          headers: { authorization: `Bearer ${key}` },
          calls,
          note: CHANGED,
        }),
      );
      await pause(200);
      await held(hub, heldFile);
      await pause(Number(option(options, "--quiet-seconds", "61")) * 1000); // every job that runs each minute has run once
      const jobs = await held(hub, heldFile);
      const memory = hub.memory();
      report({ rows, before, first, jobs, started, idle, memory, size });
      return { rows, started, memory };
    } finally {
      await hub.stop();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/**
 * Every list; those of /v1 with their largest limit.
 * @param {string} key
 * @param {string} cookie
 * @returns {[path: string, headers: Headers, note: string][]}
 */
function asked(key, cookie) {
  const v1 = { authorization: `Bearer ${key}` };
  const since = new Date(Date.now() - 90 * DAY_MS).toISOString();
  /** @type {[path: string, note?: string][]} */
  const ofApps = [
    ["/v1/me"],
    ["/v1/devices", "no limit, first of them built"],
    ["/v1/devices", "no limit"],
    ["/v1/devices?type=smart-plug", "no limit"],
    ["/v1/devices?online=true", "no limit"],
    ["/v1/devices?room=Room%203"],
    ["/v1/devices/device-7"],
    ["/v1/rooms"],
    ["/v1/scenes"],
    ["/v1/automations"],
    ["/v1/events"],
    ["/v1/events?limit=500"],
    [`/v1/events?limit=500&since=${since}`],
    ["/v1/plates"],
    ["/v1/plates?limit=500"],
    ["/v1/plates?limit=500&decision=deny&status=recognised"],
    [`/v1/plates?limit=500&deviceId=device-1&since=${since}`],
    ["/v1/plates?plate=KA01AB1234"],
    ["/v1/vehicles"],
    ["/v1/vehicles?days=365&limit=1000"],
    ["/v1/vehicles/KA01AA0000"],
    ["/v1/occupancy"],
    ["/v1/plate-rules", "no limit"],
    ["/v1/devices/device-7/telemetry"],
    ["/v1/devices/device-7/energy?hours=2160"],
  ];
  const ofConsole = [
    "/api/me",
    "/api/site",
    "/api/feed/unread",
    "/api/backups",
    "/api/audit?limit=500",
    "/api/cameras",
    "/api/keys",
    "/api/logs",
    "/api/health",
    "/api/persons",
    "/api/sessions",
    "/api/settings",
    "/api/storage/wear",
    "/api/updates",
    "/api/webhooks",
    "/api/bridge/devices",
    "/api/bridge/clients",
    "/api/bridge/problems",
    "/api/bridge/ghosts",
    "/api/network",
    "/api/automations/export",
    "/api/devices/device-7/commands?limit=500",
    "/api/devices/device-7/refusals",
  ];
  return [
    ...ofApps.map(([path, note = ""]) => /** @type {[string, Headers, string]} */ ([path, v1, note])),
    ...ofConsole.map((path) => /** @type {[string, Headers, string]} */ ([path, { cookie }, ""])),
    ["/metrics", {}, ""],
  ];
}

/**
 * @param {Hub} hub
 * @param {string} heldFile
 * @param {{ path: string, headers: Headers, calls: number, note: string }} wishes
 */
async function measure(hub, heldFile, { path, headers, calls, note }) {
  /** @type {number[]} */
  const times = [];
  let bytes = 0;
  let status = 0;
  await held(hub, heldFile);
  for (let n = 0; n < calls; n++) {
    if (note === CHANGED) await change(hub, headers, n);
    const begun = performance.now();
    const answer = await fetch(hub.url + path, { headers });
    bytes = (await answer.arrayBuffer()).byteLength;
    times.push(performance.now() - begun);
    status = answer.status;
  }
  await pause(30);
  const { most, mostElapsed, used } = await held(hub, heldFile);
  return {
    path,
    note,
    status,
    bytes,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    most,
    mostElapsed,
    cpu: used / calls,
  };
}

/**
 * Changes a device, so that every cached list is outdated.
 * @param {Hub} hub
 * @param {Headers} headers
 * @param {number} n
 */
async function change(hub, headers, n) {
  const body = JSON.stringify({ favorite: n % 2 === 0 });
  const answer = await fetch(`${hub.url}/v1/devices/device-9`, {
    method: "PATCH",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  if (!answer.ok) throw new Error(`PATCH: ${answer.status}`);
}

/**
 * @param {{ rows: Row[], before: Held, first: Held, jobs: Held, started: { ms: number, cpuMs: number }, idle:
 *   { megabytes: number }, memory: number, size: Size }} found
 */
function report({ rows, before, first, jobs, started, idle, memory, size }) {
  console.log(`${size.devices} devices, ${size.feed} feed items, ${size.reads} plate reads; milliseconds\n`);
  console.log(
    "| list | status | kB | p50 | p99 | loop held, CPU | loop held, elapsed | CPU a call |\n| --- | --- | --- | --- | --- | --- | --- | --- |",
  );
  for (const { path, note, status, bytes, p50, p99, most, mostElapsed, cpu } of rows) {
    const figures = [p50, p99, most, mostElapsed, cpu].map((figure) => figure.toFixed(1)).join(" | ");
    console.log(
      `| ${path.replace(/since=.*/, "since=…")}${note === "" ? "" : ` (${note})`} | ${status} | ${(bytes / 1000).toFixed(0)} | ${figures} |`,
    );
  }
  const line = (/** @type {string} */ name, /** @type {Held} */ { most, mostElapsed }) =>
    console.log(`${name}: loop held ${most.toFixed(1)} ms of processor time, ${mostElapsed.toFixed(1)} ms elapsed`);
  console.log("");
  line("before it is ready", before);
  line("the first seconds", first);
  line("a quiet minute, with the first hourly jobs", jobs);
  console.log(`start to ready: ${started.ms.toFixed(0)} ms (${started.cpuMs} ms of processor time)`);
  console.log(`memory: ${idle.megabytes.toFixed(0)} MB after the start, ${memory.toFixed(0)} MB after all calls`);
}

/** Rows as the hub itself writes them, spread over a year. @param {string} file @param {Size} size */
function fill(file, { devices, feed, reads }) {
  const db = new SqliteDatabase(file);
  const site = db.prepare("SELECT id FROM site WHERE env = 'live'").pluck().get();
  const now = Date.now();
  const spread = (/** @type {number} */ n, /** @type {number} */ of) =>
    now - Math.floor(((of - n) / of) * 300 * DAY_MS);
  const accountId = db.prepare("SELECT account_id FROM site WHERE id = ?").pluck().get(site);
  db.transaction(() => {
    const rooms = Array.from({ length: 200 }, (_, n) =>
      Number(
        db
          .prepare("INSERT INTO room (site_id, name, name_key, sort) VALUES (?, ?, ?, ?)")
          .run(site, `Room ${n}`, `room ${n}`, n).lastInsertRowid,
      ),
    );
    const device = db.prepare(
      `INSERT INTO device (id, site_id, room_id, name, type, firmware, model, manufacturer, metrics, state, state_at, online, last_seen, created_at)
       VALUES (?, ?, ?, ?, ?, '1.4.2', 'P-100', 'Acme', '["watts","kwh"]', ?, ?, ?, ?, ?)`,
    );
    for (let n = 0; n < devices; n++) {
      const type = n < 4 ? "camera" : (["smart-plug", "home-hub", "light", "sentinel"][n % 4] ?? "");
      const state = {
        power: n % 2 === 0,
        power2: false,
        power3: true,
        power4: false,
        brightness: n % 100,
        watts: n / 10,
        scene: "evening",
      };
      device.run(
        `device-${n}`,
        site,
        rooms[n % 200],
        `Device ${(n * 7919) % devices}`,
        type,
        JSON.stringify(state),
        now - n,
        0,
        now - n,
        now - DAY_MS,
      );
    }
    const item = db.prepare(
      "INSERT INTO feed_item (site_id, device_id, kind, title, body, read, at) VALUES (?, ?, 'device.offline', ?, '', ?, ?)",
    );
    for (let n = 0; n < feed; n++)
      item.run(
        site,
        `device-${n % devices}`,
        `Device ${n % devices} went offline`,
        n % 3 === 0 ? 0 : 1,
        spread(n, feed),
      );
    const audit = db.prepare(
      "INSERT INTO audit (account_id, actor, action, target, at) VALUES (?, 'session:1', 'device.edited', ?, ?)",
    );
    for (let n = 0; n < 20_000; n++) audit.run(accountId, `device-${n % devices}`, spread(n, 20_000));
    for (let n = 0; n < 4; n++)
      db.prepare("INSERT INTO camera (device_id, site_id, updated_at) VALUES (?, ?, 0)").run(`device-${n}`, site);
    const rule = db.prepare(
      "INSERT INTO plate_rule (site_id, plate, formatted, kind, created_at) VALUES (?, ?, ?, 'allow', 0)",
    );
    for (let n = 0; n < 2_000; n++) rule.run(site, plateOf(n), plateOf(n));
    const read = db.prepare(
      `INSERT INTO plate_read (site_id, device_id, capture_id, plate, formatted, seen_text, plate_kind, confidence, votes, samples, status, decision,
         direction, opens_visit, trigger, at, last_at, stored_at)
       VALUES (?, ?, ?, ?, ?, ?, 'standard', 93, 4, 5, 'recognised', ?, ?, 1, 'motion', ?, ?, ?)`,
    );
    const visit = db.prepare(
      `INSERT INTO visit (site_id, plate, entry_read_id, exit_read_id, entry_at, exit_at, entry_camera, exit_camera, status, stay_seconds)
       VALUES (?, ?, ?, ?, ?, ?, 'device-1', 'device-2', 'closed', 600)`,
    );
    for (let n = 0; n < reads; n++) {
      const plate = plateOf(Math.floor(n / 2) % 8_000);
      const at = spread(n, reads);
      const { lastInsertRowid: id } = read.run(
        site,
        `device-${(n % 2) + 1}`,
        n,
        plate,
        plate,
        plate,
        n % 50 < 2 ? "deny" : "allow",
        n % 2 ? "out" : "in",
        at,
        at,
        at,
      );
      if (n % 2 === 1) visit.run(site, plate, Number(id) - 1, id, at - 600_000, at);
    }
    db.prepare(
      `INSERT INTO vehicle SELECT r.site_id, r.plate, max(r.formatted), count(*), sum(r.direction = 'in'), sum(r.direction = 'out'), count(*) / 2, count(*) / 2,
         300 * count(*), 0, min(r.at), max(r.last_at), json_group_array(DISTINCT r.device_id) FROM plate_read r GROUP BY r.site_id, r.plate`,
    ).run();
    const backup = db.prepare(
      "INSERT INTO backup (at, reason, destination, file, bytes, sha256, encrypted, version) VALUES (?, 'schedule', 'local', ?, 1000, 'x', 0, '0.1.0')",
    );
    for (let n = 0; n < 400; n++) backup.run(spread(n, 400), `/nowhere/gatehouse-${n}.gthbak`);
    const rule2 = db.prepare(
      `INSERT INTO automation (site_id, name, enabled, trigger, conditions, action, mode, cooldown_seconds, created_at, updated_at)
       VALUES (?, ?, 1, ?, '[]', ?, 'single', 0, 0, 0)`,
    );
    for (let n = 0; n < 200; n++) {
      const trigger = { type: "state", deviceId: `device-${n}`, field: "power", op: "truthy" };
      rule2.run(site, `Rule ${n}`, JSON.stringify(trigger), JSON.stringify({ type: "notify", title: "On", body: "" }));
    }
  })();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

/** @param {number} n */
function plateOf(n) {
  const letters = String.fromCharCode(65 + (Math.floor(n / 26) % 26)) + String.fromCharCode(65 + (n % 26));
  return `${STATES[n % STATES.length]}${String((n % 38) + 1).padStart(2, "0")}${letters}${String(n % 10_000).padStart(4, "0")}`;
}
