import fitted from "./confidence.json" with { type: "json" };

/**
 * What speaks for and against a read, each a plain number. Their weights were fitted on reads of labelled photographs.
 */
export interface Evidence {
  /** Square root of the nats by which the next plate is behind, of which at most 8 count. */
  readonly margin: number;
  /** What the views give up to take the plate, nats per character. */
  readonly cost: number;
  /**
   * How legible the clearest view is, 0–1: of a plate that no view shows well, little is believed, however well the
   * views agree.
   */
  readonly legible: number;
  /** Weighted share of the views whose own first choice it is. */
  readonly support: number;
  /** ln of the product of the characters' probabilities, at least −8. */
  readonly product: number;
  /**
   * How rare its layout is: short numbers, districts that no list names, old and special layouts; for other countries,
   * a shape that no list names.
   */
  readonly rarity: number;
  /** What the views give up beyond what the text before any correction costs them, at most 8 nats. */
  readonly bent: number;
  /** Letters that the reader now and then takes for others, and is sure of it: a V looks like a Y to it. */
  readonly mixable: number;
}

/** Indian layouts, and texts that are taken as they stand. */
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

/** Below this confidence a read is no plate: chosen so that hardly any stored plate is wrong. */
export function leastConfidence(family: Family): number {
  return fitted[family].least;
}
