import type { Clock, Timer } from "./clock.js";

/**
 * How often what nobody was promised reaches the disk: last-seen times, measured values in a state, counters,
 * samples of a source that says again how it stands. A power cut takes back this much of them at most.
 */
export const QUIET_WRITE_MS = 300_000;

interface Round {
  readonly timer: Timer;
  readonly tasks: Set<() => void>;
}

const rounds = new WeakMap<Clock, Round>();

/**
 * Runs `task` every {@link QUIET_WRITE_MS}, right after those of all other parts: what they hand to the database then is
 * one commit. A commit costs a flash card whole pages, however little is in it.
 */
export function everyQuietWrite(clock: Clock, task: () => void): Timer {
  const round = rounds.get(clock) ?? begun(clock);
  const own = (): void => task(); // the same task may be given twice
  round.tasks.add(own);
  return {
    stop: () => {
      round.tasks.delete(own);
      if (round.tasks.size > 0 || rounds.get(clock) !== round) return;
      round.timer.stop();
      rounds.delete(clock);
    },
  };
}

function begun(clock: Clock): Round {
  const tasks = new Set<() => void>();
  const round: Round = {
    tasks,
    timer: clock.every(QUIET_WRITE_MS, () => {
      for (const task of [...tasks]) task();
    }),
  };
  rounds.set(clock, round);
  return round;
}
