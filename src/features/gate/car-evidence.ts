import type { CarEvidence } from "../house/presence.ts";
import type { GateTables } from "./tables.ts";

/** What the register says of a car: inside since its entry, or away since its exit, or since somebody said that it left. */
export function carEvidence({ visits }: Pick<GateTables, "visits">, siteId: number, plate: string): CarEvidence {
  const [visit] = visits.of(siteId, plate);
  if (visit === undefined) return null;
  if (visit.status === "open") return visit.entryAt === null ? null : { says: "home", at: visit.entryAt };
  const left = visit.exitAt ?? visits.closures(siteId, plate).at(-1)?.at ?? null;
  return left === null ? null : { says: "away", at: left };
}
