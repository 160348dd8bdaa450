import { evictionCandidate } from "./fair-eviction.ts";

/**
 * A bounded memory shared by several owners: when it is full, the owner holding most loses its oldest entry, so that
 * one owner cannot evict another's.
 */
export class FairMemory<Value> {
  readonly #most: number;
  /** How many owners have each key. */
  readonly #keys = new Map<string, number>();
  readonly #entries = new Map<string, { readonly key: string; readonly owner: string; readonly value: Value }>();

  /** Keeps `most` entries. */
  constructor(most: number) {
    this.#most = most;
  }

  get(owner: string, key: string): Value | undefined {
    return this.#entries.get(nameOf(owner, key))?.value;
  }

  /** Whether any owner has this key. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Notes a value, which counts as new. */
  set(owner: string, key: string, value: Value): void {
    this.#delete(owner, key);
    this.#entries.set(nameOf(owner, key), { key, owner, value });
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    if (this.#entries.size <= this.#most) return;
    const surplus = evictionCandidate(this.#entries.values(), (entry) => entry.owner);
    if (surplus !== undefined) this.#delete(surplus.owner, surplus.key);
  }

  #delete(owner: string, key: string): void {
    if (!this.#entries.delete(nameOf(owner, key))) return;
    const left = (this.#keys.get(key) ?? 1) - 1;
    if (left === 0) this.#keys.delete(key);
    else this.#keys.set(key, left);
  }
}

function nameOf(owner: string, key: string): string {
  return `${owner.length} ${owner} ${key}`;
}
