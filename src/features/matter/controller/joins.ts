import type { Clock } from "../../../core/kernel/clock.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { MatterHost } from "../host.ts";
import type { JoinFailure } from "./calls.ts";

/** The progress of a device that joins. */
export interface Join {
  readonly state: "none" | "looking" | "joining" | "reading" | "added" | "failed";
  /** Why it failed; `unavailable`: Matter does not run. */
  readonly failure: JoinFailure | "unavailable" | null;
  /** The hub's devices that it became. */
  readonly devices: readonly string[];
  /** Epoch milliseconds. */
  readonly startedAt: number | null;
}

/** Searching takes at most three minutes, joining one or two. */
const JOIN_TIMEOUT_MS = 420_000;

/** One device at a time joins the hub by its code. The code is a secret: it is passed on and stored nowhere. */
export class MatterJoins {
  readonly #options: ConstructorParameters<typeof MatterJoins>[0];
  #join: Join = { state: "none", failure: null, devices: [], startedAt: null };

  constructor(options: {
    readonly process: Pick<MatterHost, "call" | "state">;
    readonly devices: { devicesOf(node: string): readonly string[] };
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** The join under way, or the last one. */
  get current(): Join {
    return this.#join;
  }

  /**
   * Starts joining with a code.
   * @throws Problem `matter_unavailable` while Matter does not run; `conflict` while another device joins
   */
  begin(code: string): Join {
    const { process, clock } = this.#options;
    if (process.state.state !== "running")
      throw new Problem("matter_unavailable", "Matter is switched off, or its process is not there.");
    if (this.#isUnderWay) throw new Problem("conflict", { code: "conflict.matterJoining" });
    this.#join = { state: "looking", failure: null, devices: [], startedAt: clock.now() };
    void this.#run(code);
    return this.#join;
  }

  /** Cancels joining; does nothing if none is under way. */
  async cancel(): Promise<void> {
    if (this.#isUnderWay) await this.#options.process.call("controller.cancel", null);
  }

  /** Notes the progress that the process reports. */
  step(step: "joining" | "reading"): void {
    if (this.#isUnderWay && !(this.#join.state === "reading" && step === "joining"))
      this.#join = { ...this.#join, state: step };
  }

  get #isUnderWay(): boolean {
    return ["looking", "joining", "reading"].includes(this.#join.state);
  }

  async #run(code: string): Promise<void> {
    const { process, devices, logger } = this.#options;
    try {
      const joined = await process.call("controller.join", { code }, JOIN_TIMEOUT_MS);
      if ("failed" in joined) {
        logger.warn({ reason: joined.text }, "a Matter device did not join");
        this.#join = { ...this.#join, state: "failed", failure: joined.failed };
      } else this.#join = { ...this.#join, state: "added", devices: devices.devicesOf(joined.node) };
    } catch (error) {
      logger.warn({ err: error }, "a Matter device did not join");
      this.#join = {
        ...this.#join,
        state: "failed",
        failure: error instanceof Problem && error.code === "matter_unavailable" ? "unavailable" : "failed",
      };
    }
  }
}
