// @ts-check
/**
 * An installer's settings for a hub before its first start: the meaning of `gatehouse.toml` and of
 * `rpi-preseed.toml` (the file that Raspberry Pi Imager writes) as one set of wishes. Pure: texts in, wishes and plain
 * sentences about mistakes out. Knows nothing of files or of how a wish is applied.
 */
import { isIP } from "node:net";
import { parseToml } from "./toml.mjs";

/** Replaces a secret once it has been applied; reads as "not given". */
export const APPLIED = "(applied and removed)";

const HOSTNAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SSH_KEY =
  /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) [A-Za-z0-9+/]+={0,3}( [^\r\n]*)?$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._()-]{0,200}$/;
const CLAIM_CODE = /^[0-9A-HJKMNP-TV-Z]{8,20}$/;

/**
 * An installer's wishes; absent members were not given.
 * @typedef {object} Wishes
 * @property {string} [hostname]
 * @property {string} [timeZone]
 * @property {string} [interface]
 * @property {string} [address] with its prefix
 * @property {string} [gateway]
 * @property {string[]} [dns]
 * @property {string[]} [ntp]
 * @property {string} [ssid]
 * @property {string} [ssidHex]
 * @property {string} [wlanPassword]
 * @property {string} [country]
 * @property {boolean} [hidden]
 * @property {string[]} [sshKeys]
 * @property {string} [share]
 * @property {string} [shareUser]
 * @property {string} [sharePassword]
 * @property {string} [claimCode]
 * @property {string} [restore]
 * @property {string} [restorePassphrase]
 * @property {string} [ca]
 * @property {string} [site]
 */
/** @typedef {import("./toml.mjs").TomlValue} TomlValue */
/** @typedef {{ wishes: Wishes, problems: string[] }} Read */
/**
 * @typedef {{ wish: keyof Wishes, word: string, test: (value: TomlValue) => boolean, take: (value: TomlValue) =>
 *   TomlValue }} Setting
 */

/**
 * @type {Readonly<Record<string, Setting>>} Each setting: what it must be (a word for people and a test), and the wish
 *   it becomes.
 */
const SETTINGS = {
  "system.hostname": text(
    "hostname",
    "a name of letters, digits and hyphens",
    (value) => HOSTNAME.test(value.toLowerCase()),
    (value) => value.toLowerCase(),
  ),
  "system.timezone": text("timeZone", "a time zone such as Asia/Kolkata", isTimeZone),
  "network.interface": text("interface", "eth0 or wlan0", (value) => /^(eth|wlan)\d$/.test(value)),
  "network.address": text("address", "an address with its prefix, such as 192.168.1.20/24", isPrefixed),
  "network.gateway": text("gateway", "the router's address", (value) => isIP(value) !== 0),
  "network.dns": list("dns", "addresses of name servers", (value) => isIP(value) !== 0),
  "network.ntp": list(
    "ntp",
    "addresses or names of time servers",
    (value) => isIP(value) !== 0 || /^[A-Za-z0-9.-]+$/.test(value),
  ),
  "wlan.ssid": text(
    "ssid",
    "the Wi-Fi's name, at most 32 bytes",
    (value) => Buffer.byteLength(value) >= 1 && Buffer.byteLength(value) <= 32 && !/[\r\n\0]/.test(value),
  ),
  "wlan.ssid_hex": text("ssidHex", "the Wi-Fi's name as hexadecimal digits", (value) =>
    /^([0-9A-Fa-f]{2}){1,32}$/.test(value),
  ),
  "wlan.password": text(
    "wlanPassword",
    "the Wi-Fi's password: 8 to 63 characters, or 64 hexadecimal digits",
    (value) => /^[\x20-\x7e]{8,63}$/.test(value) || /^[0-9A-Fa-f]{64}$/.test(value),
  ),
  "wlan.country": text(
    "country",
    "two letters, such as IN",
    (value) => /^[A-Za-z]{2}$/.test(value),
    (value) => value.toUpperCase(),
  ),
  "wlan.hidden": flag("hidden"),
  "ssh.authorized_keys": list("sshKeys", "public keys as they stand in an .pub file", (value) => SSH_KEY.test(value)),
  "backup.share": text("share", "a folder that another machine shares (SMB), such as //192.168.1.5/backups", isShare),
  "backup.share_user": text("shareUser", "the user name at that machine, without a comma", isShareWord),
  "backup.share_password": text("sharePassword", "the password at that machine, without a comma", isShareWord),
  "hub.claim_code": text(
    "claimCode",
    "8 to 20 letters and digits without I, L, O and U",
    (value) => CLAIM_CODE.test(claimCode(value)),
    claimCode,
  ),
  "hub.restore": text("restore", "the name of a backup file beside this one", (value) => FILE_NAME.test(value)),
  "hub.restore_passphrase": text(
    "restorePassphrase",
    "the backup's passphrase",
    (value) => value !== "" && !/[\r\n]/.test(value),
  ),
  "hub.ca": text("ca", "the name of a PEM file beside this one with a certificate and its P-256 key", (value) =>
    FILE_NAME.test(value),
  ),
  "hub.site": text("site", "the name of a set-up document (JSON) beside this one", (value) => FILE_NAME.test(value)),
};

