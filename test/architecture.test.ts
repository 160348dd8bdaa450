import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import t, { type Test } from "tap";
import { PROJECT_ROOT } from "./support/database.ts";
import { forwardingFunctions } from "./support/forwarding.ts";

/** The features in their order: a feature may import earlier ones. `hub.ts` builds them in an order of its own. */
const FEATURES = [
  "feed",
  "access",
  "webhooks",
  "devices",
  "house",
  "scenes",
  "telemetry",
  "states",
  "energy",
  "series",
  "recognition",
  "cameras",
  "gate",
  "notifications",
  "automations",
  "bridge",
  "mqtt",
  "outside-broker",
  "backups",
  "updates",
  "matter",
  "home-assistant",
  "estate",
  "sandbox",
  "provision",
  "system",
];
/** Which folders of core a folder of core may import. Type imports count. */
const CORE: Readonly<Record<string, readonly string[]>> = {
  text: [],
  kernel: ["text"],
  plates: ["kernel", "text"],
  api: ["kernel", "plates", "text"],
  health: ["kernel", "text"],
  settings: ["api", "kernel", "text"],
  storage: ["kernel", "plates", "text"],
  jobs: ["kernel", "storage", "text"],
  platform: ["kernel", "settings", "text"],
  mqtt: ["api", "kernel", "plates", "storage", "text"],
  http: ["api", "kernel", "platform", "plates", "settings", "storage", "text"],
  start: ["kernel", "settings", "storage", "text"],
};
/** The features that implement third-party protocols. */
const SPEAK_OTHER_MAKES = new Set(["bridge", "matter", "home-assistant", "provision"]);
/** What joins features, and what calls a whole hub: they may import everything. */
const ROOTS = new Set(["main.ts", "hub.ts", "open-base.ts", "cli"]);
/** Tables that another feature reads, and why. */
const SHARED_TABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["plate-rule", "plate-read", "vehicle", "visit"].map((name) => [
      `src/features/gate/tables/${name}.ts`,
      "an estate keeps the gate's own rows the same on every hub, inside its own write jobs",
    ]),
  ),
  "src/features/access/tables/issued.ts": "a grant's issuer is written in the job that makes it",
  "src/features/access/tables/account.ts": "the type of a person's row",
  "src/features/bridge/tables/bridge-counter.ts": "meters that joined by Matter count on as those of other makes do",
  "src/features/backups/tables/backup.ts": "unprinted results of a set-up document are stored beside the backups",
};
/**
 * The only files that may touch `process`: entry points of the process, of child processes, of worker threads and of
 * the command line.
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
/**
 * What is left of joining by hand: a class is given the classes it uses, not functions that call them, nor an interface
 * that only one class implements. These numbers only go down.
 */
const AT_MOST = { forwarding: 10, ownCallbacks: 11, joints: 49, namedByConstructor: 92 };

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
    .filter((path) => !/\/console\//.test(path) && !/\/(?:fixtures|node_modules)\//.test(path))
    .map((path) => {
      const text = readFileSync(join(PROJECT_ROOT, path), "utf8");
      return { path, layer: layerOf(path), text, imports: importsOf(path, text) };
    });
}

/** The console's modules have their own Vite root, and their own direction: inwards from `pages`. */
function consoleSources(): { readonly path: string; readonly text: string }[] {
  return readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/)console\/.*\.tsx?$/.test(file))
    .map((file) => ({ path: `src/${file}`, text: readFileSync(join(PROJECT_ROOT, "src", file), "utf8") }));
}

/** The feature, the folder of core, or what else is in `src` or beside it. */
function layerOf(path: string): string {
  const [first = "", second = "", third = ""] = path.split("/");
  if (first !== "src") return first;
  return second === "core" ? `core/${third.includes(".") ? "" : third}` : second === "features" ? third : second;
}

/** Lists of what features declare as data, one line a feature, and what reads them. */
const LISTS: Readonly<Record<string, string>> = { "texts.ts": "core/text", "settings.ts": "core/settings" };

/** Texts of a feature or of core, which are data, or their list. */
function isTexts(path: string): boolean {
  return /^src\/(.+\/)?texts\.ts$/.test(path);
}

