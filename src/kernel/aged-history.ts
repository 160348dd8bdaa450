/** The kinds of history that go with age. */
export const AGED_KINDS = ["pictures", "reads", "visits", "feed", "audit", "samples", "sums"] as const;

/** One kind of history that goes with age. */
export type AgedKind = (typeof AGED_KINDS)[number];

/**
 * What a part of the hub keeps for a number of days. It says what is too old and removes it; how much may go at a time
 * is decided elsewhere.
 */
export interface AgedHistory {
  readonly kind: AgedKind;
  /** The setting that says how long it is kept. */
  readonly setting: string;
  /** Days that it is kept, as it is set now. */
  readonly keepDays: () => number;
  /** How many there are. Long ones are counted a part at a time, with everybody else served in between. */
  readonly held: () => number | Promise<number>;
  /** How many would be too old if they were kept for so many days. */
  readonly due: (keepDays: number) => number | Promise<number>;
  /** Removes up to `most` of those that are too old, the oldest first. Answers how many went. */
  readonly remove: (most: number) => Promise<number>;
}
