#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/image/batch.mjs CARDS.csv OUTPUT [--common FILE.toml] [--labels]
 *        node scripts/image/batch.mjs --card N OUTPUT BOOT-PARTITION
 *
 * Makes the settings file of each card of a batch: one line of the CSV is one card, its header names the settings
 * (system.hostname or just hostname, wlan.ssid, wlan.password, network.address, hub.claim_code, …; see
 * docs/sd-image.md). The --common file holds the settings that all cards share; a cell that is not empty takes
 * precedence. A card without a claim code gets one, and keeps it when the batch is generated again, because the code
 * may already be on a label. Out: OUTPUT/001-HOSTNAME/gatehouse.toml …, OUTPUT/labels.csv with number, name, address
 * and claim code, and OUTPUT/manifest.json with the same for programs, including cards that are no longer in the list.
 * --labels: sheets of labels with a code for phones, as PDF and PNG. Every file is checked as the hub will check it; on
 * any mistake, nothing is written. The second form copies card N's files onto the settings partition of a card that is
 * plugged in.
 */
import { randomInt } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readSettingsFile } from "./box/settings-file.mjs";
import { parseToml, tomlString } from "./box/toml.mjs";

/**
 * @typedef {import("./box/toml.mjs").TomlValue} Value
 * @typedef {{ card: number, folder: string, hostname: string, address: string, claimCode: string, listed: boolean }}
 *   Entry
 */

/** Short names of the columns that most lists have. @type {Record<string, string | undefined>} */
const SHORT = {
  hostname: "system.hostname",
  timezone: "system.timezone",
  ssid: "wlan.ssid",
  password: "wlan.password",
  country: "wlan.country",
  address: "network.address",
  gateway: "network.gateway",
  dns: "network.dns",
  ssh_key: "ssh.authorized_keys",
  claim_code: "hub.claim_code",
  restore: "hub.restore",
  site: "hub.site",
};
const LISTS = new Set(["network.dns", "network.ntp", "ssh.authorized_keys"]);
const FLAGS = new Set(["wlan.hidden"]);
/** Crockford's base32, as the hub shows its own codes. */
const CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Reads a CSV (RFC 4180): quoted cells may hold commas, quotes and line ends.
 * @param {string} text
 * @returns {string[][]} lines that are not empty
 */
export function parseCsv(text) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let cell = "";
  let quoted = false;
  const content = text.replace(/^\uFEFF/, "");
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  for (let i = 0; i < content.length; i++) {
    const letter = content.charAt(i);
    if (quoted) {
      if (letter === '"' && content[i + 1] === '"') cell += content[i++];
      else if (letter === '"') quoted = false;
      else cell += letter;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === ",") endCell();
    else if (letter === "\n") {
      endCell();
      rows.push(row);
      row = [];
    } else if (letter !== "\r") cell += letter;
  }
  endCell();
  return [...rows, row].map((line) => line.map((one) => one.trim())).filter((line) => line.some((one) => one !== ""));
}

/**
 * The settings files of a batch.
 * @param {string} csv
 * @param {string} [common] settings that all cards share, as TOML
 * @param {() => string} [makeCode]
 * @param {(hostname: string) => string | undefined} [codeBefore] the code that a card of this name was given by an
 *   earlier run
 * @returns {{ cards: { name: string, toml: string, hostname: string, address: string, claimCode: string }[], problems:
 *   string[] }}
 */
export function makeBatch(csv, common = "", makeCode = randomCode, codeBefore = () => undefined) {
  const [header = [], ...lines] = parseCsv(csv);
  const columns = header.map((name) => SHORT[name.toLowerCase()] ?? name.toLowerCase());
  const shared = parseToml(common);
  const problems = shared.problems.map((problem) => `common settings: ${problem}`);
  /** @type {Map<string, string>} */
  const seen = new Map();
  const cards = lines.map((cells, index) => {
    /** @type {Map<string, Value>} */
    const settings = new Map();
    for (const [table, entries] of Object.entries(shared.tables))
      for (const [key, value] of Object.entries(entries)) settings.set(`${table}.${key}`, value);
    for (const [column, name] of columns.entries()) {
      const cell = cells[column] ?? "";
      if (cell !== "") settings.set(name, cellValue(name, cell));
    }
    if (!settings.has("hub.claim_code"))
      settings.set("hub.claim_code", codeBefore(String(settings.get("system.hostname") ?? "")) ?? makeCode());
    const toml = writeToml(settings);
    const at = `line ${index + 2}`;
    const { wishes, problems: wrong } = readSettingsFile(toml);
    problems.push(...wrong.map((problem) => `${at}: ${problem}`));
    for (const what of /** @type {const} */ (["hostname", "address"])) {
      const value = wishes[what];
      const before = value === undefined ? undefined : seen.get(`${what} ${value}`);
      if (before !== undefined) problems.push(`${at}: ${what} ${value} is taken by ${before}`);
      else seen.set(`${what} ${value}`, at);
    }
    const hostname = wishes.hostname ?? "gatehouse";
    const name = `${String(index + 1).padStart(3, "0")}-${hostname}`;
    return { name, toml, hostname, address: wishes.address ?? "", claimCode: String(settings.get("hub.claim_code")) };
  });
  if (cards.length === 0) problems.push("the list holds no card");
  return { cards, problems };
}

