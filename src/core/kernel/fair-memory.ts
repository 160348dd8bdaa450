import { evictionCandidate } from "./fair-eviction.ts";

/**
 * A bounded memory shared by several owners: when it is full, the owner holding most loses its oldest entry, so that
 * one owner cannot evict another's.
 */
export class FairMemory<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, { readonly key: string; readonly owner: string; readonly value: Value }>();

  /** Keeps `most` entries. */
  constructor(most: number) {
    this.#most = most;
  }

  get(owner: string, key: string): Value | undefined {
    return this.#entries.get(nameOf(owner, key))?.value;
  }

  /** Notes a value, which counts as new. */
  set(owner: string, key: string, value: Value): void {
    const name = nameOf(owner, key);
    this.#entries.delete(name);
    this.#entries.set(name, { key, owner, value });
    if (this.#entries.size <= this.#most) return;
    const surplus = evictionCandidate(this.#entries.values(), (entry) => entry.owner);
    if (surplus !== undefined) this.#entries.delete(nameOf(surplus.owner, surplus.key));
  }
}

function nameOf(owner: string, key: string): string {
  return `${owner.length} ${owner} ${key}`;
}
