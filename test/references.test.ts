/**
 * The targets of links in the documents exist: relative links, the sections that they name, and paths in backticks that
 * name a file or folder of this repository.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "./support/database.ts";

/** Top folders whose paths in backticks are checked; others are examples (`data/…`, `/etc/…`). */
const FOLDERS = "src|test|scripts|docs|models|systemd|firmware-bridge";
const LINK = /\]\((?!https?:|mailto:|#)([^)\s#]+)/g;
const SECTION = /\]\((?!https?:|mailto:)([^)\s#]*)#([^)\s]+)\)/g;
const PATH = new RegExp(`\`((?:${FOLDERS})/[\\w./-]+)\``, "g");

/** The Markdown documents of the repository. */
function documents(): string[] {
  const inFolders = FOLDERS.split("|").flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) =>
      join(PROJECT_ROOT, folder, file),
    ),
  );
  const atTop = readdirSync(PROJECT_ROOT).map((file) => join(PROJECT_ROOT, file));
  return [...atTop, ...inFolders].filter((file) => file.endsWith(".md") && !file.includes("node_modules"));
}

/** Dangling targets of `file`. */
function missing(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const links = [...text.matchAll(LINK)].map(([, target = ""]) => resolve(dirname(file), decodeURI(target)));
  const paths = [...text.matchAll(PATH)].flatMap(([, path = ""]) => {
    const known = [join(PROJECT_ROOT, path), resolve(dirname(file), path)];
    return known.some((place) => existsSync(place)) ? [] : [join(PROJECT_ROOT, path)];
  });
  const sections = [...text.matchAll(SECTION)].flatMap(([, target = "", name = ""]) => {
    const page = target === "" ? file : resolve(dirname(file), decodeURI(target));
    return existsSync(page) && !anchors(page).includes(name) ? [`${page}#${name}`] : [];
  });
  return [...links.filter((target) => !existsSync(target)), ...paths, ...sections].map((target) =>
    relative(PROJECT_ROOT, target),
  );
}

/** The names of a page's sections: those that it gives them, and those that GitHub makes of their headings. */
function anchors(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const given = [...text.matchAll(/^<a id="([\w-]+)"><\/a>$/gm)].map(([, name = ""]) => name);
  const made = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
  return [...given, ...made];
}

t.test("every document points to existing targets", async (t) => {
  const files = documents();
  t.ok(files.length > 15, `${files.length} documents`);
  for (const file of files) t.same(missing(file), [], relative(PROJECT_ROOT, file));
});
