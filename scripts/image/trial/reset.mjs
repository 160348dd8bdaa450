// @ts-check
/**
 * Rows of a hub that changes hands: factory reset by a file on the card, the owner's password, and a
 * backup that is restored at the first boot of an empty card.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listFat, readFat, writeFat } from "../emulator.mjs";
import { OWNER } from "./box.mjs";
import { screenShows, settingsFile } from "./first.mjs";
import { check } from "./report.mjs";

/** @typedef {import("./box.mjs").Box} Box */

/** As Raspberry Pi Imager writes it, with one plausible mistake. */
const imagerFile = (/** @type {string} */ publicKey) => `config_version = "1.0"

[system]
hostname = "villa-7"

[ssh]
enabled = true
password_authentication = false
authorized_keys = [
  "${publicKey}",
]

[wlan]
ssid = "Villa 7"
password = "a8f5f167f44f4964e6c998dee827110ca8f5f167f44f4964e6c998dee827110c"
password_encrypted = true
hidden = false
country = "IN"

[locale]
keymap = "us"
timezone = "Asia/Calcuta"
`;

/** @param {Box} box @param {string} sshPublicKey */
async function factoryReset(box, sshPublicKey) {
  await box.board.cut();
  const slots = readFat(box.image, 1, "slots.txt")?.toString();
  writeFat(box.image, 1, "factory-reset", "");
  writeFat(box.image, 1, "rpi-preseed.toml", imagerFile(sshPublicKey));
  const seconds = await box.boot();
  const { status, body } = await box.visitor().call("GET", "/api/claim");
  check(status === 200 && body.claimed === false, "the hub still has its owner");
  check((await box.visitor().call("POST", "/api/session", OWNER)).status >= 400, "the owner's password still counts");
  check(!listFat(box.image, 1).some((name) => /^factory-reset/i.test(name)), "the file is still there");
  check(slots !== undefined && readFat(box.image, 1, "slots.txt")?.toString() === slots, "the slot choice has changed");
  await screenShows(box, ["villa-7", "Claim code:", "Asia/Kolkata"], "screen-mistake.png");
  const names = listFat(box.image, 1);
  check(!names.includes("rpi-preseed.toml"), "Imager's file with the Wi-Fi's key is still on the card");
  check(
    readFat(box.image, 1, "gatehouse.result.txt")?.toString().includes("system.timezone"),
    "the mistake is not reported on the card",
  );
  return `served after ${seconds.toFixed(0)} s: unclaimed, data gone, running slot kept; Imager's file obeyed, the mistake in it on the screen`;
}

/** @param {Box} box @param {string} folder @param {string} sshPublicKey */
async function restoreOnCard(box, folder, sshPublicKey) {
  check(existsSync(join(folder, "backup.db.gz")), "no backup was made before");
  await box.board.cut();
  writeFat(box.image, 1, "factory-reset", "");
  writeFat(box.image, 1, "house.backup", readFileSync(join(folder, "backup.db.gz")));
  writeFat(box.image, 1, "gatehouse.toml", `${settingsFile(sshPublicKey)}restore = "house.backup"\n`);
  const seconds = await box.boot();
  await box.householdIsThere();
  const names = listFat(box.image, 1);
  check(!names.includes("gatehouse.toml"), "gatehouse.toml is still on the card");
  const result = readFat(box.image, 1, "gatehouse-restore-result.txt")?.toString().trim() ?? "";
  return `served after ${seconds.toFixed(0)} s with the household of the backup; ${result.split("\n")[0]?.slice(0, 100)}`;
}

/** @param {Box} box */
async function resetOwner(box) {
  await box.board.cut();
  writeFat(box.image, 1, "reset-owner.txt", "a new password for Asha\r\n");
  const seconds = await box.boot();
  const signIn = (/** @type {string} */ password) => box.visitor().call("POST", "/api/session", { ...OWNER, password });
  check((await signIn(OWNER.password)).status >= 400, "the old password still counts");
  check((await signIn("a new password for Asha")).status < 300, "the new password does not count");
  check(!listFat(box.image, 1).some((name) => /reset-owner\.txt$/i.test(name)), "the password is still on the card");
  return `served after ${seconds.toFixed(0)} s; the new password counts, the old does not`;
}

/**
 * Rows that destroy the household: they come last.
 * @param {{ box: Box, folder: string, sshPublicKey: string }} trial
 * @returns {import("./report.mjs").Row[]}
 */
export function resetRows({ box, folder, sshPublicKey }) {
  return [
    { name: "reset", title: "factory reset by a file on the card", work: () => factoryReset(box, sshPublicKey) },
    {
      name: "restore",
      title: "backup on the card restored at first boot",
      work: () => restoreOnCard(box, folder, sshPublicKey),
    },
    { name: "owner", title: "owner's password by a file on the card", work: () => resetOwner(box) },
  ];
}
