import { filterMatches, TopicTree } from "../src/core/kernel/topic-tree.ts";
import type { Adapter, Family } from "./family.ts";
import type { DeviceMemory } from "./ports.ts";

/** An active family. */
export interface Member {
  readonly family: Family;
  /** Base topic in use. */
  readonly prefix: string | null;
  readonly filters: readonly string[];
  readonly large: readonly string[];
  readonly adapter: Adapter;
}

/** The active families. An error in one stops neither the others nor the hub: nothing here rethrows it. */
export class Members {
  readonly all: readonly Member[];
  readonly #listening = new TopicTree<Member>();
  readonly #options: ConstructorParameters<typeof Members>[0];

  constructor(options: {
    /** In order of preference. */
    readonly families: readonly Family[];
    /** Base topics that the owner changed, by family. */
    readonly prefixes: ReadonlyMap<string, string>;
    /** Learns that a family threw; its remaining work is skipped. */
    readonly problems: { failed(family: string, error: unknown): void };
  }) {
    this.#options = options;
    this.all = options.families.map((family) => {
      const prefix = options.prefixes.get(family.name) ?? family.prefix;
      return {
        family,
        prefix,
        filters: family.filters(prefix),
        large: family.large?.(prefix) ?? [],
        adapter: family.open({ prefix }),
      };
    });
    for (const member of this.all) for (const filter of member.filters) this.#listening.add(filter, member);
  }

  /** A family by name. */
  find(name: string): Member | null {
    return this.all.find(({ family }) => family.name === name) ?? null;
  }

  /** The families that listen to a topic, in order of preference. */
  listening(topic: string): Member[] {
    const found = new Set(this.#listening.match(topic));
    return this.all.filter((member) => found.has(member));
  }

  /** Gives each family what it knew before the restart. */
  restore(known: readonly DeviceMemory[]): void {
    for (const member of this.all) {
      const own = known.filter(
        ({ family, bindingState }) =>
          family === member.family.name &&
          bindingState !== "removed" &&
          bindingState !== "gone" &&
          bindingState !== "expected",
      );
      this.call(member, undefined, () =>
        member.adapter.restore(own.map(({ device }) => ({ key: device.key, memo: device.memo }))),
      );
    }
  }

  /** Runs a call of a family; returns `otherwise` if it fails. */
  call<Result>(member: Member, otherwise: Result, run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      this.#options.problems.failed(member.family.name, error);
      return otherwise;
    }
  }

  /** Whether messages of a topic may be larger than others. */
  isLarge(topic: string): boolean {
    return this.all.some(({ large }) => large.some((filter) => filterMatches(filter, topic)));
  }
}
