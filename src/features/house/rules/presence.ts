import type { Whereabouts } from "../../../core/api/house.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";

/** What says whether a person is home: the person, their car, a device that follows them. */
export type PresenceSource = "hand" | "car" | "device";

/** What one source says. */
export interface Evidence {
  readonly source: PresenceSource;
  readonly says: Whereabouts;
  /** Since when it says so, epoch ms. */
  readonly at: number;
}

/** The states by which a device says whether somebody is there, the most telling first. */
const FIELDS = ["presence", "present", "occupancy", "occupied", "home"];
const WORDS: Readonly<Record<string, Whereabouts>> = {
  home: "home",
  present: "home",
  occupied: "home",
  detected: "home",
  on: "home",
  true: "home",
  away: "away",
  not_home: "away",
  absent: "away",
  clear: "away",
  off: "away",
  false: "away",
};

/** What a device's state says; null: it does not say whether somebody is there. */
export function stateSays(state: JsonObject): Whereabouts | null {
  for (const field of FIELDS) {
    const value = state[field];
    if (typeof value === "boolean") return value ? "home" : "away";
    if (typeof value === "string") {
      const word = value.trim().toLowerCase();
      if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? null;
    }
  }
  return null;
}

/** The one rule: of what the sources say, the latest counts; at the same moment what the person says. Null: nothing says anything. */
export function latest(evidence: readonly Evidence[]): Evidence | null {
  const isBefore = (one: Evidence, other: Evidence): boolean =>
    one.at < other.at || (one.at === other.at && other.source === "hand");
  return evidence.reduce<Evidence | null>((best, one) => (best === null || isBefore(best, one) ? one : best), null);
}

/** How many persons are known to be home, and how many away. */
export interface HouseCount {
  readonly home: number;
  readonly away: number;
}

/** Whether somebody is home; null: of nobody it is known. Those of whom nothing is known do not count. */
export function anybody({ home, away }: HouseCount): Whereabouts | null {
  if (home > 0) return "home";
  return away > 0 ? "away" : null;
}
