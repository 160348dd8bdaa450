/**
 * Puts the settings together: built-in values, then the settings file, then the environment, then the command line.
 * Pure: gets texts and returns values, or every mistake that it found at once. Reads no file, no process.
 */

import { editDistance } from "../kernel/edit-distance.ts";
import { isJsonObject } from "../kernel/json-object.ts";
import { detailEnglish } from "../text/english.ts";
import type { Detail } from "../text/keys.ts";
import { checkSetting, parseSetting } from "./check.ts";
import { type SettingField, type Settings, settingFields } from "./schema.ts";

/** The source of a setting's value; later ones take precedence. */
export type SettingSource = "default" | "file" | "environment" | "command line";

/** One thing wrong with the configuration. */
export interface SettingMistake {
  /** `group.name`, or the unknown name. */
  readonly setting: string;
  readonly source: SettingSource;
  /** One sentence in plain words. */
  readonly message: string;
  /** What is wrong, for the console; null if only a file or the environment can have it. */
  readonly words: Detail | null;
}

/**
 * The configuration cannot be used; `message` lists every mistake on a line of its own. The process exits with 78
 * (EX_CONFIG).
 */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly mistakes: readonly SettingMistake[];

  constructor(mistakes: readonly SettingMistake[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`}:\n${mistakes.map((mistake) => `  ${mistake.message}`).join("\n")}`,
    );
    this.mistakes = mistakes;
  }
}

/** The sources of the settings. */
export interface SettingsInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of the settings file; null when there is none. */
  readonly fileText: string | null;
  /**
   * Arguments of the form `--group.name=value` (also `--group.name value`); others are the caller's responsibility and
   * refused here.
   */
  readonly argv: readonly string[];
}

/** The settings with the source of each. */
export interface LoadedSettings {
  /** Deeply frozen. */
  readonly settings: Settings;
  readonly sources: ReadonlyMap<string, SettingSource>;
}

/** Variables that begin like ours and are not settings. */
const OTHER_VARIABLES = new Set(["GATEHOUSE_CONFIG", "GATEHOUSE_BOOT_FOLDER", "GATEHOUSE_SLOTS"]);

type Layer = ReadonlyMap<string, unknown>;

/** @throws SettingsError naming each wrong value or unknown name, what is wrong with it, and where it was given. */
export function loadSettings(input: SettingsInput): LoadedSettings {
  const fields = new Map(settingFields().map((field) => [field.key, field]));
  const mistakes: SettingMistake[] = [];
  const layers: [SettingSource, Layer][] = [
    ["file", readFile(input.fileText, fields, mistakes)],
    ["environment", readEnvironment(input.env, fields, mistakes)],
    ["command line", readArguments(input.argv, fields, mistakes)],
  ];
  const values: Record<string, Record<string, unknown>> = {};
  const sources = new Map<string, SettingSource>();
  for (const field of fields.values()) {
    const [source, value] = pickValue(field, layers);
    const group = values[field.group] ?? {};
    group[field.name] = Array.isArray(value) ? Object.freeze([...value]) : value;
    values[field.group] = group;
    sources.set(field.key, source);
  }
  for (const group of Object.values(values)) Object.freeze(group);
  const settings = Object.freeze(values) as Settings; // one checked value for each leaf of the schema
  if (mistakes.length === 0) mistakes.push(...crossChecks(settings, sources));
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return { settings, sources };
}

/** The settings with nothing configured, with `changes` on top: for tools and tests. @throws SettingsError */
export function defaultSettings(changes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}): Settings {
  return loadSettings({ env: {}, fileText: JSON.stringify(changes), argv: [] }).settings;
}

function pickValue(field: SettingField, layers: readonly [SettingSource, Layer][]): [SettingSource, unknown] {
  let found: [SettingSource, unknown] = ["default", field.default];
  for (const [source, layer] of layers) if (layer.has(field.key)) found = [source, layer.get(field.key)];
  return found;
}

function readFile(text: string | null, fields: ReadonlyMap<string, SettingField>, mistakes: SettingMistake[]): Layer {
  const layer = new Map<string, unknown>();
  if (text === null || text.trim() === "") return layer;
  const note = (setting: string, message: string, words: Detail | null = null): void =>
    void mistakes.push({ setting, source: "file", message, words });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    note("", `The settings file is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`);
    return layer;
  }
  if (!isJsonObject(content)) {
    note("", "The settings file must hold one JSON object.");
    return layer;
  }
  for (const [group, members] of Object.entries(content)) {
    if (!isJsonObject(members)) {
      note(
        group,
        `${group} in the settings file: ${hasGroup(fields, group) ? "must be an object of settings" : `is not a group of settings${suggestion(group, groupsOf(fields))}`}.`,
      );
      continue;
    }
    for (const [name, value] of Object.entries(members)) {
      const key = `${group}.${name}`;
      const field = fields.get(key);
      const wrong = field
        ? checkSetting(field, value)
        : { message: `is not a setting${suggestion(key, [...fields.keys()])}`, words: null };
      if (wrong === null) layer.set(key, value);
      else note(key, `${key} in the settings file: ${wrong.message}.`, wrong.words);
    }
  }
  return layer;
}

