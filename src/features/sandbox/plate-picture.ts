import { expectModule } from "../../core/kernel/native-modules.ts";
import { askThread } from "../../core/kernel/thread.ts";

/**
 * Letters as strokes in a field of 4 × 6. Drawn here because a hub without fonts has to show simulated plates too.
 */
const STROKES: Readonly<Record<string, string>> = {
  "0": "M1 0H3Q4 0 4 1V5Q4 6 3 6H1Q0 6 0 5V1Q0 0 1 0Z",
  "1": "M0.6 1.2L2.2 0V6",
  "2": "M0 1.4Q0 0 2 0Q4 0 4 1.6Q4 2.6 0 6H4",
  "3": "M0 0H4L1.9 2.4Q4 2.4 4 4.2Q4 6 2 6Q0.4 6 0 4.8",
  "4": "M2.6 0L0 4.3H4M3 2.6V6",
  "5": "M3.8 0H0.4L0.2 2.6Q0.9 2.1 2 2.1Q4 2.1 4 4Q4 6 2 6Q0.4 6 0 4.9",
  "6": "M3 0Q0 1.6 0 4Q0 6 2 6Q4 6 4 4.2Q4 2.4 2 2.4Q0.4 2.4 0 4",
  "7": "M0 0H4L1.5 6",
  "8": "M2 0Q3.7 0 3.7 1.4Q3.7 2.8 2 2.8Q0.3 2.8 0.3 1.4Q0.3 0 2 0ZM2 2.8Q4 2.8 4 4.4Q4 6 2 6Q0 6 0 4.4Q0 2.8 2 2.8Z",
  "9": "M1 6Q4 4.4 4 2Q4 0 2 0Q0 0 0 1.8Q0 3.6 2 3.6Q3.6 3.6 4 2",
  A: "M0 6L2 0L4 6M0.7 4H3.3",
  B: "M0 0V6H2.3Q4 6 4 4.4Q4 2.9 2.3 2.9H0M2.3 2.9Q3.7 2.9 3.7 1.4Q3.7 0 2.3 0H0",
  C: "M4 1.2Q3.5 0 2 0Q0 0 0 3Q0 6 2 6Q3.5 6 4 4.8",
  D: "M0 0H1.8Q4 0 4 3Q4 6 1.8 6H0Z",
  E: "M4 0H0V6H4M0 2.9H3.2",
  F: "M4 0H0V6M0 2.9H3.2",
  G: "M4 1.2Q3.5 0 2 0Q0 0 0 3Q0 6 2 6Q4 6 4 4.4V3.2H2.2",
  H: "M0 0V6M4 0V6M0 2.9H4",
  I: "M2 0V6M1 0H3M1 6H3",
  J: "M3.6 0V4.4Q3.6 6 2 6Q0.4 6 0.2 4.6",
  K: "M0 0V6M4 0L0 3.4M1.4 2.4L4 6",
  L: "M0 0V6H4",
  M: "M0 6V0L2 3.6L4 0V6",
  N: "M0 6V0L4 6V0",
  O: "M2 0Q4 0 4 3Q4 6 2 6Q0 6 0 3Q0 0 2 0Z",
  P: "M0 6V0H2.3Q4 0 4 1.7Q4 3.3 2.3 3.3H0",
  Q: "M2 0Q4 0 4 3Q4 6 2 6Q0 6 0 3Q0 0 2 0ZM2.4 4.4L4 6.2",
  R: "M0 6V0H2.3Q4 0 4 1.6Q4 3.1 2.3 3.1H0M2 3.1L4 6",
  S: "M3.8 1Q3.2 0 2 0Q0.2 0 0.2 1.5Q0.2 2.6 2 2.9Q4 3.2 4 4.5Q4 6 2 6Q0.6 6 0 4.9",
  T: "M0 0H4M2 0V6",
  U: "M0 0V4.2Q0 6 2 6Q4 6 4 4.2V0",
  V: "M0 0L2 6L4 0",
  W: "M0 0L0.9 6L2 2L3.1 6L4 0",
  X: "M0 0L4 6M4 0L0 6",
  Y: "M0 0L2 3L4 0M2 3V6",
  Z: "M0 0H4L0 6H4",
};

