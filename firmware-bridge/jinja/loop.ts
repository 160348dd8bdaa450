import { type Budget, equals, missing } from "./values.ts";

/**
 * `loop` within the body of a `for`, with Jinja's members (https://jinja.palletsprojects.com/en/stable/templates/#for);
 * `recursive` is not supported. It counts only the members that pass the `if` of the `for`.
 */
export class Loop {
  readonly index: number;
  readonly index0: number;
  readonly revindex: number;
  readonly revindex0: number;
  readonly first: boolean;
  readonly last: boolean;
  readonly length: number;
  readonly depth = 1;
  readonly depth0 = 0;
  readonly previtem: unknown;
  readonly nextitem: unknown;
  readonly #seen: Seen;

  constructor(members: readonly unknown[], index0: number, seen: Seen) {
    this.index = index0 + 1;
    this.index0 = index0;
    this.revindex = members.length - index0;
    this.revindex0 = members.length - index0 - 1;
    this.first = index0 === 0;
    this.last = index0 === members.length - 1;
    this.length = members.length;
    this.previtem = members[index0 - 1];
    this.nextitem = members[index0 + 1];
    this.#seen = seen;
  }

  /** The values in turn, starting over after the last. @throws TemplateError without values */
  cycle(values: readonly unknown[]): unknown {
    if (values.length === 0) throw missing("values to cycle through");
    return values[this.index0 % values.length];
  }

  /** Whether its arguments differ from those of the last call in this loop; true for the first call. */
  changed(values: readonly unknown[], budget: Budget): boolean {
    const before = this.#seen.values;
    this.#seen.values = values;
    return before === null || !equals(before, values, budget);
  }
}

/** The last arguments of `loop.changed`; one for each run of a `for`. */
export interface Seen {
  values: readonly unknown[] | null;
}

/** What `namespace()` makes: the one value whose members a template may set, also from within a `for`. */
export class Namespace {
  readonly #members: Record<string, unknown>;

  constructor(members: ReadonlyMap<string, unknown>) {
    this.#members = this as Record<string, unknown>; // its members are its own properties, as of any dict
    for (const [name, value] of members) this.put(name, value);
  }

  put(name: string, value: unknown): void {
    this.#members[name === "__proto__" ? "proto" : name] = value;
  }
}
