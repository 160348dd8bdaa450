/** How full a site is (docs/spec/device-control-api.md §2). */
export interface Occupancy {
  readonly inside: number;
  readonly capacity: number | null;
  readonly free: number | null;
  readonly full: boolean;
  readonly percent: number | null;
}

/**
 * Occupancy from the number of open visits; `capacity` null means that it is not managed, which differs from 0
 * (docs/spec/domain.md §8.6).
 */
export function occupancyOf(inside: number, capacity: number | null): Occupancy {
  if (capacity === null) return { inside, capacity, free: null, full: false, percent: null };
  const percent = capacity === 0 ? 100 : Math.round((100 * inside) / capacity);
  return { inside, capacity, free: Math.max(0, capacity - inside), full: inside >= capacity, percent };
}