/** Null if `layer` may import `other`, else why not. */
function forbidden(layer: string, other: string, isRule = false): string | null {
  if (layer === other || ROOTS.has(layer) || layer in LISTS) return null;
  if (other in LISTS) return LISTS[other] === layer ? null : "core reads it";
  const isCore = other.startsWith("core/");
  if (layer === "core/") return isCore ? null : "core knows no feature";
  if (layer.startsWith("core/")) {
    if (!isCore) return "core knows no feature";
    return CORE[layer.slice("core/".length)]?.includes(other.slice("core/".length)) ? null : "the table CORE";
  }
  if (layer === "firmware-bridge") return isCore || isRule ? null : "it knows core, and pure rules";
  if (layer === "client") return "it is a package of its own";
  const place = FEATURES.indexOf(layer);
  if (place === -1) return `${layer} is not among the features`;
  if (isCore) return null;
  if (other === "firmware-bridge")
    return SPEAK_OTHER_MAKES.has(layer) ? null : "it does not speak other makes' protocols";
  const index = FEATURES.indexOf(other);
  return index !== -1 && index < place ? null : `${other} comes later`;
}

/** Files that a file imports, statically, dynamically or for types only. */
function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, specifier = ""]) => specifier);
  return specifiers.map((specifier) => normalize(join(dirname(path), specifier)));
}

t.test("imports go in one direction only", async (t) => {
  for (const { path, layer, imports } of sources)
    for (const target of imports) {
      const why = forbidden(layer, layerOf(target), /^src\/features\/[\w-]+\/rules\//.test(target));
      if (why !== null) t.fail(`${path} imports ${target}: ${why}`);
    }
  t.ok(sources.length > 50, `${sources.length} files checked`);
  t.equal(forbidden("gate", "notifications"), "notifications comes later", "a wrong direction would be found");
});

t.test("a feature's tables are its own", async (t) => {
  for (const { path, layer, imports } of sources)
    for (const target of imports) {
      const isForeign = /^src\/features\/[\w-]+\/tables\//.test(target) && layerOf(target) !== layer;
      if (isForeign && !ROOTS.has(layer) && !(target in SHARED_TABLES)) t.fail(`${path} imports ${target}`);
    }
  t.pass();
});

t.test("shapes and routes import no runtime code, since the console has their types", async (t) => {
  for (const { path, imports } of sources) {
    if (!/^src\/features\/[\w-]+\/(api|resources)\//.test(path)) continue;
    for (const target of imports)
      if (!/^src\/(core\/|features\/[\w-]+\/(api|resources|rules)\/)/.test(target)) t.fail(`${path} imports ${target}`);
  }
  t.pass();
});

/** Cycles of a graph, one for each edge that closes one. */
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

t.test("texts and settings are data: they import nothing but what declares them", async (t) => {
  const allowed = { "texts.ts": /^src\/core\/text\/render\.ts$/, "settings.ts": /^src\/core\/settings\/builders\.ts$/ };
  for (const [name, target] of Object.entries(allowed)) {
    const files = sources.filter(({ path }) => new RegExp(`^src/((core|features)/[^/]+/)?${name}$`).test(path));
    for (const { path, imports } of files)
      for (const imported of imports)
        if (!(layerOf(path) in LISTS ? new RegExp(`/${name}$`) : target).test(imported))
          t.fail(`${path} imports ${imported}`);
    t.ok(files.length > 15, `${files.length} files`);
  }
});

t.test("no file imports itself indirectly", async (t) => {
  t.same(cycles(new Map(sources.map(({ path, imports }) => [path, imports]))), []);
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
    [...seen]
      .filter((path) => !isTexts(path))
      .map(layerOf)
      .filter((layer) => !["matter", "core/kernel", "core/text", "core/api"].includes(layer)),
    [],
  );
  t.ok(seen.size > 5, `${seen.size} files of the process checked`);
});

t.test("imports lead to existing files", async (t) => {
  for (const { path, imports } of sources) {
    for (const target of imports)
      if (
        target.endsWith(".ts") &&
        !byPath.has(target) &&
        !target.includes("console/") &&
        !existsSync(join(PROJECT_ROOT, target.replace(/ts$/, "d.ts")))
      )
        t.fail(`${path} imports ${target}, which does not exist`);
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

t.test("every folder of src states in some file's head what it owns", async (t) => {
  const layers = new Set(sources.filter(({ path }) => path.split("/").length > 2).map(({ layer }) => layer));
  for (const layer of layers) {
    if (!sources.some((source) => source.layer === layer && source.text.startsWith("/**")))
      t.fail(`${layer} has no header comment`);
  }
  t.pass();
});

t.test("only the entry points of the process touch it", async (t) => {
  for (const { path, text } of sources) {
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|"[^"\n]*"/gm, "").replace(PLAIN_PROCESS_FACTS, "");
    const isOwnName = /\b(const|let) process\b|\bprocess[:,)]/.test(code); // a child process of that name
    if (PROCESS_ENTRIES.test(path) || path in PROCESS_EXCEPTIONS || isOwnName) continue;
    if (/(?<![.\w])process\./.test(code)) t.fail(`${path} touches process`);
  }
  t.pass();
});

t.test("named exports only, no barrels, no any, no casts by way of unknown", async (t) => {
  for (const { path, text } of [...sources, ...consoleSources(), ...read("test"), ...read("scripts")]) {
    if (/\bas unknown[ ]as\b/.test(text)) t.fail(`${path} casts by way of unknown`);
  }
  for (const { path, text } of sources) {
    if (/^export default/m.test(text)) t.fail(`${path} has a default export`);
    if (/^export \* from/m.test(text)) t.fail(`${path} is a barrel`);
    if (/(:|<|\bas) any\b/.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""))) t.fail(`${path} uses any`);
  }
  t.pass();
});

