// @ts-check
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of a set-up document are written so
/**
 * node scripts/fleet.mjs [--hubs N] [--off N] [--within MS] [--build FOLDER]
 *
 * A fleet on one machine: N hubs (40 unless given), each a process with its own data folder, are provisioned from one
 * template with variables while they run; some of them are switched off (2 unless given); then `gatehouse fleet status`
 * queries them all, over TLS with the pin of each. Prints how long that took, and whether every report is right and came
 * within the limit (3 s unless given). Needs about 100 MB of memory for each hub.
 */
import { execFile } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hubEnvironment, startHub } from "./lib/hub-process.mjs";
import { prepare, root } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    hubs: { type: "string", default: "40" },
    off: { type: "string", default: "2" },
    build: { type: "string" },
    within: { type: "string", default: "3000" },
  },
});
await prepare({ tests: true, isBuilt: values.build !== undefined });
const { build = "build-hub" } = values;
const [count, off] = [Number(values.hubs), Number(values.off)];
/** More would only wait for the processor, and the start is not what is measured. */
const AT_ONCE = 4;
const limitMs = Number(values.within);

const TEMPLATE = {
  account: { email: "owner@example.org", name: "Owner of ${SERIAL}", password: "${OWNER_PASSWORD}" },
  site: { name: "Villa ${SERIAL}", timeZone: "Asia/Kolkata", latitude: "${LATITUDE}", longitude: 73.8 },
  rooms: [{ name: "Kitchen" }, { name: "Gate" }],
  devices: [
    { id: "plug-${SERIAL}", name: "Kettle", type: "smart-plug", room: "Kitchen" },
    { id: "gate-${SERIAL}", name: "Gate", type: "gate", room: "Gate" },
  ],
  scenes: [{ name: "Good night", actions: [{ deviceId: "plug-${SERIAL}", command: { power: false } }] }],
  keys: [{ name: "App", scopes: "all" }],
  automations: [
    { name: "Night", trigger: { type: "time", at: "22:00" }, action: { type: "scene", scene: "Good night" } },
  ],
  settings: { "metrics.enabled": true },
};

const folder = mkdtempSync(join(tmpdir(), "gatehouse-fleet-"));
const template = join(folder, "template.json");
writeFileSync(template, JSON.stringify(TEMPLATE));
/** @type {Awaited<ReturnType<typeof makeHub>>[]} */
const hubs = [];
/** @type {string[]} */
const mistakes = [];
try {
  for (let first = 0; first < count; first += AT_ONCE)
    hubs.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, n) => makeHub(first + n + 1)),
      )),
    );
  for (const hub of hubs) {
    const answer = await fetch(`${hub.url}/v1/me`, {
      headers: { authorization: `Bearer ${hub.made.keys[0]?.secret}` },
    });
    if (answer.status !== 200 || hub.made.site.name !== `Villa ${hub.serial}`)
      mistakes.push(`${hub.serial} is not what the template says`);
    const again = await provision(hub);
    if (again.changed) mistakes.push(`${hub.serial}: applied again, it changed`);
  }
  const dead = hubs.slice(0, off);
  await Promise.all(dead.map((hub) => hub.stop()));
  const list = join(folder, "hosts.toml");
  writeFileSync(
    list,
    hubs.map(({ serial, httpsUrl, pin }) => `[hosts.villa-${serial}]\nurl = "${httpsUrl}"\npin = "${pin}"\n`).join(""),
  );
  const began = performance.now();
  const { code, out } = await command(["fleet", "status", list, "--json"]);
  const tookMs = performance.now() - began;
  /** @type {{ counts: Record<string, number>, hosts: { name: string, status: string, troubles: unknown }[] }} */
  const { counts, hosts } = JSON.parse(out);
  for (const [index, host] of hosts.entries()) {
    const expected = index < off ? ["unreachable"] : ["ok", "degraded"];
    if (!expected.includes(host.status)) mistakes.push(`${host.name}: ${host.status} ${JSON.stringify(host.troubles)}`);
  }
  if (code !== (off > 0 ? 1 : 0)) mistakes.push(`exit code ${code}`);
  if (tookMs > limitMs) mistakes.push(`${Math.round(tookMs)} ms is more than ${limitMs}`);
  const summary = Object.entries(counts)
    .map(([status, n]) => `${n} ${status}`)
    .join(", ");
  console.log(`${hosts.length} hubs: ${summary}; fleet status took ${Math.round(tookMs)} ms, the process and all`);
  for (const mistake of mistakes) console.log(`WRONG: ${mistake}`);
} finally {
  await Promise.all(hubs.map((hub) => hub.stop()));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(mistakes.length === 0 ? 0 : 1);

/** Starts a hub and provisions it. @param {number} n */
async function makeHub(n) {
  const serial = String(n).padStart(4, "0");
  const data = join(folder, serial);
  const hub = await startHub({ build, env: hubEnvironment(data, { GATEHOUSE_TLS: "auto" }) });
  const authority = new X509Certificate(await (await fetch(`${hub.url}/ca.crt`)).text());
  const pin = createHash("sha256").update(authority.raw).digest("hex");
  return { ...hub, serial, data, pin, made: await provision({ serial, data }) };
}

/**
 * Applies the template; returns its report.
 * @param {{ serial: string, data: string }} hub
 * @returns {Promise<{ changed: boolean, keys: { secret: string }[], site: { name: string } }>}
 */
async function provision({ serial, data }) {
  const variables = [`SERIAL=${serial}`, `OWNER_PASSWORD=the password of villa ${serial}`, `LATITUDE=18.${serial}`];
  const { code, out, err } = await command([
    "provision",
    template,
    "--data",
    data,
    ...variables.flatMap((one) => ["--var", one]),
  ]);
  if (code !== 0) throw new Error(`provision of ${serial}: ${err}`);
  return JSON.parse(out);
}

/** @param {string[]} args @returns {Promise<{ code: number | null, out: string, err: string }>} */
function command(args) {
  const env = { PATH: process.env.PATH, BUILD_FOLDER: build };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(root, "scripts/gatehouse.mjs"), ...args],
      { env, maxBuffer: 64e6 },
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}
