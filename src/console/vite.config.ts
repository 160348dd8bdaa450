import { join } from "node:path";
import { defineConfig } from "vite";

/** The console is built to dist/console; file names carry a hash, so the server lets browsers keep them for ever. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(import.meta.dirname, "public"),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(import.meta.dirname, "../../dist/console"),
    emptyOutDir: true,
    target: "es2022",
    // Data URIs would need a wider content security policy than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
