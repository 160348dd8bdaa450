/**
 * The current state of a rule that is being written, as the hub's own engine judges it, beside each part of it and for
 * the whole.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { PlaceButton, placeSaved } from "../../../console/components/place-field.tsx";
import { zoneMoment } from "../../../console/components/zone-time.ts";
import { clockText, t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { devices } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";
import { sentence } from "./rule-sentence.ts";
import { sawSentence, sunText } from "./saw-text.ts";

type Preview = AnswerTo<"POST", "/api/automations/preview">["preview"];

/** The draft that the hub evaluates. */
interface Draft {
  /** Null: nothing starts it yet. */
  readonly trigger: Block | null;
  readonly conditions: readonly Block[];
}

/** The last answer, with its draft. */
export interface RuleNow {
  readonly asked: Draft;
  readonly preview: Preview;
}

/** Delay after an edit: short, but longer than between key presses. */
const AFTER_EDIT_MS = 300;
/** Delay after a device's message: there may be many per second. */
const AFTER_FACT_MS = 1_000;
/** Interval at which time alone can change the result. */
const BY_CLOCK_MS = 30_000;

/**
 * Has the hub evaluate a draft: after each edit, when one of its devices changes, and as time passes. Null until the
 * first answer.
 */
export function useRuleNow(trigger: Block | null, conditions: readonly Block[]): RuleNow | null {
  const [known, setKnown] = useState<RuleNow | null>(null);
  const wanted = JSON.stringify({ trigger, conditions } satisfies Draft);
  const latest = useRef(wanted);
  latest.current = wanted;
  const soon = useRef<(ms: number) => void>(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isAsking = false;
    let isOver = false;
    const ask = async (): Promise<void> => {
      timer = null;
      if (isAsking) return again(AFTER_EDIT_MS);
      isAsking = true;
      const text = latest.current;
      const asked = JSON.parse(text) as Draft; // written above
      const answer = await post("/api/automations/preview", {
        body: {
          ...(asked.trigger === null ? {} : { trigger: asked.trigger }),
          conditions: [...asked.conditions],
        },
      }).catch(() => null);
      isAsking = false;
      if (isOver) return;
      setKnown(answer === null ? null : { asked, preview: answer.preview });
      if (text !== latest.current) again(AFTER_EDIT_MS);
    };
    const again = (ms: number): void => {
      timer ??= setTimeout(() => void ask(), ms);
    };
    soon.current = again;
    const isNamed = (deviceId: string): boolean => latest.current.includes(JSON.stringify(deviceId));
    const stops = [
      onFact("device.changed", ({ deviceId }) => isNamed(deviceId) && again(AFTER_FACT_MS)),
      onFact("device.presence", ({ deviceId }) => isNamed(deviceId) && again(AFTER_FACT_MS)),
      onFact("house.mode", () => latest.current.includes('"house"') && again(AFTER_FACT_MS)),
      onFact("house.presence", () => latest.current.includes('"presence"') && again(AFTER_FACT_MS)),
      onFact("occupancy.changed", () => latest.current.includes('"occupancy"') && again(AFTER_FACT_MS)),
    ];
    const clock = setInterval(() => document.visibilityState === "visible" && again(0), BY_CLOCK_MS);
    return () => {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
      clearInterval(clock);
      for (const stop of stops) stop();
    };
  }, []);
  useEffect(() => soon.current(AFTER_EDIT_MS), [wanted, placeSaved.value]);
  return known;
}

/** How one condition is judged; `at` is its JSON pointer in the draft. */
export function ConditionNow({ now, block, at }: { now: RuleNow | null; block: Block; at: string }) {
  const judged = now?.preview.conditions.find((one) => one.at === at);
  if (now === null || judged === undefined || JSON.stringify(partAt(now.asked, at)) !== JSON.stringify(block))
    return checking();
  if (judged.holds === null) return <Line tone="soft" icon="minus" text={t("now.incomplete")} />;
  const what = sawSentence(block, judged.saw, now.preview);
  if (judged.holds)
    return <Line tone="good" icon="check" text={what === "" ? t("now.justHolds") : t("now.holds", { what })} />;
  return <Line tone="soft" icon="x" text={what === "" ? t("now.justNot") : t("now.holdsNot", { what })} />;
}

/** Triggers that are mere events: they have no current state. */
const HAPPENS = new Set(["plate", "event", "interval"]);

