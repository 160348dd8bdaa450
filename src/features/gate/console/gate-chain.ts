/** What happened to a vehicle at the gate, step by step, and in a few words for a list. */
import { oddText } from "../../../console/components/odd.ts";
import { clockTime, duration, t, timeOfDay } from "../../../console/i18n/translate.ts";
import type { GateRead } from "../../../console/store.ts";
import { gateFactOf, isAlarming } from "../rules/gate-fact.ts";
import {
  listWordOf,
  openerOf,
  stoodOpenText,
  UNANSWERED,
  WAITS_MS,
  wasUnread,
  whyOf,
  whyUnread,
} from "./gate-story.ts";

/** One step of what happens to a vehicle at the gate. */
export interface Step {
  readonly text: string;
  /** `open`: it is not known yet; `noted`: it happened, or nothing shows it and nothing will. */
  readonly state: "yes" | "no" | "open" | "noted";
}

/**
 * The chain that each read has to show honestly: what was decided, who was asked and answered, what the gate did as far
 * as the hub knows, and whether the vehicle went through. It ends where something stopped it. Each fact is in it once.
 */
export function chainOf(read: GateRead, now = Date.now()): readonly Step[] {
  const { gate, decision } = read;
  const first: Step = wasUnread(read)
    ? { text: unreadText(read), state: read.plate === null ? "no" : "noted" }
    : {
        text: gate?.reason === "outside_hours" ? t("chain.outsideHours") : t(`chain.${decision}`),
        state: decision === "allow" ? "yes" : "no",
      };
  const odd: Step[] = gate === null || gate.odd.length === 0 ? [] : [{ text: oddText(gate.odd), state: "no" }];
  return [first, ...odd, ...askedOf(read), ...gateOf(read), ...passedOf(read, now)];
}

/** That nothing was read, and who filled in which plate. */
function unreadText({ plate, formatted, correction, reason }: GateRead): string {
  if (plate === null) return reason === "invalid_format" ? whyUnread({ reason }) : t("chain.unread");
  return t("chain.filledIn", { who: correction?.by ?? t("read.somebody"), plate: formatted ?? plate });
}

/** That somebody was asked, and with what outcome. */
function askedOf(read: GateRead): Step[] {
  const { asked, gate } = read;
  if (gate === null || (asked === null && gate.reason !== "kept_shut" && !UNANSWERED.has(gate.reason))) return [];
  const steps: Step[] = [];
  if (asked?.at != null) steps.push({ text: t("chain.askedAt", { time: clockTime(asked.at) }), state: "noted" });
  if (gate.result !== "not_told") steps.push({ text: answerText("chain.letIn", asked), state: "yes" });
  else if (gate.reason === "kept_shut") steps.push({ text: answerText("chain.saidNo", asked), state: "no" });
  else if (UNANSWERED.has(gate.reason)) steps.push({ text: listWordOf(read), state: "no" });
  return steps;
}

function answerText(key: "chain.letIn" | "chain.saidNo", asked: GateRead["asked"]): string {
  const took =
    asked?.at == null || asked.answeredAt === null
      ? null
      : (Date.parse(asked.answeredAt) - Date.parse(asked.at)) / 1_000;
  return t(key, {
    by: asked?.by ?? t("opener.somebody"),
    after: took === null || took < 0 ? "no" : "yes",
    took: took === null ? "" : duration(took),
  });
}

