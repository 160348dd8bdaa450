/** What happened at the gate, told in one sentence. */
import { isTextKey, t, whenText } from "../../../console/i18n/translate.ts";
import type { GateRead } from "../../../console/store.ts";

/** Whose vehicle a read is about: the name of its rule, or else its plate. */
export function whoOf(read: GateRead): string {
  return read.label || (read.formatted ?? t("plate.unread"));
}

/** The vehicle with its end, as a sentence: `Family car came at 18:22 and was let in.` */
export function storyOf(read: GateRead): string {
  const values = { who: whoOf(read), when: whenText(read.at) };
  if (read.plate === null) return t("story.unread", values);
  if (read.decision === "deny") return t("story.denied", values);
  const { gate } = read;
  const way = read.direction ?? "seen";
  if (gate?.result === "opened" || gate?.result === "taken")
    return t(`storyOpened.${way}`, values);
  if (gate?.result === "waiting") return t("story.waiting", values);
  if (gate?.result === "not_opened") return t("story.notOpened", { ...values, why: whyOf(gate.reason) });
  if (gate === null || gate.reason === "no_gate")
    return t(read.decision === "allow" ? "story.noGateAllowed" : "story.seen", values);
  if (gate.reason === "no_rule") return t("story.unknown", values);
  return t("story.shut", { ...values, why: whyOf(gate.reason) });
}

function whyOf(reason: string | null): string {
  const key = `why.${reason ?? ""}`;
  return isTextKey(key) ? t(key) : "";
}

/** One step of what happens to a vehicle at the gate. */
export interface Step {
  readonly text: string;
  /** `open`: it is not known yet, or nothing shows it. */
  readonly state: "yes" | "no" | "open";
}

/**
 * The chain that each read has to tell honestly: what was decided, whether the gate was told, whether it opened, and
 * whether the vehicle went through. It ends where something stopped it.
 */
export function chainOf(read: GateRead): readonly Step[] {
  const { gate, decision } = read;
  const decided: Step =
    read.plate === null
      ? { text: t("chain.unread"), state: "no" }
      : { text: t(`chain.${decision}`), state: decision === "allow" ? "yes" : "no" };
  if (gate === null) return [decided, { text: t("chain.notRecorded"), state: "open" }];
  if (gate.reason === "no_gate") return [decided, { text: t("chain.noGate"), state: "no" }, ...passedOf(read)];
  if (gate.result === "not_told") {
    if (gate.reason === "asked") return [decided, { text: t("chain.asked"), state: "open" }];
    if (gate.reason === "opened_otherwise" || gate.reason === "same_pass")
      return [decided, { text: t(`chain.${gate.reason}`), state: "yes" }];
    return [decided, { text: t("chain.notTold", { why: whyOf(gate.reason) }), state: "no" }];
  }
  const told: Step = { text: t("chain.told"), state: "yes" };
  if (gate.result === "waiting") return [decided, told, { text: t("chain.opening"), state: "open" }];
  if (gate.result === "not_opened")
    return [decided, told, { text: t("chain.notOpened", { why: whyOf(gate.reason) }), state: "no" }];
  const opened: Step =
    gate.result === "opened" ? { text: t("chain.opened"), state: "yes" } : { text: t("chain.taken"), state: "open" };
  return [decided, told, opened, ...passedOf(read)];
}

function passedOf({ passed, direction }: GateRead): Step[] {
  if (passed === "no") return [];
  const way = direction === "out" ? "out" : "in";
  if (passed === "seen") return [{ text: t(`chain.seen.${way}`), state: "yes" }];
  return [{ text: t(passed === "assumed" ? `chain.assumed.${way}` : "chain.unknownPass"), state: "open" }];
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
    now - Date.parse(read.at) < WAITS_MS
  );
}
