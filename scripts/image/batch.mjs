#!/usr/bin/env node
/**
 * usage: node scripts/image/batch.mjs CARDS.csv OUTPUT [--common FILE.toml]
 *        node scripts/image/batch.mjs --card N OUTPUT BOOT-PARTITION
 *
 * Makes the settings file of each card of a batch: one line of the CSV is one card, its header names the settings
 * (system.hostname or just hostname, wlan.ssid, wlan.password, network.address, hub.claim_code, …; see docs/sd-image.md). What
 * all cards share stands in the --common file; a cell that is not empty counts more. A card without a claim code gets one.
 * Out: OUTPUT/001-HOSTNAME/gatehouse.toml …, and OUTPUT/labels.csv with number, name, address and claim code to print.
 * Every file is checked as the box will check it: one mistake and nothing is written.
 * The second form copies card N's files onto the settings partition of a card that is plugged in.
 */
import { randomInt } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readSettingsFile } from "./box/settings-file.mjs";
import { parseToml, tomlString } from "./box/toml.mjs";

/** Short names of the columns that most lists have. */
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
  const rows = [[""]];
  let quoted = false;
  const content = text.replace(/^\uFEFF/, "");
  for (let i = 0; i < content.length; i++) {
    const letter = content[i];
    const row = rows.at(-1);
    if (quoted) {
      if (letter === '"' && content[i + 1] === '"') row[row.length - 1] += content[i++];
      else if (letter === '"') quoted = false;
      else row[row.length - 1] += letter;
    } else if (letter === '"' && row.at(-1) === "") quoted = true;
    else if (letter === ",") row.push("");
    else if (letter === "\n") rows.push([""]);
    else if (letter !== "\r") row[row.length - 1] += letter;
  }
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ""));
}

/**
 * The settings files of a batch.
 * @param {string} csv
 * @param {string} [common] settings that all cards share, as TOML
 * @param {() => string} [makeCode]
 * @returns {{ cards: { name: string, toml: string, hostname: string, address: string, claimCode: string }[], problems: string[] }}
 */
export function makeBatch(csv, common = "", makeCode = randomCode) {
  const [header = [], ...lines] = parseCsv(csv);
  const columns = header.map((name) => SHORT[name.toLowerCase()] ?? name.toLowerCase());
  const shared = parseToml(common);
  const problems = shared.problems.map((problem) => `common settings: ${problem}`);
  const seen = new Map();
  const cards = lines.map((cells, index) => {
    const settings = new Map();
    for (const [table, entries] of Object.entries(shared.tables)) for (const [key, value] of Object.entries(entries)) settings.set(`${table}.${key}`, value);
    for (const [column, name] of columns.entries()) if ((cells[column] ?? "") !== "") settings.set(name, cellValue(name, cells[column]));
    if (!settings.has("hub.claim_code")) settings.set("hub.claim_code", makeCode());
    const toml = writeToml(settings);
    const at = `line ${index + 2}`;
    const { wishes, problems: wrong } = readSettingsFile(toml);
    problems.push(...wrong.map((problem) => `${at}: ${problem}`));
    for (const what of ["hostname", "address"]) {
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

function cellValue(name, cell) {
  if (LISTS.has(name)) return cell.split(";").map((part) => part.trim());
  return FLAGS.has(name) ? /^(true|yes|1)$/i.test(cell) : cell;
}

function writeToml(settings) {
  const tables = new Map();
  for (const [name, value] of settings) {
    const [table, key] = name.includes(".") ? name.split(".") : ["", name];
    const text = Array.isArray(value) ? `[${value.map(tomlString).join(", ")}]` : typeof value === "string" ? tomlString(value) : String(value);
    tables.set(table, [...(tables.get(table) ?? []), `${key} = ${text}`]);
  }
  return [...tables].map(([table, lines]) => `[${table}]\n${lines.join("\n")}\n`).join("\n");
}

function randomCode() {
  const code = Array.from({ length: 10 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { common: { type: "string" }, card: { type: "string" } } });
  const [first, second] = positionals;
  if (first === undefined || second === undefined) {
    console.error("usage: batch.mjs CARDS.csv OUTPUT [--common FILE.toml]\n       batch.mjs --card N OUTPUT BOOT-PARTITION");
    process.exit(2);
  }
  if (values.card !== undefined) return copyCard(values.card, first, second);
  const { cards, problems } = makeBatch(readFileSync(first, "utf8"), values.common === undefined ? "" : readFileSync(values.common, "utf8"));
  if (problems.length > 0) {
    console.error(problems.join("\n"));
    process.exit(1);
  }
  for (const { name, toml } of cards) {
    mkdirSync(join(second, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(second, name, "gatehouse.toml"), toml, { mode: 0o600 });
  }
  const labels = cards.map(({ hostname, address, claimCode }, index) => [index + 1, hostname, address, claimCode].join(","));
  writeFileSync(join(second, "labels.csv"), `card,hostname,address,claim code\n${labels.join("\n")}\n`, { mode: 0o600 });
  console.log(`${cards.length} cards in ${second}; labels.csv holds the claim codes.`);
}

function copyCard(number, output, partition) {
  const folder = readdirSync(output).find((name) => name.startsWith(`${number.padStart(3, "0")}-`));
  if (folder === undefined) {
    console.error(`There is no card ${number} in ${output}.`);
    process.exit(1);
  }
  for (const file of readdirSync(join(output, folder))) copyFileSync(join(output, folder, file), join(partition, basename(file)));
  console.log(`${folder} → ${partition}`);
}

if (import.meta.filename === resolve(process.argv[1] ?? "")) main();