/** A car to be drawn. */
export interface Car {
  readonly plate: string;
  readonly isNight: boolean;
}

const WIDTH = 1280;
const HEIGHT = 720;
/** Light and shade of each paint. */
const PAINTS = [
  ["#4a6a94", "#22344f"],
  ["#a8413a", "#571d1b"],
  ["#5f7a68", "#2c3d33"],
  ["#b6bbc1", "#6b7178"],
  ["#4b525e", "#1d2127"],
  ["#e6e0d2", "#9a917e"],
] as const;

/** A drawn car with its plate as a JPEG of 1280 × 720, by day or by night; a plate always gets the same paint. */
export async function drawCar(plate: string, isNight: boolean): Promise<Buffer> {
  const sum = [...plate].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  const [light, shade] = PAINTS[sum % PAINTS.length] ?? PAINTS[0];
  expectModule("sharp");
  const { default: sharp } = await import("sharp"); // only where there is a simulated gate
  sharp.cache(false); // useless for pictures drawn once
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
${scene(isNight)}${car(light, shade, isNight)}${letters(plate)}${isNight ? NIGHT_LIGHT : ""}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer();
}

/** A street with trees, the pillars of the gate and its drive. */
function scene(isNight: boolean): string {
  const [high, low, far, near, road, edge, wall] = isNight
    ? ["#0b1322", "#22304a", "#0f1a20", "#0a1216", "#2a2d33", "#16181c", "#2b2825"]
    : ["#8fb8dd", "#f3e3c8", "#7d9a7a", "#4f6f4c", "#8d8a86", "#63605c", "#cbb79b"];
  const trees = [40, 190, 330, 980, 1110, 1250]
    .map((x, index) => `<ellipse cx="${x}" cy="${250 - (index % 3) * 26}" rx="130" ry="${120 + (index % 2) * 40}"/>`)
    .join("");
  const pillars = [90, 1100]
    .map(
      (x) =>
        `<rect x="${x}" y="180" width="90" height="330" fill="${wall}"/><rect x="${x + 62}" y="180" width="28" height="330" fill="#000" opacity=".16"/>
<rect x="${x - 10}" y="166" width="110" height="22" rx="4" fill="${wall}"/><circle cx="${x + 45}" cy="146" r="20" fill="${isNight ? "#ffe2a0" : "#f5f0e2"}"/>`,
    )
    .join("");
  return `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${high}"/><stop offset="1" stop-color="${low}"/></linearGradient>
<linearGradient id="road" x2="0" y2="1"><stop stop-color="${edge}"/><stop offset="1" stop-color="${road}"/></linearGradient>
<radialGradient id="glow"><stop stop-color="#fff3cf" stop-opacity=".95"/><stop offset="1" stop-color="#fff3cf" stop-opacity="0"/></radialGradient></defs>
<rect width="${WIDTH}" height="400" fill="url(#sky)"/><g fill="${far}">${trees}</g><rect y="296" width="${WIDTH}" height="140" fill="${near}"/>
<path d="M0 410H1280V720H0Z" fill="${near}"/><path d="M330 400H950L1240 720H40Z" fill="url(#road)"/>${pillars}`;
}

