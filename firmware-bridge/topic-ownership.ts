/**
 * Which credential a topic belongs to. Each device holds the topics that it reported, for the credential that announced
 * it; no other credential may publish to or receive what one holds, until the owner decides otherwise.
 */
import { filterMatches, TopicTree } from "../src/core/kernel/topic-tree.ts";
import type { TopicAccess } from "./family.ts";

interface OwnedTopics extends TopicAccess {
  /** The name under which they were put. */
  readonly device: string;
  readonly owner: number;
  readonly exact: ReadonlySet<string>;
}

/** The topics that devices hold, by credential. */
export class TopicOwnership {
  readonly #byDevice = new Map<string, OwnedTopics>();
  readonly #publishes = new TopicTree<OwnedTopics>();
  readonly #takes = new TopicTree<OwnedTopics>();

  /**
   * Gives a device its topics, replacing those it had. The caller has checked whether it may have them:
   * {@link conflict}.
   */
  put(device: string, owner: number, access: TopicAccess): void {
    this.drop(device);
    const owned = { ...access, device, owner, exact: new Set(access.publish) };
    this.#byDevice.set(device, owned);
    for (const filter of access.publish) this.#publishes.add(filter, owned);
    for (const filter of access.subscribe) this.#takes.add(filter, owned);
  }

  /** Removes a device's topics. */
  drop(device: string): void {
    const owned = this.#byDevice.get(device);
    if (owned === undefined) return;
    this.#byDevice.delete(device);
    for (const filter of owned.publish) this.#publishes.remove(filter, owned);
    for (const filter of owned.subscribe) this.#takes.remove(filter, owned);
  }

  /** The first of these topics that another credential holds, with that credential; null if there is none. */
  conflict(owner: number, access: TopicAccess): { readonly filter: string; readonly owner: number } | null {
    for (const filter of [...access.publish, ...access.subscribe]) {
      for (const tree of [this.#publishes, this.#takes]) {
        const other = tree.overlapping(filter).find((owned) => owned.owner !== owner);
        if (other !== undefined) return { filter, owner: other.owner };
      }
    }
    return null;
  }

  /** The credential that holds a topic; null if it is free. */
  holder(topic: string): number | null {
    return (this.#publishes.match(topic)[0] ?? this.#takes.match(topic)[0])?.owner ?? null;
  }

  /**
   * Whether a topic carries messages from the hub to a device of its holder; messages from a device on it count only if
   * the device named it exactly.
   */
  isCommand(topic: string): boolean {
    return this.#takes.has(topic) && !this.#publishes.match(topic).some(({ exact }) => exact.has(topic));
  }

  /** The names of all that take messages of a topic. */
  takers(topic: string): string[] {
    return this.#takes.match(topic).map(({ device }) => device);
  }

  /** Whether everything that a filter matches is held by credentials other than `owner`. */
  isForeign(owner: number, filter: string): boolean {
    const covering = [...this.#publishes.overlapping(filter), ...this.#takes.overlapping(filter)].filter((owned) =>
      [...owned.publish, ...owned.subscribe].some((held) => covers(held, filter)),
    );
    return covering.length > 0 && covering.every((owned) => owned.owner !== owner);
  }

  /** The topics held by a credential's devices. */
  of(owner: number): TopicAccess {
    const own = [...this.#byDevice.values()].filter((owned) => owned.owner === owner);
    return { publish: own.flatMap(({ publish }) => publish), subscribe: own.flatMap(({ subscribe }) => subscribe) };
  }
}

/** Whether every topic that `inner` matches is matched by `outer`. A wildcard level stands for itself. */
function covers(outer: string, inner: string): boolean {
  if (inner.endsWith("#") && !outer.endsWith("#")) return false;
  return filterMatches(outer, inner.endsWith("/#") ? inner.slice(0, -2) : inner);
}
