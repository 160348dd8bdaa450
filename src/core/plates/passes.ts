import { differenceWithinVehicle } from "./one-vehicle.ts";
import type { Direction } from "./reading.ts";

/** A stored pass, as far as it matters for joining a new read to it. */
export interface OpenPass {
  readonly id: number;
  readonly plate: string;
  /** How likely the plate is right, 0–100. */
  readonly confidence: number;
  readonly direction: Direction | null;
  /** First and latest sighting, epoch ms. */
  readonly at: number;
  readonly lastAt: number;
}

/** A read that looks for its pass. */
export interface ArrivingRead {
  readonly plate: string;
  /** How likely the plate is right, 0–100. */
  readonly confidence: number;
  readonly direction: Direction | null;
  readonly at: number;
}

/**
 * The pass that a read belongs to (docs/spec/domain.md §7.7): the same plate at the same camera within `windowMs` of
 * it, with no other vehicle between (a plate that may be a misread of this one does not count), not in the opposite
 * direction (a car that turned round passed twice), and not beyond a pass in the opposite direction (who came in, went
 * out and came in again passed three times). Null: the read is a pass of its own.
 * @param nearby recognised passes of this camera around the read's time, in any order
 */
export function passOf(read: ArrivingRead, nearby: readonly OpenPass[], windowMs: number): OpenPass | null {
  const own = nearby
    .filter(
      (pass) =>
        pass.plate === read.plate && gapTo(pass, read.at) <= windowMs && !isOpposite(pass.direction, read.direction),
    )
    .sort((a, b) => gapTo(a, read.at) - gapTo(b, read.at) || b.id - a.id);
  return own.find((pass) => !nearby.some((other) => separates(other, pass, read))) ?? null;
}

/** Whether something else passed between a pass and the read. */
function separates(other: OpenPass, pass: OpenPass, read: ArrivingRead): boolean {
  if (other.plate !== read.plate) return isOtherVehicle(other, pass, read) && liesBetween(other, pass, read.at);
  if (!isOpposite(other.direction, read.direction ?? pass.direction)) return false;
  // reads of one vehicle with the same time came in the order of their ids
  const isSameMoment = other.at === pass.lastAt && other.id > pass.id;
  return isSameMoment || liesBetween(other, pass, read.at);
}

/** Whether the plate between cannot be a misread of the one that was seen before and after it. */
function isOtherVehicle(other: OpenPass, pass: OpenPass, read: ArrivingRead): boolean {
  const own = { text: read.plate, plate: read.plate, confidence: Math.max(pass.confidence, read.confidence) };
  return !Number.isFinite(differenceWithinVehicle({ ...other, text: other.plate }, own, false));
}

function gapTo(pass: OpenPass, at: number): number {
  return Math.max(0, at - pass.lastAt, pass.at - at);
}

function isOpposite(a: Direction | null, b: Direction | null): boolean {
  return a !== null && b !== null && a !== b;
}

function liesBetween(other: OpenPass, pass: OpenPass, at: number): boolean {
  const from = Math.min(at, pass.lastAt);
  const to = Math.max(at, pass.at);
  return other.at > from && other.at < to;
}
