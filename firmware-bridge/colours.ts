/**
 * Colours of lamps: the hub uses "#rrggbb" and kelvin; firmware uses RGB, hue and saturation, CIE 1931 x and y, or
 * mired. Brightness is a separate value everywhere, so all conversions are at full brightness. Matrices: IEC 61966-2-1
 * (sRGB, D65).
 */
import { clamp, rounded } from "./json-values.ts";

/** Red, green, blue, each 0–255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** "#rrggbb" (also without #, also "#rgb") as numbers; null if it is not such a text. */
export function rgbOfHex(text: unknown): Rgb | null {
  if (typeof text !== "string") return null;
  const short = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text.trim());
  const long = short ? null : /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  const [, red, green, blue] = short ?? long ?? [];
  if (red === undefined || green === undefined || blue === undefined) return null;
  const value = (digits: string): number => Number.parseInt(short ? digits + digits : digits, 16);
  return [value(red), value(green), value(blue)];
}

/** Numbers as "#rrggbb". */
export function hexOfRgb(rgb: Rgb): string {
  return `#${rgb
    .map((part) =>
      Math.round(clamp(part, 0, 255))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** Hue 0–360 and saturation 0–100 as a full colour. */
export function rgbOfHueSaturation(hue: number, saturation: number): Rgb {
  const turned = (((hue % 360) + 360) % 360) / 60;
  const chroma = clamp(saturation, 0, 100) / 100;
  const part = (offset: number): number => {
    const k = (offset + turned) % 6;
    return Math.round((1 - chroma * Math.max(0, Math.min(k, 4 - k, 1))) * 255);
  };
  return [part(5), part(3), part(1)];
}

/** Hue 0–360 and saturation 0–100 of a colour. */
export function hueSaturationOfRgb(rgb: Rgb): { readonly hue: number; readonly saturation: number } {
  const [red, green, blue] = rgb;
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (most === 0 || spread === 0) return { hue: 0, saturation: 0 };
  const sixth =
    most === red
      ? ((green - blue) / spread + 6) % 6
      : most === green
        ? (blue - red) / spread + 2
        : (red - green) / spread + 4;
  return { hue: rounded(sixth * 60), saturation: rounded((spread / most) * 100) };
}

/** CIE 1931 x, y as a colour whose strongest part is 255. */
export function rgbOfXy(x: number, y: number): Rgb {
  const safeY = Math.max(y, 0.0001);
  const bigX = x / safeY;
  const bigZ = (1 - x - y) / safeY;
  const linear = [
    bigX * 3.2404542 - 1.5371385 - bigZ * 0.4985314,
    -bigX * 0.969266 + 1.8760108 + bigZ * 0.041556,
    bigX * 0.0556434 - 0.2040259 + bigZ * 1.0572252,
  ];
  const most = Math.max(...linear, 0.0001);
  const [red = 0, green = 0, blue = 0] = linear.map((part) => Math.round(gamma(clamp(part / most, 0, 1)) * 255));
  return [red, green, blue];
}

/** CIE 1931 x, y of a colour, four digits; black gives white's point. */
export function xyOfRgb(rgb: Rgb): { readonly x: number; readonly y: number } {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => linearised(clamp(part, 0, 255) / 255));
  const bigX = red * 0.4124564 + green * 0.3575761 + blue * 0.1804375;
  const bigY = red * 0.2126729 + green * 0.7151522 + blue * 0.072175;
  const sum = bigX + bigY + red * 0.0193339 + green * 0.119192 + blue * 0.9503041;
  return sum === 0 ? { x: 0.3127, y: 0.329 } : { x: rounded(bigX / sum, 4), y: rounded(bigY / sum, 4) };
}

function gamma(part: number): number {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}

function linearised(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/**
 * Mired to kelvin, and kelvin to mired: the same reciprocal. Whole numbers; null if the value cannot be a colour
 * temperature.
 */
export function reciprocalMegakelvin(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Math.round(1_000_000 / value) : null;
}
