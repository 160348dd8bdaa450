/** Which cars are inside as far as is known, and which may have left meanwhile. */
import type { Static } from "typebox";
import type { LeftUnseen, VehicleInside } from "../resources/gate-read.ts";

/** A car whose visit goes on. */
export type CarInside = Static<typeof VehicleInside>;

interface Inside {
  readonly inside: readonly CarInside[];
  readonly leftUnseen: readonly Static<typeof LeftUnseen>[];
}

/**
 * Cars that came in, by whether they may have left since; a car that was only seen at the gate is neither. The hub has
 * not seen them leave: it only knows how long they usually stay.
 */
export function carsInside(
  { inside }: Inside,
  now = Date.now(),
): { readonly here: readonly CarInside[]; readonly mayHaveLeft: readonly CarInside[] } {
  const cars = inside.filter(({ how }) => how !== "at_gate");
  return {
    here: cars.filter(({ mayHaveLeftFrom }) => Date.parse(mayHaveLeftFrom) > now),
    mayHaveLeft: cars.filter(({ mayHaveLeftFrom }) => Date.parse(mayHaveLeftFrom) <= now),
  };
}
