/**
 * sbom.mjs HUB-FOLDER ARCH VERSION [PACKAGES]: the parts list of a release, CycloneDX 1.6 as JSON, on standard output.
 *
 * Listed is what lies in HUB-FOLDER (see hub-tree.sh), not what the lock file would allow: each node module with the licence that it
 * states and the hash that npm checked, what is built into the console, the Node.js that runs it all, and the plate models. PACKAGES: the
 * Debian packages of a card image, a line `NAME VERSION ARCH` each. SOURCE_DATE_EPOCH is its time; the same inputs give the same bytes.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const [, , hub, arch, version, packages] = process.argv;
const readJson = (...path) => JSON.parse(readFileSync(join(...path), "utf8"));
const locked = readJson(root, "package-lock.json").packages;
const components = new Map();

for (const path of [...modulesIn(hub), ...builtIn()]) addModule(path);
addRuntime();
for (const model of readJson(hub, "models/manifest.json").models) addModel(model);
if (packages !== undefined) for (const line of readFileSync(packages, "utf8").split("\n")) addDebian(line);

const product = { type: "application", "bom-ref": `gatehouse@${version}`, name: "gatehouse", version, licenses: [{ license: { id: "MIT" } }] };
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

/** Folders of node modules, nested ones too, as the lock file names them. */
function modulesIn(folder, path = "node_modules") {
  return readdirSync(join(folder, path)).flatMap((name) => {
    const here = `${path}/${name}`;
    if (name.startsWith("@")) return modulesIn(folder, here);
    const nested = existsSync(join(folder, here, "node_modules")) ? modulesIn(folder, `${here}/node_modules`) : [];
    return locked[here] === undefined ? nested : [here, ...nested];
  });
}

/** What the console's pages import by name, and what that needs: Vite builds it in, so no folder of its own shows it. */
function builtIn() {
  const sources = readdirSync(join(root, "src/console"), { recursive: true }).filter((file) => /\.(tsx?|css)$/.test(file) && file !== "vite.config.ts");
  const text = sources.map((file) => readFileSync(join(root, "src/console", file), "utf8")).join("\n");
  const names = [...text.matchAll(/(?:from |import |import\(|url\()"((?:@[^/"]+\/)?[^./"@][^/"]*)/g)].map(([, name]) => name);
  const found = new Set();
  const add = (name) => {
    const path = `node_modules/${name}`;
    if (found.has(path) || locked[path] === undefined) return;
    found.add(path);
    for (const needed of Object.keys(locked[path].dependencies ?? {})) add(needed);
  };
  for (const name of names) add(name);
  return found;
}

function addModule(path) {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const { version: is, integrity, license } = locked[path];
  add(`pkg:npm/${name.replace("@", "%40")}@${is}`, { type: "library", name, version: is, ...licensed(license), ...hashed(integrity) });
}

function addRuntime() {
  const name = `node-linux-${arch === "amd64" ? "x64" : arch}`;
  const { version: is, integrity } = readJson(root, "scripts/runtime/package-lock.json").packages[`node_modules/${name}`];
  const cpe = `cpe:2.3:a:nodejs:node.js:${is}:*:*:*:lts:*:*:*`; // what its security notices name
  add(`pkg:npm/${name}@${is}`, { type: "platform", name: "node", version: is, cpe, ...licensed("MIT"), ...hashed(integrity) });
}

function addModel({ file, version: is, sha256 }) {
  add(`pkg:generic/gatehouse/${file}@${is}`, {
    type: "machine-learning-model",
    name: file,
    version: is,
    ...licensed("MIT"),
    hashes: [{ alg: "SHA-256", content: sha256 }],
  });
}

function addDebian(line) {
  const [name, is, machine] = line.split(" ");
  if (machine === undefined || name === "node" || name.startsWith("npm:")) return;
  add(`pkg:deb/debian/${name}@${encodeURIComponent(is)}?arch=${machine}`, { type: "library", name, version: is });
}

function add(purl, { type, name, version: is, ...rest }) {
  components.set(purl, { type, "bom-ref": purl, name, version: is, purl, ...rest });
}

/** One licence by its SPDX id, an expression of several, or none where a package states none. */
function licensed(license) {
  if (typeof license !== "string") return {};
  return { licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }] };
}

function hashed(integrity) {
  if (!integrity?.startsWith("sha512-")) return {};
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }] };
}

/** A name made from the content, in the form of a UUID (version 8: made up by whoever writes it). */
function serial(content) {
  const hex = createHash("sha256").update(content).digest("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
