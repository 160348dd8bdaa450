/** Contrast of words over pictures, which no rule of axe can see: computed from the drawn page. */
import type { Page } from "playwright-core";
import sharp from "sharp";

interface Place {
  readonly words: string;
  readonly color: readonly number[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The words within `selector`, and their contrast with the pixel behind them that is nearest to their colour (WCAG 2).
 * Plates bring their own ground and are left out.
 */
export async function contrasts(page: Page, selector: string): Promise<{ words: string; contrast: number }[]> {
  const places = (await page.evaluate(`(() => {
    const root = document.querySelector(${JSON.stringify(selector)});
    root.scrollIntoView({ block: "start" });
    const found = [];
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: node } = texts;
      const { parentElement: parent } = node;
      if (node.data.trim() === "" || parent.closest(".plate, .sr-only, .button") !== null) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const color = getComputedStyle(parent).color.match(/[\\d.]+/g).map(Number);
      for (const { x, y, width, height } of range.getClientRects())
        found.push({ words: node.data.trim(), color, x, y, width, height });
    }
    for (const element of root.querySelectorAll("*")) {
      element.style.color = "transparent"; // what remains is what stands behind the words
      element.style.textShadow = "none";
      element.style.animation = "none";
    }
    return found;
  })()`)) as Place[]; // as written above
  const { data, info } = await sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return places
    .filter(({ y, height }) => y >= 0 && y + height <= info.height)
    .map(({ words, color, x, y, width, height }) => {
      let contrast = Number.POSITIVE_INFINITY;
      for (let row = Math.floor(y); row < y + height; row++)
        for (let column = Math.floor(x); column < Math.min(x + width, info.width); column++) {
          const at = (row * info.width + column) * info.channels;
          contrast = Math.min(contrast, ratio(color, data.subarray(at, at + 3)));
        }
      return { words, contrast };
    });
}

function ratio(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: ArrayLike<number>): number {
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((channel) => {
    const share = (color[channel] ?? 0) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
