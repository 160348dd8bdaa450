/** What happened at the gate, in one sentence. */
import { isTextKey, type TextKey, t, timeOfDay, whenText } from "../../../console/i18n/translate.ts";
import { unbroken } from "../../../console/i18n/unbroken.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { GateRead } from "../../../console/store.ts";
import { gateFactOf, isAlarming } from "../rules/gate-fact.ts";

/** Who opened which gate or lock. */
export type Opening = AnswerTo<"GET", "/api/openings">["openings"][number];

/** Whose vehicle a read is about: the name of its rule, or else its plate. */
export function whoOf(read: GateRead): string {
  return unbroken(read.label || (read.formatted ?? t("plate.unread")));
}

/** Whether a vehicle has a name or a plate to be called by. */
export function isNamed({ label, formatted }: GateRead): boolean {
  return label !== "" || formatted !== null;
}

/** What a person put right, old and new, and who it was: `KA05MN3311 → KA 05 MN 3317, by Asha`; null: nothing. */
export function correctionText({ correction, formatted, plate }: GateRead): string | null {
  if (correction === null || plate === null) return null;
  const values = { who: correction.by ?? t("read.somebody"), plate: formatted ?? plate };
  return correction.saw === ""
    ? t("read.plateFilledIn", values)
    : t("read.plateCorrected", { ...values, saw: correction.saw });
}

/** A sentence in two parts: the vehicle with its end, and what the gate did where that is not said yet. */
export interface Story {
  readonly text: string;
  /** Empty: nothing more is known. */
  readonly gate: string;
  /** Somebody who is not allowed came to an open gate. */
  readonly isAlarming: boolean;
}

/** What happened, as sentences: `Family car came at 18:22 and was let in.` It claims only what the hub has seen. */
export function storyOf(read: GateRead): Story {
  const fact = gateFactOf(read);
  const gate = fact === "stood_open" ? `${stoodOpenText(read)}${t("story.end")}` : "";
  const story = (text: string, more = gate): Story => ({ text, gate: more, isAlarming: isAlarming(read) });
  const way = read.direction ?? "seen";
  const values = { who: whoOf(read), when: whenText(read.at), way };
  if (read.plate === null) return story(t("story.unread", values));
  const reason = read.gate?.reason ?? null;
  const why = reason === "kept_shut" && read.asked?.by != null ? t("why.saidNo", { by: read.asked.by }) : whyThen(read);
  switch (fact) {
    case "opened":
    case "taken":
    case "was_open":
      if (fact === "taken" && read.asked?.by == null && read.passed !== "seen") return story(t("story.told", values));
      return story(
        read.asked?.by == null
          ? t(`storyOpened.${way}`, values)
          : t(`storyAnswered.${way}`, { ...values, by: read.asked.by }),
      );
    case "opening":
      return story(t("story.waiting", values));
    case "same_pass":
      return story(t("story.samePass", values));
    case "unrecorded":
      return story(t(read.decision === "allow" ? "story.noGateAllowed" : "story.seen", values));
    case "failed":
      return story(t("story.notOpened", { ...values, why }));
    case "asked":
      return story(t("story.asked", values));
    default:
      break;
  }
  if (fact === "stayed_shut" && read.decision === "deny") return story(t("story.denied", values));
  const first =
    reason === "no_gate"
      ? t(fact === "no_gate" ? "story.noGateAllowed" : "story.opensNone", values)
      : t("story.came", { ...values, why });
  if (fact === "opened_after" && read.openedAfter !== null)
    return story(first, t("story.thenOpened", { by: openerOf(read.openedAfter.by) }));
  if (fact === "opened_otherwise") return story(first, t("story.openedOtherwise"));
  if (fact === "stayed_shut") return story(first, t("story.stayedShut"));
  return fact === "not_told" ? story(first, t("story.notTold")) : story(first);
}