function readEnvironment(
  env: SettingsInput["env"],
  fields: ReadonlyMap<string, SettingField>,
  mistakes: SettingMistake[],
): Layer {
  const layer = new Map<string, unknown>();
  const byVariable = new Map([...fields.values()].map((field) => [field.env, field]));
  for (const [variable, text] of Object.entries(env)) {
    const field = byVariable.get(variable);
    if (field === undefined) {
      if (!/^(GATEHOUSE|ANPR)_/.test(variable) || OTHER_VARIABLES.has(variable)) continue;
      mistakes.push({
        setting: variable,
        source: "environment",
        message: `${variable} in the environment: is not a setting${suggestion(variable, [...byVariable.keys()])}.`,
        words: null,
      });
      continue;
    }
    if (text === undefined || text === "") continue; // set and empty is how shells and unit files express "not set"
    const parsed = parseSetting(field, text);
    if (parsed.wrong === null) layer.set(field.key, parsed.value);
    else
      mistakes.push({
        setting: field.key,
        source: "environment",
        message: `${field.key} (${variable} in the environment): ${parsed.wrong.message}.`,
        words: parsed.wrong.words,
      });
  }
  return layer;
}

function readArguments(
  argv: readonly string[],
  fields: ReadonlyMap<string, SettingField>,
  mistakes: SettingMistake[],
): Layer {
  const layer = new Map<string, unknown>();
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? "";
    const [, key = "", inline] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    const field = fields.get(key);
    if (field === undefined) {
      mistakes.push({
        setting: argument,
        source: "command line",
        message: `${argument} on the command line: is not a setting${suggestion(key, [...fields.keys()])}.`,
        words: null,
      });
      continue;
    }
    const text = inline ?? argv[++i];
    const parsed =
      text === undefined
        ? { wrong: { message: "needs a value", words: null }, value: null }
        : parseSetting(field, text);
    if (parsed.wrong === null) layer.set(key, parsed.value);
    else
      mistakes.push({
        setting: key,
        source: "command line",
        message: `${key} on the command line: ${parsed.wrong.message}.`,
        words: parsed.wrong.words,
      });
  }
  return layer;
}

/** Rules that connect several settings. */
function crossChecks(settings: Settings, sources: ReadonlyMap<string, SettingSource>): SettingMistake[] {
  const mistakes: SettingMistake[] = [];
  const note = (setting: string, words: Detail, got = ""): void => {
    const source = sources.get(setting) ?? "default";
    mistakes.push({ setting, source, message: `${setting} (${source}): ${detailEnglish(words)}${got}.`, words });
  };
  const { plates, telemetry, tls, mqtt, site } = settings;
  if (plates.readRetentionDays < plates.imageRetentionDays)
    note(
      "plates.readRetentionDays",
      { code: "refusal.setting.shorter", other: "plates.imageRetentionDays", days: plates.imageRetentionDays },
      `, got ${plates.readRetentionDays}`,
    );
  if (telemetry.hourlyDays < telemetry.rawDays)
    note(
      "telemetry.hourlyDays",
      { code: "refusal.setting.shorter", other: "telemetry.rawDays", days: telemetry.rawDays },
      `, got ${telemetry.hourlyDays}`,
    );
  if (tls.mode === "files" && (tls.certificateFile === "" || tls.keyFile === ""))
    note("tls.mode", { code: "refusal.setting.files" });
  if (!mqtt.plain && tls.mode === "off") note("mqtt.plain", { code: "refusal.setting.plain" });
  if (site.timeZone !== "" && !isTimeZone(site.timeZone))
    note("site.timeZone", { code: "refusal.setting.zone", zone: JSON.stringify(site.timeZone) });
  return mistakes;
}

/** Whether this machine knows the IANA zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Za-z]/.test(name); // plain offsets are not zones: they know no summer time
  } catch {
    return false;
  }
}

function groupsOf(fields: ReadonlyMap<string, SettingField>): string[] {
  return [...new Set([...fields.values()].map((field) => field.group))];
}

function hasGroup(fields: ReadonlyMap<string, SettingField>, group: string): boolean {
  return groupsOf(fields).includes(group);
}

/** `; did you mean X` when a known name is at most three edits away. */
function suggestion(name: string, known: readonly string[]): string {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= 3 ? `; did you mean ${best.candidate}` : "";
}
