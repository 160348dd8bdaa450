/** The kinds of history that are deleted for their age. */
export const AGED_KINDS = [
  "pictures",
  "reads",
  "visits",
  "openings",
  "feed",
  "audit",
  "samples",
  "sums",
  "states",
] as const;

/** One kind of history that is deleted for its age. */
export type AgedKind = (typeof AGED_KINDS)[number];

/**
 * History that one feature keeps for a number of days. The feature finds and removes what is overdue; another part
 * decides how much may be removed at a time.
 */
export interface AgedHistory {
  readonly kind: AgedKind;
  /** The setting that defines how long it is kept. */
  readonly setting: string;
  /** The present retention in days. */
  readonly keepDays: () => number;
  /** How many there are. Long ones are counted in parts, with other work in between. */
  readonly held: () => number | Promise<number>;
  /** How many would be too old if they were kept for that many days. */
  readonly due: (keepDays: number) => number | Promise<number>;
  /** Removes up to `most` of those that are too old, the oldest first. Returns how many were removed. */
  readonly remove: (most: number) => Promise<number>;
}
