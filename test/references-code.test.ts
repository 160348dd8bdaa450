/**
 * What comments, scripts, units and documents cite exists: sections of the contract and of the pages beside it,
 * documents and files of this repository.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "./support/database.js";

const FOLDERS = ["src", "firmware-bridge", "scripts", "test", "systemd", "models", "docs", ".ci", ".github"];
/** Everything that is text; migrations are never edited, so they cite what was there when they were written. */
const NO_SOURCE =
  /\.(png|webp|jpg|jpeg|onnx|ico|woff2|svg|json|csv|sql|pt|gz|bin|pyc)$|(^|\/)(node_modules|fixtures|work|__pycache__|screenshots|pictures)(\/|$)/;
/** "contract §2", "domain §7.4", "interface 25–27". */
const SECTION = /\b(contract|domain|interface) (?:§ ?)?(\d+(?:\.\d+)?)(?:[–-](\d+))?/gi;
const DOCUMENT = /(?<![\w/.-])((?:docs|models|test|src|scripts)\/[\w./-]+\.(?:md|ts|tsx|mjs|sh|c|py|json))\b/g;
/** A file named from a folder of src, as `http/pipeline.ts`. */
const SHORT = new RegExp(
  `(?<![\\w@/.$-])((?:${readdirSync(join(PROJECT_ROOT, "src")).join("|")})/[\\w./-]+\\.(?:ts|tsx))(?![\\w/])`,
  "g",
);
const CODE = /\.(ts|tsx|mjs)$/;
/** Where a short name may begin, beside the folder of who names it. */
const PLACES = ["src", "test", "scripts", ""];
/** An example of a path, not one. */
const EXAMPLES = new Set(["test/x/y.test.ts"]);

const SPECIFICATION = join(PROJECT_ROOT, "docs/spec");

const text = (file: string): string => readFileSync(join(SPECIFICATION, file), "utf8");

/**
 * `2` for a heading "## 2.", `2.3` for the third item below it; `25` for a numbered item of a page whose items count
 * through.
 */
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
    const documents = [...content.matchAll(DOCUMENT)]
      .map(([, path = ""]) => path)
      .filter((path) => !EXAMPLES.has(path) && !existsSync(join(PROJECT_ROOT, path)));
    const prose = CODE.test(file) ? (content.match(/^\s*(\/?\*|\/\/).*|\s\/\/ .*$/gm) ?? []).join("\n") : content;
    const short = [...prose.matchAll(SHORT)]
      .map(([, path = ""]) => path)
      .filter(
        (path) =>
          !PLACES.some((place) => existsSync(join(PROJECT_ROOT, place, path))) &&
          !existsSync(join(PROJECT_ROOT, dirname(file), path)),
      );
    return [...cited, ...[...documents, ...short].map((path) => `${file}: ${path}`)];
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
      .filter((file) => !NO_SOURCE.test(file) && statSync(join(PROJECT_ROOT, folder, file)).isFile())
      .map((file) => `${folder}/${file}`),
  )
    .concat(readdirSync(PROJECT_ROOT).filter((file) => file.endsWith(".md") && file !== "CHANGELOG.md"))
    .filter((file) => file !== "test/references-code.test.ts")
    .map((file) => [file, readFileSync(join(PROJECT_ROOT, file), "utf8")] as const);
  t.ok(files.length > 1_000, `${files.length} files`);
  t.ok(
    ["scripts/image/init", "systemd/libexec/gatehouse-boot", ".ci/run", "ARCHITECTURE.md"].every((name) =>
      files.some(([file]) => file === name),
    ),
  );
  t.same(dangling(files), []);
});

t.test("what is not there is found", async (t) => {
  t.same(dangling([["x.ts", "/** See domain §99.9 and `docs/nowhere.md`. */"]]), [
    "x.ts: domain §99.9",
    "x.ts: docs/nowhere.md",
  ]);
  t.same(dangling([["page.md", "The queue (`mqtt/nowhere.ts`) and `mqtt/broker.ts`."]]), ["page.md: mqtt/nowhere.ts"]);
  t.same(dangling([["y.ts", 'import x from "y"; // as in kernel/nowhere.ts\nconst path = "kernel/other.ts";']]), [
    "y.ts: kernel/nowhere.ts",
  ]);
});
