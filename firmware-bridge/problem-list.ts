/** A message that should have meant something and did not. */
export interface BridgeProblem {
  readonly family: string;
  readonly topic: string;
  readonly reason: string;
  readonly count: number;
  /** Epoch ms. */
  readonly lastAt: number;
  /** Start of the last such message; null without one. */
  readonly example: string | null;
}

const MOST = 200;
const LONGEST_TEXT = 200;

/** The latest problems, each combination of family, topic and reason once; the least recently seen is evicted first. */
export class ProblemList {
  readonly #problems = new Map<string, BridgeProblem>();
  #total = 0;

  /** Problems since the start, including repeated ones. */
  get total(): number {
    return this.#total;
  }

  /** Notes one. */
  add(problem: {
    readonly family: string;
    readonly topic: string;
    readonly reason: string;
    readonly at: number;
    readonly payload?: Uint8Array;
  }): void {
    const topic = shortened(problem.topic);
    const reason = shortened(problem.reason);
    const key = `${problem.family}\n${topic}\n${reason}`;
    const count = (this.#problems.get(key)?.count ?? 0) + 1;
    this.#problems.delete(key);
    const example =
      problem.payload === undefined || problem.payload.length === 0 ? null : shortened(textOf(problem.payload));
    this.#problems.set(key, { family: problem.family, topic, reason, count, lastAt: problem.at, example });
    this.#total += 1;
    if (this.#problems.size <= MOST) return;
    const [oldest] = this.#problems.keys();
    if (oldest !== undefined) this.#problems.delete(oldest);
  }

  /** Newest first. */
  list(): BridgeProblem[] {
    return [...this.#problems.values()].reverse();
  }

  /** Empties the list. */
  clear(): void {
    this.#problems.clear();
  }
}

function textOf(payload: Uint8Array): string {
  return new TextDecoder().decode(payload.subarray(0, LONGEST_TEXT * 4));
}

/** Printable and cut, as a string of its own: a slice would keep the whole message alive. */
function shortened(text: string): string {
  const printable = Array.from(text.slice(0, LONGEST_TEXT), (character) =>
    character < " " || character === "\u007f" ? "\ufffd" : character,
  );
  return printable.join("") + (text.length > LONGEST_TEXT ? "…" : "");
}
