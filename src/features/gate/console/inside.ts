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

/** What is known of a read car, as far as it says whether any is inside. */
interface Seen {
  readonly at: string;
  readonly deviceId: string;
  readonly plate: string | null;
  readonly direction: "in" | "out" | null;
}

/**
 * Why no car is known to be inside, by the latest reads. `unread`: no plate has been read. `noWay`: no camera tells
 * whether cars come or go (`deviceId`: the only one there is). `left`: the last one left. `notIn`: those that came were
 * not let in.
 */
export type WhyNobody =
  | { readonly kind: "unread" }
  | { readonly kind: "noWay"; readonly deviceId: string | null }
  | { readonly kind: "left"; readonly at: string }
  | { readonly kind: "notIn" };

/** Why nobody is inside. @param reads newest first */
export function whyNobody(reads: readonly Seen[]): WhyNobody {
  const seen = reads.filter(({ plate }) => plate !== null);
  if (seen.length === 0) return { kind: "unread" };
  if (seen.every(({ direction }) => direction === null)) {
    const [one, ...others] = new Set(seen.map(({ deviceId }) => deviceId));
    return { kind: "noWay", deviceId: others.length === 0 && one !== undefined ? one : null };
  }
  const left = seen.find(({ direction }) => direction === "out");
  return left === undefined ? { kind: "notIn" } : { kind: "left", at: left.at };
}
