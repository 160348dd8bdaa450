/**
 * Gives the console its texts: of every texts.ts one language at a time, as ICU messages in the compact form that
 * `icu-minify/format` fills, so that browsers need no parser. A change of a text reloads the page.
 *
 * `virtual:texts/first` has the English of the first view, `virtual:texts/further` the rest of the English,
 * `virtual:texts/hi` all of the Hindi.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import compile from "icu-minify/compile";
import type { Plugin } from "vite";
import type { Language, Texts } from "../core/text/render.ts";

const PREFIX = "\0virtual:texts/";
const CATALOGUES = { own: "i18n/catalogue.ts", hub: "../texts.ts" };

interface Catalogues {
  readonly own: Texts;
  readonly hub: Texts;
  readonly files: readonly string[];
}

/** The plugin, and the files that it has read. */
export function textModules(): { readonly plugin: Plugin; files(): Promise<readonly string[]> } {
  let catalogues: Promise<Catalogues> | null = null;
  const current = (): Promise<Catalogues> => {
    catalogues ??= readCatalogues();
    return catalogues;
  };
  const plugin: Plugin = {
    name: "texts",
    resolveId: (id) => (id.startsWith(PREFIX.slice(1)) ? `\0${id}` : null),
    async load(id) {
      if (!id.startsWith(PREFIX)) return null;
      const { own, hub } = await current();
      return `export const texts = ${JSON.stringify(moduleOf(id.slice(PREFIX.length), own, hub))};`;
    },
    async hotUpdate({ file, server }) {
      if (!(await current()).files.includes(file)) return;
      catalogues = null;
      const { moduleGraph } = server.environments.client;
      for (const module of moduleGraph.idToModuleMap.values())
        if (module.id?.startsWith(PREFIX) === true) moduleGraph.invalidateModule(module);
      this.environment.hot.send({ type: "full-reload" });
      return [];
    },
    configureServer({ watcher }) {
      void current().then(({ files }) => watcher.add([...files]));
    },
  };
  return { plugin, files: async () => (await current()).files };
}

function moduleOf(name: string, own: Texts, hub: Texts): Readonly<Record<string, unknown>> {
  if (name === "hi") return parsed({ ...hub, ...own }, "hi");
  const isFirst = firstKeys();
  const part = Object.fromEntries(Object.entries(own).filter(([key]) => isFirst(key) === (name === "first")));
  return parsed(name === "first" ? part : { ...hub, ...part }, "en");
}

function parsed(texts: Texts, language: Language): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text[language])]));
}

async function readCatalogues(): Promise<Catalogues> {
  const [own, hub] = await Promise.all([readList(CATALOGUES.own), readList(CATALOGUES.hub)]);
  return { own: own.texts, hub: hub.texts, files: [...own.files, ...hub.files] };
}

/** The texts of the files that a catalogue lists. Each is imported anew once it has changed. */
async function readList(list: string): Promise<{ readonly texts: Texts; readonly files: readonly string[] }> {
  const path = at(list);
  const imports = readFileSync(path, "utf8").matchAll(/ from "(\..*\/texts\.ts)"/g);
  const files = [...imports].map(([, file = ""]) => join(dirname(path), file));
  const read = async (file: string): Promise<Texts> =>
    ((await import(`${pathToFileURL(file)}?${statSync(file).mtimeMs}`)) as { readonly texts: Texts }).texts; // by its type in the catalogue
  return { texts: Object.assign({}, ...(await Promise.all(files.map(read)))), files: [path, ...files] };
}

/**
 * Whether the modules of the first download may show a text: they contain its key, or put together one that begins
 * like it.
 */
function firstKeys(): (key: string) => boolean {
  const sources = [...firstModules()].map((file) => readFileSync(file, "utf8")).join("\n");
  const beginnings = [...sources.matchAll(/`(\w+\.)\$\{/g)].map(([, beginning]) => beginning ?? "");
  return (key) => sources.includes(`"${key}"`) || beginnings.some((beginning) => key.startsWith(beginning));
}

/** The modules that main.tsx imports, directly or by way of others. */
function firstModules(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (!/\.tsx?$/.test(path) || found.has(path)) return;
    found.add(path);
    for (const [, to = ""] of readFileSync(path, "utf8").matchAll(
      /^(?:import|export)\s(?!type\b)[^;]*?from "(\.[^"]+)"/gms,
    ))
      visit(join(dirname(path), to));
  };
  visit(at("main.tsx"));
  return found;
}

function at(file: string): string {
  return join(import.meta.dirname, file);
}
