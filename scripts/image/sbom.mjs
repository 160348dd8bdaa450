// @ts-check
/**
 * sbom.mjs HUB-FOLDER ARCH VERSION [PACKAGES]: the bill of materials of a release, CycloneDX 1.6 as JSON, on standard
 * output.
 *
 * Lists the actual content of HUB-FOLDER (see hub-tree.sh), not of the lock file: each node module with its stated
 * licence and the hash that npm checked, the packages built into the console, Node.js, and the plate models. PACKAGES:
 * the Debian packages of a card image, a line `NAME VERSION ARCH` each. SOURCE_DATE_EPOCH is its time; the same inputs
 * give the same bytes.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const [, , hub = "", arch = "", version = "", packages] = process.argv;
/**
 * @typedef {{ version: string, integrity?: string, license?: string, dependencies?: Record<string, string> }} Locked
 * @typedef {{ type: string, name: string, version: string, cpe?: string, licenses?: object[], hashes?: object[] }}
 *   Component
 */
const readJson = (/** @type {string[]} */ ...path) => JSON.parse(readFileSync(join(...path), "utf8"));
/** @type {Record<string, Locked | undefined>} */
const locked = readJson(root, "package-lock.json").packages;
/** @type {Map<string, Component & { "bom-ref": string, purl: string }>} */
const components = new Map();

for (const path of [...modulesIn(hub), ...builtIn()]) addModule(path);
addRuntime();
for (const model of readJson(hub, "models/manifest.json").models) addModel(model);
if (packages !== undefined) for (const line of readFileSync(packages, "utf8").split("\n")) addDebian(line);

const product = {
  type: "application",
  "bom-ref": `gatehouse@${version}`,
  name: "gatehouse",
  version,
  licenses: [{ license: { id: "MIT" } }],
};
const parts = [...components.values()].sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
const timestamp = new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
const properties = [{ name: "gatehouse:architecture", value: arch }];
console.log(
  JSON.stringify(
    {
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      serialNumber: serial(JSON.stringify([product, arch, timestamp, parts])),
      version: 1,
      metadata: { timestamp, lifecycles: [{ phase: "build" }], component: product, properties },
      components: parts,
      dependencies: [{ ref: product["bom-ref"], dependsOn: parts.map((part) => part["bom-ref"]) }],
    },
    null,
    2,
  ),
);

/**
 * Folders of node modules, nested ones too, as the lock file names them.
 * @param {string} folder
 * @returns {string[]}
 */
function modulesIn(folder, path = "node_modules") {
  return readdirSync(join(folder, path)).flatMap((name) => {
    const here = `${path}/${name}`;
    if (name.startsWith("@")) return modulesIn(folder, here);
    const nested = existsSync(join(folder, here, "node_modules")) ? modulesIn(folder, `${here}/node_modules`) : [];
    return locked[here] === undefined ? nested : [here, ...nested];
  });
}

/**
 * The packages that the console imports, and their dependencies: Vite bundles them, so they have no folder of their
 * own.
 */
function builtIn() {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (file) => /(^|\/)console\/.*\.(tsx?|css)$/.test(file) && !/\/vite[.-]\w+\.ts$/.test(file),
  );
  const text = sources.map((file) => readFileSync(join(root, "src", file), "utf8")).join("\n");
  const names = [...text.matchAll(/(?:from |import |import\(|url\()"((?:@[^/"]+\/)?[^./"@][^/"]*)/g)].map(
    ([, name = ""]) => name,
  );
  /** @type {Set<string>} */
  const found = new Set();
  const add = (/** @type {string} */ name) => {
    const path = `node_modules/${name}`;
    const module = locked[path];
    if (found.has(path) || module === undefined) return;
    found.add(path);
    for (const needed of Object.keys(module.dependencies ?? {})) add(needed);
  };
  for (const name of names) add(name);
  return found;
}

/** @param {string} path */
function addModule(path) {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const module = locked[path];
  if (module === undefined) throw new Error(`${path} is not in the lock file`);
  const { version: is, integrity, license } = module;
  add(`pkg:npm/${name.replace("@", "%40")}@${is}`, {
    type: "library",
    name,
    version: is,
    ...licensed(license),
    ...hashed(integrity),
  });
}

function addRuntime() {
  const name = `node-linux-${arch === "amd64" ? "x64" : arch}`;
  const { version: is, integrity } = readJson(root, "scripts/runtime/package-lock.json").packages[
    `node_modules/${name}`
  ];
  const cpe = `cpe:2.3:a:nodejs:node.js:${is}:*:*:*:lts:*:*:*`; // the name in its security notices
  add(`pkg:npm/${name}@${is}`, {
    type: "platform",
    name: "node",
    version: is,
    cpe,
    ...licensed("MIT"),
    ...hashed(integrity),
  });
}

/** @param {{ file: string, version: string, sha256: string, licence?: string }} model */
function addModel({ file, version: is, sha256, licence = "MIT" }) {
  add(`pkg:generic/gatehouse/${file}@${is}`, {
    type: "machine-learning-model",
    name: file,
    version: is,
    ...licensed(licence),
    hashes: [{ alg: "SHA-256", content: sha256 }],
  });
}

/** @param {string} line */
function addDebian(line) {
  const [name = "", is = "", machine] = line.split(" ");
  if (machine === undefined || name === "node" || name.startsWith("npm:")) return;
  add(`pkg:deb/debian/${name}@${encodeURIComponent(is)}?arch=${machine}`, { type: "library", name, version: is });
}

/** @param {string} purl @param {Component} component */
function add(purl, { type, name, version: is, ...rest }) {
  components.set(purl, { type, "bom-ref": purl, name, version: is, purl, ...rest });
}

/**
 * One licence by its SPDX id, an expression of several, or none where a package states none.
 * @param {string | undefined} license
 */
function licensed(license) {
  if (typeof license !== "string") return {};
  return { licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }] };
}

/** @param {string | undefined} integrity */
function hashed(integrity) {
  if (!integrity?.startsWith("sha512-")) return {};
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }] };
}

/**
 * A name made from the content, in the form of a UUID (version 8: custom).
 * @param {string} content
 */
function serial(content) {
  const hex = createHash("sha256").update(content).digest("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
