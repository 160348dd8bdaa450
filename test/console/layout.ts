/** Whether the layout of pages is readable: nothing beyond the screen, nothing over something else. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Test } from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { follow } from "./stage.ts";

/** The console's own records of pages, so that none can be forgotten: the pattern (`/devices/:id`), and the help. */
export const RECORDS: readonly { readonly path: string; readonly help: string }[] = (await recordsOfPages()).flatMap(
  (text) =>
    [...text.matchAll(/ path: "([^"]+)"(?:(?! path: )[\s\S])*? help: "([^"]+)"/g)].map(([, path = "", help = ""]) => ({
      path,
      help,
    })),
);

/** Their patterns. */
export const PATTERNS: readonly string[] = RECORDS.map(({ path }) => path);

async function recordsOfPages(): Promise<string[]> {
  const folder = join(PROJECT_ROOT, "src/console/pages");
  const list = await readFile(join(folder, "pages.ts"), "utf8");
  const files = [...list.matchAll(/ from "(.*\/console\/pages\.ts)"/g)].map(([, file = ""]) => join(folder, file));
  return [list, ...(await Promise.all(files.map((file) => readFile(file, "utf8"))))];
}

/** Common screens: a small phone, a phone, a tablet upright, a laptop, a large monitor. */
export const SCREENS = {
  360: { width: 360, height: 740 },
  390: { width: 390, height: 844 },
  768: { width: 768, height: 1024 },
  1280: { width: 1280, height: 900 },
  1920: { width: 1920, height: 1080 },
} as const;

/** Width of one of the {@link SCREENS}. */
export type Width = keyof typeof SCREENS;

/** How long a page may take to follow a new width: charts are drawn anew for it. */
const FOLLOWS_WITHIN_MS = 3_000;

/**
 * How far a page can be scrolled sideways, in pixels, once it has followed the width of its screen: 0, or what is left
 * after {@link FOLLOWS_WITHIN_MS}; NaN if it never had that width.
 */
export async function beyond(page: Page): Promise<number> {
  const width = page.viewportSize()?.width;
  const past = await page.evaluate(`new Promise((resolve) => {
    const until = performance.now() + ${FOLLOWS_WITHIN_MS};
    const measure = () => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const past = innerWidth === ${width} ? scrollWidth - clientWidth : NaN;
      if (past <= 0 || performance.now() > until) resolve(past);
      else requestAnimationFrame(measure);
    };
    measure();
  })`);
  return Number(past);
}

/** Words of so many letters have room on every screen; names may be longer. */
const SHORT_WORD = 14;

/**
 * Overlaps: each pair of texts, fields, buttons and pictures of a page that share more than a hair's breadth of the
 * screen, in words; and texts so squeezed that short words are broken. Elements that are clipped, hidden, floating above the page or deliberately on top of their
 * surroundings are left out.
 */
export async function overlaps(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const HAIR = 2.5;
    const floats = new Set(["fixed", "sticky"]);
    const root = document.querySelector("main");
    const isOut = (element) => {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
      for (let one = element; one && one !== root; one = one.parentElement) {
        const style = getComputedStyle(one);
        if (floats.has(style.position) || one.matches(".sr-only, .plot, .uplot, svg, .plate-overlay, option"))
          return true;
      }
      return false;
    };
    const clipped = (rect, element) => {
      let { left, top, right, bottom } = rect;
      for (let one = element; one && one !== root; one = one.parentElement) {
        const style = getComputedStyle(one);
        if (style.overflowX === "visible" && style.overflowY === "visible") continue;
        const box = one.getBoundingClientRect();
        left = Math.max(left, box.left); top = Math.max(top, box.top);
        right = Math.min(right, box.right); bottom = Math.min(bottom, box.bottom);
      }
      return { left, top, right, bottom };
    };
    // what was put over its surroundings on purpose: the time on a picture, the keys in a search field
    const laidOver = (element) => {
      for (let one = element; one && one !== root; one = one.parentElement)
        if (getComputedStyle(one).position === "absolute") return one.offsetParent;
      return null;
    };
    const items = [];
    const broken = [];
    const add = (node, element, rect, name) => {
      const box = clipped(rect, element);
      if (box.right - box.left > HAIR && box.bottom - box.top > HAIR) items.push({ node, name, laidOver: laidOver(element), ...box });
    };
    for (const element of root.querySelectorAll("button, input, select, textarea, img, video")) {
      if (element.type === "file" || isOut(element)) continue;
      add(element, element, element.getBoundingClientRect(), element.tagName.toLowerCase() + " " + (element.getAttribute("aria-label") || element.textContent || element.id).slice(0, 40));
    }
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (node.data.trim() === "" || isOut(node.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const words = node.data.trim().split(/[\\s\\u2011-\\u2014/-]+/);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4))).size;
      if (!node.parentElement.closest("code") && lines > words.length && words.every((word) => word.length <= ${SHORT_WORD})) broken.push("“" + node.data.trim().slice(0, 40) + "” has no room for its words");
      // a line box is taller than its letters
      for (const { left, right, top, bottom } of range.getClientRects())
        add(node, node.parentElement, { left, right, top: top + (bottom - top) * 0.2, bottom: bottom - (bottom - top) * 0.2 }, "“" + node.data.trim().slice(0, 40) + "”");
    }
    items.sort((one, other) => one.top - other.top);
    const pairs = [];
    for (let i = 0; i < items.length && pairs.length < 5; i++)
      for (let j = i + 1; j < items.length && items[j].top < items[i].bottom; j++) {
        const [one, other] = [items[i], items[j]];
        if (one.laidOver?.contains(other.node) || other.laidOver?.contains(one.node)) continue;
        if (one.node === other.node || one.node.contains(other.node) || other.node.contains(one.node)) continue;
        if (Math.min(one.right, other.right) - Math.max(one.left, other.left) > HAIR && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > HAIR)
          pairs.push(one.name + " and " + other.name);
      }
    return [...broken.slice(0, 5), ...pairs];
  })()`);
  return found as string[]; // the script above returns texts
}

/** Waits until the page has drawn itself anew: what it shows by its width follows a frame later. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
  );
}

/** Each of `paths` at each width: no wider than the screen, and nothing over something else. */
export async function fits(
  page: Page,
  paths: readonly string[],
  widths: readonly Width[],
  t: Test,
  when = "",
): Promise<void> {
  for (const path of paths) {
    await follow(page, path);
    for (const width of widths) {
      await page.setViewportSize(SCREENS[width]);
      await drawn(page);
      t.equal(await beyond(page), 0, `${path} does not scroll sideways at ${width}${when}`);
      t.same(await overlaps(page), [], `${path}: nothing covers something else at ${width}${when}`);
    }
  }
}
