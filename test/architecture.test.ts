import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "./support/database.ts";

/** Which layers a layer may import. A feature never imports a sibling; `hub.ts` joins them. Type imports count. */
const FEATURES = [
  "devices",
  "telemetry",
  "energy",
  "scenes",
  "automations",
  "feed",
  "gate",
  "webhooks",
  "access",
  "sandbox",
  "bridge",
  "backups",
  "updates",
  "notifications",
  "estate",
  "matter",
  "series",
];
const FEATURE_IMPORTS = ["storage", "contract", "domain", "kernel", "text"];
const ADAPTER_IMPORTS = [...FEATURES, "contract", "storage", "domain", "kernel", "text"];
const DIRECTIONS: Readonly<Record<string, readonly string[]>> = {
  text: [],
  kernel: ["text"],
  domain: ["kernel"],
  contract: ["domain", "kernel", "text"],
  settings: ["contract", "kernel", "text"],
  storage: ["domain", "kernel", "text"],
  platform: ["kernel", "text"],
  cameras: ["domain", "kernel", "text"],
  recognition: ["domain", "kernel", "text"],
  "firmware-bridge": ["contract", "domain", "kernel", "text"],
  "outside-broker": ["kernel", "text"],
  "home-assistant": ["contract", "domain", "kernel"],
  "estate-setup": ["estate", "kernel", "text"], // what root and the command line do, not the hub that runs
  client: [], // a package of its own
  ...Object.fromEntries(FEATURES.map((feature) => [feature, FEATURE_IMPORTS])),
  // a device that speaks Matter is described in the words of all other makes
  matter: [...FEATURE_IMPORTS, "firmware-bridge"],
  http: [...ADAPTER_IMPORTS, "settings"], // the console's settings page
  mqtt: ADAPTER_IMPORTS,
  jobs: ADAPTER_IMPORTS,
  health: [...ADAPTER_IMPORTS, "platform"], // what it judges: disk, temperature, clock
  provision: [...ADAPTER_IMPORTS, "cameras", "settings"], // a set-up document reaches every part of the hub
};
/** Composition roots and command-line entries: they may import everything. */
const ROOTS = new Set(["main.ts", "hub.ts", "cli.ts"]);
const ROOT_FOLDERS = new Set(["composition", "cli"]);
/**
 * The only files that may touch `process`: entries of the process, of processes beside it, of worker threads and of the
 * command line.
 */
const PROCESS_ENTRIES = /^src\/(main|cli)\.ts$|^src\/cli\/|[-/](worker|process)\.ts$/;
/** Files with one such line, and why. */
const PROCESS_EXCEPTIONS: Readonly<Record<string, string>> = {
  "src/features/recognition/recogniser.ts":
    "the inference library reads its telemetry switch from the environment when it is loaded",
};
/** Facts of this process that no argument could carry better. */
const PLAIN_PROCESS_FACTS =
  /process\.(memoryUsage|availableMemory|platform|arch|execPath|pid|uptime|versions|hrtime|cpuUsage|getuid)\b/g;
/** Lines: a file may be as long as its subject; beyond this it has more than one. */
const LONGEST_FILE = 700;

interface Source {
  /** Path from the project's root. */
  readonly path: string;
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = [...read("src"), ...read("firmware-bridge")];
const byPath = new Map(sources.map((source) => [source.path, source]));

function read(folder: string): Source[] {
  const root = join(PROJECT_ROOT, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))
    .map((entry) => relative(PROJECT_ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith("src/console/") && !path.includes("/fixtures/"))
    .map((path) => {
      const text = readFileSync(join(PROJECT_ROOT, path), "utf8");
      return { path, layer: layerOf(path), text, imports: importsOf(path, text) };
    });
}

/** The console's modules have their own Vite root, and their own direction: inwards from `pages`. */
function consoleSources(): { readonly path: string; readonly text: string }[] {
  return readdirSync(join(PROJECT_ROOT, "src/console"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({
      path: `src/console/${file}`,
      text: readFileSync(join(PROJECT_ROOT, "src/console", file), "utf8"),
    }));
}

function layerOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "src" ? second : first;
}

/** Files that a file imports, statically, dynamically or for types only. */
function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, specifier = ""]) => specifier);
  return specifiers.map((specifier) => normalize(join(dirname(path), specifier)).replace(/\.js$/, ".ts"));
}

t.test("imports go in one direction only", async (t) => {
  for (const { path, layer, imports } of sources) {
    if (ROOTS.has(layer) || ROOT_FOLDERS.has(layer)) continue;
    const allowed = DIRECTIONS[layer];
    if (!allowed) {
      t.fail(`${path}: the layer ${layer} has no row in the table`);
      continue;
    }
    for (const target of imports) {
      const other = layerOf(target);
      if (other !== layer && !allowed.includes(other))
        t.fail(`${path} imports ${target}: ${layer} may not know ${other}`);
    }
  }
  t.ok(sources.length > 50, `${sources.length} files looked at`);
});

/** Ways in a graph that lead back to where they began, one for each edge that closes such a way. */
function cycles(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) found.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
    if (trail.includes(node) || done.has(node)) return;
    for (const target of graph.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}

