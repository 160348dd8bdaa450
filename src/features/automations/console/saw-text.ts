/** The value that a condition saw, in words: in a preview, a dry run and a trace. */

import { isSwitched, valueWord } from "../../../console/components/state-values.ts";
import { zoneTime } from "../../../console/components/zone-time.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { clockText, localeName, type TextKey, t } from "../../../console/i18n/translate.ts";
import { modeWord } from "../../house/console/modes.ts";
import { UNJUDGED } from "../rules/unjudged.ts";
import type { Block } from "./block-editor.tsx";
import { personName, sentence } from "./rule-sentence.ts";

/** Sunrise and sunset of today, by the clock of the house. */
export interface SunToday {
  readonly timeZone: string;
  readonly sunrise: string | null;
  readonly sunset: string | null;
}

const UNJUDGED_TEXTS: ReadonlyMap<unknown, TextKey> = new Map([
  [UNJUDGED.gone, "now.gone"],
  [UNJUDGED.clock, "now.noClock"],
  [UNJUDGED.place, "now.noPlace"],
  [UNJUDGED.empty, "now.empty"],
  [UNJUDGED.person, "now.noPerson"],
  [UNJUDGED.presence, "now.nobodyKnown"],
]);

/** The value alone, as in "it was 19.2 °C". */
function sawWord(condition: { readonly type: string }, saw: unknown): string {
  const why = UNJUDGED_TEXTS.get(saw);
  if (why !== undefined) return t(why);
  const block: Block = { ...condition };
  if (block.type === "sun" && (saw === "up" || saw === "down")) return t(saw === "up" ? "say.sunUp" : "say.sunDown");
  if (block.type === "house") return modeWord(saw);
  return valueWord(typeof block.field === "string" ? block.field : "", saw);
}

/** What decided at that time, as in "it was 19.2 °C" or "somebody was home". */
export function sawThen(condition: { readonly type: string }, saw: unknown): string {
  const block: Block = { ...condition };
  if (block.type !== "presence" || UNJUDGED_TEXTS.has(saw)) return t("trace.saw", { value: sawWord(condition, saw) });
  if (block.person === undefined) return t(saw === "home" ? "trace.somebodyHome" : "trace.nobodyHome");
  return t(saw === "home" ? "trace.wasHome" : "trace.wasAway", { who: personName(block.person) });
}

/** The whole sentence, as in "Temperature is 19.2 °C"; empty for a group, whose parts have their own. */
export function sawSentence(condition: { readonly type: string }, saw: unknown, today: SunToday): string {
  const why = UNJUDGED_TEXTS.get(saw);
  if (why !== undefined) return t(why);
  const block: Block = { ...condition };
  switch (block.type) {
    case "state": {
      const key = String(block.field);
      const value = valueWord(key, saw);
      return isSwitched(key) ? t("now.is", { value }) : t("now.value", { name: measureName(key), value });
    }
    case "time":
      return t("now.clock", { time: clockText(String(saw).slice(-5)) }); // the hub writes 2026-03-01 17:41
    case "days":
      return t("now.day", {
        day: new Intl.DateTimeFormat(localeName(), { weekday: "long", timeZone: "UTC" }).format(new Date(String(saw))),
      });
    case "sun":
      return [t(saw === "up" ? "say.sunUp" : "say.sunDown"), sunText(today, ["sunrise", "sunset"])]
        .filter((part) => part !== "")
        .join(", ");
    case "house":
      return sentence({ type: "house", is: saw } as Block);
    case "presence": {
      const { person } = block;
      return sentence({ type: "presence", is: saw, ...(person === undefined ? {} : { person }) } as Block);
    }
    case "occupancy":
      return t("now.inside", { n: Number(saw) });
    default:
      return "";
  }
}

/** When the sun rises or sets today; empty if that is unknown. */
export function sunText(today: SunToday, events: readonly ("sunrise" | "sunset")[]): string {
  return events
    .flatMap((event) => {
      const at = today[event];
      return at === null ? [] : [t(`now.${event}`, { time: zoneTime(Date.parse(at), today.timeZone) })];
    })
    .join(", ");
}
