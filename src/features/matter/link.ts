import type { Static, TSchema } from "typebox";
import { Problem } from "../../core/kernel/problem.ts";
import type { Detail } from "../../core/text/keys.ts";

/** The calls one side may make to the other: name, shape of the request, shape of the response. */
export type Calls = Readonly<Record<string, { readonly input: TSchema; readonly output: TSchema }>>;

/** Handlers of the calls that a side serves. Each may reject with a `Problem`, whose code and text reach the caller. */
export type Handlers<Served extends Calls> = {
  readonly [Name in keyof Served]: (input: Static<Served[Name]["input"]>) => unknown;
};

/** The destination of a link's messages: the channel between the hub and its process. */
interface Channel {
  /** Sends a message; false when the channel is closed. */
  send(message: object): boolean;
}

/** Dependencies of {@link Link}. */
export interface LinkOptions<Asked extends Calls, Served extends Calls> {
  readonly channel: Channel;
  /** The calls this side makes. */
  readonly asks: Asked;
  /** The calls this side serves. */
  readonly answers: Served;
  /** Whether a value has a shape. A parameter, because the hub loads the checker only when Matter is switched on. */
  readonly check: (schema: TSchema, value: unknown) => boolean;
}

/** Questions under way in one direction; further ones are refused. */
const MOST_UNDER_WAY = 256;
const TIMEOUT_MS = 30_000;

interface Waiting {
  readonly name: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: NodeJS.Timeout;
}

/**
 * One side of the conversation between the hub and the Matter process: typed calls with results, both ways. Every
 * message is checked against its shape first, results included. Each direction has room for {@link MOST_UNDER_WAY}
 * calls, each with a time limit.
 */
export class Link<Asked extends Calls, Served extends Calls> {
  readonly #options: LinkOptions<Asked, Served>;
  readonly #waiting = new Map<number, Waiting>();
  #handlers: Partial<Handlers<Served>> = {};
  #lastId = 0;
  #underWay = 0;
  #closed = false;

  constructor(options: LinkOptions<Asked, Served>) {
    this.#options = options;
  }

  /** Adds handlers for the other side's calls; each name once. */
  serve(handlers: Partial<Handlers<Served>>): void {
    for (const name of Object.keys(handlers)) if (name in this.#handlers) throw new Error(`${name} is answered twice`);
    this.#handlers = { ...this.#handlers, ...handlers };
  }

  /**
   * Calls the other side.
   * @throws the other side's Problem; `matter_unavailable` when no result came in time, the channel is closed or too
   *   much is in progress
   */
  call<Name extends keyof Asked & string>(
    name: Name,
    input: Static<Asked[Name]["input"]>,
    timeoutMs: number = TIMEOUT_MS,
  ): Promise<Static<Asked[Name]["output"]>> {
    if (this.#closed) return Promise.reject(unavailable(`${name}: the other side is gone`));
    if (this.#waiting.size >= MOST_UNDER_WAY) return Promise.reject(unavailable(`${name}: too much is under way`));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(
        () => this.#settle(id, (one) => one.reject(unavailable(`${name}: no answer`))),
        timeoutMs,
      );
      deadline.unref();
      // its shape is checked when it comes
      this.#waiting.set(id, { name, resolve: resolve as (result: unknown) => void, reject, deadline });
      if (!this.#options.channel.send({ ask: id, name, input }))
        this.#settle(id, (one) => one.reject(unavailable(`${name}: the other side is gone`)));
    });
  }

  /** Takes a message from the other side; anything else is ignored. Returns whether it was one. */
  take(message: unknown): boolean {
    if (typeof message !== "object" || message === null) return false;
    // checked there
    if ("ask" in message) return this.#asked(message as { ask: unknown; name?: unknown; input?: unknown });
    // checked there
    if ("re" in message) return this.#answered(message as { re: unknown; result?: unknown; problem?: unknown });
    return false;
  }

  /** The other side has gone: rejects all pending calls. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#waiting.keys()])
      this.#settle(id, (one) => one.reject(unavailable(`${one.name}: the other side ended`)));
  }

  #asked({ ask, name, input }: { ask: unknown; name?: unknown; input?: unknown }): boolean {
    if (typeof ask !== "number" || typeof name !== "string" || !Object.hasOwn(this.#options.answers, name))
      return false;
    const shapes = this.#options.answers[name];
    const handler = this.#handlers[name];
    if (shapes === undefined) return false;
    const refuse = (code: string, text: string, words: Detail | null = null): void =>
      void this.#options.channel.send({ re: ask, problem: { code, text: text.slice(0, 500), words } });
    if (!this.#options.check(shapes.input, input)) {
      refuse("invalid_body", `${name} does not have the expected shape`);
      return true;
    }
    if (handler === undefined) refuse("not_found", `nobody answers ${name}`);
    else if (this.#underWay >= MOST_UNDER_WAY) refuse("matter_unavailable", "too much is under way");
    else {
      this.#underWay += 1;
      // its shape was checked above
      const work = async (): Promise<unknown> => handler(input as Static<Served[string]["input"]>);
      work()
        .then(
          (result) => void this.#options.channel.send({ re: ask, result: result ?? null }),
          (error: unknown) =>
            refuse(
              error instanceof Problem ? error.code : "internal",
              error instanceof Error ? error.message : String(error),
              error instanceof Problem ? error.words : null,
            ),
        )
        .finally(() => {
          this.#underWay -= 1;
        });
    }
    return true;
  }

  #answered({ re, result, problem }: { re: unknown; result?: unknown; problem?: unknown }): boolean {
    const waiting = typeof re === "number" ? this.#waiting.get(re) : undefined;
    if (waiting === undefined || typeof re !== "number") return false;
    this.#settle(re, (one) => {
      if (isSaid(problem)) return one.reject(new Problem(problem.code, problem.text, { words: problem.words ?? null }));
      const shape = this.#options.asks[one.name]?.output;
      if (shape !== undefined && this.#options.check(shape, result)) one.resolve(result);
      else one.reject(unavailable(`the answer to ${one.name} does not have the expected shape`));
    });
    return true;
  }

  #settle(id: number, how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.deadline);
    how(waiting);
  }
}

function isSaid(
  problem: unknown,
): problem is { readonly code: string; readonly text: string; readonly words?: Detail | null } {
  return (
    typeof problem === "object" &&
    problem !== null &&
    "code" in problem &&
    "text" in problem &&
    typeof problem.code === "string" &&
    typeof problem.text === "string"
  );
}

function unavailable(text: string): Problem {
  return new Problem("matter_unavailable", `Matter does not answer (${text}).`);
}
