/** Parts of the console that only make words, without a browser and without the build: with the texts as they are declared. */
import { registerHooks } from "node:module";
import compile from "icu-minify/compile";
import { texts as own } from "../../src/console/i18n/catalogue.ts";
import type { Language, Texts } from "../../src/core/text/render.ts";

const SCHEME = "virtual:texts/";

/**
 * Imports modules of the console in one language; what the browser's build would give is there while they load. They are
 * given by their address: the console is checked against another library of types.
 */
export async function withWords<Module>(language: Language, modules: readonly [URL, URL]): Promise<[Module, Module]> {
  const declared: Texts = own;
  const texts = Object.fromEntries(Object.entries(declared).map(([key, text]) => [key, compile(text[language])]));
  const source = `export const texts = ${JSON.stringify(texts)};`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith(SCHEME)
        ? { url: specifier, shortCircuit: true, format: "module" }
        : next(specifier, context),
    load: (url, context, next) =>
      url.startsWith(SCHEME) ? { format: "module", source, shortCircuit: true } : next(url, context),
  });
  try {
    const [first, second] = modules;
    return [await import(first.href), await import(second.href)];
  } finally {
    hooks.deregister();
  }
}