/** That the gate stood open, and since when where that is known; without a full stop. */
export function stoodOpenText({ gateOpenSince }: Pick<GateRead, "gateOpenSince">): string {
  return gateOpenSince === null ? t("story.stoodOpen") : t("story.stoodOpenSince", { time: timeOfDay(gateOpenSince) });
}

/** Why a question ended without an answer. */
export const UNANSWERED: ReadonlySet<string | null> = new Set([
  "unanswered",
  "next_vehicle",
  "rule_changed",
  "interrupted",
]);

/** Whether the camera read nothing that could be decided on, even where a person has filled in the plate since. */
export function wasUnread({ plate, gate, correction }: GateRead): boolean {
  if (plate === null) return true;
  return correction !== null && (gate === null ? correction.saw === "" : gate.reason === "not_recognised");
}

/** What the lists or a person said of a read, as words that begin a line. */
export function listWordOf(read: GateRead): string {
  const reason = read.gate?.reason ?? null;
  if (wasUnread(read)) return t("chain.unread");
  if (reason === "kept_shut")
    return t("chain.saidNo", { by: read.asked?.by ?? t("opener.somebody"), after: "no", took: "" });
  const end = `chain.end.${reason ?? ""}`;
  if (UNANSWERED.has(reason) && isTextKey(end)) return t(end);
  return t(reason === "outside_hours" ? "chain.outsideHours" : `chain.${read.decision}`);
}

const UNREAD: Readonly<Record<string, TextKey>> = {
  no_recogniser: "reason.no_recogniser",
  no_plate: "reason.no_plate",
  invalid_format: "reason.invalid_format",
  timeout: "reason.timeout",
  provider_error: "reason.provider_error",
};

/** Why nothing was read. */
export function whyUnread({ reason }: Pick<GateRead, "reason">): string {
  return t(UNREAD[reason ?? ""] ?? "plate.unread");
}

/** Why, of a car that may have been put on a list since. */
function whyThen({ gate, label }: GateRead): string {
  const reason = gate?.reason ?? null;
  return reason === "no_rule" && label !== "" ? t("why.noRuleThen") : whyOf(reason);
}

/** Why something did not happen at the gate, as part of a sentence; empty where nobody knows. */
export function whyOf(reason: string | null): string {
  const key = `why.${reason ?? ""}`;
  return isTextKey(key) ? t(key) : "";
}

/** A car that came within this time may still stand at the gate. */
export const WAITS_MS = 5 * 60_000;

/** Whether the vehicle of a read may be standing in front of a gate that did not open for it. */
export function waitsAtGate(read: GateRead, now = Date.now(), withinMs = WAITS_MS): boolean {
  return (
    read.opens !== null &&
    read.direction !== "out" &&
    read.passed === "no" &&
    read.gate?.result !== "waiting" &&
    read.gate?.reason !== "same_pass" &&
    read.gate?.reason !== "opened_otherwise" &&
    read.openedAfter === null &&
    now - Date.parse(read.at) < withinMs
  );
}

/** Whether the cameras of its gate have shown something else since a read: its vehicle has made room. */
export function hasBeenFollowed({ opens, at, plate }: GateRead, others: readonly GateRead[]): boolean {
  return others.some(
    (other) =>
      other.opens === opens && Date.parse(other.at) > Date.parse(at) && (other.plate !== plate || plate === null),
  );
}

/** Who opened, as the one who did it in a sentence. */
export function openerOf({ kind, name }: Opening["by"]): string {
  return name ?? t(kind === "device" ? "opener.device" : "opener.hub");
}

/** Who opened and when, as a sentence. `when`: as `openingWhen` says it. */
export function openingSentence({ by, result, reason }: Opening, when: string): string {
  const who = by.name ?? (by.kind === "device" ? "" : t("opener.hub"));
  if (result === "not_opened") return t("opened.not", { who: who || t("opener.device"), when, why: whyOf(reason) });
  if (by.kind === "plate" && by.name !== null) return t("opened.plate", { who, when });
  return by.kind === "device" ? t("opened.byHand", { when }) : t("opened.by", { who, when });
}
