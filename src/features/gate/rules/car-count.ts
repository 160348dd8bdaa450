/** The sightings of vehicles: how many passes, of how many cars. A plate that could not be read is no known car. */
export interface CarCount {
  readonly passes: number;
  readonly cars: number;
  readonly unread: number;
}

/** Counts sightings the way every page counts them: a car that came and went is one car and two passes. */
export function countCars(reads: readonly { readonly plate: string | null }[]): CarCount {
  const plates = reads.flatMap(({ plate }) => (plate === null ? [] : [plate]));
  return { passes: reads.length, cars: new Set(plates).size, unread: reads.length - plates.length };
}
