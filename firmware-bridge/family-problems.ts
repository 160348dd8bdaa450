import type { Clock } from "../src/core/kernel/clock.ts";
import type { Logger } from "../src/core/kernel/logger.ts";
import { ProblemList } from "./problem-list.ts";

/** Notes what families cannot make sense of, with the message that is being handled. */
export class FamilyProblems {
  readonly list = new ProblemList();
  /** The message being handled. */
  present: { readonly topic: string; readonly payload?: Uint8Array } = { topic: "" };
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Notes something that a family could not make sense of, in the message being handled. */
  problem(family: string, reason: string): void {
    this.add({ family, topic: this.present.topic, reason, at: this.#clock.now() });
  }

  /** As {@link problem}, of the given topic and time. */
  add(problem: Parameters<ProblemList["add"]>[0]): void {
    const { payload } = this.present;
    this.list.add({ ...problem, ...(payload === undefined ? {} : { payload }) });
  }

  /** A family threw; its remaining work is skipped. */
  failed(family: string, error: unknown): void {
    this.#logger.error({ family, topic: this.present.topic, err: error }, "a firmware family failed");
    this.problem(family, "the hub could not handle this message; its log has more");
  }
}
