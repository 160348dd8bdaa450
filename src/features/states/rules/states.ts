/** Which of a device's values are states (yes or no, or one of a few words), and how they are stored. */
import { isJsonObject, type JsonObject } from "../../../core/kernel/json-object.ts";

/** The presence of a device, beside its own keys. */
export const ONLINE = "online";
/** Most states of one device that are recorded. */
const MOST_STATES = 24;
/** Most words of one state: one with more is a text, such as the title of a song. */
export const MOST_WORDS = 12;

const DEEPEST = 3;
/** A word that says how something is: letters, no digits at the front, not long. */
const WORD = /^[\p{L}][\p{L}\p{M}\p{N} _-]{0,23}$/u;
/** Words of doors, locks and switches: worth a bar even if the state never had another. */
const KNOWN = new Set(
  "open closed opening closing stopped locked unlocked jammed on off home away armed disarmed idle heat cool auto".split(
    " ",
  ),
);

/** A value of a state: yes or no, a word, or null if it is not known. */
export type StateValue = boolean | string | null;

/**
 * The states of a device by their paths (`a.b` reaches into an object), at most {@link MOST_STATES}. A gate or cover
 * that reports how far it is open in percent is open above zero.
 */
export function statesOf(type: string, state: JsonObject): Map<string, StateValue> {
  const found = new Map<string, StateValue>();
  const walk = (part: JsonObject, before: string, depth: number): void => {
    for (const [key, value] of Object.entries(part)) {
      const path = `${before}${key}`;
      if (path === ONLINE || found.size >= MOST_STATES) continue;
      if (isJsonObject(value)) {
        if (depth < DEEPEST) walk(value, `${path}.`, depth + 1);
      } else if (typeof value === "boolean") found.set(path, value);
      else if (typeof value === "string" && WORD.test(value)) found.set(path, value.toLowerCase());
      else if (typeof value === "number" && isShare(type, path)) found.set(path, value > 0 ? "open" : "closed");
    }
  };
  walk(state, "", 1);
  return found;
}

/** Whether a state with these words is shown: one that never changed is worth showing only in known words. */
export function isTelling(words: readonly string[]): boolean {
  return words.length !== 1 || KNOWN.has(words[0] ?? "");
}

function isShare(type: string, path: string): boolean {
  return path === "position" && (type === "cover" || type === "gate" || type === "garage-door");
}
