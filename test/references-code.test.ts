/** What the comments cite exists: sections of the contract and of the pages beside it, and documents of this repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "./support/database.js";

const FOLDERS = ["src", "firmware-bridge", "scripts", "test", "systemd", "models"];
const SOURCE = /\.(ts|tsx|mjs|sh|py|c|service)$/;
/** "contract §2", "domain §7.4", "interface 25–27". */
const SECTION = /\b(contract|domain|interface) (?:§ ?)?(\d+(?:\.\d+)?)(?:[–-](\d+))?/gi;
const DOCUMENT = /(?<![\w/.-])((?:docs|models|test|src|scripts)\/[\w./-]+\.(?:md|ts|tsx|mjs|sh|c|py|json))\b/g;
const SPECIFICATION = join(PROJECT_ROOT, "docs/spec");

const text = (file: string): string => readFileSync(join(SPECIFICATION, file), "utf8");

/** `2` for a heading "## 2.", `2.3` for the third item below it; `25` for a numbered item of a page whose items count through. */
function sections(page: string, countsThrough: boolean): Set<string> {
  const found = new Set<string>();
  let section = "";
  for (const line of page.split("\n")) {
    const heading = /^## (\d+)\./.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined) found.add(heading);
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (item !== undefined) found.add(countsThrough ? item : `${section}.${item}`);
  }
  return found;
}

const KNOWN: Readonly<Record<string, Set<string>>> = {
  contract: sections(text("device-control-api.md"), false),
  domain: sections(text("domain.md"), false),
  interface: sections(text("interface.md"), true),
};

/** Files with what they cite and is not there. */
function dangling(files: readonly (readonly [string, string])[]): string[] {
  return files.flatMap(([file, content]) => {
    const cited = [...content.matchAll(SECTION)]
      .filter(([whole]) => whole.includes("§") || /^interface/i.test(whole))
      .filter(([, page = "", from = "", to = from]) => ![from, to].every((one) => KNOWN[page.toLowerCase()]?.has(one)))
      .map(([whole]) => `${file}: ${whole}`);
    const documents = [...content.matchAll(DOCUMENT)].map(([, path = ""]) => path).filter((path) => !existsSync(join(PROJECT_ROOT, path)));
    return [...cited, ...documents.map((path) => `${file}: ${path}`)];
  });
}

t.test("the pages have sections", async (t) => {
  t.ok(KNOWN.contract?.has("2") && KNOWN.contract.has("9"));
  t.ok(KNOWN.domain?.has("8.7"));
  t.ok(KNOWN.interface?.has("37"));
});

t.test("what comments cite exists", async (t) => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => SOURCE.test(file) && !file.includes("node_modules") && !file.startsWith("fixtures"))
      .map((file) => [`${folder}/${file}`, readFileSync(join(PROJECT_ROOT, folder, file), "utf8")] as const),
  ).filter(([file]) => file !== "test/references-code.test.ts");
  t.ok(files.length > 500, `${files.length} files`);
  t.same(dangling(files), []);
});

t.test("what is not there is found", async (t) => {
  t.same(dangling([["x.ts", "/** See domain §99.9 and `docs/nowhere.md`. */"]]), ["x.ts: domain §99.9", "x.ts: docs/nowhere.md"]);
});
