/** What happened at the gate, in one sentence. */
import { isTextKey, t, whenText } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { GateRead } from "../../../console/store.ts";

/** Who opened which gate or lock. */
export type Opening = AnswerTo<"GET", "/api/openings">["openings"][number];

/** Whose vehicle a read is about: the name of its rule, or else its plate. */
export function whoOf(read: GateRead): string {
  return read.label || (read.formatted ?? t("plate.unread"));
}

/** The vehicle with its end, as a sentence: `Family car came at 18:22 and was let in.` */
export function storyOf(read: GateRead): string {
  const way = read.direction ?? "seen";
  const values = { who: whoOf(read), when: whenText(read.at), way };
  if (read.plate === null) return t("story.unread", values);
  const { gateWasOpen, openedAfter } = read;
  const isShut = read.gate?.result === "not_told" && read.gate.reason !== "no_gate";
  if (isShut && gateWasOpen) return t("story.wasOpen", { ...values, why: whyOf(read.gate?.reason ?? null) });
  if (isShut && openedAfter !== null) return t("story.openedAfter", { ...values, by: openerOf(openedAfter.by) });
  if (read.decision === "deny") return t("story.denied", values);
  const { gate } = read;
  if (gate?.result === "opened" || gate?.result === "taken") return t(`storyOpened.${way}`, values);
  if (gate?.result === "waiting") return t("story.waiting", values);
  if (gate?.result === "not_opened") return t("story.notOpened", { ...values, why: whyOf(gate.reason) });
  if (gate === null || gate.reason === "no_gate")
    return t(read.decision === "allow" ? "story.noGateAllowed" : "story.seen", values);
  if (gate.reason === "no_rule") return t("story.unknown", values);
  return t("story.shut", { ...values, why: whyOf(gate.reason) });
}

/** Why something did not happen at the gate, as part of a sentence; empty where nobody knows. */
export function whyOf(reason: string | null): string {
  const key = `why.${reason ?? ""}`;
  return isTextKey(key) ? t(key) : "";
}

/** A car that came within this time may still stand at the gate. */
const WAITS_MS = 5 * 60_000;

/** Whether the vehicle of a read may be standing in front of a gate that did not open for it. */
export function waitsAtGate(read: GateRead, now = Date.now()): boolean {
  return (
    read.opens !== null &&
    read.direction !== "out" &&
    read.passed === "no" &&
    read.gate?.result !== "waiting" &&
    read.gate?.reason !== "same_pass" &&
    read.gate?.reason !== "opened_otherwise" &&
    read.openedAfter === null &&
    now - Date.parse(read.at) < WAITS_MS
  );
}

/** Who opened, as the one who did it in a sentence. */
export function openerOf({ kind, name }: Opening["by"]): string {
  return name ?? t(kind === "device" ? "opener.device" : "opener.hub");
}

/** Who opened and when, as a sentence. `when`: as `whenText` says it. */
export function openingSentence({ by, result, reason }: Opening, when: string): string {
  const who = by.name ?? (by.kind === "device" ? "" : t("opener.hub"));
  if (result === "not_opened") return t("opened.not", { who: who || t("opener.device"), when, why: whyOf(reason) });
  if (by.kind === "plate" && by.name !== null) return t("opened.plate", { who, when });
  return by.kind === "device" ? t("opened.byHand", { when }) : t("opened.by", { who, when });
}
