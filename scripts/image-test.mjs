#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/image-test.mjs --folder FOLDER --key FILE --work FOLDER [--build FOLDER] [--scratch FOLDER]
 *   [--rows NAME,NAME…] [--kills N]
 *
 * Boots the card image of `build-image.sh --qemu --output FOLDER --key FILE` in an emulator and tests the life cycle of
 * one card: first boot with a settings file and no network beyond the host; screen, claim, MQTT, the plate of a
 * photograph, backup; the machine killed under load; a stick; a share; updates that are good, crash, are wrongly signed
 * or truncated; factory reset, restore from the card, the owner's password. Prints a table with times and sizes; exits
 * 1 if a row failed.
 *
 * --rows: these only. Once a run has set up its household, the card is kept in SCRATCH as it was then, and later runs
 * with rows after that begin there. The table then names the run of each row. --work is build-image.sh's own work
 * folder (CACHE/work-qemu): other versions are made from the root in it. Needs qemu-system-arm, mtools, dosfstools,
 * samba, squashfs-tools, e2fsprogs, ssh. The emulator's niceness: GATEHOUSE_NICE (10).
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    key: { type: "string" },
    work: { type: "string" },
    build: { type: "string" },
    scratch: { type: "string", default: "/tmp/gatehouse-image-test" },
    rows: { type: "string" },
    kills: { type: "string", default: "10" },
  },
});
if (values.folder === undefined || values.key === undefined || values.work === undefined) {
  console.error(
    "usage: node scripts/image-test.mjs --folder FOLDER --key FILE --work FOLDER (see the head of the script)",
  );
  process.exit(2);
}
await prepare({ tests: true, isBuilt: values.build !== undefined });
// The rest needs the installed modules.
const { Person } = await import("../test/support/hub-process.ts");
const { default: Database } = await import("better-sqlite3");
const { Box } = await import("./image/trial/box.mjs");
const { firstRows } = await import("./image/trial/first.mjs");
const { killRows } = await import("./image/trial/kills.mjs");
const { Report } = await import("./image/trial/report.mjs");
const { resetRows } = await import("./image/trial/reset.mjs");
const { freePort } = await import("./lib/free-port.mjs");
const { NEIGHBOUR, shareRows } = await import("./image/trial/share.mjs");
const { stickRows } = await import("./image/trial/stick.mjs");
const { Bundles, updateRows } = await import("./image/trial/updates.mjs");

const folder = resolve(values.scratch);
mkdirSync(folder, { recursive: true });
const { folder: imageFolder, work, key } = values;
const part = (/** @type {string} */ end) =>
  join(imageFolder, readdirSync(imageFolder).find((name) => name.endsWith(end)) ?? end);
const files = { card: part(".img"), root: part(".root.squashfs"), boot: part(".boot.tar") };
const image = join(folder, "card.img");
const [kept, keptFacts] = [join(folder, "household.img"), join(folder, "household.json")];
const sshKey = join(folder, "ssh");
if (!existsSync(sshKey)) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", sshKey]);
const sshPublicKey = readFileSync(`${sshKey}.pub`, "utf8").trim();

const sharePort = await freePort();
const box = new Box({ image, folder, sshKey, Person, neighbours: [{ ...NEIGHBOUR, here: sharePort }] });
const openDatabase = (/** @type {string} */ file) => new Database(file, { fileMustExist: true });
const bundles = new Bundles({ folder: imageFolder, work, scratch: folder, key });
const first = firstRows({ box, files, sshPublicKey, openDatabase, folder });
const later = [
  ...killRows({ box, folder, openDatabase, rounds: Number(values.kills) }),
  ...stickRows({ box, bundles, folder, openDatabase }),
  ...shareRows({ box, folder, port: sharePort }),
  ...updateRows({ box, bundles, scratch: folder }),
  ...resetRows({ box, folder, sshPublicKey }),
];
const rows = [...first, ...later];
const wanted = new Set(values.rows?.split(",") ?? rows.map(({ name }) => name));
for (const name of wanted) {
  if (rows.some((row) => row.name === name)) continue;
  console.error(`no row is called ${name}; there are: ${rows.map((row) => row.name).join(", ")}`);
  process.exit(2);
}
const rootHash = createHash("sha256").update(readFileSync(files.root)).digest("hex");
const report = new Report({ file: join(folder, "rows.json"), image: rootHash });
const copyCard = (/** @type {string} */ from, /** @type {string} */ to) =>
  execFileSync("cp", ["--sparse=always", from, to]);

/** A new card through its first rows; the card as it is then is kept. @returns whether later rows can stand on it */
async function setUp() {
  copyCard(files.card, image);
  for (const row of first.filter(({ name }) => wanted.has(name))) {
    if (!(await report.row(row)) && !row.aside) return false;
  }
  if (!first.every(({ name }) => wanted.has(name))) return true;
  await box.inside("sync");
  await box.board.cut();
  copyCard(image, kept);
  writeFileSync(keptFacts, JSON.stringify({ root: rootHash, devices: box.devices }));
  await box.boot();
  return true;
}

/** The card as an earlier run of the same image kept it. */
async function takeUp() {
  const facts = existsSync(keptFacts) ? JSON.parse(readFileSync(keptFacts, "utf8")) : null;
  if (facts?.root !== rootHash)
    throw new Error(
      "no card of this image is kept in the scratch folder: run without --rows first, or with the first seven of them",
    );
  copyCard(kept, image);
  Object.assign(box.devices, facts.devices);
  await box.boot();
  await box.signIn();
  return true;
}

rmSync(join(folder, "console.log"), { force: true });
for (const name of readdirSync(folder)) {
  // Bundles of an older image.
  if (
    /^(root-|gatehouse-).*\.(squashfs|tar)$/.test(name) &&
    statSync(join(folder, name)).mtimeMs < statSync(files.root).mtimeMs
  )
    rmSync(join(folder, name));
}
try {
  const fresh = first.some(({ name }) => wanted.has(name));
  if (await (fresh ? setUp() : takeUp())) {
    for (const row of later.filter(({ name }) => wanted.has(name))) {
      if (await report.row(row)) continue;
      // A failed row leaves an unknown state: the next row begins with the kept card.
      await box.board.cut();
      await takeUp();
    }
  }
} finally {
  await box.board.cut();
}

const megabytes = (/** @type {string} */ file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;
console.log(`\n${report.table(rows.map(({ name }) => name))}\n`);
console.log(
  `root ${megabytes(files.root)}, boot files ${megabytes(files.boot)}; ${box.board.boots} boots in this run; limits were ${box.pace.toFixed(1)} times those of an idle machine`,
);
process.exit(report.failed ? 1 : 0);