function holdAt(t: Test, found: readonly string[], most: number, what: string): void {
  const message = `${found.length} ${what}; at most ${most}`;
  if (found.length > most) t.fail(`${message}:\n${found.join("\n")}`);
  else t.pass(message);
}

t.test("a class is given the classes it uses, not functions that only call them", async (t) => {
  const found = sources.flatMap(({ path, text }) => forwardingFunctions(path, text));
  const isOwn = (line: string): boolean => /=> (?:void )?this\.#\w+\(/.test(line);
  holdAt(
    t,
    found.filter((line) => !isOwn(line)),
    AT_MOST.forwarding,
    "functions only forward to another object",
  );
  holdAt(t, found.filter(isOwn), AT_MOST.ownCallbacks, "callbacks are a class's own private methods");
  const examples: readonly [string, number][] = [
    ["new A({ find: (id) => registry.find(id) })", 1],
    ["join({ find: async (...asked) => await registry.find(...asked) })", 1],
    ["super({ inner: { find(id) { return registry.find(id); } } })", 1],
    ["new A({ now: () => clock.now(), bound: clock.now.bind(clock) })", 2],
    ["new A((message) => this.#take(message))", 1],
    ["list.map((id) => registry.find(id))", 0],
    ["new A({ find: (id) => registry.find(id, true), next: () => this.#next() })", 0],
    ["new Promise((done) => clock.wait(done))", 0],
  ];
  for (const [text, count] of examples) t.equal(forwardingFunctions("a.ts", text).length, count, text);
});

t.test("few types only describe what a class is given or serves", async (t) => {
  const everything = [...sources, ...consoleSources(), ...read("scripts")];
  const joints = everything.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?(?:interface|type) (\w*(?:Options|Ports|Parts|Needs|Service|Management))\b/gm)].map(
      ([, name]) => `${path} ${name}`,
    ),
  );
  holdAt(t, joints, AT_MOST.joints, "such types");
  const named = everything.flatMap(({ path, text }) =>
    [...text.matchAll(/ConstructorParameters<typeof (\w+)>/g)].map(([, name]) => `${path} ${name}`),
  );
  holdAt(t, named, AT_MOST.namedByConstructor, "types named by a constructor's parameter");
});

t.test("SQL is in the files of its tables", async (t) => {
  for (const { path, text } of sources) {
    if (path.startsWith("src/core/storage/") || path.includes("/tables/")) continue;
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    if (/\.prepare\s*(<[^(]*>)?\(\s*["`]/.test(code)) t.fail(`${path} prepares SQL of its own`);
  }
  t.pass();
});

t.test("tests mirror sources", async (t) => {
  const free = new Set([
    "support",
    "attacks",
    "rules-in-full",
    "whole-hub",
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
    const name = file.replace(/\.test\.ts$/, "");
    const places = ["src/features", "src/core", "src", ""].map((folder) => join(folder, name));
    const exists = places
      .flatMap((place) => [`${place}.ts`, place, dirname(place)])
      .some((path) => !["src/features", "src/core", "src", "."].includes(path) && existsSync(join(PROJECT_ROOT, path)));
    if (!exists) t.fail(`test/${file} mirrors no source`);
  }
  t.ok(files.length > 10);
});
