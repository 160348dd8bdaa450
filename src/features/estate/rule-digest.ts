import { createHash } from "node:crypto";
import { isPlateToken } from "./plate-token.ts";
import type { EstateTable } from "./tables/estate.ts";

/** Rules fall into 64 groups by the first two digits of their key; parts of the site are the last group. */
const RULE_GROUPS = 64;
const GROUPS = RULE_GROUPS + 1;
/** Number of values of those two digits per rule group. */
const SHARE = 256 / RULE_GROUPS;
/** Characters of one group's digest, of 6 bits each. */
const WIDTH = 6;
/** Maximum groups computed at once, since it blocks other work. */
const MOST_AT_ONCE = 16;

const DIGEST = new RegExp(`^[\\w-]{${GROUPS * WIDTH}}$`);

/**
 * A summary of this hub's shared entries in a few hundred characters: hubs with the same entries have the same text,
 * and if they differ it shows in which groups. Only groups that changed are computed again.
 */
export class RuleDigest {
  readonly #table: EstateTable;
  readonly #known: (string | null)[] = Array.from({ length: GROUPS }, () => null);

  constructor(table: EstateTable) {
    this.#table = table;
    table.watchEntries((key) => {
      const group = groupOf(key);
      if (group !== null) this.#known[group] = null;
    });
  }

  /** The digests of all groups; null if too many changed to compute them at once: ask again. */
  text(): string | null {
    let left = MOST_AT_ONCE;
    for (let group = 0; group < GROUPS; group++) {
      if (this.#known[group] !== null) continue;
      if (left === 0) return null;
      left -= 1;
      this.#known[group] = this.#digest(group);
    }
    return this.#known.join("");
  }

  #digest(group: number): string {
    const hash = createHash("sha256");
    for (const { key, value } of this.#table.entriesIn(...rangeOf(group))) hash.update(`${key}\0${value}\n`);
    return hash.digest("base64url").slice(0, WIDTH);
  }
}

/** A digest in another hub's message; null if it is not one. */
export function digestIn(value: unknown): string | null {
  return typeof value === "string" && DIGEST.test(value) ? value : null;
}

/** The groups in which two digests differ, with both values of each. */
export function differences(mine: string, theirs: string): Map<number, string> {
  const found = new Map<number, string>();
  for (let group = 0; group < GROUPS; group++) {
    const [here, there] = [digestOf(mine, group), digestOf(theirs, group)];
    if (here !== there) found.set(group, `${here} ${there}`);
  }
  return found;
}

/** A digest's value for one group. */
export function digestOf(text: string, group: number): string {
  return text.slice(group * WIDTH, (group + 1) * WIDTH);
}

/** The group of a key; null for a key that no hub keeps. */
export function groupOf(key: string): number | null {
  if (key.startsWith("part.")) return RULE_GROUPS;
  const token = key.slice("rule.".length);
  if (!key.startsWith("rule.") || !isPlateToken(token)) return null;
  return Math.floor(Number.parseInt(token.slice(0, 2), 16) / SHARE);
}

/** The first key of a group, and the first key after it. */
export function rangeOf(group: number): readonly [string, string] {
  if (group === RULE_GROUPS) return ["part.", "part/"];
  const digits = (value: number): string => value.toString(16).padStart(2, "0");
  return [
    `rule.${digits(group * SHARE)}`,
    group === RULE_GROUPS - 1 ? "rule.g" : `rule.${digits((group + 1) * SHARE)}`,
  ];
}
