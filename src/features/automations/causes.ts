import type { Clock } from "../../core/kernel/clock.ts";

/** One rule in a chain of causes, oldest first: the rule whose command led to the next cause. */
export interface Cause {
  readonly automationId: number;
  readonly name: string;
  readonly runId: string;
  /** Its run opened nothing and disarmed nothing: what it leads to does not, either. */
  readonly opensNothing?: true;
}

/** A chain of causes longer than this stops. */
export const MAX_CHAIN = 8;

/** How long after a rule's command a change of the device counts as its effect. */
const EFFECT_WINDOW_MS = 5_000;
/** Most commands remembered; the oldest is forgotten first. */
const MAX_REMEMBERED = 2_000;

interface Sent {
  readonly atMono: number;
  readonly keys: readonly string[];
  readonly causes: readonly Cause[];
}

/**
 * Finds the rules that caused a device's change. The criterion: a change (or an event) of a device within five seconds
 * after a rule's command to it is that command's effect. If keys of the command are also keys of the device's state,
 * only changes of those keys are; a command whose keys differ from the state's (`{ch, on}`) claims any change. The
 * latest command wins. A change that answers a command of the API or the console is not attributed here: the engine
 * does not ask.
 */
export class CauseMemory {
  readonly #clock: Clock;
  readonly #sent = new Map<string, Sent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that a rule at the end of `causes` has sent a command with these keys (none: keys unknown) to a device. */
  sent(deviceId: string, keys: readonly string[], causes: readonly Cause[]): void {
    this.#sent.delete(deviceId);
    this.#sent.set(deviceId, { atMono: this.#clock.mono(), keys, causes });
    if (this.#sent.size <= MAX_REMEMBERED) return;
    const oldest = this.#sent.keys().next();
    if (!oldest.done) this.#sent.delete(oldest.value);
  }

  /** Notes that a rule sets a house to a mode. */
  modeSet(siteId: number, mode: string, causes: readonly Cause[]): void {
    this.sent(modeKey(siteId, mode), [], causes);
  }

  /** The chain behind a mode that a rule has set. */
  ofMode(siteId: number, mode: string): readonly Cause[] {
    return this.of(modeKey(siteId, mode), null, []);
  }

  /**
   * The chain behind a change of `changed` in a device whose state has `stateKeys`; empty when no rule caused it.
   * `changed` null: not a change of state.
   */
  of(deviceId: string, changed: readonly string[] | null, stateKeys: readonly string[]): readonly Cause[] {
    const sent = this.#sent.get(deviceId);
    if (sent === undefined) return [];
    if (this.#clock.mono() - sent.atMono > EFFECT_WINDOW_MS) {
      this.#sent.delete(deviceId);
      return [];
    }
    if (changed === null) return sent.causes;
    const shared = sent.keys.filter((key) => stateKeys.includes(key));
    return shared.length === 0 || shared.some((key) => changed.includes(key)) ? sent.causes : [];
  }
}

/** Beside the ids of devices, which have no spaces. */
function modeKey(siteId: number, mode: string): string {
  return `house ${siteId} ${mode}`;
}
