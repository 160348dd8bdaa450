/** Which colour belongs to a device in all charts of energy, whatever its rank and the period. Pure. */

/** The numbers of the colours that devices have; 0 is the whole, 6 all other devices together. */
export const DEVICE_COLORS = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11] as const;

/**
 * The colours of `shown` among all devices that measure. As long as there are no more devices than colours, each keeps
 * its own; of more, some share one, and where two of these are shown together, one of them gives way.
 */
export function deviceColors(all: readonly string[], shown: readonly string[]): ReadonlyMap<string, number> {
  const own = new Map<string, number>();
  const taken = new Set<number>();
  for (const id of [...new Set([...all, ...shown])].sort()) {
    const slot = freeFrom(slotOf(id), taken);
    taken.add(slot);
    own.set(id, slot);
    if (taken.size === DEVICE_COLORS.length) taken.clear();
  }
  const used = new Set<number>();
  const colors = new Map<string, number>();
  for (const id of [...shown].sort()) {
    const slot = freeFrom(own.get(id) ?? 0, used);
    used.add(slot);
    colors.set(id, DEVICE_COLORS[slot] ?? DEVICE_COLORS[0]);
  }
  return colors;
}

/** A place among the colours that follows from the id alone. */
function slotOf(id: string): number {
  let sum = 2_166_136_261; // FNV-1a
  for (const letter of id) sum = Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return sum % DEVICE_COLORS.length;
}

function freeFrom(slot: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < DEVICE_COLORS.length; step++) {
    const next = (slot + step) % DEVICE_COLORS.length;
    if (!taken.has(next)) return next;
  }
  return slot;
}
