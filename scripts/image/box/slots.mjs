// @ts-check
/**
 * The slot tool: which of the two systems on the card starts, and how a new one gets there.
 *
 *   slots status                          JSON: booted, good, trial, tries, failed
 *   slots write --root FILE --boot FILE   writes a root image and its boot files (a tar) to the inactive slot, and
 *                                         reads both back; that slot cannot be chosen meanwhile
 *   slots try                             the next start tries that slot, once
 *   slots commit                          the running slot is the one that starts from now on
 *   slots revert                          ends a trial; the next start uses the good slot
 *   slots before-hub                      on a trial: keeps a copy of the database; after a failed one: restores it if
 *                                         necessary
 *   slots watch                           on a trial: commits after two healthy minutes, restarts the host after ten
 *
 * Choice: `slots.txt` and `autoboot.txt` on partition 1, each overwritten in place within one sector, so that a power
 * cut leaves the old text or the new one. `init` counts the tries down before anything of the new slot runs: a slot
 * that hangs, crashes or loses power is abandoned at the next start, without help from the board's firmware. Root only.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { request } from "node:http";
import { parseArgs } from "node:util";
import { userVersion } from "./user-version.ts";

const BOOT = process.env.GATEHOUSE_BOOT_FOLDER ?? "/boot/gatehouse";
const CHOICE = `${BOOT}/slots.txt`;
const AUTOBOOT = `${BOOT}/autoboot.txt`;
const CHOICE_BYTES = 512;
const AUTOBOOT_BYTES = 128;
const BLOCK = 1 << 20;
const HEALTHY_MS = 120_000;
const GIVE_UP_MS = 600_000;
const POLL_MS = 2_000;
/** After this many crashes the trial fails at once. */
const MOST_CRASHES = 4;
const IDLE_MARK = "/run/gatehouse/slot-written";

/** @typedef {"a" | "b"} Slot */
/** @typedef {{ good: Slot, trial: Slot | null, tries: number, failed: Slot | null }} Choice */

/** Partition numbers of a slot. */
const PARTITIONS = { a: { boot: 2, root: 5 }, b: { boot: 3, root: 6 } };

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/** @param {string} command @param {...string} args */
function run(command, ...args) {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) fail(`${command} ${args.join(" ")}: ${stderr.trim()}`);
}

/**
 * What the first program of the boot found: the card and the slot that runs. @returns {{ slot: Slot, prefix: string }}
 */
function booted() {
  const words = Object.fromEntries(
    readFileSync(process.env.GATEHOUSE_BOOT_FACTS ?? "/run/gatehouse/boot", "utf8")
      .trim()
      .split(/\s+/)
      .map((word) => word.split("=")),
  );
  if (words.SLOT !== "a" && words.SLOT !== "b") fail(`the boot found no slot: ${words.SLOT}`);
  return { slot: words.SLOT, prefix: `/dev/${words.PREFIX}` };
}

/** @returns {Choice} */
function readChoice() {
  /** @type {Readonly<Record<string, string>>} */
  const words = Object.fromEntries(
    [...readFileSync(CHOICE, "utf8").matchAll(/^(\w+)=(\w*)$/gm)].map(([, name, value]) => [name, value]),
  );
  /** @param {string} name @returns {Slot | null} */
  const slot = (name) => (words[name] === "a" || words[name] === "b" ? words[name] : null);
  return { good: slot("good") ?? "a", trial: slot("trial"), tries: Number(words.tries ?? 0), failed: slot("failed") };
}

/**
 * Replaces the bytes of a file that stays where it is; the rest is filled with newlines.
 * @param {string} file
 * @param {string} text
 * @param {number} bytes
 */
function overwrite(file, text, bytes) {
  if (process.env.GATEHOUSE_BOOT_FACTS === undefined) run("mount", "-o", "remount,rw", BOOT);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.from(text.padEnd(bytes, "\n")), 0, bytes, 0);
  fsyncSync(descriptor);
  closeSync(descriptor);
  if (process.env.GATEHOUSE_BOOT_FACTS === undefined) run("mount", "-o", "remount,ro", BOOT);
}

/** @param {Choice} choice */
function writeChoice({ good, trial, tries, failed }) {
  overwrite(CHOICE, `good=${good}\ntrial=${trial ?? ""}\ntries=${tries}\nfailed=${failed ?? ""}\n`, CHOICE_BYTES);
}

