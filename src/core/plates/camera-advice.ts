/** What to change about a camera, from how well plates could be read in its pictures. Pure rules. */
import type { PlateQuality } from "./plate-quality.ts";

/** One plate that a camera has seen. */
export interface SeenQuality extends PlateQuality {
  /** Hour of the day at the house, 0–23. */
  readonly hour: number;
  /** Whether it could be read. */
  readonly isRead: boolean;
}

/** What can be wrong with a set-up, the worst first: each hides those after it. */
export const ADVICE = ["dark", "glare", "small", "shutter", "focus", "tilt"] as const;
export type AdviceCode = (typeof ADVICE)[number];

/** One thing to change. */
export interface Advice {
  readonly code: AdviceCode;
  /** Share of the plates that it concerns, 0–100. */
  readonly share: number;
  /** Hours of the day that it concerns; null: all. */
  readonly hours: { readonly from: number; readonly to: number } | null;
  /** Figures of the sentence: pixels, percent of the distance, zoom, degrees. */
  readonly values: Readonly<Record<string, number>>;
}

/** Letters are read well from this height on. */
const GOOD_LETTERS_PX = 20;
/** Below this they are not. */
const SMALL_PX = 15;
/** An edge this wide, as a share of the letters' height, is smeared. */
const SMEARED = 0.17;
/** What moves smears one way only. */
const ONE_WAY = 1.6;
const GLARE = 0.3;
const DARK = 78;
const TILTED = 9;
/** Fewer plates are no ground for advice. */
const ENOUGH = 3;
/** Advice concerns at least this share of the plates of its hours. */
const MOST_OF = 0.4;
const READ_ANYWAY = 0.9;

/** The one thing that is worst about a plate; null: nothing. */
export function faultOf(plate: PlateQuality): AdviceCode | null {
  if (plate.light < DARK) return "dark";
  if (plate.glare >= GLARE || (plate.light >= 250 && plate.contrast < 60)) return "glare";
  if (plate.letterPx < SMALL_PX) return "small";
  const [wide, narrow] = [Math.max(plate.smearX, plate.smearY), Math.min(plate.smearX, plate.smearY)];
  if (wide >= SMEARED && wide >= ONE_WAY * narrow) return "shutter";
  if (wide >= SMEARED) return "focus";
  return Math.abs(plate.tilt) >= TILTED ? "tilt" : null;
}

/** What to change, the most common first; empty: nothing, or too little has been seen. */
export function adviceFor(seen: readonly SeenQuality[]): readonly Advice[] {
  if (seen.length < ENOUGH) return [];
  const faults = seen.map((plate) => ({ ...plate, fault: faultOf(plate) }));
  const night = ({ hour }: SeenQuality): boolean => hour >= 18 || hour < 6;
  const parts = [
    { hours: null, plates: faults },
    { hours: { from: 18, to: 6 }, plates: faults.filter(night) },
    { hours: { from: 6, to: 18 }, plates: faults.filter((plate) => !night(plate)) },
  ] as const;
  return ADVICE.flatMap((code): Advice[] => {
    for (const { hours, plates } of parts) {
      const concerned = plates.filter(({ fault }) => fault === code);
      if (concerned.length < ENOUGH || concerned.length < MOST_OF * plates.length) continue;
      // what is read all the same needs no change
      if (concerned.filter(({ isRead }) => isRead).length >= READ_ANYWAY * concerned.length) continue;
      const share = Math.round((concerned.length / plates.length) * 100);
      return [{ code, share, hours, values: valuesOf(code, concerned) }];
    }
    return [];
  }).sort((one, other) => other.share - one.share);
}

function valuesOf(code: AdviceCode, plates: readonly PlateQuality[]): Readonly<Record<string, number>> {
  if (code === "small") {
    const px = median(plates.map(({ letterPx }) => letterPx));
    const times = GOOD_LETTERS_PX / Math.max(1, px);
    return { px: Math.round(px), closer: Math.round(100 - 100 / times), zoom: Math.round(times * 10) / 10 };
  }
  if (code === "tilt") return { degrees: Math.round(median(plates.map(({ tilt }) => tilt))) };
  if (code === "glare") return { glare: Math.round(median(plates.map(({ glare }) => glare)) * 100) };
  return {};
}

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