/** The trigger's state: when it comes next, or what it waits for. Nothing for mere events. */
export function TriggerNow({ now, trigger }: { now: RuleNow | null; trigger: Block }) {
  if (HAPPENS.has(trigger.type)) return null;
  if (now === null || JSON.stringify(now.asked.trigger) !== JSON.stringify(trigger)) return checking();
  const { preview } = now;
  const { holds, saw, next } = preview.trigger;
  switch (trigger.type) {
    case "time":
    case "sun": {
      if (preview.now === null) return <Line tone="soft" icon="x" text={t("now.noClock")} />;
      const today =
        trigger.type === "sun" ? sunText(preview, [trigger.event === "sunrise" ? "sunrise" : "sunset"]) : "";
      if (next !== null)
        return (
          <Line
            tone="soft"
            icon="activity"
            text={[t("now.next", { at: zoneMoment(Date.parse(next), preview.timeZone) }), today]
              .filter((part) => part !== "")
              .join(" · ")}
          />
        );
      return trigger.type === "sun" ? (
        <Notice tone="warn">
          <div class="stack">
            <p>{t("now.neverRuns")}</p>
            <div>
              <PlaceButton />
            </div>
          </div>
        </Notice>
      ) : (
        <Line tone="soft" icon="x" text={t("now.incomplete")} />
      );
    }
    case "state":
    case "house":
    case "presence":
    case "occupancy": {
      if (holds === null && trigger.op !== "changed")
        return <Line tone="soft" icon="minus" text={t("now.incomplete")} />;
      const what = sawSentence(trigger, saw, preview);
      if (trigger.op === "changed") return <Line tone="soft" icon="activity" text={t("now.watches", { what })} />;
      return holds ? (
        <Line tone="good" icon="check" text={t("now.already", { what })} />
      ) : (
        <Line tone="soft" icon="activity" text={t("now.waits", { what })} />
      );
    }
    case "device": {
      if (holds === null) return <Line tone="soft" icon="minus" text={t("now.incomplete")} />;
      const name = devices.value.get(String(trigger.deviceId))?.name ?? String(trigger.deviceId);
      const what = t(saw === "online" ? "now.online" : "now.offline", { device: name });
      return (
        <Line
          tone={holds ? "good" : "soft"}
          icon={holds ? "check" : "activity"}
          text={t(holds ? "now.already" : "now.waits", { what })}
        />
      );
    }
    default:
      return null;
  }
}

/** Whether the rule would run if its trigger fired now, and which condition decides it. */
export function WholeNow({ now, conditions }: { now: RuleNow | null; conditions: readonly Block[] }) {
  if (conditions.length === 0) return <p class="soft small">{t("now.ruleAlways")}</p>;
  if (now === null || JSON.stringify(now.asked.conditions) !== JSON.stringify(conditions)) return checking(true);
  const { holds, decidedBy, saw } = now.preview;
  if (holds === null) return <Line tone="soft" icon="minus" text={t("now.ruleIncomplete")} isWhole />;
  if (holds) return <Line tone="good" icon="check" text={t("now.ruleWould")} isWhole />;
  if (decidedBy === null) return <Line tone="warn" icon="x" text={t("now.ruleWouldNot")} isWhole />;
  const why = decided({ ...decidedBy }, sawSentence(decidedBy, saw, now.preview));
  return <Line tone="warn" icon="x" text={t("now.ruleWouldNotFor")} more={why} isWhole />;
}

/** What is so, and what the rule asks for, as the end of a sentence. */
function decided(condition: Block, what: string): string {
  const { type, from, to, days } = condition;
  if (type === "time" && typeof from === "string" && typeof to === "string" && days === undefined)
    return t("now.decidedTime", { what, from: clockText(from), to: clockText(to) });
  const asked = sentence(condition);
  return what === "" ? t("now.asked", { condition: asked }) : t("now.decided", { condition: asked, what });
}

/** Announces only whether the whole rule would run, once known: values change too often. */
function Line({
  tone,
  icon,
  text,
  more = "",
  isWhole = false,
  isSilent = false,
}: {
  tone: "good" | "soft" | "warn";
  icon: IconName;
  text: string;
  more?: string;
  isWhole?: boolean;
  isSilent?: boolean;
}) {
  return (
    <p class={`rule-now ${tone}`}>
      <Icon name={icon} small />
      <span class="grow">
        <span {...(isWhole ? { role: "status" as const } : {})}>
          {isSilent ? <span aria-hidden="true">{text}</span> : text}
        </span>{" "}
        {more !== "" && <span class="soft">{more}</span>}
      </span>
    </p>
  );
}

/** A placeholder for a result. */
function checking(isWhole = false) {
  return <Line tone="soft" icon="activity" text={t("now.checking")} isWhole={isWhole} isSilent />;
}

/** The part of a draft that a JSON pointer names. */
function partAt(draft: Draft, pointer: string): unknown {
  let part: unknown = draft;
  for (const key of pointer.split("/").slice(1))
    part = typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined;
  return part;
}