/** Where a setting's value is a secret that must not stay on the card. */
export const SECRETS = ["wlan.password", "backup.share_password", "hub.claim_code", "hub.restore_passphrase"];

/** Parts of Imager's file without meaning on a system without passwords and desktop. */
const IGNORED_OF_IMAGER = new Set(["", "user", "locale", "connect", "interfaces"]);

/**
 * Reads `gatehouse.toml`.
 * @param {string} content
 * @returns {Read}
 */
export function readSettingsFile(content) {
  const { tables, problems } = parseToml(content);
  /** @type {Wishes} */
  const wishes = {};
  for (const [table, entries] of Object.entries(tables)) {
    for (const [key, value] of Object.entries(entries)) applySetting(`${table}.${key}`, value, { wishes, problems });
  }
  checkTogether(wishes, problems);
  return { wishes, problems };
}

/**
 * Reads the file that Raspberry Pi Imager writes (`rpi-preseed.toml`, config_version 1).
 * @param {string} content
 * @returns {Read}
 */
export function readImagerFile(content) {
  const { tables, problems } = parseToml(content);
  /** @type {Wishes} */
  const wishes = {};
  const { user = {}, ssh = {}, wlan = {}, locale = {} } = tables;
  for (const [key, value] of Object.entries(tables.system ?? {}))
    applySetting(`system.${key}`, value, { wishes, problems });
  if (locale.timezone !== undefined) applySetting("system.timezone", locale.timezone, { wishes, problems });
  for (const key of ["ssid", "ssid_hex", "password", "country", "hidden"]) {
    const value = wlan[key] ?? "";
    if (value !== "") applySetting(`wlan.${key}`, value, { wishes, problems });
  }
  if (ssh.enabled === true && Array.isArray(ssh.authorized_keys))
    applySetting("ssh.authorized_keys", ssh.authorized_keys, { wishes, problems });
  if (ssh.enabled === true && ssh.password_authentication === true)
    problems.push("ssh: nobody signs in to this box with a password; give it a public key instead");
  if (user.password !== undefined)
    problems.push("user: this box has no accounts with passwords; the key of [ssh] signs in as installer");
  for (const table of Object.keys(tables)) {
    if (!IGNORED_OF_IMAGER.has(table) && !["system", "ssh", "wlan"].includes(table))
      problems.push(`[${table}] is not known here`);
  }
  checkTogether(wishes, problems);
  return { wishes, problems };
}

/**
 * The text of a settings file without its secrets.
 * @param {string} content
 */
