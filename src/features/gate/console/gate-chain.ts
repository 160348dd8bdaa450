/** What happened to a vehicle at the gate, step by step. */
import { oddText } from "../../../console/components/odd.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { GateRead } from "../../../console/store.ts";
import { openerOf, whyOf } from "./gate-story.ts";

/** One step of what happens to a vehicle at the gate. */
export interface Step {
  readonly text: string;
  /** `open`: it is not known yet, or nothing shows it. */
  readonly state: "yes" | "no" | "open";
}

/**
 * The chain that each read has to show honestly: what was decided, whether the gate was commanded, whether it opened, and
 * whether the vehicle went through. It ends where something stopped it.
 */
export function chainOf(read: GateRead): readonly Step[] {
  const { gate, decision } = read;
  const first: Step =
    read.plate === null
      ? { text: t("chain.unread"), state: "no" }
      : { text: t(`chain.${decision}`), state: decision === "allow" ? "yes" : "no" };
  if (gate === null) return [first, { text: t("chain.notRecorded"), state: "open" }];
  const odd: Step[] = gate.odd.length === 0 ? [] : [{ text: oddText(gate.odd), state: "no" }];
  const decided = [first, ...odd];
  if (gate.reason === "no_gate") return [...decided, { text: t("chain.noGate"), state: "no" }, ...passedOf(read)];
  if (gate.result === "not_told") {
    if (gate.reason === "asked") return [...decided, { text: t("chain.asked"), state: "open" }];
    if (gate.reason === "opened_otherwise" || gate.reason === "same_pass")
      return [...decided, { text: t(`chain.${gate.reason}`), state: "yes" }];
    const why = whyOf(gate.reason);
    if (read.gateWasOpen) return [...decided, { text: t("chain.wasOpen", { why }), state: "no" }];
    const stayedShut: Step = { text: t("chain.notTold", { why }), state: "no" };
    if (read.openedAfter === null) return [...decided, stayedShut];
    return [
      ...decided,
      stayedShut,
      { text: t("chain.openedAfter", { who: openerOf(read.openedAfter.by) }), state: "yes" },
    ];
  }
  const told: Step = { text: t("chain.told"), state: "yes" };
  if (gate.result === "waiting") return [...decided, told, { text: t("chain.opening"), state: "open" }];
  if (gate.result === "not_opened")
    return [...decided, told, { text: t("chain.notOpened", { why: whyOf(gate.reason) }), state: "no" }];
  const opened: Step =
    gate.result === "opened" ? { text: t("chain.opened"), state: "yes" } : { text: t("chain.taken"), state: "open" };
  return [...decided, told, opened, ...passedOf(read)];
}

function passedOf({ passed, direction }: GateRead): Step[] {
  if (passed === "no") return [];
  const way = direction === "out" ? "out" : "in";
  if (passed === "seen") return [{ text: t(`chain.seen.${way}`), state: "yes" }];
  return [{ text: t(passed === "assumed" ? `chain.assumed.${way}` : "chain.unknownPass"), state: "open" }];
}
