/**
 * The settings of the running hub: reads the settings file once at the start, and writes an owner's changes in the
 * console back to it. Settings that need no restart take effect at once through `current`; for the others the saved
 * value waits.
 */
import { join } from "node:path";
import { fieldRefused, Problem, type ProblemDetail } from "../kernel/problem.ts";
import { writeFileAtomic } from "../kernel/write-file-atomic.ts";
import { type LoadedSettings, loadSettings, type SettingSource, SettingsError } from "./load.ts";
import {
  forgetRefused,
  keepLast,
  keepProven,
  moveUnusable,
  refusedSettings,
  type SettingsContent,
  settingsProved,
  takeBackSettings,
  textFor,
  usableText,
} from "./proven.ts";
import { type SettingField, type Settings, settingFields } from "./schema.ts";

/** What {@link openSettings} looks at. */
export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--group.name=value` arguments only. */
  readonly argv: readonly string[];
}

/** One setting as the console shows it. */
export interface SettingView extends SettingField {
  /** The value in force. */
  readonly value: unknown;
  readonly source: SettingSource;
  /** The saved value that waits for a restart; equal to `value` when none does. */
  readonly saved: unknown;
  /** False if the environment or the command line sets it. */
  readonly changeable: boolean;
}

const FILE_NAME = "gatehouse.json";

/**
 * Finds and reads the settings: `GATEHOUSE_CONFIG`, else `gatehouse.json` in the data folder. If that file is
 * unreadable, they are those of the last good start, or the defaults: {@link SettingsStore.unusable}.
 * @throws SettingsError with every mistake
 */
export function openSettings(place: SettingsPlace): SettingsStore {
  const named = place.env.GATEHOUSE_CONFIG;
  const file = fileOf(place);
  const { text: fileText, unusable } = usableText(file, (text) => mistakeIn(text, place));
  if (named && fileText === null && unusable === null)
    throw new SettingsError([
      {
        setting: "GATEHOUSE_CONFIG",
        source: "environment",
        message: `GATEHOUSE_CONFIG in the environment: there is no file ${named}.`,
        words: null,
      },
    ]);
  const loaded = loadSettings({ ...place, fileText });
  if (!named && loadSettings({ env: {}, argv: [], fileText }).sources.get("storage.folder") === "file")
    throw new SettingsError([
      {
        setting: "storage.folder",
        source: "file",
        message: "storage.folder in the settings file: the file lies in that very folder; use GATEHOUSE_DATA.",
        words: null,
      },
    ]);
  return new SettingsStore({ ...place, file, loaded });
}

/**
 * For a hub that did not start: makes the next start use the settings of the last good start. Returns whether others
 * had been saved since; then the next start is worth trying.
 * @throws SettingsError when something outside the file is wrong
 */
export function takeBack(place: SettingsPlace): boolean {
  return takeBackSettings(fileOf(place));
}

function fileOf(place: SettingsPlace): string {
  const outside = loadSettings({ ...place, fileText: null });
  return place.env.GATEHOUSE_CONFIG || join(outside.settings.storage.folder, FILE_NAME);
}

/** See the head of the file. */
export class SettingsStore {
  readonly #place: SettingsPlace;
  readonly #file: string;
  /** The file as read at the start. */
  readonly #atStart: SettingsContent;
  #running: Settings;
  #saved: LoadedSettings;
  #refused: readonly string[];
  #unusable: string | null;
  readonly #listeners: (() => void)[] = [];
  /** Changes of the files run one after another. */
  #changing: Promise<void> = Promise.resolve();

  constructor(options: SettingsPlace & { readonly file: string; readonly loaded: LoadedSettings }) {
    this.#place = options;
    this.#file = options.file;
    this.#running = options.loaded.settings;
    this.#saved = options.loaded;
    const { content, unusable } = this.#content();
    this.#atStart = content;
    this.#unusable = unusable;
    this.#refused = namesThatDiffer(refusedSettings(this.#file) ?? this.#atStart, this.#atStart);
  }

  /** The values in force. Read it at the moment of use if a setting needs no restart. */
  get current(): Settings {
    return this.#running;
  }

  /** The settings file. */
  get file(): string {
    return this.#file;
  }

  /** Names of settings that were saved, and undone because the hub did not start with them. */
  get refused(): readonly string[] {
    return this.#refused;
  }

  /** Why the settings file could not be read, in a word; null if it could, or was rewritten since. */
  get unusable(): string | null {
    return this.#unusable;
  }

  /** Call once the hub has started: its settings are proven. @throws Error of the system */
  async proved(): Promise<void> {
    if (this.#unusable !== null) return;
    settingsProved(this.#file);
    await this.#inTurn(() => keepLast(this.#file, this.#atStart));
  }

  /** Calls `listener` after each change, for parts that act on a new value. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Every setting with its value and source. */
  describe(): SettingView[] {
    return settingFields().map((field) => {
      const source = this.#saved.sources.get(field.key) ?? "default";
      const value = valueAt(this.#running, field);
      return {
        ...field,
        value,
        source,
        saved: valueAt(this.#saved.settings, field),
        changeable: isChangeable(field, source),
      };
    });
  }

  /**
   * Saves changes, by `group.name`; null resets a setting to its default. Returns the names whose new value waits for a
   * restart.
   * @throws Problem `invalid_setting` naming each mistake, `conflict` for settings that the environment or the
   *   command line sets, `unavailable` if the file cannot be written
   */
  change(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    return this.#inTurn(() => this.#change(changes));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#changing.then(work);
    this.#changing = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  /** Throws as {@link change} would; returns the real differences from the saved settings. */
  check(changes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const saved = new Map(this.describe().map((view) => [view.key, view.saved]));
    const differing = Object.fromEntries(
      Object.entries(changes).filter(([key, value]) => !saved.has(key) || !isEqual(saved.get(key), value)),
    );
    this.#plan(differing);
    return differing;
  }

  /** Saved settings other than defaults, by `group.name`. */
  written(): Readonly<Record<string, unknown>> {
    const views = this.describe().filter((view) => view.source === "file" && !isEqual(view.saved, view.default));
    return Object.fromEntries(views.map(({ key, saved }) => [key, saved]));
  }

  #plan(changes: Readonly<Record<string, unknown>>) {
    const views = new Map(this.describe().map((view) => [view.key, view]));
    const { content, unusable } = this.#content();
    for (const [key, value] of Object.entries(changes)) {
      const view = views.get(key);
      if (view === undefined)
        throw invalid([fieldRefused(pointerTo(key), "unknown", { code: "refusal.setting.noSetting" })]);
      if (!view.changeable)
        throw new Problem("conflict", {
          code: "conflict.settingFixed",
          setting: key,
          by: view.source === "default" ? "folder" : view.source,
        });
      const group = { ...content[view.group] };
      if (value === null) delete group[view.name];
      else group[view.name] = value;
      content[view.group] = group;
    }
    const fileText = textFor(content);
    const loaded = this.#check(fileText);
    return { views, content, unusable, fileText, loaded };
  }

  async #change(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const { views, content, unusable, fileText, loaded } = this.#plan(changes);
    const waiting = [...views.values()].filter(
      (field) => field.restart && !isEqual(valueAt(loaded.settings, field), valueAt(this.#running, field)),
    );
    const proven = this.#proven(content, waiting);
    try {
      if (waiting.length > 0) await keepProven(this.#file, proven);
      if (unusable !== null) await moveUnusable(this.#file).catch(() => {}); // the write reports what is wrong
      await writeFileAtomic(this.#file, fileText, 0o640);
    } catch (cause) {
      throw notSaved(cause);
    }
    await keepLast(this.#file, proven).catch(() => {}); // the next start makes up for it
    this.#unusable = null;
    if (waiting.length === 0) settingsProved(this.#file);
    forgetRefused(this.#file);
    this.#refused = [];
    this.#saved = loaded;
    this.#running = this.#withLive(loaded.settings);
    for (const listener of this.#listeners) listener();
    return waiting.map((field) => field.key);
  }

  /** The content, with settings that wait for a restart at their values of this hub's start. */
  #proven(content: SettingsContent, waiting: readonly SettingField[]): SettingsContent {
    const proven = structuredClone(content);
    for (const { group, name } of waiting) {
      const before = this.#atStart[group]?.[name];
      const values = { ...proven[group] };
      if (before === undefined) delete values[name];
      else values[name] = before;
      proven[group] = values;
    }
    return proven;
  }

  #check(fileText: string): LoadedSettings {
    try {
      return loadSettings({ ...this.#place, fileText });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      throw invalid(
        error.mistakes.map((mistake) => ({
          field: pointerTo(mistake.setting),
          code: "invalid",
          message: mistake.message,
          ...(mistake.words === null ? {} : { words: mistake.words }),
        })),
      );
    }
  }

  #content(): { readonly content: SettingsContent; readonly unusable: string | null } {
    const { text, unusable } = usableText(this.#file, (text) => mistakeIn(text, this.#place));
    // checked at start and at each change
    return { content: text === null || text.trim() === "" ? {} : (JSON.parse(text) as SettingsContent), unusable };
  }

  /** The running values with those of `next` that need no restart. */
  #withLive(next: Settings): Settings {
    const groups: Record<string, Record<string, unknown>> = {};
    for (const field of settingFields()) {
      const group = groups[field.group] ?? {};
      group[field.name] = valueAt(field.restart ? this.#running : next, field);
      groups[field.group] = group;
    }
    for (const group of Object.values(groups)) Object.freeze(group);
    return Object.freeze(groups) as Settings; // the same leaves as before
  }
}

/**
 * The name of the first setting that is wrong in the text of a settings file, or `JSON`; null if none is, or another
 * source has it. Health is public: it shows no value.
 */
function mistakeIn(fileText: string, place: SettingsPlace): string | null {
  try {
    loadSettings({ ...place, fileText });
    return null;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const mistake = error.mistakes.find(({ source }) => source === "file");
    return mistake === undefined ? null : mistake.setting || "JSON";
  }
}

function isChangeable(field: SettingField, source: SettingSource): boolean {
  return field.key !== "storage.folder" && source !== "environment" && source !== "command line";
}

function valueAt(settings: Settings, field: SettingField): unknown {
  // fields come from the same schema
  const group = settings[field.group as keyof Settings] as Readonly<Record<string, unknown>>;
  return group[field.name];
}

function namesThatDiffer(a: SettingsContent, b: SettingsContent): string[] {
  const differs = ({ group, name }: SettingField): boolean => !isEqual(a[group]?.[name], b[group]?.[name]);
  return settingFields()
    .filter(differs)
    .map(({ key }) => key);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function pointerTo(key: string): string {
  return `/settings/${key}`;
}

function notSaved(cause: unknown): Problem {
  const error = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return new Problem("unavailable", { code: "unavailable.settingsFile", error }, { cause });
}

function invalid(details: readonly ProblemDetail[]): Problem {
  return new Problem(
    "invalid_setting",
    details
      .map((detail) =>
        detail.code === "unknown" ? `${detail.field.slice("/settings/".length)} ${detail.message}.` : detail.message,
      )
      .join(" "),
    { details },
  );
}