/** The board's firmware starts `slot` from now on; `tryboot` starts the other one. @param {Slot} slot */
function writeAutoboot(slot) {
  const other = slot === "a" ? "b" : "a";
  const text = `[all]\ntryboot_a_b=1\nboot_partition=${PARTITIONS[slot].boot}\n[tryboot]\nboot_partition=${PARTITIONS[other].boot}\n`;
  overwrite(AUTOBOOT, text, AUTOBOOT_BYTES);
}

const idleSlot = () => (booted().slot === "a" ? "b" : "a");

/**
 * Copies a file onto a partition and reads it back past the page cache's own copy.
 * @param {string} file
 * @param {string} device
 */
function writePartition(file, device) {
  const { size } = statSync(file);
  const from = openSync(file, "r");
  const to = openSync(device, "r+");
  const block = Buffer.alloc(BLOCK);
  const wanted = createHash("sha256");
  for (let at = 0; at < size; ) {
    const count = readSync(from, block, 0, Math.min(BLOCK, size - at), at);
    if (count <= 0) fail(`${file} ends early`);
    wanted.update(block.subarray(0, count));
    for (let done = 0; done < count; ) done += writeSync(to, block, done, count - done, at + done);
    at += count;
  }
  fsyncSync(to);
  closeSync(from);
  closeSync(to);
  spawnSync("blockdev", ["--flushbufs", device]);
  const found = createHash("sha256");
  const back = openSync(device, "r");
  for (let at = 0; at < size; ) {
    const count = readSync(back, block, 0, Math.min(BLOCK, size - at), at);
    if (count <= 0) fail(`${device} ends early`);
    found.update(block.subarray(0, count));
    at += count;
  }
  closeSync(back);
  if (wanted.digest("hex") !== found.digest("hex"))
    fail(`${device} does not hold what was written: the card is failing`);
}

/**
 * The other slot's boot partition, recreated from a tar of its files.
 * @param {string} tar
 * @param {Slot} slot
 * @param {string} prefix
 */
function writeBootFiles(tar, slot, prefix) {
  const device = `${prefix}${PARTITIONS[slot].boot}`;
  const folder = `/run/gatehouse/boot-${slot}`;
  run("mkfs.vfat", "-F", "32", "-n", `GH-BOOT-${slot.toUpperCase()}`, device);
  run("mkdir", "-p", folder);
  run("mount", "-t", "vfat", "-o", "noatime", device, folder);
  try {
    run("tar", "-xf", tar, "-C", folder, "--no-same-owner", "--no-same-permissions");
    const commandLine = readFileSync(`${folder}/cmdline.txt`, "utf8").replace(
      /gatehouse\.slot=\S+/,
      `gatehouse.slot=${slot}`,
    );
    const descriptor = openSync(`${folder}/cmdline.txt`, "w");
    writeSync(descriptor, commandLine);
    fsyncSync(descriptor);
    closeSync(descriptor);
    for (const name of ["kernel8.img", "initrd.img", "config.txt"])
      if (!existsSync(`${folder}/${name}`)) fail(`the boot files lack ${name}`);
  } finally {
    spawnSync("sync", ["-f", folder]);
    spawnSync("umount", [folder]);
  }
}

/** @param {{ root?: string | undefined, boot?: string | undefined }} files */
function write({ root, boot }) {
  if (root === undefined || boot === undefined) fail("usage: slots write --root FILE --boot FILE");
  const { slot, prefix } = booted();
  const choice = readChoice();
  if (choice.trial === slot) fail("this slot is itself on trial; wait until it is confirmed");
  const idle = idleSlot();
  rmSync(IDLE_MARK, { force: true });
  writeChoice({ ...choice, good: slot, trial: null, tries: 0, failed: null });
  writeAutoboot(slot);
  writePartition(root, `${prefix}${PARTITIONS[idle].root}`);
  writeBootFiles(boot, idle, prefix);
  const mark = openSync(IDLE_MARK, "w");
  writeSync(mark, idle);
  closeSync(mark);
  console.log(JSON.stringify({ written: idle }));
}

/** The order matters: a power cut between the two leaves the good slot starting. */
function tryOnce() {
  const idle = idleSlot();
  const written = existsSync(IDLE_MARK) && readFileSync(IDLE_MARK, "utf8") === idle;
  if (!written) fail(`slot ${idle} holds nothing that was written completely since this start`);
  writeChoice({ ...readChoice(), good: booted().slot, trial: idle, tries: 1, failed: null });
  writeAutoboot(idle);
  console.log(JSON.stringify({ trial: idle }));
}

function commit() {
  const { slot } = booted();
  writeChoice({ good: slot, trial: null, tries: 0, failed: null });
  writeAutoboot(slot);
  console.log(JSON.stringify({ good: slot }));
}

