// @ts-check
/**
 * The hub as it is started and shipped: a few files instead of thirteen hundred modules, whose loading was mostly
 * lookup. It is bundled from the TypeScript sources; native modules stay in node_modules. The list of its source files
 * is beside it (made-from.mjs). Plain Node and rolldown, which builds the
 * console too.
 *
 * node scripts/lib/bundle-hub.mjs FOLDER
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { leanMatter } from "./lean-matter.mjs";
import { writeMadeFrom } from "./made-from.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: node scripts/lib/bundle-hub.mjs FOLDER");
const out = join(folder, "src");

/** A program that the sources start in a thread or a separate process. */
const THREAD = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g;

/**
 * What runs the hub's program, the command line, and the program of each thread and of each process beside the hub:
 * they are started by their file names beside the bundle.
 */
const ENTRIES = { "kept-program": "src/core/platform/kept-program.ts", cli: "src/cli/cli.ts", ...threads() };
/** The hub's program, as CommonJS: for ES modules the engine does not cache code that was compiled while running. */
const PROGRAM = { program: "src/main.ts" };
/**
 * Packages with native parts look for them beside their own files. The last is another engine's built-in, imported only
 * there.
 */
const COMPILED = ["better-sqlite3", "onnxruntime-node", "sharp", "unix-dgram", "bun:sqlite"];

/**
 * An ES import of node:http reads every export, and one of them (WebSocket) makes Node load its whole web client: 20 ms
 * of each start and some megabytes. Required as an object, each export is read only when it is used.
 */
const LEAN_HTTP = "\0lean-http";
function leanHttp() {
  const names = [
    "Agent",
    "STATUS_CODES",
    "METHODS",
    "Server",
    "IncomingMessage",
    "ServerResponse",
    "createServer",
    "request",
    "get",
  ];
  return `const http = process.getBuiltinModule("node:http"); export default http; export const { ${names.join(", ")} } = http;`;
}

rmSync(out, { recursive: true, force: true });
/** @type {Set<string>} */
const read = new Set();
const output = [...(await write(ENTRIES, "esm", "js")), ...(await write(PROGRAM, "cjs", "cjs"))];
writeFileSync(
  join(folder, "LICENSES.txt"),
  licences(output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))),
);

// A source map without the sources' text still names file and line.
for (const { fileName } of output.filter((file) => file.fileName.endsWith(".map"))) {
  const path = join(out, fileName);
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(map));
}
writeFileSync(
  join(out, "main.js"),
  'import { join } from "node:path";\nimport { runHub } from "./kept-program.js";\nrunHub(join(import.meta.dirname, "program.cjs"), process);\n',
);
mkdirSync(join(out, "cli"));
writeFileSync(join(out, "cli/cli.js"), 'export * from "../cli.js";\n');
writeMadeFrom(folder, [
  ...read,
  ...["bundle-hub", "lean-matter", "made-from"].map((name) => join(import.meta.dirname, `${name}.mjs`)),
]);

/**
 * Writes the bundle of these programs.
 * @param {Record<string, string>} entries
 * @param {"esm" | "cjs"} format
 * @param {string} ending of its files' names
 */
async function write(entries, format, ending) {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
    platform: "node",
    external: COMPILED,
    plugins: [
      threadsAsBundled(),
      {
        name: "made-from",
        buildEnd: {
          order: "post",
          handler() {
            for (const id of this.getModuleIds()) read.add(id);
          },
        },
      },
      {
        name: "lean-http",
        resolveId: (id, _, { kind }) => (kind === "import-statement" && /^(node:)?http$/.test(id) ? LEAN_HTTP : null),
        load: (id) => (id === LEAN_HTTP ? leanHttp() : null),
      },
      leanMatter(),
    ],
    checks: { eval: false }, // Koa's depd uses eval for its own messages
    logLevel: "warn",
  });
  const { output } = await bundle.write({
    dir: out,
    format,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `[name]-[hash].${ending}`,
    sourcemap: true,
    // The engine keeps a program's text, with two bytes per character if any is outside Latin-1.
    charset: "ascii",
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  return output;
}

/** In the bundle it is beside the program that starts it, compiled. */
function threadsAsBundled() {
  return {
    name: "threads-as-bundled",
    transform: {
      filter: { id: /\.ts$/, code: THREAD },
      handler: (/** @type {string} */ text) => ({
        code: text.replace(THREAD, (_, name) => `new URL("./${name}.js", import.meta.url)`),
        map: null, // the line's length is unchanged
      }),
    },
  };
}

/** The programs that the sources start in threads, by name. */
function threads() {
  /** @type {Record<string, string>} */
  const found = {};
  for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.startsWith("console"),
  )) {
    const text = readFileSync(join(root, "src", file), "utf8");
    for (const [, name = ""] of text.matchAll(THREAD)) {
      if (found[name] !== undefined) throw new Error(`two programs of threads are called ${name}`);
      found[name] = join("src", dirname(file), `${name}.ts`);
    }
  }
  return found;
}

/**
 * Names, homes and licences of the packages whose code is in the bundle: most licences require only attribution.
 * @param {readonly string[]} modules
 */
function licences(modules) {
  const folders = new Set(
    modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter((one) => one !== undefined),
  );
  const texts = [...folders].map((folder) => {
    const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
    const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    return `${name} ${version} (${license}), source: ${repository?.url ?? repository ?? "its npm package"}\n${text}`;
  });
  return texts.sort().join(`\n${"-".repeat(80)}\n\n`);
}
