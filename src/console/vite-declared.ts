/**
 * Gives the console what features declare in texts.ts and settings.ts. A change of one of these files reloads the page.
 *
 * Of the texts it gets one language at a time, as ICU messages in the compact form that `icu-minify/format` fills, so
 * that browsers need no parser: `virtual:texts/en-first` has the English of the first view, `virtual:texts/en-further`
 * the rest of it, and `hi-first` and `hi-further` the same of the Hindi. `virtual:settings` has what the settings page
 * shows besides the answer of the hub.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import compile from "icu-minify/compile";
import type { Plugin } from "vite";
import type { About, AboutGroup } from "../core/settings/builders.ts";
import type { Language, Texts } from "../core/text/render.ts";
import type { SettingsShown } from "./i18n/settings-shown.ts";

const TEXTS = "\0virtual:texts/";
const SETTINGS = "\0virtual:settings";

interface Declared {
  readonly own: Texts;
  readonly hub: Texts;
  /** Whether the first view may show a text. */
  readonly isFirst: (key: string) => boolean;
  readonly settings: SettingsShown;
  readonly files: readonly string[];
}

/** The plugin, and the files that it has read. */
export function declaredModules(): { readonly plugin: Plugin; files(): Promise<readonly string[]> } {
  let declared: Promise<Declared> | null = null;
  const current = (): Promise<Declared> => {
    declared ??= readDeclared();
    return declared;
  };
  const isOurs = (id: string): boolean => id.startsWith(TEXTS) || id === SETTINGS;
  const plugin: Plugin = {
    name: "declared",
    resolveId: (id) => (isOurs(`\0${id}`) ? `\0${id}` : null),
    async load(id) {
      if (!isOurs(id)) return null;
      const read = await current();
      return id === SETTINGS
        ? `export const settings = ${JSON.stringify(read.settings)};`
        : `export const texts = ${JSON.stringify(textsOf(id.slice(TEXTS.length), read))};`;
    },
    async hotUpdate({ file, server }) {
      if (this.environment.name !== "client" || !(await current()).files.includes(file)) return;
      declared = null;
      const { moduleGraph } = server.environments.client;
      for (const module of moduleGraph.idToModuleMap.values())
        if (module.id !== null && isOurs(module.id)) moduleGraph.invalidateModule(module);
      this.environment.hot.send({ type: "full-reload" });
      return [];
    },
    configureServer({ watcher }) {
      void current().then(({ files }) => watcher.add([...files]));
    },
  };
  return { plugin, files: async () => (await current()).files };
}

function textsOf(name: string, { own, hub, isFirst }: Declared): Readonly<Record<string, unknown>> {
  const [language, part] = name.split("-") as [Language, "first" | "further"]; // the names above
  const shown = Object.fromEntries(Object.entries(own).filter(([key]) => isFirst(key) === (part === "first")));
  return parsed(part === "first" ? shown : { ...hub, ...shown }, language);
}

function parsed(texts: Texts, language: Language): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text[language])]));
}

async function readDeclared(): Promise<Declared> {
  const [own, hub, settings] = await Promise.all([
    readListed<{ readonly texts: Texts }>("i18n/catalogue.ts"),
    readListed<{ readonly texts: Texts }>("../texts.ts"),
    readListed<Readonly<Record<string, Group>>>("../settings.ts"),
  ]);
  return {
    own: Object.assign({}, ...own.modules.map(({ texts }) => texts)),
    hub: Object.assign({}, ...hub.modules.map(({ texts }) => texts)),
    isFirst: firstKeys(),
    settings: shown(settings.modules.flatMap((module) => Object.entries(module))),
    files: [...own.files, ...hub.files, ...settings.files],
  };
}

/** The modules of features that a file lists, by the name of the file. Each is imported anew once it has changed. */
async function readListed<Module>(list: string): Promise<{ readonly modules: Module[]; readonly files: string[] }> {
  const path = at(list);
  const imports = readFileSync(path, "utf8").matchAll(/ from "(\.[^"]*\/(?:texts|settings)\.ts)"/g);
  const files = [...imports].map(([, file = ""]) => join(dirname(path), file));
  const read = (file: string): Promise<Module> => import(`${pathToFileURL(file)}?${statSync(file).mtimeMs}`);
  return { modules: await Promise.all(files.map(read)), files: [path, ...files] };
}

interface Group extends AboutGroup {
  readonly properties: Readonly<
    Record<string, About<unknown> & { readonly choices?: SettingsShown["settings"][string]["choices"] }>
  >;
}

function shown(groups: readonly (readonly [string, Group])[]): SettingsShown {
  return {
    groups: [...groups].sort(([, a], [, b]) => a.at - b.at).map(([group, { name, part }]) => ({ group, name, part })),
    settings: Object.fromEntries(
      groups.flatMap(([group, { properties }]) =>
        Object.entries(properties).map(([setting, { name, help, words, common = false, choices = {} }]) => [
          `${group}.${setting}`,
          { name, help: { hi: help.hi }, ...(words === undefined ? {} : { words }), common, choices },
        ]),
      ),
    ),
  };
}

/**
 * Whether the modules of the first download may show a text: they contain its key, or put together one that begins
 * like it.
 */
function firstKeys(): (key: string) => boolean {
  const sources = firstModules().join("\n");
  const quoted = new Set([...sources.matchAll(/"(?=([^"\n]+)")/g)].map(([, words]) => words ?? ""));
  const beginnings = [...sources.matchAll(/`(\w+\.)\$\{/g)].map(([, beginning]) => beginning ?? "");
  return (key) => quoted.has(key) || beginnings.some((beginning) => key.startsWith(beginning));
}

/** The sources of the modules that main.tsx imports, directly or by way of others. */
function firstModules(): readonly string[] {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    if (!/\.tsx?$/.test(path) || found.has(path)) return;
    const source = readFileSync(path, "utf8");
    found.set(path, source);
    for (const [, to = ""] of source.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from "(\.[^"]+)"/gms))
      visit(join(dirname(path), to));
  };
  visit(at("main.tsx"));
  return [...found.values()];
}

function at(file: string): string {
  return join(import.meta.dirname, file);
}
