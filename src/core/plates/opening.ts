/**
 * The outcome of an order to let somebody in, from what the gate or lock acknowledged and from the state that it
 * reports.
 */

import type { Decision, Earns } from "./decide.ts";

/** The state of a gate or lock; `unknown`: it does not report it. */
export type Standing = "open" | "closed" | "between" | "unknown";

/**
 * `waiting`: nothing has come back yet. `opened`: its state shows it. `taken`: it acknowledged the order and does not
 * report its state. `not_opened`: see the reason; whatever the gate says later corrects it.
 */
export const OPENING_RESULTS = ["waiting", "opened", "taken", "not_opened"] as const;
/** The outcome of an order. */
export type OpeningResult = (typeof OPENING_RESULTS)[number];

/**
 * `offline`: it was offline. `no_answer`: nothing came back in time. `not_moved`: it has the order and did not move.
 * `not_sent`: the broker did not take the order.
 */
export const OPENING_REASONS = ["offline", "no_answer", "not_moved", "not_sent"] as const;
/** Why it did not open. */
export type OpeningReason = (typeof OPENING_REASONS)[number];

/** Why a gate was not told to open for a read. */
export const NOT_TOLD_REASONS = [
  "no_rule",
  "denied",
  "beside_denied",
  "watched",
  "outside_hours",
  "not_recognised",
  "not_sure",
  "late",
  "repeated",
  "no_gate",
  "same_pass",
  "noted",
  "asked",
  "unanswered",
  "kept_shut",
  "next_vehicle",
  "rule_changed",
  "opened_otherwise",
  "interrupted",
  "already_inside",
  "elsewhere",
  "presented",
] as const;
/** See {@link NOT_TOLD_REASONS}. */
export type NotToldReason = (typeof NOT_TOLD_REASONS)[number];

/** The state of a question about a vehicle: nobody has answered yet, or how it ended. */
export const QUESTION_STATES = [
  "asked",
  "opened",
  "unanswered",
  "kept_shut",
  "next_vehicle",
  "rule_changed",
  "opened_otherwise",
] as const;
/** See {@link QUESTION_STATES}. */
export type QuestionState = (typeof QUESTION_STATES)[number];

/**
 * Why the gate is not told to open for a recognised vehicle; null if it is. `isListed`: a rule names the plate, even
 * outside its times. `isBesideDenied`: the same picture shows a denied vehicle, which would come in with this one. Where
 * `earns` is less than `open`, the reason is `noted` or, if somebody is to be asked, `asked`.
 */
export function whyNotTold(read: {
  readonly decision: Decision;
  readonly isListed: boolean;
  readonly isBesideDenied: boolean;
  /** Its frames were shown before, byte for byte. */
  readonly isRepeated: boolean;
  readonly isFresh: boolean;
  readonly isSure: boolean;
  readonly hasGate: boolean;
  /** What an allowed plate earns. */
  readonly earns: Earns;
}): NotToldReason | null {
  if (read.decision === "deny") return "denied";
  if (read.decision === "watch") return "watched";
  if (read.decision === "unknown") return read.isListed ? "outside_hours" : "no_rule";
  if (!read.hasGate) return "no_gate";
  if (read.isBesideDenied) return "beside_denied";
  if (read.isRepeated) return "repeated";
  if (!read.isFresh) return "late";
  if (!read.isSure) return "not_sure";
  if (read.earns === "open") return null;
  return read.earns === "note" ? "noted" : "asked";
}

/** What is known about an order so far. */
export interface OpeningEvidence {
  readonly delivery: "sent" | "away" | "refused";
  readonly acknowledged: boolean;
  /** The gate's current state. */
  readonly standing: Standing;
  /** Whether the time in which it answers, or moves once it has answered, is over. */
  readonly isOver: boolean;
}

/**
 * The outcome of an order, by what is known about it. A gate that was already open has opened as soon as it has the
 * order.
 */
export function resultOf({ delivery, acknowledged, standing, isOver }: OpeningEvidence): {
  readonly result: OpeningResult;
  readonly reason: OpeningReason | null;
} {
  if (delivery === "refused") return { result: "not_opened", reason: "not_sent" };
  if (acknowledged) {
    if (standing === "open") return { result: "opened", reason: null };
    if (standing === "unknown") return { result: "taken", reason: null };
    return isOver ? { result: "not_opened", reason: "not_moved" } : { result: "waiting", reason: null };
  }
  if (delivery === "away") return { result: "not_opened", reason: "offline" };
  return isOver ? { result: "not_opened", reason: "no_answer" } : { result: "waiting", reason: null };
}