/** @param {string} name @param {string} cell @returns {Value} */
function cellValue(name, cell) {
  if (LISTS.has(name)) return cell.split(";").map((part) => part.trim());
  return FLAGS.has(name) ? /^(true|yes|1)$/i.test(cell) : cell;
}

/** @param {Map<string, Value>} settings */
function writeToml(settings) {
  /** @type {Map<string, string[]>} */
  const tables = new Map();
  for (const [name, value] of settings) {
    const [table = "", key = ""] = name.includes(".") ? name.split(".") : ["", name];
    const text = Array.isArray(value)
      ? `[${value.map(tomlString).join(", ")}]`
      : typeof value === "string"
        ? tomlString(value)
        : String(value);
    tables.set(table, [...(tables.get(table) ?? []), `${key} = ${text}`]);
  }
  return [...tables].map(([table, lines]) => `[${table}]\n${lines.join("\n")}\n`).join("\n");
}

function randomCode() {
  const code = Array.from({ length: 10 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

/** What earlier runs have given away, by host name. @param {string} folder @returns {Entry[]} */
function readManifest(folder) {
  const file = join(folder, "manifest.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).cards : [];
}

/**
 * Written atomically, so that a power cut cannot lose a code that is on a label.
 * @param {string} file
 * @param {string | Buffer} content
 */
function writePrivate(file, content) {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { common: { type: "string" }, card: { type: "string" }, labels: { type: "boolean" } },
  });
  const [first, second] = positionals;
  if (first === undefined || second === undefined) {
    console.error(
      "usage: batch.mjs CARDS.csv OUTPUT [--common FILE.toml] [--labels]\n       batch.mjs --card N OUTPUT BOOT-PARTITION",
    );
    process.exit(2);
  }
  if (values.card !== undefined) return copyCard(values.card, first, second);
  const common = values.common === undefined ? "" : readFileSync(values.common, "utf8");
  const before = readManifest(second);
  const codeBefore = (/** @type {string} */ hostname) =>
    hostname === "" ? undefined : before.find((card) => card.hostname === hostname)?.claimCode;
  const { cards, problems } = makeBatch(readFileSync(first, "utf8"), common, randomCode, codeBefore);
  if (problems.length > 0) {
    console.error(problems.join("\n"));
    process.exit(1);
  }
  // The codes first, so that no card has a code that is recorded nowhere else.
  mkdirSync(second, { recursive: true, mode: 0o700 });
  const entries = cards.map(({ name, hostname, address, claimCode }, index) => ({
    card: index + 1,
    folder: name,
    hostname,
    address,
    claimCode,
    listed: true,
  }));
  const gone = before
    .filter((card) => !cards.some(({ hostname }) => hostname === card.hostname))
    .map((card) => ({ ...card, listed: false }));
  writePrivate(join(second, "manifest.json"), `${JSON.stringify({ cards: [...entries, ...gone] }, null, 2)}\n`);
  for (const { name, toml } of cards) {
    mkdirSync(join(second, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(second, name, "gatehouse.toml"), toml, { mode: 0o600 });
  }
  const labels = cards.map(({ hostname, address, claimCode }, index) =>
    [index + 1, hostname, address, claimCode].join(","),
  );
  writePrivate(join(second, "labels.csv"), `card,hostname,address,claim code\n${labels.join("\n")}\n`);
  console.log(`${cards.length} cards in ${second}; labels.csv and manifest.json hold the claim codes.`);
  if (values.labels !== true) return;
  const { labelSheets } = await import("./labels.mjs"); // loads the picture libraries only if needed
  for (const { name, content } of await labelSheets(entries)) writePrivate(join(second, name), content);
  console.log("labels.pdf and labels-*.png: A4, three by eight labels of 70 by 37 mm, to be printed without scaling.");
}

/** @param {string} number @param {string} output @param {string} partition */
function copyCard(number, output, partition) {
  const folder = readdirSync(output).find((name) => name.startsWith(`${number.padStart(3, "0")}-`));
  if (folder === undefined) {
    console.error(`${output} has no card ${number}.`);
    process.exit(1);
  }
  for (const file of readdirSync(join(output, folder)))
    copyFileSync(join(output, folder, file), join(partition, basename(file)));
  console.log(`${folder} → ${partition}`);
}

if (import.meta.filename === resolve(process.argv[1] ?? "")) await main();
