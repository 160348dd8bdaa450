/**
 * What comments, test titles and documents cite: sections of the pages under docs/spec, decisions, documents and files
 * of this repository, standards, external pages and issues. A citation is in the repository, or has a number or an
 * address by which anyone can find it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT_ROOT } from "./database.ts";

/** "docs/spec/device-control-api.md §2", "docs/spec/domain.md §7.4", "docs/spec/interface.md §25–27". */
const SECTION =
  /\bdocs\/spec\/(device-control-api|domain|interface)\.md §(\d+(?:\.\d+)?)(?:(?:[–-]| to | and §)(\d+(?:\.\d+)?))?/g;
/** A page with the title of a section: `CONTRIBUTING.md, "A new table"`. */
const HEADING = /([\w./-]+\.md), "([^"]+)"/g;
const DECISION = /\bdecisions? (\d+)\b/gi;
const DOCUMENT =
  /(?<![\w/.-])((?:docs|models|test|src|scripts|firmware-bridge|systemd|\.ci)\/[\w./-]+\.(?:md|ts|tsx|mjs|sh|c|py|json|sql|yml|css|service))\b/g;
/** A page, or a source, by its name alone. */
const PAGE = /(?<![\w/.`*-])([\w-]+\.(?:md|rst))\b/g;
const ALONE = /(?<![\w/.*$<{:-])([\w-]+\.(?:ts|tsx|mjs|sh|css|sql|service|path|timer))(?![\w/])/g;
/** The name in `{@link}`; it is dangling unless the file declares or imports it. */
const LINKED = /\{@link ([\w$]+)/g;
/** A file named from a folder of src, as `core/http/app.ts`; one of core or of a feature alone is dangling. */
const FOLDERS = ["src", "src/core", "src/features"].flatMap((folder) => readdirSync(join(PROJECT_ROOT, folder)));
const SHORT = new RegExp(`(?<![\\w@/.$-])((?:${FOLDERS.join("|")})/[\\w./-]+\\.(?:ts|tsx))(?![\\w/])`, "g");
/** A file in a language that is hardly used here: mostly one of another project. */
const FOREIGN = /(?<![\w/.:-])((?:[A-Za-z][\w-]*\/)+[\w.-]+\.(?:cpp|hpp|cc|c|h|py|rst|go|rs|java|md))\b/g;

/** Folders in which a short name may begin, besides the citing file's own. */
const PLACES = ["src", "src/core", "src/features", "test", "scripts", ""];
/** Folders in which a page cited by its name alone may be, besides the citing file's own. */
const PAGES = ["", "docs", "docs/spec", "docs/decisions", "models"];
const ALONE_IN = ["src", "scripts", "systemd"];
/** Examples of paths and of a migration's name. */
const EXAMPLES = new Set(["test/x/y.test.ts", "scripts/x.mjs", "NNNN-name.sql"]);
/** Files that have been renamed. Only migrations may cite them: they are never edited. */
const FORMER = new Set([
  "automations/traces.ts",
  "cameras/camera-source.ts",
  "src/access/grant-kinds.ts",
  "src/access/revocations.ts",
  "src/domain/plates/earns.ts",
  "src/gate/gate-choices.ts",
  "src/bridge/client-password.ts",
  "src/domain/energy-counter.ts",
  "src/domain/plates/masters.ts",
  "src/domain/tariff.ts",
  "src/mqtt/bridge-side.ts",
  "src/storage/tables/revocation.ts",
  "storage/migrate.ts",
  "telemetry/block-format.ts",
  "telemetry/journal-format.ts",
]);

const ADDRESS = /https?:\/\/\S/;
/** A standard by its number. */
const NUMBERED =
  /\b(RFC \d+\b(?!bis)|MQTT 3\.1\.1|MQTT-\d|ISO(\/IEC)? \d+|IEC \d+|NIST SP \d+|JEDEC \d+|ECMA-\d+|CycloneDX \d|WebAuthn)/;
/** What § may number: a page of this repository, a numbered standard, an address. */
const COUNTED =
  /\b((?:device-control-api|domain|interface)\.md|RFC \d+|MQTT 3\.1\.1|NIST SP [\w-]+|ISO [\d-]+)\b|https?:\/\/\S/i;

/** Issues of other projects: only with an address beside them. */
const ISSUES: readonly RegExp[] = [
  /\b(issues?|pull requests?|PR|bugs?|tickets?) #?\d+\b/i,
  /(?<![\w&/(-])#\d{3,6}\b(?![\da-f])/,
];
/** Words for external sources: only with a number or an address beside them. */
const NEEDS_ADDRESS: readonly RegExp[] = [
  /\bSources?: /,
  /\b(the (spec|RFC)|specifications?|documentation|data ?sheet|handbook|white ?paper|application note)\b/i,
  /\bstandard (asks|says|wants|requires|demands|recommends)\b/i,
  /\b(documents (it|them)|(its|their|as|one of the) document(s|ed)|'s documented|integration pages?)\b/i,
  /\b(OWASP|OASIS|W3C|IETF|CVE|WS-[A-Z]\w+|ONVIF Core|[Cc]heat [Ss]heet)\b/,
  /\b(et al\.|RFC \d+bis\b)/,
  ...ISSUES,
];
/** A web page cited without the beginning of its address. */
const BARE_HOST = /(?<![\w./@:-])(?:[a-z][\w-]*\.)+(?:io|com|org|net|cloud|dev|video)\/[\w#/.-]+/g;
/** A site by its name alone: `techspot.com, "…"`. */
const SITE = /(?<![\w./@:*-])(?!(?:[\w-]+\.)*example\.)(?:[a-z][\w-]*\.)+(?:com|org)(?![\w/:-]|\.\w)/g;
/** Documents that nobody outside has, and conversations that nobody can read. */
const NOWHERE: readonly RegExp[] = [
  /\b(the|our|this) (brief|ticket|backlog|roadmap|milestone|design (notes?|doc(ument)?s?|page))\b/i,
  /\b(of|by|per|in|from) the (design|plan|spec)\b(?! of\b)/i,
  /\bas (discussed|agreed|planned|requested)\b/i,
  /\b(API|design|requirements?|domain|architecture) (page|note)s?\b/,
  /(?<!\*)\b(contract|domain|interface) (§ ?)?\d+(\.\d+)?\b/i,
  /\b(by contract\b|\(contract: )/,
  /\bRFC \d+, \d{1,2}(\.\d+)*\b/,
  /\b(rule|item|point|finding|requirement|clause|chapter) \d+\b/i,
];

const CODE = /\.(ts|tsx|mjs|cjs|css|c)$/;
const SPECIFICATION = "docs/spec";

/** `2` for a heading "## 2.", `2.3` for an item "* 2.3 …"; `25` for an item "25. …" below a heading without a number. */
function sections(name: string): Set<string> {
  const text = readFileSync(join(PROJECT_ROOT, SPECIFICATION, name), "utf8");
  const numbers = name === "interface.md" ? /^(\d+)\. /gm : /^(?:## (\d+)\.|\* (\d+\.\d+)) /gm;
  return new Set([...text.matchAll(numbers)].map(([, heading, item]) => heading ?? item ?? ""));
}

/** The sections of the pages that are cited by them. */
export const SECTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  "device-control-api": sections("device-control-api.md"),
  domain: sections("domain.md"),
  interface: sections("interface.md"),
};
const DECISIONS = readdirSync(join(PROJECT_ROOT, "docs/decisions"));

/** Citations of a file that nobody can look up. */
export function dangling(file: string, content: string): string[] {
  return proseOf(file, content)
    .flatMap((text) => [...unknownSections(text), ...unknownFiles(file, text), ...unnamedSources(file, text)])
    .concat(deadLinks(file, content))
    .map((cited) => `${file}: ${cited}`);
}

/** Names in `{@link}` that the file neither declares nor imports. */
function deadLinks(file: string, content: string): string[] {
  if (!/\.(ts|tsx|mjs)$/.test(file)) return [];
  const names = new Set(content.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "").match(/[\w$]+/g));
  return [...content.matchAll(LINKED)].flatMap(([whole, name = ""]) => (names.has(name) ? [] : [whole]));
}

/** The comments and test titles of a source, paragraph by paragraph; the paragraphs of anything else. */
export function proseOf(file: string, content: string): string[] {
  if (file.endsWith(".md") || file.endsWith(".txt")) return content.split(/\n\s*\n/).map(oneLine);
  const found: string[] = [];
  let comment: string[] = [];
  for (const line of [...content.split("\n"), ""]) {
    const commentText = commentIn(file, line);
    if (commentText !== null) comment.push(commentText);
    else if (comment.length > 0) {
      found.push(oneLine(comment.join(" ")));
      comment = [];
    }
  }
  const titles = [...content.matchAll(/\bt\.test\(\s*"([^"]+)"/g)].map(([, title = ""]) => title);
  const docstrings = file.endsWith(".py")
    ? [...content.matchAll(/"""([\s\S]*?)"""/g)].map(([, text = ""]) => text)
    : [];
  return [...found, ...titles, ...docstrings.map(oneLine)];
}

function commentIn(file: string, line: string): string | null {
  const pattern = CODE.test(file)
    ? /^\s*(?:\/\*+|\*+\/?|\/\/)(.*)$|[\s;,{}]\/\/ (.*)$|\/\*+ (.*)\*\//
    : file.endsWith(".sql")
      ? /--(.*)$/
      : /^\s*#(.*)$|\s# (.*)$/;
  const match = pattern.exec(line);
  return match === null ? null : (match.slice(1).find((group) => group !== undefined) ?? "");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function unknownSections(text: string): string[] {
  const sections = [...text.matchAll(SECTION)]
    .filter(([, page = "", from = "", to = from]) => ![from, to].every((one) => SECTIONS[page]?.has(one)))
    .map(([whole]) => whole);
  const decisions = [...text.matchAll(DECISION)]
    .filter(([, number = ""]) => !DECISIONS.some((name) => name.startsWith(`${number.padStart(4, "0")}-`)))
    .map(([whole]) => whole);
  const uncounted = [...text.matchAll(/§ ?\d[\d.]*/g)]
    .filter(({ index, 0: whole }) => {
      const linked = text.slice(index + whole.length).startsWith("](http");
      return !linked && !COUNTED.test(text.slice(0, index));
    })
    .map(([whole]) => whole);
  const titles = [...text.matchAll(HEADING)]
    .filter(([, page = "", title = ""]) => {
      const path = PAGES.map((place) => join(PROJECT_ROOT, place, page)).find((one) => existsSync(one));
      return (
        path !== undefined &&
        !readFileSync(path, "utf8")
          .split("\n")
          .some((line) => line.replace(/^#+ /, "") === title)
      );
    })
    .map(([whole]) => whole);
  return [...sections, ...decisions, ...titles, ...uncounted];
}

function unknownFiles(file: string, text: string): string[] {
  const exists = (path: string, places: readonly string[]): boolean =>
    [...places, dirname(file)].some((place) => existsSync(join(PROJECT_ROOT, place, path)));
  const unknown = (pattern: RegExp, places: readonly string[]): string[] =>
    [...text.matchAll(pattern)].flatMap(([, path = ""]) => (exists(path, places) ? [] : [path]));
  const isCode = !file.endsWith(".md");
  const isKnown = (path: string): boolean => EXAMPLES.has(path) || (FORMER.has(path) && file.includes("/migrations/"));
  return [
    ...unknown(DOCUMENT, [""]),
    ...unknown(SHORT, PLACES),
    ...(isCode ? [...unknown(PAGE, PAGES), ...unknown(ALONE, ALONE_IN), ...unknown(FOREIGN, PLACES)] : []),
  ].filter((path, at, all) => !isKnown(path) && all.indexOf(path) === at);
}

function unnamedSources(file: string, text: string): string[] {
  const first = (patterns: readonly RegExp[]): string[] =>
    patterns.flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);
  const hosts = [...text.matchAll(BARE_HOST)].map(([whole]) => whole);
  // Documents for people mention external standards and pages in many ways; only their links are checked.
  const outside = file.endsWith(".md") || ADDRESS.test(text) || NUMBERED.test(text) ? [] : first(NEEDS_ADDRESS);
  const issues = file.endsWith(".md") && !ADDRESS.test(text) ? first(ISSUES) : [];
  const own = text.replace(/"[^"]*"/g, ""); // quotations are in quotes
  const nowhere = NOWHERE.flatMap((pattern) => pattern.exec(own)?.[0] ?? []);
  const sites = [...text.replace(/`[^`]*`|\bhttps?:\S+/g, "").matchAll(SITE)].map(([whole]) => whole);
  return [...(file.endsWith(".md") ? [] : hosts), ...sites, ...outside, ...issues, ...nowhere];
}
