import { randomBytes } from "node:crypto";
import type { Bus } from "../kernel/bus.ts";
import type { Facts } from "./facts.ts";

/** The facts by which a page keeps its lists up to date; telemetry and commands are not among them. */
const COUNTED = [
  "device.changed",
  "device.presence",
  "device.edited",
  "read.decided",
  "gate.opening",
  "gate.question",
  "plate_rules.changed",
  "visit.changed",
  "occupancy.changed",
  "feed.added",
  "house.mode",
] as const satisfies readonly (keyof Facts)[];

/**
 * How far each household's facts have come. A page whose stream opens at the position that it knew before it requested
 * its lists has missed nothing, and need not request them again.
 */
export class FactPosition {
  /** Positions of an earlier start of the hub are equal to none of this one. */
  readonly #start = randomBytes(6).toString("base64url");
  readonly #counts = new Map<number, number>();

  constructor(bus: Pick<Bus<Facts>, "on">) {
    for (const kind of COUNTED)
      bus.on(kind, "fact position", ({ siteId }) => {
        this.#counts.set(siteId, (this.#counts.get(siteId) ?? 0) + 1);
      });
  }

  /** The position of a household, to be compared with another one only. */
  of(siteId: number): string {
    return `${this.#start}-${this.#counts.get(siteId) ?? 0}`;
  }
}
