import { expectModule } from "../kernel/native-modules.js";
import { askThread } from "../kernel/thread.js";

/** Rows of a 5 × 7 letter, five bits each. Drawn here because a hub without fonts has to show simulated plates too. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  "0": [14, 17, 19, 21, 25, 17, 14],
  "1": [4, 12, 4, 4, 4, 4, 14],
  "2": [14, 17, 1, 2, 4, 8, 31],
  "3": [31, 2, 4, 2, 1, 17, 14],
  "4": [2, 6, 10, 18, 31, 2, 2],
  "5": [31, 16, 30, 1, 1, 17, 14],
  "6": [6, 8, 16, 30, 17, 17, 14],
  "7": [31, 1, 2, 4, 8, 8, 8],
  "8": [14, 17, 17, 14, 17, 17, 14],
  "9": [14, 17, 17, 15, 1, 2, 12],
  A: [14, 17, 17, 31, 17, 17, 17],
  B: [30, 17, 17, 30, 17, 17, 30],
  C: [14, 17, 16, 16, 16, 17, 14],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  F: [31, 16, 16, 30, 16, 16, 16],
  G: [14, 17, 16, 23, 17, 17, 15],
  H: [17, 17, 17, 31, 17, 17, 17],
  I: [14, 4, 4, 4, 4, 4, 14],
  J: [7, 2, 2, 2, 2, 18, 12],
  K: [17, 18, 20, 24, 20, 18, 17],
  L: [16, 16, 16, 16, 16, 16, 31],
  M: [17, 27, 21, 21, 17, 17, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  O: [14, 17, 17, 17, 17, 17, 14],
  P: [30, 17, 17, 30, 16, 16, 16],
  Q: [14, 17, 17, 17, 21, 18, 13],
  R: [30, 17, 17, 30, 20, 18, 17],
  S: [15, 16, 16, 14, 1, 1, 30],
  T: [31, 4, 4, 4, 4, 4, 4],
  U: [17, 17, 17, 17, 17, 17, 14],
  V: [17, 17, 17, 17, 17, 10, 4],
  W: [17, 17, 17, 21, 21, 27, 17],
  X: [17, 17, 10, 4, 10, 17, 17],
  Y: [17, 17, 10, 4, 4, 4, 4],
  Z: [31, 1, 2, 4, 8, 16, 31],
};

/** A car to be drawn. */
export interface Car {
  readonly plate: string;
  readonly isNight: boolean;
}

const WIDTH = 1280;
const HEIGHT = 720;
const PAINTS = ["#3b4a6b", "#7a2f2f", "#4d5a52", "#8a8f96", "#20242b", "#b8b2a4"] as const;

/** A drawn car with its plate as a JPEG of 1280 × 720, by day or by night; a plate always gets the same paint. */
export async function drawCar(plate: string, isNight: boolean): Promise<Buffer> {
  const paint = PAINTS[[...plate].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % PAINTS.length] ?? PAINTS[0];
  const sky = isNight ? "#0c1018" : "#9fb4c7";
  const road = isNight ? "#191b1f" : "#5d5f62";
  const lamps = isNight ? "#fff6d0" : "#e8e8e8";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="${sky}"/><rect y="420" width="${WIDTH}" height="300" fill="${road}"/>
<path d="M430 250 L850 250 L930 400 L350 400 Z" fill="#1c2430"/><rect x="310" y="390" width="660" height="210" rx="36" fill="${paint}"/>
<rect x="350" y="590" width="110" height="70" rx="14" fill="#0d0d0f"/><rect x="820" y="590" width="110" height="70" rx="14" fill="#0d0d0f"/>
<circle cx="370" cy="450" r="32" fill="${lamps}"/><circle cx="910" cy="450" r="32" fill="${lamps}"/>
<rect x="504" y="486" width="272" height="68" rx="6" fill="#f4f4f0" stroke="#111" stroke-width="3"/>${letters(plate)}</svg>`;
  expectModule("sharp");
  const { default: sharp } = await import("sharp"); // only where there is a simulated gate
  sharp.cache(false); // useless for pictures drawn once
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer();
}

/**
 * {@link drawCar} for each, in a thread of their own: loading the library alone would block the event loop for tens of
 * milliseconds.
 */
export async function drawCarsInThread(cars: readonly Car[]): Promise<Buffer[]> {
  if (cars.length === 0) return [];
  const drawn = await askThread<Uint8Array[]>(new URL("./picture-worker.js", import.meta.url), cars);
  return drawn.map((bytes) => Buffer.from(bytes));
}

function letters(plate: string): string {
  const shown = [...plate].slice(0, 12);
  const cell = 256 / Math.max(10, shown.length);
  const dot = cell / 6.2;
  const left = 640 - (shown.length * cell) / 2;
  return shown
    .flatMap((letter, index) =>
      (GLYPHS[letter] ?? []).flatMap((bits, y) =>
        [0, 1, 2, 3, 4]
          .filter((x) => (bits & (16 >> x)) !== 0)
          .map(
            (x) =>
              `<rect x="${(left + index * cell + x * dot).toFixed(1)}" y="${(500 + y * 5.8).toFixed(1)}" width="${(dot + 0.3).toFixed(1)}" height="6" fill="#111"/>`,
          ),
      ),
    )
    .join("");
}
