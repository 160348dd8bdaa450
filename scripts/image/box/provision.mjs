// @ts-check
/**
 * First boot: reads `gatehouse.toml` and `rpi-preseed.toml` from the boot partition, applies them, and leaves no secret
 * behind. Mistakes are reported in `gatehouse.result.txt` beside the file and on the screen; everything else is
 * applied: a typing mistake must not leave a hub without its network.
 *
 * In: the boot folder (mounted read only), the data partition. Out: files below /etc, now and at each later start (a
 * copy in /data/etc), the claim code, an imported authority, and the files that `gatehouse-boot` processes next.
 * Folders can be given by environment variables, so that all of it runs in a test.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { dirname, extname, join } from "node:path";
import { readImagerFile, readSettingsFile, withoutSecrets } from "./settings-file.mjs";
import { SHARE, SHARE_FOLDER, systemFiles } from "./system-files.mjs";

const BOOT = process.env.GATEHOUSE_BOOT_FOLDER ?? "/boot/gatehouse";
const ROOT = process.env.GATEHOUSE_ROOT ?? "/";
const KEPT = process.env.GATEHOUSE_KEPT ?? "/data";
const HUB = process.env.GATEHOUSE_DATA ?? join(ROOT, "var/lib/gatehouse");
const MESSAGE = process.env.GATEHOUSE_MESSAGE ?? "/run/gatehouse/message";
const PROGRAM = process.env.GATEHOUSE_PROGRAM ?? "/opt/gatehouse/current";
const LIVE = process.env.GATEHOUSE_ROOT === undefined;

/** @typedef {import("./settings-file.mjs").Wishes} Wishes */
/**
 * @typedef {{ discovery?: object, backups?: { destinations?: string[] } }} HubSettings  those of the hub that are set
 *   here
 */

/** @type {string[]} */
const messages = [];
/** @param {string} line */
const say = (line) => {
  messages.push(line);
  console.log(line);
};

/** A file of the boot partition, whatever its case. @param {string} name */
function find(name) {
  const found = readdirSync(BOOT).find((entry) => entry.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : join(BOOT, found);
}

/**
 * Writes a file atomically: a power cut leaves the old one or the new one. Does not write through a link in the draft's
 * place: the owner of the folder may have planted it.
 * @param {string} file
 * @param {string} content
 * @param {number} mode
 */
function writeFileAtomic(file, content, mode) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  rmSync(draft, { force: true, recursive: true });
  const descriptor = openSync(draft, "wx", mode);
  writeSync(descriptor, content);
  fsyncSync(descriptor);
  closeSync(descriptor);
  chmodSync(draft, mode);
  renameSync(draft, file);
}

/** @param {import("./system-files.mjs").SystemFile} file */
function install({ path, content = "", link, mode }) {
  // Below /etc now, and in the copy that each later start begins with.
  for (const file of [join(ROOT, path), join(KEPT, path)]) {
    mkdirSync(dirname(file), { recursive: true });
    if (link === undefined) writeFileAtomic(file, content, mode);
    else {
      rmSync(file, { force: true });
      symlinkSync(link, file);
    }
  }
}

/** A file of the hub's own folder, readable by the hub alone. @param {string} name @param {string} content */
function installForHub(name, content) {
  const file = join(HUB, name);
  // root follows no link of the hub's
  if (dirname(file) !== HUB && lstatSync(dirname(file), { throwIfNoEntry: false })?.isSymbolicLink())
    rmSync(dirname(file));
  writeFileAtomic(file, content, 0o600);
  const { uid, gid } = statSync(HUB);
  if (process.getuid?.() === 0) {
    chownSync(dirname(file), uid, gid);
    chownSync(file, uid, gid);
  }
  chmodSync(dirname(file), 0o700);
}

/**
 * Overwrites a file's bytes and removes it. On flash the old cells may survive for a while; the file system shows
 * nothing of them.
 * @param {string} file
 */
