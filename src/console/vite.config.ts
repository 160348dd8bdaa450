import { join } from "node:path";
import compile from "icu-minify/compile";
import { defineConfig, type Plugin } from "vite";
import { en } from "../text/en.js";
import { hi } from "../text/hi.js";

/** The console is built to dist/console; file names carry a hash, so the server lets browsers keep them for ever. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(import.meta.dirname, "public"),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [parsedMessages()],
  build: {
    outDir: join(import.meta.dirname, "../../dist/console"),
    emptyOutDir: true,
    target: "es2022",
    // Data URIs would need a wider content security policy than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

/** ICU messages as the small form that `icu-minify/format` fills: browsers get no parser. */
function parsedMessages(): Plugin {
  const parsed = (texts: Readonly<Record<string, string>>): string =>
    JSON.stringify(Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text)])));
  return {
    name: "parsed-messages",
    enforce: "pre",
    load(id) {
      if (id.endsWith("/src/text/en.ts")) return `export const en = ${parsed(en)};`;
      return id.endsWith("/src/text/hi.ts") ? `export const hi = ${parsed(hi)};` : null;
    },
    transform(code, id) {
      return /\/i18n\/(en|hi)\.json$/.test(id) ? { code: parsed(JSON.parse(code)), map: null } : null;
    },
  };
}
