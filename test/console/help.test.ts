/** The "?" of each page leads to a chapter that the hub carries, and to a part that is in it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { chapterOf } from "../../src/console/components/help-chapter.ts";
import { anchorOf, CHAPTERS, isChapter } from "../../src/features/system/console/help-chapters.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { PATTERNS } from "./layout.ts";

/** The fragments of a chapter's headings. */
async function partsOf(chapter: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(PROJECT_ROOT, "docs", `${chapter}.md`), "utf8");
  return new Set([...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

t.test("every page has its chapter", async (t) => {
  t.ok(PATTERNS.length > 35);
  for (const path of PATTERNS) {
    const [chapter = "", part] = chapterOf(path).split("#");
    t.ok(isChapter(chapter), `${path}: ${chapter}`);
    if (part !== undefined) t.ok((await partsOf(chapter)).has(part), `${path}: ${chapter}#${part}`);
  }
});

t.test("pages do not all lead to the same place", async (t) => {
  const chapters = new Set(PATTERNS.map((path) => chapterOf(path).split("#")[0]));
  t.ok(chapters.size >= 6, [...chapters].join(", "));
});

t.test("every chapter is a file of the manual", async (t) => {
  for (const chapter of Object.keys(CHAPTERS)) t.ok((await partsOf(chapter)).size > 0, chapter);
});
