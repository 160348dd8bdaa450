// @ts-check
/**
 * The packages that every test loads, each as one file instead of hundreds: most of the time of a short test went to
 * looking up their modules. They lie in the build folder's own node_modules, where Node finds them first for what is
 * compiled there, and nobody else does. And the programs that tests start and that load as much, in the build folder's
 * programs/.
 *
 * node scripts/lib/bundle-packages.mjs FOLDER
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { leanMatter } from "./lean-matter.mjs";

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: node scripts/lib/bundle-packages.mjs FOLDER");
const out = resolve(folder, "node_modules");

/** Only such as keep nothing in common with a package that is not here. */
const PACKAGES = [
  "tap",
  "typebox",
  "typebox/value",
  "koa",
  "@koa/router",
  "prom-client",
  "ajv/dist/2020.js",
  "ajv-formats",
];
/** matter.js is a thousand modules. */
const PROGRAMS = ["test/support/matter-device-process.ts", "scripts/lib/matter-controller.mjs"];
process.env.TAP_TIMEOUT = "600"; // tap, asked for its names, takes this for a test that is to end in half a minute
const FACADE = "\0facade:";
/** Stands in for tap's `tcompare`, which it asks for itself. */
const EXACT_CODES = fileURLToPath(new URL("exact-codes.mjs", import.meta.url));
/** And for its `@tapjs/core`. */
const QUIET_TESTS = fileURLToPath(new URL("quiet-tests.mjs", import.meta.url));

/** What a module of this name gives, given on. @param {string} name */
async function facade(name) {
  const names = Object.keys(await import(name)).filter((one) => one !== "module.exports" && one !== "__esModule");
  return `export { ${names.join(", ")} } from ${JSON.stringify(name)};`;
}

const bundle = await rolldown({
  input: Object.fromEntries(
    PACKAGES.map((name) => [name === "tap" ? "@tapjs/tap/index" : fileOf(name), `${FACADE}${name}.mjs`]),
  ),
  platform: "node",
  // tap's domains, by which an error that nobody caught fails the test that it comes from, at a fraction of the cost
  resolve: { alias: { "async-hook-domain": join(import.meta.dirname, "test-domain.mjs") } },
  plugins: [
    standsFor("tcompare", EXACT_CODES),
    standsFor("@tapjs/core", QUIET_TESTS),
    {
      name: "facades",
      resolveId: (id, importer) =>
        id.startsWith(FACADE)
          ? id
          : importer?.startsWith(FACADE)
            ? { id: fileURLToPath(import.meta.resolve(id)) }
            : null,
      load: (id) => (id.startsWith(FACADE) ? facade(id.slice(FACADE.length, -".mjs".length)) : null),
    },
  ],
  checks: { eval: false },
  logLevel: "warn",
});
rmSync(out, { recursive: true, force: true });
await bundle.write({
  dir: out,
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: ".shared/[name]-[hash].mjs",
});
await bundle.close();
for (const name of new Set(PACKAGES.map(packageOf))) {
  const parts = PACKAGES.filter((one) => packageOf(one) === name);
  const exports = Object.fromEntries(
    parts.map((one) => [`.${one.slice(name.length)}`, `.${fileOf(one).slice(name.length)}.mjs`]),
  );
  mkdirSync(join(out, name), { recursive: true });
  writeFileSync(join(out, name, "package.json"), JSON.stringify({ name, exports }));
}
// Its own calls are left out of the places that it names, and it knows them by this folder. Where several files run in
// one process (several-tests.mjs), a test stands for the root while a file runs.
writeFileSync(
  join(out, "tap/index.mjs"),
  `import root from "../@tapjs/tap/index.mjs";
export * from "../@tapjs/tap/index.mjs";
let t = root;
export { t, t as default };
export const standFor = (test) => void (t = test);
`,
);

rmSync(resolve(folder, "programs"), { recursive: true, force: true });
// One by one: of two in a bundle, what both load could come to lie in one of them, and run it in the other.
for (const file of PROGRAMS) {
  const program = await rolldown({
    input: join(import.meta.dirname, "../..", file),
    platform: "node",
    external: "bun:sqlite", // another engine's own, asked for only there
    plugins: [leanMatter()],
    logLevel: "warn",
  });
  await program.write({ dir: resolve(folder, "programs"), format: "esm" });
  await program.close();
}

/** A module that stands for a package everywhere but in itself. @param {string} name @param {string} file */
function standsFor(name, file) {
  return {
    name: `in place of ${name}`,
    resolveId: (/** @type {string} */ id, /** @type {string | undefined} */ importer) =>
      id === name && importer !== file ? file : null,
  };
}

/** The package of what is imported. @param {string} name */
function packageOf(name) {
  return /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

/** Where it lies in the folder, without its ending. @param {string} name */
function fileOf(name) {
  return name === packageOf(name) ? `${name}/index` : name.replace(/\.js$/, "");
}
