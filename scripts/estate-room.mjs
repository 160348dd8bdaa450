#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/estate-room.mjs [--reads N]
 *
 * The memory and disk that an estate's server uses per read: publishes N reads (1,000,000) to a nats-server that it
 * starts, in the form in which hubs send them, and measures the process and its store at the beginning, at the end, and
 * after the server was killed and restarted. Needs nats-server.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "./lib/free-port.mjs";
import { residentMegabytes } from "./lib/hub-process.mjs";
import { ensureDebian, prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({ options: { reads: { type: "string", default: "1000000" } } });
const count = Number(values.reads);
await prepare({ tests: true });
ensureDebian(["nats-server"]);
const { connect } = await import("@nats-io/transport-node");
const { publishReads } = await import("./lib/estate/catch-up.mjs");
const { createEstateStreams } = await import("../src/features/estate/streams.ts");
const { plateTokens } = await import("../src/features/estate/plate-token.ts");
const SETTLE_MS = 10_000;
const READY_MS = 120_000;

const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-room-"));
const store = join(folder, "store");
const port = await freePort();
const url = `nats://127.0.0.1:${port}`;
const settings = { listen: `127.0.0.1:${port}`, jetstream: { store_dir: store, max_file_store: 17_179_869_184 } };
writeFileSync(join(folder, "nats.conf"), JSON.stringify(settings).slice(1, -1));
let server = await start();
try {
  const admin = await whenReady();
  await createEstateStreams(admin, { estate: "check", replicas: 1, keepDays: 90 });
  await admin.close();
  const empty = residentMegabytes(server.pid ?? 0);
  const began = performance.now();
  await publishReads([{ url }], count, plateTokens(Buffer.alloc(32, 1)));
  const seconds = (performance.now() - began) / 1000;
  await pause(SETTLE_MS);
  const full = residentMegabytes(server.pid ?? 0);
  await kill();
  const restarted = performance.now();
  server = await start();
  await (await whenReady()).close();
  const ready = (performance.now() - restarted) / 1000;
  await pause(SETTLE_MS);
  const anew = residentMegabytes(server.pid ?? 0);
  const bytes = sizeOf(store);
  console.log(`${count} reads, published in ${seconds.toFixed(0)} s`);
  console.log(`disk    ${(bytes / 1e6).toFixed(0)} MB, ${(bytes / count).toFixed(0)} bytes a read`);
  console.log(
    `memory  ${empty.toFixed(0)} MB empty, ${full.toFixed(0)} MB full: ${perRead(full - empty)} bytes a read`,
  );
  console.log(`        ${anew.toFixed(0)} MB after a start on them: ${perRead(anew - empty)} bytes a read`);
  console.log(`ready   ${ready.toFixed(1)} s after that start`);
} finally {
  await kill();
  rmSync(folder, { recursive: true, force: true });
}

async function start() {
  const child = spawn("nats-server", ["-c", join(folder, "nats.conf"), "-l", join(folder, "log")], { stdio: "ignore" });
  await once(child, "spawn");
  return child;
}

/** Connects as soon as the streams are available. */
async function whenReady() {
  const { jetstreamManager } = await import("@nats-io/jetstream");
  for (const until = performance.now() + READY_MS; ; await pause(100)) {
    const connection = await connect({ servers: url, reconnect: false }).catch(() => null);
    try {
      if (connection !== null) await (await jetstreamManager(connection)).getAccountInfo();
      if (connection !== null) return connection;
    } catch (error) {
      await connection?.close();
      if (performance.now() > until) throw error;
    }
    if (performance.now() > until) throw new Error(readFileSync(join(folder, "log"), "utf8"));
  }
}

async function kill() {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await gone;
}

/** @param {number} megabytes */
function perRead(megabytes) {
  return ((megabytes * 1024 ** 2) / count).toFixed(0);
}

/** @param {string} path @returns {number} */
function sizeOf(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.blocks * 512;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
