#!/usr/bin/env node
/**
 * usage: node scripts/image-test.mjs --folder FOLDER --key FILE --work FOLDER [--build FOLDER] [--scratch FOLDER] [--resume] [--steps first,power,update,crash,signature,cut,reset]
 *
 * Boots the card image of `build-image.sh --qemu --output FOLDER --key FILE` in an emulator and tries what a buyer's box goes
 * through, on one card, in this order: first boot with a settings file and no way out of the box; claim, device over MQTT,
 * plates of a photograph, backup; the plug pulled under load; an update that is good, one whose hub crashes at its start, one
 * with a wrong signature, one cut off while it is written; factory reset by a file. Prints a table with times and sizes.
 * --resume goes on with the card of an earlier run in --scratch, whose plug was pulled at its end: it must be back with its data.
 * --work is build-image.sh's own work folder (CACHE/work-qemu): other versions are made from the root in it.
 * Needs qemu-system-arm, mtools, squashfs-tools, ssh. Ends with 1 when a step failed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import mqtt from "mqtt";
import { Board, listFat, readFat, writeFat } from "./image/emulator.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    key: { type: "string" },
    work: { type: "string" },
    build: { type: "string", default: "build" },
    scratch: { type: "string", default: "/tmp/gatehouse-image-test" },
    resume: { type: "boolean", default: false },
    steps: { type: "string", default: "first,power,update,crash,signature,cut,reset" },
  },
});
const steps = new Set(values.steps.split(","));
const { Person } = await import(join(ROOT, values.build, "test/support/hub-process.js"));
const LIMIT = Number(process.env.GATEHOUSE_BOOT_LIMIT_MS ?? 900_000);
const CLAIM_CODE = "TESTS-12345";

const rows = [];
let failed = false;

/** Runs one step, notes how it went; a failed step ends the run when the next ones stand on it. */
async function step(title, work, { goOn = false } = {}) {
  const started = performance.now();
  try {
    const detail = await work();
    rows.push([title, "ok", seconds(started), detail ?? ""]);
  } catch (error) {
    failed = true;
    rows.push([
      title,
      "FAILED",
      seconds(started),
      String(error instanceof Error ? error.message : error)
        .split("\n")[0]
        .slice(0, 200),
    ]);
    console.error(error);
    if (!goOn) throw error;
  } finally {
    console.log(rows.at(-1).join(" | "));
  }
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const megabytes = (file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;

function check(condition, what) {
  if (!condition) throw new Error(what);
}

const scratch = values.scratch;
if (!values.resume) rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
const source = readdirSync(values.folder).find((name) => name.endsWith(".img"));
const image = join(scratch, "card.img");
const sshKey = join(scratch, "ssh");
if (!values.resume) {
  execFileSync("cp", ["--sparse=always", join(values.folder, source), image]);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", sshKey]);
}
const settings = `[system]
hostname = "hill-house"
timezone = "Asia/Kolkata"
[network]
address = "10.0.2.15/24"
gateway = "10.0.2.2"
[ssh]
authorized_keys = ["${readFileSync(`${sshKey}.pub`, "utf8").trim()}"]
[hub]
claim_code = "${CLAIM_CODE}"
`;

const board = new Board({ image, folder: scratch });

/** A command in the guest as root. */
function inside(command, { input, timeout = 600_000 } = {}) {
  const options = [
    "-i",
    sshKey,
    "-o",
    "StrictHostKeyChecking=no",
    "-o",
    "UserKnownHostsFile=/dev/null",
    "-o",
    "LogLevel=ERROR",
    "-o",
    "ConnectTimeout=120",
    "-p",
    String(board.port(22)),
  ];
  const { status, stdout, stderr } = spawnSync("ssh", [...options, "installer@127.0.0.1", `sudo sh -c '${command}'`], {
    encoding: "utf8",
    input,
    timeout,
    maxBuffer: 1 << 26,
  });
  return { status, out: stdout?.trim() ?? "", err: stderr?.trim() ?? "" };
}

async function shell() {
  const deadline = performance.now() + LIMIT;
  while (inside("true").status !== 0) {
    check(performance.now() < deadline, "ssh does not answer");
    await pause(3_000);
  }
}

const url = () => `http://127.0.0.1:${board.port(80)}`;
const slots = () => JSON.parse(inside("/usr/lib/gatehouse/slots status").out);
let owner;
let device;

async function telemetry(count) {
  const client = mqtt.connect({
    host: "127.0.0.1",
    port: board.port(1883),
    username: device.id,
    password: device.password,
    clientId: device.id,
    connectTimeout: 120_000,
    reconnectPeriod: 2_000,
  });
  client.on("error", () => {});
  await new Promise((done) => client.on("connect", done));
  for (let n = 0; n < count; n++) await client.publishAsync(`gatehouse/${device.id}/telemetry`, JSON.stringify({ n, watts: 60 + n }), { qos: 1 });
  return client;
}

/** What of the household is there. */
async function dataIsThere() {
  const { status, body } = await owner.call("GET", "/v1/rooms");
  check(status === 200, `rooms: ${status}`);
  const names = body.rooms.map(({ name }) => name);
  check(names.includes("Porch"), "the room Porch is gone");
  return names;
}

async function signIn() {
  owner = new Person(url());
  const { status } = await owner.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
  check(status < 300, `sign-in: ${status}`);
}

/** Another version of the image as a signed update: the same root with another number, changed by `change`. */
function bundle(version, change, key = values.key) {
  const root = join(values.work, "root");
  const program = join(root, "opt/gatehouse");
  const from = readdirSync(program).find((name) => name !== "current");
  execFileSync("mv", [join(program, from), join(program, version)]);
  execFileSync("ln", ["-sfn", version, join(program, "current")]);
  const manifest = join(program, version, "package.json");
  const main = join(program, version, "build/src/main.js");
  const [before, mainBefore] = [readFileSync(manifest, "utf8"), readFileSync(main, "utf8")];
  try {
    writeFileSync(manifest, before.replace(/"version": "[^"]*"/, `"version": "${version}"`));
    change(main);
    const file = join(scratch, `root-${version}.squashfs`);
    execFileSync(join(ROOT, "scripts/image/squash.sh"), [root, file], { env: { ...process.env, LEVEL: "3" } });
    const boot = readdirSync(values.folder).find((name) => name.endsWith(".boot.tar"));
    execFileSync(process.execPath, [
      join(ROOT, "scripts/release.mjs"),
      "--slot",
      "--arch",
      "arm64",
      "--version",
      version,
      "--root",
      file,
      "--boot",
      join(values.folder, boot),
      "--key",
      key,
      "--out",
      scratch,
    ]);
    rmSync(file);
  } finally {
    writeFileSync(manifest, before);
    writeFileSync(main, mainBefore);
    execFileSync("mv", [join(program, version), join(program, from)]);
    execFileSync("ln", ["-sfn", from, join(program, "current")]);
  }
  return join(scratch, `gatehouse-${version}-image-arm64.tar`);
}

/** Sends an update as the console does, and asks for its installation. */
async function install(file) {
  const bytes = statSync(file).size;
  const opened = await owner.call("POST", "/api/uploads", { kind: "update", bytes });
  check(opened.status === 201, `upload: ${opened.status} ${JSON.stringify(opened.body)}`);
  const { id, pieceBytes } = opened.body.upload;
  const content = readFileSync(file);
  for (let at = 0; at < bytes; at += pieceBytes) {
    const answer = await fetch(`${url()}/api/uploads/${id}?offset=${at}`, {
      method: "PUT",
      body: content.subarray(at, at + pieceBytes),
      headers: { "content-type": "application/octet-stream" },
    });
    check(answer.ok, `piece at ${at}: ${answer.status} ${await answer.text()}`);
  }
  return owner.call("POST", "/api/updates", { uploadId: id });
}

async function updateState() {
  const { body } = await owner.call("GET", "/api/updates");
  return body.updates;
}

async function untilPhase(wanted) {
  const deadline = performance.now() + LIMIT;
  for (;;) {
    const state = await signIn()
      .then(updateState)
      .catch(() => null);
    if (state !== null && wanted.includes(state.state.phase)) return state;
    check(performance.now() < deadline, `the update did not become ${wanted}; last ${JSON.stringify(state?.state)}`);
    await pause(5_000);
  }
}

try {
  if (values.resume) {
    await step("the plug was pulled: back with its data", async () => {
      await board.powerOn();
      await board.served({ limitMs: LIMIT });
      await signIn();
      await dataIsThere();
      const { body } = await owner.call("GET", "/v1/devices/meter/telemetry?limit=1000");
      check(body.telemetry.length >= 5, `${body.telemetry.length} samples`);
      const id = `meter-${Date.now()}`;
      const made = await owner.call("POST", "/api/devices", { id, name: "Meter", type: "energy-meter" });
      device = { id, password: made.body.password };
      return `${body.telemetry.length} samples`;
    });
  } else if (steps.has("first")) {
    writeFat(image, 1, "gatehouse.toml", settings);
    await step("first boot, no way out, to /v1", async () => {
      await board.powerOn();
      await board.served({ limitMs: LIMIT });
      return `image ${megabytes(
        join(
          values.folder,
          readdirSync(values.folder).find((name) => name.endsWith(".root.squashfs")),
        ),
      )} root`;
    });
    await step("claim with the given code", async () => {
      owner = new Person(url());
      await owner.claim(CLAIM_CODE);
    });
    await step("a device over MQTT", async () => {
      const { status, body } = await owner.call("POST", "/api/devices", { id: "meter", name: "Meter", type: "energy-meter" });
      check(status === 201, `device: ${status}`);
      device = { id: "meter", password: body.password };
      const client = await telemetry(5);
      await client.endAsync();
      check((await owner.call("POST", "/api/rooms", { name: "Porch" })).status === 201, "room");
      return "5 samples acknowledged";
    });
    await step(
      "plates of a photograph",
      async () => {
        await shell();
        const { status, out, err } = inside(
          "cd /tmp && ORT_DISABLE_TELEMETRY=1 gatehouse recognise --json /opt/gatehouse/current/test/fixtures/plates/two-wheeler-MP06MW4025.jpg",
        );
        check(status === 0 && out.includes("MP06MW4025"), `recognise: ${status} ${out.slice(0, 200)} ${err.slice(0, 200)}`);
        return `MP06MW4025 in ${JSON.parse(out.split("\n")[0]).ms} ms (emulated)`;
      },
      { goOn: true },
    );
    await step("backup, read back and checked", async () => {
      const { status, body } = await owner.call("POST", "/api/backups", {});
      check(status === 201 && body.backups.length > 0, `backup: ${status} ${JSON.stringify(body).slice(0, 200)}`);
      return `${body.backups[0].bytes} bytes`;
    });
    await step("settings obeyed, secrets gone", async () => {
      await shell();
      const { out } = inside(
        "hostname; readlink /etc/localtime; ip -o -4 address show dev eth0; cat /boot/gatehouse/gatehouse.applied.toml; ls /boot/gatehouse; systemctl --failed --no-legend; df -k /data | tail -1; free -m | sed -n 2p",
      );
      check(out.startsWith("hill-house"), `hostname: ${out.slice(0, 40)}`);
      check(out.includes("Asia/Kolkata") && out.includes("10.0.2.15/24"), "time zone or address");
      check(!out.includes(CLAIM_CODE) && !/^gatehouse\.toml$/m.test(out), "the claim code is still on the card");
      const free = /Mem: +(\d+) +(\d+)/.exec(out);
      return `data ${/\/dev\S+ +(\d+)/.exec(out)?.[1]} KiB; memory used ${free?.[2]} of ${free?.[1]} MB${/(\S+\.service)/.exec(out.split("slots.txt")[1] ?? "")?.[0] ?? ""}`;
    });
  }
  if (steps.has("power")) {
    await step("plug pulled under load, next boot", async () => {
      const client = await telemetry(1);
      const acknowledged = [];
      for (let n = 0; n < 400; n++)
        client.publish(
          `gatehouse/${device.id}/telemetry`,
          JSON.stringify({ n: 1000 + n, watts: n }),
          { qos: 1 },
          (error) => !error && acknowledged.push(1000 + n),
        );
      while (acknowledged.length < 50) await pause(20);
      await pause(Math.random() * 300);
      await board.cut();
      const held = [...acknowledged];
      client.end(true);
      await board.powerOn();
      await board.served({ limitMs: LIMIT });
      await signIn();
      await dataIsThere();
      const { body } = await owner.call("GET", `/v1/devices/${device.id}/telemetry?limit=1000`);
      const stored = new Set(body.telemetry.map(({ data }) => data.n));
      const lost = held.filter((n) => !stored.has(n));
      check(lost.length === 0, `${lost.length} of ${held.length} acknowledged samples are gone`);
      return `${held.length} acknowledged before the cut, all there`;
    });
  }
  if (steps.has("update")) {
    await step("a good update: other slot, kept", async () => {
      const file = bundle("0.1.1", () => {});
      const { status, body } = await install(file);
      check(status === 202, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
      const state = await untilPhase(["committed", "failed", "rolled-back"]);
      check(state.state.phase === "committed" && state.version === "0.1.1", JSON.stringify(state.state));
      await dataIsThere();
      await shell();
      const choice = slots();
      check(choice.booted === "b" && choice.good === "b" && choice.trial === null, JSON.stringify(choice));
      return `slot b, bundle ${megabytes(file)}`;
    });
  }
  if (steps.has("crash")) {
    await step("an update whose hub crashes: back", async () => {
      const file = bundle("0.1.2", (main) => writeFileSync(main, 'throw new Error("this version is broken");\n'));
      const before = slots().booted;
      const { status, body } = await install(file);
      check(status === 202, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
      const state = await untilPhase(["rolled-back", "failed", "committed"]);
      check(state.state.phase === "rolled-back", JSON.stringify(state.state));
      await dataIsThere();
      await shell();
      const choice = slots();
      check(choice.booted === before && choice.good === before && choice.trial === null, JSON.stringify(choice));
      return `slot ${before} again; all data there`;
    });
  }
  if (steps.has("signature")) {
    await step("an update with a wrong signature", async () => {
      const wrong = join(scratch, "wrong.pem");
      execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", wrong]);
      const before = slots();
      const { status, body } = await install(bundle("0.1.3", () => {}, wrong));
      check(status >= 400 && status < 500, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
      const after = slots();
      check(after.booted === before.booted && after.trial === null, JSON.stringify(after));
      await dataIsThere();
      return `refused: ${status} ${body.error?.code ?? body.code ?? ""}`;
    });
  }
  if (steps.has("cut")) {
    await step("plug pulled while an update is written", async () => {
      const before = slots().booted;
      const from = board.log.length;
      const file = existsSync(join(scratch, "gatehouse-0.1.4-image-arm64.tar")) ? join(scratch, "gatehouse-0.1.4-image-arm64.tar") : bundle("0.1.4", () => {});
      const { status } = await install(file);
      check(status === 202, `install: ${status}`);
      const deadline = performance.now() + LIMIT;
      while (inside("pgrep -f slots.mjs").status !== 0) {
        check(performance.now() < deadline, "the slot tool was not seen");
        await pause(500);
      }
      await pause(1_500);
      await board.cut();
      await board.powerOn();
      await board.served({ limitMs: LIMIT });
      const state = await untilPhase(["failed", "rolled-back"]);
      await dataIsThere();
      await shell();
      const choice = slots();
      check(choice.booted === before && choice.good === before, JSON.stringify(choice));
      check(board.log.length > from, "nothing booted");
      return `slot ${choice.booted}; told: ${state.state.text.slice(0, 80)}`;
    });
  }
  if (steps.has("reset")) {
    await step("factory reset by a file on the card", async () => {
      await board.cut();
      writeFat(image, 1, "factory-reset", "");
      await board.powerOn();
      await board.served({ limitMs: LIMIT });
      const answer = await (await fetch(`${url()}/api/claim`)).json();
      check(answer.claimed === false, "the hub still has its owner");
      check(!listFat(image, 1).includes("factory-reset"), "the file is still there");
      check(readFat(image, 1, "slots.txt")?.toString().includes("good="), "the slot choice is gone");
      return "unclaimed, data gone, running slot kept";
    });
  }
} catch {
  // said in the table
} finally {
  await board.cut();
  cpSync(join(scratch, "console.log"), join(scratch, "console.kept.log"));
}

const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
console.log("");
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
console.log(`${board.boots} boots`);
process.exit(failed ? 1 : 0);