function revert() {
  const choice = readChoice();
  writeChoice({ good: choice.good, trial: null, tries: 0, failed: choice.trial });
  writeAutoboot(choice.good);
  console.log(JSON.stringify({ good: choice.good }));
}

const DATABASE = "gatehouse.db";
/**
 * The database's files as they lie, into another folder: the hub does not run. @param {string} from @param {string} to
 */
function copyDatabase(from, to) {
  rmSync(to, { recursive: true, force: true });
  run("mkdir", "-m", "0700", to);
  for (const suffix of ["", "-wal"])
    if (existsSync(`${from}/${DATABASE}${suffix}`))
      run("cp", "-p", "--reflink=auto", `${from}/${DATABASE}${suffix}`, to);
  run("sync", "-f", to);
  run("chown", "-R", "--reference", from, to);
}

/** A newer version may change the database so that the older one cannot read it; the older one gets its own back. */
function beforeHub() {
  const data = process.env.GATEHOUSE_DATA ?? "/var/lib/gatehouse";
  const [copy, draft] = [`${data}/before-update`, `${data}/before-update.new`];
  const { slot } = booted();
  const { trial, failed } = readChoice();
  if (trial === slot) {
    if (!existsSync(`${data}/${DATABASE}`) || existsSync(copy)) return;
    copyDatabase(data, draft);
    run("mv", draft, copy);
    return console.log("The database is copied before the new version opens it.");
  }
  if (!existsSync(copy)) return;
  if (
    trial === null &&
    failed !== null &&
    failed !== slot &&
    userVersion(`${copy}/${DATABASE}`) !== userVersion(`${data}/${DATABASE}`)
  ) {
    const aside = `${data}/after-failed-update`;
    rmSync(aside, { recursive: true, force: true });
    run("mkdir", "-m", "0700", aside);
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(`${data}/${DATABASE}${suffix}`)) run("mv", `${data}/${DATABASE}${suffix}`, aside);
    for (const suffix of ["", "-wal"])
      if (existsSync(`${copy}/${DATABASE}${suffix}`)) run("cp", "-p", `${copy}/${DATABASE}${suffix}`, data);
    run("sync", "-f", data);
    console.log(
      "The database from before the update is back; what the newer version wrote is kept in after-failed-update.",
    );
  }
  rmSync(copy, { recursive: true, force: true });
}

/** Whether the hub serves and no check has failed. */
function healthy() {
  const port = Number(process.env.GATEHOUSE_HTTP_PORT ?? 80);
  return new Promise((resolve) => {
    const asked = request(
      { host: "127.0.0.1", port, path: "/healthz", timeout: 5_000, headers: { host: "localhost" } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    asked.on("error", () => resolve(false));
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.end();
  });
}

/** The hub keeps crashing, or systemd has stopped restarting it. */
function hopeless() {
  const { stdout } = spawnSync("systemctl", ["show", "gatehouse.service", "-p", "ActiveState,NRestarts"], {
    encoding: "utf8",
  });
  return /^ActiveState=failed$/m.test(stdout) || Number(/^NRestarts=(\d+)$/m.exec(stdout)?.[1] ?? 0) >= MOST_CRASHES;
}

async function watch() {
  const { slot } = booted();
  if (readChoice().trial !== slot) return;
  console.log(`Slot ${slot} is on trial.`);
  const started = performance.now();
  let since = null;
  while (performance.now() - started < GIVE_UP_MS) {
    if (readChoice().good === slot) return; // confirmed by the hub's own part
    if (hopeless()) break;
    since = (await healthy()) ? (since ?? performance.now()) : null;
    if (since !== null && performance.now() - since >= HEALTHY_MS) {
      commit();
      console.log(`Slot ${slot} was healthy for two minutes and is kept.`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  console.log(`Slot ${slot} did not become healthy; restarting with the previous slot.`);
  revert();
  spawnSync("systemctl", ["reboot"]);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { root: { type: "string" }, boot: { type: "string" } },
});
/** @type {Readonly<Record<string, () => void | Promise<void>>>} */
const COMMANDS = {
  status: () => console.log(JSON.stringify({ booted: booted().slot, ...readChoice() })),
  write: () => write(values),
  try: tryOnce,
  commit,
  revert,
  "before-hub": beforeHub,
  watch,
};
const command = COMMANDS[positionals[0] ?? ""];
if (command === undefined) fail("usage: slots status|write|try|commit|revert|before-hub|watch");
await command();
