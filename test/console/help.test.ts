/** The "?" of each page opens its own section of the manual over the page, in English and in Hindi. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { anchorOf, relatedTo, type Section, searchSections, sectionsOf } from "../../src/console/help/sections.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond, RECORDS, SCREENS } from "./layout.ts";
import { cannotBrowse, follow, holds, settled, startOwnedStage, violations } from "./stage.ts";

/** The chapters that the console carries, by the files that it loads. */
const LIST = await readFile(join(PROJECT_ROOT, "src/console/help/chapters.ts"), "utf8");
const CHAPTERS = [...LIST.matchAll(/docs\/([\w.-]+)\.md\?raw/g)].map(([, chapter = ""]) => chapter);

const read = async (file: string): Promise<string> => readFile(join(PROJECT_ROOT, "docs", file), "utf8");
const english = sectionsOf(await read("using-gatehouse.md"));
const hindi = sectionsOf(await read("using-gatehouse.hi.md"));

/** Words of a section: what one reads beside the page before one goes on. */
const FEWEST = 25;
const MOST = 260;

t.test("every page has a section of its own length, in both languages", async (t) => {
  t.ok(RECORDS.length > 35);
  for (const { path, help } of RECORDS) {
    const [chapter = "", id] = help.split("#");
    t.equal(chapter, "using-gatehouse", `${path}: the chapter that has both languages`);
    for (const sections of [english, hindi]) {
      const section = sections.find((one) => one.id === id);
      const words = section?.text.split(/\s+/).length ?? 0;
      t.ok(words >= FEWEST && words <= MOST, `${path}: ${help} has ${words} words`);
      t.match(section?.text, /^1\. .*\n(?:.*\n)*2\. .*\n(?:.*\n)*3\. /m, `${path}: three things step by step`);
    }
  }
});

t.test("a chapter in Hindi has the sections, steps and commands of the English one", async (t) => {
  const translated = CHAPTERS.filter((chapter) => chapter.endsWith(".hi"));
  t.ok(translated.length >= 11, translated.join(", "));
  for (const chapter of translated) {
    const [en, hi] = await Promise.all(
      [chapter.slice(0, -3), chapter].map(async (one) => sectionsOf(await read(`${one}.md`))),
    );
    const steps = ({ text }: Section): number => text.match(/^\d+\. /gm)?.length ?? 0;
    const commands = ({ text }: Section): string[] =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command.replaceAll(/\s+/g, " ")).sort();
    const shape = (sections: readonly Section[] = []) =>
      sections.slice(1).map((one) => [one.id, one.part, steps(one), commands(one)]);
    t.strictSame(shape(hi), shape(en), chapter);
  }
});

t.test("a chapter that has no Hindi leads to the section of the house that has", () => {
  const isTranslated = (chapter: string): boolean => CHAPTERS.includes(`${chapter}.hi`);
  const led = [...LIST.matchAll(/ownersSection: "([\w-]+)"/g)].map(([, id]) => id);
  const english = CHAPTERS.filter((chapter) => !chapter.endsWith(".hi") && !isTranslated(chapter));
  t.strictSame(english, ["client-guide"], "for those who write programs");
  t.equal(led.length, english.length);
  for (const id of led)
    t.ok(
      hindi.some((one) => one.id === id),
      `${id} is a section`,
    );
  return Promise.resolve();
});

t.test("pages that differ have sections that differ", async (t) => {
  const by = new Map<string, string[]>();
  for (const { path, help } of RECORDS) by.set(help, [...(by.get(help) ?? []), path]);
  t.same(
    [...by.values()].filter(({ length }) => length > 1),
    [
      ["/gate/cameras/new", "/gate/cameras/:id/find"],
      ["/help", "/help/:chapter"],
    ],
  );
});

t.test("both languages have the same sections in the same order", async (t) => {
  const shape = (sections: readonly Section[]) => sections.slice(1).map(({ id, part }) => [id, part]);
  t.same(shape(hindi), shape(english));
  t.equal(new Set(english.map(({ id }) => id)).size, english.length, "no two have the same id");
  for (const { id, text } of hindi) t.match(text, /[\u0900-\u097F]/, `${id} is in Hindi`);
});

