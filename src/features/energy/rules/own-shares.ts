/** How much of a house's energy is its own. Pure. */
import type { EnergyRole, HouseSums } from "./house-energy.ts";

/**
 * `ofUsed`: the part of what was used that did not come from the grid in that time. `ofSolar`: the part of what the
 * panels made that stayed in the house, used or stored; null without panels. Null where nothing makes or stores energy,
 * or nothing measures the grid.
 */
export function ownShares({
  used,
  fromGrid,
  toGrid,
  solar,
  fromBattery,
  untracked,
}: HouseSums): { readonly ofUsed: number; readonly ofSolar: number | null } | null {
  if (untracked === null || used <= 0 || solar + fromBattery <= 0) return null;
  const part = (share: number): number => Math.min(1, Math.max(0, share));
  return { ofUsed: part((used - fromGrid) / used), ofSolar: solar > 0 ? part((solar - toGrid) / solar) : null };
}

/** Less through a meter is noise. */
const LEAST_FLOW_KWH = 0.05;

/** More went out than came in although nothing in the house makes or stores energy: its meter may count the other way. */
export function looksReversed(
  { fromGrid, toGrid }: Pick<HouseSums, "fromGrid" | "toGrid">,
  devices: readonly { readonly role: EnergyRole }[],
): boolean {
  const makes = devices.some(({ role }) => role === "solar" || role === "battery");
  return !makes && toGrid > Math.max(LEAST_FLOW_KWH, fromGrid);
}