/** What the gate did, as far as the hub knows. */
function gateOf(read: GateRead): Step[] {
  const { gate, openedAfter, decision } = read;
  const told: Step[] = read.asked?.by == null ? [{ text: t("chain.told"), state: "yes" }] : [];
  const isSaid = decision !== "allow" || read.gate?.reason === "kept_shut" || UNANSWERED.has(read.gate?.reason ?? null);
  const why = isSaid ? "" : whyOf(gate?.reason ?? null);
  const noGate: Step[] =
    gate?.reason === "no_gate" ? [{ text: t("chain.noGate"), state: decision === "allow" ? "no" : "noted" }] : [];
  switch (gateFactOf(read)) {
    case "unrecorded":
      return [{ text: t("chain.notRecorded"), state: "open" }];
    case "opening":
      return [...told, { text: t("chain.opening"), state: "open" }];
    case "opened":
      return [...told, { text: t("chain.opened"), state: "yes" }];
    case "was_open":
      return [...told, { text: t("chain.wasOpenAlready"), state: "yes" }];
    case "taken":
      return [...told, { text: t("chain.taken"), state: "open" }];
    case "failed":
      return [...told, { text: t("chain.notOpened", { why }), state: "no" }];
    case "same_pass":
      return [{ text: t("chain.same_pass"), state: "yes" }];
    case "stood_open": {
      const failed: Step[] =
        gate?.result === "not_opened" ? [...told, { text: t("chain.failed", { why }), state: "no" }] : [];
      const reason: Step[] =
        gate?.result === "not_opened" || why === "" || noGate.length > 0
          ? []
          : [{ text: withWhy("chain.notTold", why), state: "no" }];
      return [...noGate, ...failed, ...reason, { text: stoodOpenText(read), state: isAlarming(read) ? "no" : "noted" }];
    }
    case "opened_after":
      return [
        ...noGate,
        {
          text: t("chain.openedAfter", {
            who: openedAfter === null ? "" : openerOf(openedAfter.by),
            time: openedAfter === null ? "" : timeOfDay(openedAfter.at),
          }),
          state: "noted",
        },
      ];
    case "opened_otherwise":
      return [{ text: t("chain.opened_otherwise"), state: "noted" }];
    case "asked":
      return [{ text: t("chain.asked"), state: "open" }];
    case "stayed_shut":
      return [...noGate, { text: withWhy("chain.stayedShut", noGate.length > 0 ? "" : why), state: "no" }];
    case "no_gate":
      return [{ text: t("chain.noGate"), state: decision === "allow" ? "no" : "noted" }];
    case "not_told":
      return [{ text: withWhy("chain.notTold", why), state: "no" }];
  }
}

function withWhy(key: "chain.stayedShut" | "chain.notTold", why: string): string {
  return t(key, { why, has: why === "" ? "no" : "yes" });
}

/** Whether it went through. Who has not been seen to after some minutes will not be. */
function passedOf({ passed, direction, at, gate }: GateRead, now: number): Step[] {
  if (passed === "no" || gate === null) return [];
  if (gate.result !== "opened" && gate.result !== "taken" && gate.reason !== "no_gate") return [];
  const way = direction === "out" ? "out" : "in";
  if (passed === "seen") return [{ text: t(`chain.seen.${way}`), state: "yes" }];
  if (passed === "unknown") return [{ text: t("chain.unknownPass"), state: "noted" }];
  if (gate.result === "taken") return []; // nobody knows whether it opened
  const isOver = now - Date.parse(at) > WAITS_MS;
  return [{ text: t(isOver ? `chain.unseen.${way}` : `chain.assumed.${way}`), state: isOver ? "noted" : "open" }];
}

/** The outcome of a read, in the few words of a list. */
export function outcomeOf(read: GateRead): Step {
  const { gate, direction, passed, asked } = read;
  const fact = gateFactOf(read);
  const way = direction === "out" ? "out" : "in";
  switch (fact) {
    case "opened":
    case "taken":
    case "was_open":
      if (asked?.by != null) return { text: t(`letBy.${way}`, { by: asked.by }), state: "yes" };
      if (fact === "taken" && passed !== "seen") return { text: t("chain.told"), state: "noted" };
      return passed === "seen"
        ? { text: t(`chain.seen.${way}`), state: "yes" }
        : { text: t(`chain.assumed.${way}`), state: "noted" };
    case "stood_open":
      return {
        text: t("list.stoodOpen", { what: listWordOf(read) }),
        state: isAlarming(read) ? "no" : "noted",
      };
    case "opened_after":
      return {
        text: t("list.openedAfter", { who: read.openedAfter === null ? "" : openerOf(read.openedAfter.by) }),
        state: "noted",
      };
    case "same_pass":
    case "opening":
    case "failed":
    case "asked":
      return gateOf(read).at(-1) ?? { text: "", state: "open" };
    case "unrecorded":
      return { text: read.plate === null ? whyUnread(read) : listWordOf(read), state: "open" };
    default:
      break;
  }
  if (read.plate === null) return { text: whyUnread(read), state: "open" };
  if (gate?.reason === "no_gate") return { text: t("chain.noGate"), state: "no" };
  const isEnded = gate?.reason === "kept_shut" || UNANSWERED.has(gate?.reason ?? null);
  if (wasUnread(read)) return { text: listWordOf(read), state: "noted" };
  if (isEnded) return { text: listWordOf(read), state: "no" };
  if (read.decision === "allow") return gateOf(read).at(-1) ?? { text: "", state: "open" };
  return { text: listWordOf(read), state: read.decision === "deny" ? "no" : "noted" };
}

/** The outcome of a read in words, and the list that a car on no list has been put on since. */
export function outcomeText(read: GateRead): string {
  const { text } = outcomeOf(read);
  if (read.decision !== "unknown" || read.listedNow === null) return text;
  return `${text} · ${t("review.now", { what: t(`decision.${read.listedNow}`).toLocaleLowerCase() })}`;
}