function erase(file) {
  const { size } = statSync(file);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size, 0x20));
  fsyncSync(descriptor);
  closeSync(descriptor);
  rmSync(file);
}

/**
 * Saved settings of the hub, which the owner can change later. @param {(settings: HubSettings) => HubSettings} change
 */
function setForHub(change) {
  const file = join(HUB, "gatehouse.json");
  let settings = {};
  try {
    settings = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // none yet; an unreadable one would keep the hub from starting anyway
  }
  installForHub("gatehouse.json", `${JSON.stringify({ ...settings, ...change(settings) }, null, 2)}\n`);
}

/** The hub announces itself under the host's name. @param {string} hostname */
function nameHub(hostname) {
  setForHub(({ discovery }) => ({ discovery: { ...discovery, name: hostname } }));
}

/** Backups go to the share too. */
function backUpToShare() {
  const place = `mount:${SHARE_FOLDER}`;
  setForHub(({ backups }) => {
    const own = backups?.destinations ?? [];
    const before = own.length > 0 ? own : ["local"];
    return { backups: { ...backups, destinations: [...new Set([...before, place])] } };
  });
}

/** @param {string} name */
function importAuthority(name) {
  const file = find(name);
  if (file === undefined) return say(`hub.ca: there is no file ${name} on this partition`);
  const pem = readFileSync(file, "utf8");
  const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(pem)?.[0];
  const key = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(pem)?.[0];
  if (certificate === undefined || key === undefined)
    return say(`hub.ca: ${name} needs a certificate and its key as "PRIVATE KEY" (PKCS #8)`);
  installForHub("tls/authority.key", `${key}\n`);
  installForHub("tls/authority.crt", `${certificate}\n`);
  for (const leaf of ["server.crt", "server.key"]) rmSync(join(HUB, "tls", leaf), { force: true });
  erase(file);
  say("The authority is imported; its key is no longer on this partition.");
}

/**
 * Left under the names that `gatehouse-boot` processes next.
 * @param {string} restore
 * @param {string | undefined} restorePassphrase
 */
function prepareRestore(restore, restorePassphrase) {
  const file = find(restore);
  if (file === undefined) return say(`hub.restore: there is no file ${restore} on this partition`);
  renameSync(file, join(BOOT, `gatehouse-restore${extname(restore) || ".backup"}`));
  if (restorePassphrase !== undefined)
    writeFileAtomic(join(BOOT, "gatehouse-restore-passphrase.txt"), `${restorePassphrase}\n`, 0o600);
  say(`The backup ${restore} is restored next.`);
}

/** @param {string} name */
function applySite(name) {
  const file = find(name);
  if (file === undefined) return say(`hub.site: there is no file ${name} on this partition`);
  installForHub("site.json", readFileSync(file, "utf8"));
  const asHub = ["setpriv", "--reuid", "gatehouse", "--regid", "gatehouse", "--init-groups", "--no-new-privs", "env"];
  const [command = "env", ...args] = [
    ...(LIVE ? asHub : ["env"]),
    `GATEHOUSE_DATA=${HUB}`,
    join(PROGRAM, "bin/node"),
    join(PROGRAM, "scripts/gatehouse.mjs"),
    "provision",
    join(HUB, "site.json"),
  ];
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 120_000 });
  rmSync(join(HUB, "site.json"), { force: true });
  if (status !== 0) return say(`hub.site: ${name} was not applied: ${stderr.trim() || `exit ${status}`}`);
  // Generated keys and passwords: the installer's copy, to be removed from the card.
  writeFileAtomic(join(BOOT, "gatehouse-site-result.json"), stdout, 0o600);
  erase(file);
  say(`${name} is applied; keys and passwords that were made are in gatehouse-site-result.json: take it off the card.`);
}

