/**
 * What the hub knows of what a gate did for a sighting. Every sentence, chain and list line about it follows from here,
 * so that nothing is claimed that the hub has not seen. It knows no words.
 */
import type { GateRead } from "../resources/gate-read.ts";

/** What is looked at of a sighting. */
export type GateEvidence = Pick<
  GateRead,
  "gate" | "opens" | "gateWasOpen" | "gateWasShut" | "gateOpenSince" | "openedAfter"
>;

/**
 * `unrecorded`: a read of a time when nothing was noted. `opening`, `opened`, `taken`, `failed`: it was told to open.
 * `was_open`: it was told to, and stood open already. `same_pass`: it was told just before. Not told: `stood_open`: it
 * stood open anyway; `opened_after`, `opened_otherwise`: somebody opened it; `asked`: somebody is asked; `stayed_shut`:
 * it was known to be shut; `no_gate`: the camera opens none, and nothing is known of one; `not_told`: it was not told
 * to open, and how it stood is not known.
 */
export type GateFact =
  | "unrecorded"
  | "opening"
  | "opened"
  | "taken"
  | "was_open"
  | "failed"
  | "same_pass"
  | "stood_open"
  | "opened_after"
  | "opened_otherwise"
  | "asked"
  | "stayed_shut"
  | "no_gate"
  | "not_told";

/** What the gate did, as far as it is known. */
export function gateFactOf(read: GateEvidence): GateFact {
  const { gate } = read;
  if (gate === null) return "unrecorded";
  switch (gate.result) {
    case "waiting":
      return "opening";
    case "not_opened":
      return read.gateWasOpen ? "stood_open" : "failed";
    case "opened":
    case "taken":
      return read.gateWasOpen ? "was_open" : gate.result;
    case "not_told":
      return notToldFact(read, gate.reason);
  }
}

function notToldFact(read: GateEvidence, reason: string | null): GateFact {
  if (reason === "same_pass") return "same_pass";
  if (reason === "opened_otherwise") return read.openedAfter === null ? "opened_otherwise" : "opened_after";
  if (read.gateWasOpen) return "stood_open";
  if (read.openedAfter !== null) return "opened_after";
  if (reason === "asked") return "asked";
  if (read.gateWasShut) return "stayed_shut";
  return reason === "no_gate" || read.opens === null ? "no_gate" : "not_told";
}

/** Somebody who is not allowed, or was refused, came to an open gate: the one thing a gatekeeper has to look at. */
export function isAlarming(read: GateEvidence & Pick<GateRead, "decision">): boolean {
  return (read.decision !== "allow" || read.gate?.reason === "kept_shut") && gateFactOf(read) === "stood_open";
}
