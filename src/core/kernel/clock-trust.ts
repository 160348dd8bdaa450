/**
 * How far the wall clock is trusted. A host without a clock battery starts with a wrong one. `unknown`: nothing vouches
 * for it, wall-clock schedules wait; `holdover`: it was right before and has been running since; `trusted`: a time
 * server, a battery clock or a person vouches for it.
 */
export type ClockTrustState = "unknown" | "holdover" | "trusted";

/**
 * Rows with a time from `fromMs` to `toMs` were recorded while the time was unknown: they belong `shiftMs` later (epoch
 * ms).
 */
export interface ClockCorrection {
  readonly fromMs: number;
  readonly toMs: number;
  readonly shiftMs: number;
}

/** The view of the wall clock for parts that depend on it. */
export interface ClockTrustView {
  state(): ClockTrustState;
  /** Calls `listener` with the new state and the one before after each change. Returns the unsubscribe function. */
  onChange(listener: (state: ClockTrustState, before: ClockTrustState) => void): () => void;
  /**
   * Calls `listener` when wall time has jumped against monotonic time, by `jumpMs` (positive = forward). Returns the
   * unsubscribe function.
   */
  onJump(listener: (jumpMs: number) => void): () => void;
}