function makeHostKey() {
  const file = "etc/ssh/ssh_host_ed25519_key";
  if (existsSync(join(KEPT, file))) return;
  mkdirSync(dirname(join(KEPT, file)), { recursive: true });
  spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(KEPT, file)]);
  for (const suffix of ["", ".pub"]) {
    if (existsSync(join(KEPT, file + suffix))) cpSync(join(KEPT, file + suffix), join(ROOT, file + suffix));
  }
}

/** @param {Wishes} wishes */
function carryOut(wishes) {
  for (const file of systemFiles(wishes)) install(file);
  if (wishes.hostname !== undefined) nameHub(wishes.hostname);
  if (wishes.share !== undefined) backUpToShare();
  if (wishes.hostname !== undefined && LIVE) spawnSync("hostname", [wishes.hostname]);
  if (wishes.country !== undefined && LIVE) spawnSync("iw", ["reg", "set", wishes.country]);
  if (wishes.sshKeys !== undefined && wishes.sshKeys.length > 0) makeHostKey();
  if (wishes.claimCode !== undefined) installForHub("claim-code", `${wishes.claimCode}\n`);
  if (wishes.ca !== undefined) importAuthority(wishes.ca);
  if (wishes.restore !== undefined) prepareRestore(wishes.restore, wishes.restorePassphrase);
  if (wishes.site !== undefined) applySite(wishes.site);
  const names = Object.keys(wishes);
  say(names.length === 0 ? "Nothing in the file is set." : `Applied: ${names.join(", ")}.`);
  // systemd has already read its units: reload and start the new ones without waiting. A radio that appears later
  // starts its unit.
  const isWireless = wishes.ssid !== undefined || wishes.ssidHex !== undefined;
  if (LIVE && (isWireless || wishes.share !== undefined)) spawnSync("systemctl", ["daemon-reload"]);
  if (LIVE && isWireless && existsSync("/sys/class/net/wlan0"))
    spawnSync("systemctl", ["--no-block", "start", "wpa_supplicant@wlan0.service"]);
  if (LIVE && wishes.share !== undefined) spawnSync("systemctl", ["--no-block", "start", `${SHARE}.timer`]);
}

function main() {
  const imager = find("rpi-preseed.toml");
  const own = find("gatehouse.toml");
  const resetOwner = readdirSync(BOOT).find((name) => /^reset-owner(\.txt)?$/i.test(name));
  if (LIVE) spawnSync("mount", ["-o", "remount,rw", BOOT]);
  try {
    if (resetOwner !== undefined) renameSync(join(BOOT, resetOwner), join(BOOT, "gatehouse-reset-owner.txt"));
    /** @type {Wishes} */
    const wishes = {};
    for (const { file, read } of [
      { file: imager, read: readImagerFile },
      { file: own, read: readSettingsFile },
    ]) {
      if (file === undefined) continue;
      const { wishes: more, problems } = read(readFileSync(file, "utf8"));
      Object.assign(wishes, more); // our own file takes precedence
      for (const problem of problems) say(`${file.slice(BOOT.length + 1)}: ${problem}`);
    }
    if (imager === undefined && own === undefined) return;
    carryOut(wishes);
    if (own !== undefined) {
      const applied = withoutSecrets(readFileSync(own, "utf8"));
      erase(own);
      writeFileAtomic(join(BOOT, "gatehouse.applied.toml"), applied, 0o600);
    }
    if (imager !== undefined) erase(imager);
    writeFileAtomic(join(BOOT, "gatehouse.result.txt"), `${messages.join("\r\n")}\r\n`, 0o644);
    mkdirSync(dirname(MESSAGE), { recursive: true });
    writeFileAtomic(
      MESSAGE,
      `${messages.filter((line) => line.includes(":") && !line.startsWith("Applied")).join("\n")}\n`,
      0o644,
    );
  } finally {
    if (LIVE) {
      spawnSync("sync", []);
      spawnSync("mount", ["-o", "remount,ro", BOOT]);
    }
  }
}

main();
