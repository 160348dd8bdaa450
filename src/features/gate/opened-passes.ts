import { type ArrivingRead, type OpenPass, passOf } from "../../core/plates/passes.ts";
import type { Direction } from "../../core/plates/reading.ts";
import type { AskedPass } from "./questions.ts";

/** A vehicle that passes a camera, as far as it matters for opening a gate once. */
export interface GatePass {
  /** The read for which the gate was told to open; null: it was not told yet, or did not take the command. */
  readId: number | null;
  /** How the question about it stands; null: nobody was asked. */
  asked: AskedPass | null;
  /** A burst of it showed a vehicle coming, with nothing odd about it. */
  hasCome: boolean;
  /** When it was first seen; monotonic. */
  readonly at: number;
}

interface Known extends OpenPass, GatePass {
  readonly at: number;
  direction: Direction | null;
  confidence: number;
  lastAt: number;
}

/** Passes of one camera that are remembered; the one that was seen longest ago is forgotten first. */
const MOST = 2_000;

/**
 * Passes for which gates open. They are found like those of the register (`core/plates/passes.ts`), but by the hub's
 * own clock and by directions that were seen: neither a time nor a direction that a camera's credential claims makes
 * two openings of one pass.
 */
export class OpenedPasses {
  readonly #byCamera = new Map<string, Known[]>();
  #lastId = 0;

  /**
   * The pass of a read at this moment.
   * @param read `at` is monotonic; `direction` is what was seen
   */
  join(deviceId: string, read: ArrivingRead, passMs: number): GatePass {
    const known = (this.#byCamera.get(deviceId) ?? []).filter(({ lastAt }) => read.at - lastAt <= passMs).slice(-MOST);
    this.#byCamera.set(deviceId, known);
    const found = passOf(read, known, passMs);
    const standing = known.find(({ id }) => id === found?.id);
    if (standing !== undefined) {
      standing.lastAt = read.at;
      standing.confidence = Math.max(standing.confidence, read.confidence);
      standing.direction ??= read.direction;
      return standing;
    }
    this.#lastId += 1;
    const made: Known = { ...read, id: this.#lastId, lastAt: read.at, readId: null, asked: null, hasCome: false };
    known.push(made);
    return made;
  }
}