/** Keys of a state that tell whether a gate or lock is open, the most telling first. */
const STANDING_KEYS = ["locked", "gate", "door", "cover", "position", "state", "open", "contact"];
const STANDING_TEXTS: ReadonlyMap<string, Standing> = new Map([
  ["open", "open"],
  ["opening", "open"],
  ["opened", "open"],
  ["unlocked", "open"],
  ["closed", "closed"],
  ["locked", "closed"],
  ["closing", "between"],
  ["stopped", "between"],
]);

/**
 * A gate's or lock's state by `locked`, `gate`, `door`, `position`, `open` or `contact` (true: closed). One that is
 * opening counts as open.
 */
export function standingOf(state: Readonly<Record<string, unknown>>): Standing {
  for (const key of STANDING_KEYS) {
    const standing = oneStanding(key, state[key]);
    if (standing !== null) return standing;
  }
  return "unknown";
}

/** The key of a gate's or lock's state that says best whether it is open; null: none does. */
export function standingKey(state: Readonly<Record<string, unknown>>): string | null {
  return STANDING_KEYS.find((one) => oneStanding(one, state[one]) !== null) ?? null;
}

/** The value that says best whether a gate or lock is open: a word, a position or a flag; null: there is none. */
export function standingValue(state: Readonly<Record<string, unknown>>): unknown {
  const key = standingKey(state);
  return key === null ? null : state[key];
}

/** Whether something that opens is open, shut or moving, in one word. */
export type Movement = "open" | "opening" | "closing" | "stopped" | "closed" | "locked" | "unlocked";

/** Whether a gate, lock or shutter is open, shut or moving, by the value that says it best; null: unknown. */
export function movementOf(state: Readonly<Record<string, unknown>>): Movement | null {
  const key = standingKey(state);
  if (key === null) return null;
  const value = state[key];
  if (typeof value === "string") {
    const word = value.toLowerCase();
    return word === "opened" ? "open" : (word as Movement); // a key of STANDING_TEXTS
  }
  if (key === "locked") return value === true ? "locked" : "unlocked";
  if (state.moving === "opening" || state.moving === "closing") return state.moving;
  return oneStanding(key, value) === "closed" ? "closed" : "open";
}

/**
 * Whether a gate or lock that was told to close did not, by what its state says when it was told and now
 * ({@link standingValue}). One that is on its way counts as closing; one that stopped on its way does not.
 */
export function staysOpen(then: unknown, now: unknown): boolean {
  if (typeof now === "string") return ["open", "opening", "opened", "unlocked", "stopped"].includes(now.toLowerCase());
  if (typeof now === "number") return now > 0 && !(typeof then === "number" && now < then);
  return true;
}

function oneStanding(key: string, value: unknown): Standing | null {
  if (typeof value === "string") return STANDING_TEXTS.get(value.toLowerCase()) ?? null;
  if (typeof value === "number") return key !== "position" ? null : value > 0 ? "open" : "closed";
  if (typeof value !== "boolean") return null;
  const isClosed = key === "locked" || key === "contact" ? value : !value;
  return isClosed ? "closed" : "open";
}

/**
 * Whether a command to a barrier only closes, locks or stops it. Anything else may open it, by a key that only its
 * maker knows.
 */
export function onlyCloses(command: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(command).every(([key, value]) =>
    key === "open" ? value === false : ["close", "stop", "locked"].includes(key) && value === true,
  );
}

const OPENING_TEXTS = new Set(["open", "unlock", "opened", "unlocked"]);

const CLOSING_TEXTS = new Set(["close", "lock", "closed", "locked"]);

/** Whether a command closes or locks in a common form, and says nothing else. */
export function asksToClose(command: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.entries(command);
  return (
    entries.some(([key, value]) => closes(key, value)) &&
    entries.every(([key, value]) => closes(key, value) || (key === "stop" && value === true))
  );
}

function closes(key: string, value: unknown): boolean {
  if (typeof value === "string") return CLOSING_TEXTS.has(value.toLowerCase());
  if (key === "position") return value === 0;
  return key === "open" ? value === false : (key === "close" || key === "locked") && value === true;
}

/** Whether a command asks to open or unlock in a common form; others may still do it. */
export function asksToOpen(command: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(command).some(([key, value]) => {
    if (typeof value === "string") return OPENING_TEXTS.has(value.toLowerCase());
    if (key === "position") return typeof value === "number" && value > 0;
    return key === "locked" ? value === false : (key === "open" || key === "unlock") && value === true;
  });
}
