import fitted from "./confidence.json" with { type: "json" };

/**
 * What speaks for and against a read, each a plain number. Their weights were fitted on reads of labelled photographs
 * (models/training/fit_confidence.py).
 */
export interface Evidence {
  /** Square root of the nats by which the next plate is behind, of which at most 8 count. */
  readonly margin: number;
  /** What the views give up to accept the plate, nats per character. */
  readonly cost: number;
  /**
   * How legible the clearest view is, 0–1: a plate that no view shows well is hardly believed, however well the views
   * agree.
   */
  readonly legible: number;
  /** Weighted share of the views whose own first choice it is. */
  readonly support: number;
  /** ln of the product of the characters' probabilities, at least −8. */
  readonly product: number;
  /**
   * How rare its layout is: short numbers, unlisted districts, old and special layouts; for other countries, an
   * unlisted shape.
   */
  readonly rarity: number;
  /** What the views give up beyond the cost of the text before any correction, at most 8 nats. */
  readonly bent: number;
  /** Letters that the reader sometimes mistakes for others with certainty: a V looks like a Y to it. */
  readonly mixable: number;
  /** How well the second reader's answers show the plate, 0–1; 0 where it was not asked. */
  readonly agreed: number;
}

/** Indian layouts, and texts that are taken as they are. */
export type Family = "indian" | "foreign";

/** How likely the plate is right, 0–1. */
export function confidenceOf(family: Family, evidence: Evidence): number {
  const { bias, weights } = fitted[family];
  const sum = (Object.keys(weights) as (keyof typeof weights)[]).reduce(
    (total, name) => total + weights[name] * evidence[name],
    bias,
  );
  return 1 / (1 + Math.exp(-sum));
}

/** Below this confidence a read is not a plate: chosen so that hardly any stored plate is wrong. */
export function leastConfidence(family: Family): number {
  return fitted[family].least;
}
