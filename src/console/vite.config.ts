import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { writeMadeFrom } from "../../scripts/lib/made-from.mjs";
import { declaredModules } from "./vite-declared.ts";

const declared = declaredModules();

/** The console is built to dist/console; file names carry a hash, so the server lets browsers keep them for ever. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(import.meta.dirname, "public"),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [declared.plugin, awayShell(), madeFrom()],
  // npm run dev: the hub serves everything that is not a page of the console
  server: { proxy: process.env.GATEHOUSE_DEV_HUB === undefined ? {} : hubPaths(process.env.GATEHOUSE_DEV_HUB) },
  build: {
    outDir: join(import.meta.dirname, "../../dist/console"),
    emptyOutDir: true,
    target: "es2022",
    // Data URIs would need a wider content security policy than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: at("index.html"), offline: at("offline/offline.html"), worker: at("offline/worker.ts") },
      // Browsers that installed the worker keep its name for ever.
      output: {
        entryFileNames: ({ name }) => (name === "worker" ? "sw.js" : "assets/[name]-[hash].js"),
        // What main.tsx imports is one file, and what many of the later pages share is another: a request costs a
        // phone and the hub more than a few kilobytes.
        codeSplitting: {
          groups: [
            { name: "first", test: (id) => id === at("main.tsx") },
            { name: "shared", minShareCount: 6, maxModuleSize: 10_000, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});

/** What the hub itself answers, `/mqtt` over a web socket. */
function hubPaths(hub: string): Record<string, { target: string; ws: boolean }> {
  return {
    "^/(?:(?:v1|api)/.*|ca\\.crt|ca-devices\\.crt|healthz|readyz|metrics)$": { target: hub, ws: false },
    "^/mqtt$": { target: hub, ws: true },
  };
}

function at(file: string): string {
  return join(import.meta.dirname, file);
}

/**
 * Tells the service worker which files make up the page for when the hub is away; other content makes another worker,
 * which browsers take at once.
 */
function awayShell(): Plugin {
  return {
    name: "away-shell",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["offline/offline.html"];
      const worker = bundle["sw.js"];
      if (page?.type !== "asset" || worker?.type !== "chunk")
        throw new Error("the page for a hub that is away, or its worker, was not built");
      const named = [...String(page.source).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? "");
      const files = ["/offline/offline.html", ...new Set(named)].sort();
      const version = createHash("sha256").update(String(page.source)).digest("hex").slice(0, 16);
      worker.code = `const SHELL = ${JSON.stringify({ version, files })};\n${worker.code}`;
    },
  };
}

/** Lists what the console was built from, so that it is built again when that has changed. */
function madeFrom(): Plugin {
  let own: readonly string[] = [];
  const read = new Set<string>();
  return {
    name: "made-from",
    apply: "build",
    configResolved({ configFile, configFileDependencies, publicDir }) {
      const copied = readdirSync(publicDir, { recursive: true, encoding: "utf8" }).map((file) => join(publicDir, file));
      own = [...(configFile === undefined ? [] : [configFile]), ...configFileDependencies, ...copied];
    },
    buildEnd() {
      for (const id of this.getModuleIds()) read.add(id);
    },
    async writeBundle({ dir = "" }) {
      writeMadeFrom(dir, [...own, ...read, ...(await declared.files())]);
    },
  };
}
