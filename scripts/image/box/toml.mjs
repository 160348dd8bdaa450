// @ts-check
/**
 * The part of TOML that settings files on the boot partition use: tables, strings, whole numbers, booleans and arrays
 * of strings. People write these files by hand on all kinds of computers, so a mistake is reported with its line and
 * the rest of the file still counts.
 */

const TABLE = /^\[\s*([A-Za-z0-9_.-]+)\s*\]$/;
const KEY = /^([A-Za-z0-9_-]+|"[^"]*")\s*=\s*/;
/** @typedef {string | number | boolean | string[]} TomlValue */
/** @typedef {Record<string, TomlValue>} TomlTable */

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

/**
 * Reads a text. Keys before the first table belong to the table "".
 * @param {string} text
 * @returns {{ tables: Record<string, TomlTable>, problems: string[] }}
 */
export function parseToml(text) {
  /** @type {Record<string, TomlTable>} */
  const tables = Object.create(null);
  /** @type {string[]} */
  const problems = [];
  /** @type {TomlTable} */
  let table = Object.create(null);
  tables[""] = table;
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at++) {
    const number = at + 1;
    const line = stripComment(lines[at] ?? "").trim();
    if (line === "") continue;
    const name = TABLE.exec(line)?.[1];
    if (name !== undefined) {
      table = tables[name] ??= Object.create(null);
      continue;
    }
    const key = KEY.exec(line);
    if (key === null) {
      problems.push(`line ${number}: this is neither [a table] nor name = value`);
      continue;
    }
    let rest = line.slice(key[0].length);
    // An array may go on over the next lines.
    while (rest.startsWith("[") && !isClosed(rest) && at + 1 < lines.length)
      rest += ` ${stripComment(lines[++at] ?? "").trim()}`;
    const value = readValue(rest);
    if (value === undefined)
      problems.push(`line ${number}: the value of ${key[1]} cannot be read; texts stand between "quotes"`);
    else table[(key[1] ?? "").replace(/^"|"$/g, "")] = value;
  }
  return { tables, problems };
}

/** A text as a TOML string. @param {string} text */
export function tomlString(text) {
  return JSON.stringify(text).replace(/\u007f/g, "\\u007F");
}

/** @param {string} line */
function stripComment(line) {
  /** @type {string | null} */
  let quote = null;
  for (let i = 0; i < line.length; i++) {
    const letter = line.charAt(i);
    if (quote === null && letter === "#") return line.slice(0, i);
    if (quote === '"' && letter === "\\") i++;
    else if (quote === null && (letter === '"' || letter === "'")) quote = letter;
    else if (letter === quote) quote = null;
  }
  return line;
}

/** @param {string} text */
function isClosed(text) {
  return readArray(text) !== undefined;
}

/** @param {string} text @returns {TomlValue | undefined} */
function readValue(text) {
  if (text === "true" || text === "false") return text === "true";
  if (/^[+-]?\d[\d_]*$/.test(text)) return Number(text.replaceAll("_", ""));
  if (text.startsWith("[")) return readArray(text);
  const string = readString(text);
  return string !== undefined && string.end === text.length ? string.value : undefined;
}

/** @param {string} text @returns {string[] | undefined} */
function readArray(text) {
  /** @type {string[]} */
  const values = [];
  let at = 1;
  for (;;) {
    at += /^[\s,]*/.exec(text.slice(at))?.[0].length ?? 0;
    if (text[at] === "]") return text.slice(at + 1).trim() === "" ? values : undefined;
    const string = readString(text.slice(at));
    if (string === undefined) return undefined;
    values.push(string.value);
    at += string.end;
  }
}

/** @param {string} text @returns {{ value: string, end: number } | undefined} `end`: behind its closing quote */
function readString(text) {
  if (text.startsWith("'")) {
    const end = text.indexOf("'", 1);
    return end === -1 ? undefined : { value: text.slice(1, end), end: end + 1 };
  }
  if (!text.startsWith('"')) return undefined;
  let value = "";
  for (let i = 1; i < text.length; i++) {
    if (text[i] === '"') return { value, end: i + 1 };
    if (text[i] !== "\\") {
      value += text[i];
      continue;
    }
    const kind = text.charAt(++i);
    const digits = kind === "u" ? 4 : kind === "U" ? 8 : 0;
    if (digits > 0) {
      const hex = text.slice(i + 1, i + 1 + digits);
      if (!/^[0-9A-Fa-f]+$/.test(hex) || hex.length !== digits) return undefined;
      const code = Number.parseInt(hex, 16);
      if (code > 0x10ffff) return undefined;
      value += String.fromCodePoint(code);
      i += digits;
    } else {
      const escaped = ESCAPES[kind];
      if (escaped === undefined) return undefined;
      value += escaped;
    }
  }
  return undefined;
}