t.test("links within the manual lead somewhere, and each section has related ones", async (t) => {
  for (const sections of [english, hindi])
    for (const section of sections) {
      for (const [, id = ""] of section.text.matchAll(/\]\(#([^)]+)\)/g))
        t.ok(
          sections.some((one) => one.id === id),
          `${section.id} links to #${id}`,
        );
      const related = relatedTo(section, sections);
      t.ok(related.length >= 2 && related.length <= 4 && !related.includes(section), section.id);
    }
  const [rules, passes] = ["plate-rules", "guest-passes"].map((id) => english.find((one) => one.id === id));
  if (rules !== undefined && passes !== undefined)
    t.equal(relatedTo(passes, english)[0], rules, "what it links to first");
});

t.test("a chapter in Hindi leads to others in Hindi where there are such", async (t) => {
  for (const chapter of CHAPTERS.filter((one) => one.endsWith(".hi"))) {
    const linked = [...(await read(`${chapter}.md`)).matchAll(/\]\(([\w-]+)\.md(?:#[^)]*)?\)/g)].map(([, to]) => to);
    t.strictSame(
      linked.filter((to) => CHAPTERS.includes(`${to}.hi`)),
      [],
      chapter,
    );
  }
});

t.test("every chapter is a file of the manual", async (t) => {
  t.ok(CHAPTERS.length >= 12);
  for (const chapter of CHAPTERS) t.ok(sectionsOf(await read(`${chapter}.md`)).length > 0, chapter);
  t.equal(anchorOf("Who is there?"), "who-is-there");
});

t.test("the search forgives", async (t) => {
  const found = (text: string, sections = english): string[] =>
    searchSections(sections, text).map(({ section }) => section.id);
  t.equal(found("guest pass")[0], "guest-passes");
  t.equal(found("GUÉST")[0], "guest-passes", "case and accents");
  t.equal(found("backu")[0], "backups", "part of a word");
  for (const [asked, id] of [
    ["gate does not open", "the-gate-does-not-open"],
    ["forgot password", "you-forgot-your-password"],
    ["device offline", "a-device-is-offline"],
    ["new router", "the-hub-is-in-another-network"],
  ] as const)
    t.equal(found(asked)[0], id, asked);
  t.equal(found("how do I invite someone")[0] !== undefined, true, "a question");
  t.ok(found("automationss").includes("automations"), "another ending");
  t.same(found("zzqx"), []);
  t.same(found("  "), []);
  t.equal(found("मेहमान", hindi)[0], "guest-passes");
  t.equal(found("बैकअप", hindi)[0], "backups");
  t.ok(found("गाडियां", hindi).includes("cars"), "without the dot, and with the other nasal sign");
  t.ok(found("कैमरों", hindi).includes("cameras"), "with another ending");
  const [first] = searchSections(english, "misread");
  t.match(first?.sentence, /misread/, "the sentence that has it");
  t.ok((first?.sentence.length ?? 0) < 200);
  t.notMatch(first?.sentence, /\*|\]\(/, "without the signs of Markdown");
});

/** Pages of every kind, and the words that their sections begin with in each language. */
const OPENED = [
  "/",
  "/gate",
  "/gate/rules",
  "/gate/guests",
  "/gate/cameras",
  "/gate/cameras/new",
  "/automations",
  "/automations/new",
  "/history",
  "/notifications/settings",
  "/system",
  "/system/settings",
  "/system/persons",
] as const;

t.setTimeout(180_000);
t.test("in the browser", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(() => stage.stop());
  const { desktop, phone } = stage.pages;
  await t.test("each page opens its own section beside it", (t) => beside(desktop, t));
  await t.test("the first download has neither manual nor sheet", (t) => isLate(phone, t));
  await t.test("on a phone over the page, by keyboard and back button", (t) => over(phone, t));
  await t.test("search and related sections stay in the sheet; the manual opens at the section", (t) =>
    further(desktop, t),
  );
  await t.test("what was typed on the page survives", (t) => keeps(desktop, t));
  await t.test("in Hindi", (t) => inHindi(phone, t));
  t.strictSame(stage.problems, [], "no console error, no failed request");
});

/** The title of a page's section. */
function titleOf(path: string, sections: readonly Section[]): string {
  const record = RECORDS.find((one) => one.path === path) ?? RECORDS.find((one) => one.path === "/automations/:id");
  return sections.find(({ id }) => id === record?.help.split("#")[1])?.title ?? "";
}

const sheetOf = (page: Page) => page.locator("dialog.help-sheet");
const focused = (page: Page): Promise<unknown> =>
  page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.outerHTML.slice(0, 120)");

async function beside(page: Page, t: Test): Promise<void> {
  await page.bringToFront();
  await page.goto("/more");
  for (const path of OPENED) {
    await follow(page, path);
    const button = page.getByRole("button", { name: "Help for this page" });
    await button.click();
    const sheet = page.getByRole("dialog", { name: titleOf(path, english), exact: true });
    await sheet.waitFor();
    t.equal(await button.getAttribute("aria-expanded"), "true", `${path}: the button says that it is open`);
    t.equal(new URL(page.url()).pathname, path, `${path} is not left`);
    t.equal(await sheet.getByRole("list").first().locator("li").count(), 3, `${path}: three steps, no other section`);
    const related = await sheet.getByRole("navigation", { name: "Related" }).getByRole("link").count();
    t.ok(related >= 2 && related <= 4, `${path}: ${related} related sections`);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    t.equal(await focused(page), "Help for this page", `${path}: focus is back`);
  }
  await page.getByRole("button", { name: "Help for this page" }).click();
  await sheetOf(page).waitFor();
  t.strictSame(await violations(page), [], "beside the page");
  await follow(page, "/scenes");
  t.equal(await sheetOf(page).count(), 0, "another page closes it");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
}

async function isLate(page: Page, t: Test): Promise<void> {
  await page.bringToFront();
  const files: string[] = [];
  page.on("request", (request) => files.push(new URL(request.url()).pathname));
  await page.goto("/gate/rules");
  await settled(page);
  const isHelp = (file: string): boolean => /help-sheet|using-gatehouse|manual/.test(file);
  t.same(files.filter(isHelp), []);
  await page.getByRole("button", { name: "Help for this page" }).click();
  await sheetOf(page).getByRole("navigation", { name: "Related" }).waitFor();
  t.ok(files.filter(isHelp).length >= 2, files.filter(isHelp).join(", "));
  t.same(
    files.filter((file) => file.includes("client-guide")),
    [],
    "no chapter that nobody asked for",
  );
}

async function over(page: Page, t: Test): Promise<void> {
  const sheet = sheetOf(page);
  await page.setViewportSize(SCREENS[360]);
  t.match(await sheet.boundingBox(), { x: 0, y: 0, width: 360, height: 740 }, "all of the screen");
  t.equal(await page.evaluate("document.querySelector('dialog.help-sheet').matches(':modal')"), true, "nothing behind");
  t.equal(await beyond(page), 0, "no wider than the screen");
  t.equal(await page.evaluate("document.querySelector('dialog.help-sheet').scrollWidth"), 360, "nor what is in it");
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await violations(page), [], `on a phone, ${colorScheme}`);
  }
  await page.goBack();
  await sheet.waitFor({ state: "detached" });
  t.equal(new URL(page.url()).pathname, "/gate/rules", "back closes it and stays on the page");
  t.equal(await focused(page), "Help for this page");
  await page.keyboard.press("Enter");
  await sheet.waitFor();
  await holds(page, "document.activeElement.tagName === 'H2'"); // by keyboard the focus goes to its title
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  t.equal(await focused(page), "Help for this page");
}

async function further(page: Page, t: Test): Promise<void> {
  await page.bringToFront();
  await follow(page, "/gate/guests");
  await page.getByRole("button", { name: "Help for this page" }).click();
  const sheet = sheetOf(page);
  const title = sheet.locator("h2");
  await sheet.getByRole("link", { name: "Plate rules" }).first().click();
  await title.filter({ hasText: "Plate rules" }).waitFor();
  await sheet.getByRole("button", { name: "Back to the section before" }).click();
  await title.filter({ hasText: "Guest passes" }).waitFor();
  await sheet.getByLabel("Search the manual").fill("rehearsal");
  const result = sheet.locator(".manual-found a").first();
  await result.waitFor();
  t.match(await result.textContent(), /^Backups.*rehearsal/, "title and sentence");
  t.equal(await result.locator("mark").first().textContent(), "rehearsal");
  t.strictSame(await violations(page), [], "with results");
  await result.click();
  await title.filter({ hasText: "Backups" }).waitFor();
  t.equal(await sheet.getByLabel("Search the manual").inputValue(), "");
  await sheet.getByLabel("Search the manual").fill("zzqx");
  await sheet.getByText("The manual has nothing about that. Try another word.").waitFor();
  await page.keyboard.press("Escape");
  t.equal(await sheet.count(), 1, "the first Escape empties the search");
  await sheet.getByRole("link", { name: "More in the manual" }).click();
  await page.getByRole("heading", { level: 1, name: "Using Gatehouse" }).waitFor();
  await holds(page, "Math.abs(document.getElementById('backups')?.getBoundingClientRect().top ?? 999) < 60");
  t.equal(await sheet.count(), 0);
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Guest passes" }).waitFor();
  await follow(page, "/help");
  await page.getByLabel("Search the manual").fill("certificat");
  await page.locator(".manual-found a").first().waitFor();
  t.equal(await beyond(page), 0);
}

async function keeps(page: Page, t: Test): Promise<void> {
  await follow(page, "/automations/new");
  await page.getByRole("button", { name: "In detail" }).click();
  const field = page.getByLabel("Name").first();
  await field.fill("Evening");
  await page.getByRole("button", { name: "Help for this page" }).click();
  await sheetOf(page).waitFor();
  await field.fill("Evening light");
  await page.keyboard.press("Escape");
  await sheetOf(page).waitFor({ state: "detached" });
  t.equal(await field.inputValue(), "Evening light", "the page can be used beside it");
  await page.getByRole("button", { name: "Help for this page" }).click();
  await sheetOf(page).waitFor();
  await page.goBack();
  await sheetOf(page).waitFor({ state: "detached" });
  t.equal(await page.getByRole("dialog").count(), 0, "back asks nothing: the page stays");
  t.equal(await field.inputValue(), "Evening light");
}

async function inHindi(page: Page, t: Test): Promise<void> {
  await page.bringToFront();
  await follow(page, "/system/browser");
  await page.getByLabel("Language").selectOption("hi");
  await page.getByRole("heading", { level: 1, name: "यह ब्राउज़र" }).waitFor();
  const sheet = sheetOf(page);
  for (const path of OPENED) {
    await follow(page, path);
    await page.getByRole("button", { name: "इस पेज की मदद" }).click();
    await page.getByRole("dialog", { name: titleOf(path, hindi), exact: true }).waitFor();
    t.match(await sheet.locator(".manual").textContent(), /[\u0900-\u097F]{3}/, `${path} in Hindi`);
    t.equal(
      await page.evaluate("document.querySelector('dialog.help-sheet').scrollWidth"),
      360,
      `${path}: nothing wider than the phone`,
    );
    t.equal(await sheet.getByText("यह अध्याय अभी सिर्फ़ अंग्रेज़ी में है।").count(), 0);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "इस पेज की मदद" }).click();
  await sheet.getByLabel("निर्देशिका में खोजें").fill("मेहमान");
  await sheet.locator(".manual-found a", { hasText: "मेहमान पास" }).first().waitFor();
  t.strictSame(await violations(page), [], "in Hindi");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await follow(page, "/help/gate");
  await page.getByRole("heading", { level: 2, name: "तस्वीरें कहाँ से आती हैं" }).waitFor();
  t.equal(await page.getByText("यह अध्याय अभी सिर्फ़ अंग्रेज़ी में है।").count(), 0, "a chapter that has Hindi");
  t.equal(await beyond(page), 0, "its tables and commands are no wider than the phone");
  await follow(page, "/help/settings");
  await page.getByRole("heading", { level: 2, name: "भंडारण" }).waitFor();
  t.equal(await beyond(page), 0, "its tables are no wider than the phone");
  await follow(page, "/help/client-guide");
  await page.getByText("यह अध्याय अभी सिर्फ़ अंग्रेज़ी में है।").waitFor();
  await page.getByRole("link", { name: "यही बात घर के लोगों के लिए, हिन्दी में" }).click();
  await page.getByRole("heading", { level: 1, name: "Gatehouse का उपयोग" }).waitFor();
  await holds(page, "Math.abs(document.getElementById('developer')?.getBoundingClientRect().top ?? 999) < 60");
  await follow(page, "/help");
  const trouble = page.locator(".card", { hasText: "जब कुछ काम न करे" });
  await trouble.getByRole("link", { name: "गेट नहीं खुलता" }).waitFor();
  t.equal(await trouble.getByRole("link").count(), 6);
  const installers = page.locator(".card", { hasText: "तकनीशियनों के लिए" });
  await installers.getByRole("link", { name: "सूचनाएँ", exact: true }).waitFor(); // in Hindi: not marked as English
  await installers.getByRole("link", { name: "गेट और उसके कैमरे", exact: true }).waitFor();
  await installers.getByRole("link", { name: "हर सेटिंग", exact: true }).waitFor();
  await installers.getByRole("link", { name: "प्रोग्रामों के लिए: API अंग्रेज़ी में" }).waitFor();
  t.strictSame(await violations(page), [], "the list of what the manual answers");
  t.equal(await beyond(page), 0);
}
