import { createHash } from "node:crypto";
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
  plugins: [parsedMessages(), awayShell()],
  build: {
    outDir: join(import.meta.dirname, "../../dist/console"),
    emptyOutDir: true,
    target: "es2022",
    // Data URIs would need a wider content security policy than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: at("index.html"), offline: at("offline/offline.html"), worker: at("offline/worker.ts") },
      // The worker's name stands for ever in the browsers that have it.
      output: { entryFileNames: ({ name }) => (name === "worker" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
});

function at(file: string): string {
  return join(import.meta.dirname, file);
}

/** Tells the service worker what the page for a hub that is away consists of; another content makes another worker, which browsers take at once. */
function awayShell(): Plugin {
  return {
    name: "away-shell",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["offline/offline.html"];
      const worker = bundle["sw.js"];
      if (page?.type !== "asset" || worker?.type !== "chunk") throw new Error("the page for a hub that is away, or its worker, was not built");
      const named = [...String(page.source).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? "");
      const files = ["/offline/offline.html", ...new Set(named)].sort();
      const version = createHash("sha256").update(String(page.source)).digest("hex").slice(0, 16);
      worker.code = `const SHELL = ${JSON.stringify({ version, files })};\n${worker.code}`;
    },
  };
}

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
