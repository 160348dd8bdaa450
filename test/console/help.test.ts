/** The "?" of each page leads to a chapter that the hub carries, and to a part that is in it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { anchorOf, chapterOf } from "../../src/console/components/help-chapter.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { PATTERNS } from "./layout.ts";

/** The chapters that the console carries, by the files that it loads. */
const LIST = await readFile(join(PROJECT_ROOT, "src/features/system/console/help-chapters.ts"), "utf8");
const CHAPTERS = [...LIST.matchAll(/docs\/([\w-]+)\.md\?raw/g)].map(([, chapter = ""]) => chapter);

/** The fragments of a chapter's headings. */
async function partsOf(chapter: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(PROJECT_ROOT, "docs", `${chapter}.md`), "utf8");
  return new Set([...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

t.test("every page has its chapter", async (t) => {
  t.ok(PATTERNS.length > 35);
  for (const path of PATTERNS) {
    const [chapter = "", part] = chapterOf(path).split("#");
    t.ok(CHAPTERS.includes(chapter), `${path}: ${chapter}`);
    if (part !== undefined) t.ok((await partsOf(chapter)).has(part), `${path}: ${chapter}#${part}`);
  }
});

t.test("pages do not all lead to the same place", async (t) => {
  const chapters = new Set(PATTERNS.map((path) => chapterOf(path).split("#")[0]));
  t.ok(chapters.size >= 6, [...chapters].join(", "));
});

t.test("every chapter is a file of the manual", async (t) => {
  t.ok(CHAPTERS.length >= 10);
  for (const chapter of CHAPTERS) t.ok((await partsOf(chapter)).size > 0, chapter);
});
