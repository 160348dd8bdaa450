// @ts-check
/**
 * Row of a USB stick: plugged into a running hub, it gets backups and its update is offered; pulled out without
 * warning, it affects nothing else, and every confirmed backup is on it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { opensSound } from "./first.mjs";
import { check } from "./report.mjs";

/**
 * @typedef {import("./box.mjs").Box} Box
 * @typedef {{ box: Box, bundles: import("./updates.mjs").Bundles, folder: string, openDatabase:
 *   import("./box.mjs").OpenDatabase }} Trial
 */

const LABEL = "GHSTICK";
const BYTES = 1 << 30;
const SETTING = "backups.destinations";

/** An empty stick with one file on it. @param {string} image @param {string} file */
function makeStick(image, file) {
  rmSync(image, { force: true });
  writeFileSync(image, "");
  truncateSync(image, BYTES);
  execFileSync("mkfs.vfat", ["-F", "32", "-n", LABEL, image], { stdio: "ignore" });
  execFileSync("mcopy", ["-i", image, file, "::"]);
}

/** Waits until the hub sees the stick, or sees that it is gone. @param {Box} box @param {boolean} ready */
async function stickIs(box, ready) {
  const deadline = performance.now() + box.limit(30);
  for (;;) {
    const { body } = await box.owner.call("GET", "/api/backups");
    const stick = body.destinations.find(({ name }) => name === `usb:${LABEL}`);
    if (stick?.ready === ready) return;
    check(
      performance.now() < deadline,
      `the stick: ${JSON.stringify(stick)}; ${(await box.inside("journalctl -q -b -n 20 -o cat -u gatehouse-usb@*")).out}`,
    );
    await pause(1_000);
  }
}

/** Makes a backup everywhere; answers the rows of the hub itself and of the stick. @param {Box} box */
async function backUp(box) {
  const { status, body } = await box.owner.call("POST", "/api/backups", {});
  const [here, away] = ["local", `usb:${LABEL}`].map((name) =>
    body.backups?.find(({ destination }) => destination === name),
  );
  check(
    status === 201 && body.backups.length === 2 && here && away,
    `backup: ${status} ${JSON.stringify(body).slice(0, 300)}`,
  );
  return { here, away };
}

/** @param {Trial} trial */
async function useStick({ box, bundles, folder, openDatabase }) {
  const image = join(folder, "stick.img");
  makeStick(image, await bundles.bundle("0.1.1", await bundles.root("0.1.1", () => {})));
  await box.signIn();
  await box.set(SETTING, ["local", `usb:${LABEL}`]);
  const { here, away } = await backUp(box);
  check(
    here.problem === null && /stick/.test(away.problem ?? ""),
    `without the stick: ${JSON.stringify([here, away]).slice(0, 300)}`,
  );

  await box.board.plugIn({ image, name: "stick" });
  await stickIs(box, true);
  const { away: made } = await backUp(box);
  check(made.problem === null, `on the stick: ${made.problem}`);
  const found = (await box.owner.call("GET", "/api/updates")).body.updates.found;
  check(
    found.some(({ version, fits }) => version === "0.1.1" && fits),
    `updates on the stick: ${JSON.stringify(found).slice(0, 300)}`,
  );

  await box.board.pullOut("stick");
  await stickIs(box, false);
  const packed = execFileSync("mcopy", ["-n", "-i", image, `::${basename(made.file)}`, "-"], { maxBuffer: 1 << 28 });
  check(
    createHash("sha256").update(packed).digest("hex") === made.sha256,
    "what lies on the stick is not what was confirmed",
  );
  opensSound(packed, join(folder, "stick.db"), openDatabase);
  await box.set(SETTING, []);
  return `backup on it with the reported hash, opened elsewhere; its update offered; with the stick removed, the local backup is still made`;
}

/** One row. @param {Trial} options @returns {import("./report.mjs").Row[]} */
export function stickRows(options) {
  return [{ name: "stick", title: "a stick: plugged in, backed up to, pulled out", work: () => useStick(options) }];
}