function car(light: string, shade: string, isNight: boolean): string {
  const glass = isNight ? "#0d141d" : "#33475a";
  const lamp = isNight ? "#fffbe8" : "#eef2f5";
  return `<defs><linearGradient id="paint" x2="0" y2="1"><stop stop-color="${light}"/><stop offset="1" stop-color="${shade}"/></linearGradient>
<linearGradient id="glass" x2="0.5" y2="1"><stop stop-color="#dfe9f2" stop-opacity="${isNight ? 0.12 : 0.5}"/><stop offset=".7" stop-color="${glass}" stop-opacity="0"/></linearGradient></defs>
<ellipse cx="640" cy="668" rx="390" ry="34" fill="#000" opacity=".45"/>
<rect x="322" y="560" width="92" height="112" rx="26" fill="#131416"/><rect x="866" y="560" width="92" height="112" rx="26" fill="#131416"/>
<path d="M452 206Q640 178 828 206Q862 262 886 344H394Q418 262 452 206Z" fill="${shade}"/>
<path d="M474 222Q640 198 806 222Q834 272 852 336H428Q446 272 474 222Z" fill="${glass}"/><path d="M474 222Q640 198 806 222Q834 272 852 336H428Q446 272 474 222Z" fill="url(#glass)"/>
<rect x="352" y="318" width="50" height="30" rx="13" fill="${shade}"/><rect x="878" y="318" width="50" height="30" rx="13" fill="${shade}"/>
<path d="M394 334H886Q962 372 976 452L980 590Q980 632 936 634H344Q300 632 300 590L304 452Q318 372 394 334Z" fill="url(#paint)"/>
<path d="M404 344H876Q926 366 944 398Q640 364 336 398Q354 366 404 344Z" fill="#fff" opacity=".13"/>
<path d="M452 416H828L806 472H474Z" fill="#15181c"/><path d="M462 430H818M468 446H812M473 461H807" stroke="#3a4048" stroke-width="4"/>
<path d="M318 424Q380 410 436 424L450 470Q384 482 322 464Z" fill="${lamp}"/><path d="M962 424Q900 410 844 424L830 470Q896 482 958 464Z" fill="${lamp}"/>
<path d="M356 574H924L900 618H380Z" fill="#17191d"/><rect x="340" y="520" width="84" height="22" rx="11" fill="#0e0f11" opacity=".55"/><rect x="856" y="520" width="84" height="22" rx="11" fill="#0e0f11" opacity=".55"/>
<rect x="504" y="486" width="272" height="68" rx="7" fill="#fbfbf7" stroke="#1b1b1b" stroke-width="4"/>`;
}

/** Headlamps and the lamps of the pillars; the plate stays readable. */
const NIGHT_LIGHT = `<g><circle cx="382" cy="446" r="150" fill="url(#glow)" opacity=".6"/><circle cx="898" cy="446" r="150" fill="url(#glow)" opacity=".6"/>
<circle cx="135" cy="146" r="120" fill="url(#glow)" opacity=".5"/><circle cx="1145" cy="146" r="120" fill="url(#glow)" opacity=".5"/></g>`;

/**
 * {@link drawCar} for each, in a thread of their own: loading the library alone would block the event loop for tens of
 * milliseconds.
 */
export async function drawCarsInThread(cars: readonly Car[], signal: AbortSignal): Promise<Buffer[]> {
  if (cars.length === 0) return [];
  const drawn = await askThread<Uint8Array[]>(new URL("./picture-worker.ts", import.meta.url), cars, signal);
  return drawn.map((bytes) => Buffer.from(bytes));
}

function letters(plate: string): string {
  const shown = [...plate].slice(0, 12);
  const cell = 250 / Math.max(10, shown.length);
  const size = cell / 6;
  const left = 640 - (shown.length * cell) / 2 + size;
  const drawn = shown.map((letter, index) => {
    const at = `translate(${(left + index * cell).toFixed(1)} 499) scale(${size.toFixed(2)} 7)`;
    return `<path transform="${at}" d="${STROKES[letter] ?? ""}" vector-effect="non-scaling-stroke"/>`;
  });
  return `<g fill="none" stroke="#14161a" stroke-width="5.5" stroke-linejoin="round" stroke-linecap="round">${drawn.join("")}</g>`;
}