t.test("no file imports itself by way of others", async (t) => {
  t.same(cycles(new Map(sources.map(({ path, imports }) => [path, imports]))), []);
});

t.test("no folder imports itself by way of others, roots included", async (t) => {
  const graph = new Map(sources.map(({ layer }) => [layer, new Set<string>()]));
  for (const { layer, imports } of sources)
    for (const target of imports) if (layerOf(target) !== layer) graph.get(layer)?.add(layerOf(target));
  t.same(cycles(graph), []);
  t.ok(graph.get("cli")?.has("composition"), "the roots are among the folders looked at");
  t.ok(
    cycles(new Map([...graph, ["composition", new Set(["cli"])]])).length > 0,
    "an import the other way round would be found",
  );
});

t.test("the libraries of Matter are loaded in their own process only", async (t) => {
  const inProcess = (path: string): boolean => path.startsWith("src/features/matter/process/");
  for (const { path, text, imports } of sources) {
    if (inProcess(path)) continue;
    if (/["']@matter\//.test(text)) t.fail(`${path} imports a library of Matter`);
    const isEntry = path === "src/features/matter/matter-process.ts";
    for (const target of imports)
      if (inProcess(target) && !isEntry) t.fail(`${path} imports ${target}, which runs in the Matter process`);
  }
  // What the process imports reaches neither the database nor the hub's other features.
  const seen = new Set<string>();
  const reach = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const target of byPath.get(path)?.imports ?? []) reach(target);
  };
  reach("src/features/matter/matter-process.ts");
  t.same(
    [...seen].map(layerOf).filter((layer) => !["matter", "kernel", "text", "domain", "contract"].includes(layer)),
    [],
  );
  t.ok(seen.size > 5, `${seen.size} files of the process looked at`);
});

t.test("imports lead to files that exist", async (t) => {
  for (const { path, imports } of sources) {
    for (const target of imports)
      if (
        target.endsWith(".ts") &&
        !byPath.has(target) &&
        !target.includes("console/") &&
        !existsSync(join(PROJECT_ROOT, target.replace(/ts$/, "d.ts")))
      )
        t.fail(`${path} imports ${target}, which is not there`);
  }
  t.pass();
});

t.test(`files have at most ${LONGEST_FILE} lines`, async (t) => {
  for (const { path, text } of sources) {
    const lines = text.split("\n").length - 1;
    if (lines > LONGEST_FILE) t.fail(`${path} has ${lines} lines`);
  }
  t.pass();
});

t.test("every folder of src says in some file's head what it owns", async (t) => {
  const layers = new Set(sources.filter(({ path }) => path.split("/").length > 2).map(({ layer }) => layer));
  for (const layer of layers) {
    if (!sources.some((source) => source.layer === layer && source.text.startsWith("/**")))
      t.fail(`${layer} has no header comment`);
  }
  t.pass();
});

t.test("only the entries of the process touch it", async (t) => {
  for (const { path, text } of sources) {
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|"[^"\n]*"/gm, "").replace(PLAIN_PROCESS_FACTS, "");
    const isOwnName = /\b(const|let) process\b|\bprocess[:,)]/.test(code); // a child process of that name
    if (PROCESS_ENTRIES.test(path) || path in PROCESS_EXCEPTIONS || isOwnName) continue;
    if (/(?<![.\w])process\./.test(code)) t.fail(`${path} touches process`);
  }
  t.pass();
});

t.test("named exports only, no barrels, no any, nothing retyped by way of unknown", async (t) => {
  for (const { path, text } of [...sources, ...consoleSources(), ...read("test"), ...read("scripts")]) {
    if (/\bas unknown[ ]as\b/.test(text)) t.fail(`${path} retypes by way of unknown`);
  }
  for (const { path, text } of sources) {
    if (/^export default/m.test(text)) t.fail(`${path} has a default export`);
    if (/^export \* from/m.test(text)) t.fail(`${path} is a barrel`);
    if (/(:|<|\bas) any\b/.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""))) t.fail(`${path} uses any`);
  }
  t.pass();
});

t.test("SQL stands in the files of its tables", async (t) => {
  for (const { path, text } of sources) {
    if (path.startsWith("src/core/storage/")) continue;
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    if (/\.prepare\s*(<[^(]*>)?\(\s*["`]/.test(code)) t.fail(`${path} prepares SQL of its own`);
  }
  t.pass();
});

t.test("tests mirror sources", async (t) => {
  const free = new Set([
    "support",
    "attacks",
    "contract",
    "e2e",
    "fixtures",
    "scripts",
    "models",
    "durability",
    "console",
    "image",
  ]);
  const files = readdirSync(join(PROJECT_ROOT, "test"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".test.ts"),
  );
  for (const file of files) {
    const [folder = ""] = file.split("/");
    if (!file.includes("/") || free.has(folder)) continue;
    const root = folder === "firmware-bridge" ? "" : "src";
    const plain = join(root, file.replace(/\.test\.ts$/, ""));
    const exists = [`${plain}.ts`, plain, dirname(plain)].some((path) => existsSync(join(PROJECT_ROOT, path)));
    if (!exists) t.fail(`test/${file} mirrors no source`);
  }
  t.ok(files.length > 10);
});