export function withoutSecrets(content) {
  let table = "";
  return content
    .split(/(?<=\n)/)
    .map((line) => {
      table = /^\s*\[\s*([A-Za-z0-9_.-]+)\s*\]/.exec(line)?.[1] ?? table;
      const key = /^(\s*"?([A-Za-z0-9_-]+)"?\s*=\s*)/.exec(line);
      return key !== null && SECRETS.includes(`${table}.${key[2]}`)
        ? `${key[1]}"${APPLIED}"${/\r?\n$/.exec(line)?.[0] ?? ""}`
        : line;
    })
    .join("");
}

/** @param {string} name @param {TomlValue} value @param {Read} into */
function applySetting(name, value, { wishes, problems }) {
  const setting = SETTINGS[name];
  if (setting === undefined) problems.push(`${name.replace(/^\./, "")} is not a setting of this file`);
  else if (value === APPLIED) return;
  else if (setting.test(value)) Object.assign(wishes, { [setting.wish]: setting.take(value) });
  else problems.push(`${name} must be ${setting.word}`);
}

/** Settings that mean something only together. @param {Wishes} wishes @param {string[]} problems */
function checkTogether(wishes, problems) {
  if (wishes.ssid !== undefined && wishes.country === undefined)
    problems.push("wlan.country is missing: without it the radio may stay off (IN, DE, US …)");
  if (wishes.wlanPassword !== undefined && wishes.ssid === undefined && wishes.ssidHex === undefined)
    problems.push("wlan.password stands without wlan.ssid");
  if ((wishes.shareUser !== undefined || wishes.sharePassword !== undefined) && wishes.share === undefined)
    problems.push("backup.share is missing: the user and the password are for it");
  if (wishes.gateway !== undefined && wishes.address === undefined)
    problems.push("network.gateway counts only together with network.address");
  if (wishes.address !== undefined && wishes.gateway === undefined)
    problems.push("network.gateway is missing: the hub will reach its own network only");
}

/** @param {string} value */
function claimCode(value) {
  return value.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");
}

/** @param {string} value */
function isTimeZone(value) {
  try {
    new Intl.DateTimeFormat("en", { timeZone: value });
    return /^[A-Za-z0-9_+/-]+$/.test(value);
  } catch {
    return false;
  }
}

/** @param {string} value */
function isPrefixed(value) {
  const [address = "", prefix, more] = value.split("/");
  const longest =
    new Map([
      [4, 32],
      [6, 128],
    ]).get(isIP(address)) ?? 0;
  return more === undefined && /^\d{1,3}$/.test(prefix ?? "") && Number(prefix) >= 1 && Number(prefix) <= longest;
}

/** By address: the kernel asks no name server when it mounts. @param {string} value */
function isShare(value) {
  const [, host, folder = ""] = /^\/\/([^/]+)\/([^,"'\\%\r\n\0]{1,200})$/.exec(value) ?? [];
  return host !== undefined && isIP(host) === 4 && folder.trim() === folder && !folder.startsWith("/");
}

/** In the kernel's list of mount options a comma ends a value. @param {string} value */
function isShareWord(value) {
  return /^[^,\r\n\0]{1,120}$/.test(value);
}

/**
 * @param {keyof Wishes} wish
 * @param {string} word
 * @param {(value: string) => boolean} test
 * @param {(value: string) => string} [take]
 * @returns {Setting}
 */
function text(wish, word, test, take = (value) => value) {
  return {
    wish,
    word,
    test: (value) => typeof value === "string" && test(value),
    take: (value) => take(String(value)),
  };
}

/**
 * @param {keyof Wishes} wish
 * @param {string} word
 * @param {(value: string) => boolean} test
 * @returns {Setting}
 */
function list(wish, word, test) {
  /** @param {TomlValue} value */
  const lines = (value) =>
    (Array.isArray(value) ? value : [String(value)]).map((entry) => entry.trim()).filter((entry) => entry !== "");
  return {
    wish,
    word,
    test: (value) => (typeof value === "string" || Array.isArray(value)) && lines(value).every(test),
    take: lines,
  };
}

/** @param {keyof Wishes} wish @returns {Setting} */
function flag(wish) {
  return { wish, word: "true or false", test: (value) => typeof value === "boolean", take: (value) => value };
}
