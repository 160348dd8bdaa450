import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { valueWord } from "../../../console/components/state-values.ts";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { ago, clockText, dateTime, duration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { devices, scenes } from "../../../console/store.ts";
import { modeWord } from "../../house/console/modes.ts";
import type { Block } from "./block-editor.tsx";
import { capital, fieldWord, sentence, tidy } from "./rule-sentence.ts";
import { sawThen } from "./saw-text.ts";
import { saidWhole } from "./state-questions.ts";
import { messageText } from "./stored-texts.ts";

/** One step of a run. */
type Step = NonNullable<Trace["steps"]>[number];

/** One run of a rule, or one trigger after which it did not run, as the hub recorded it. */
type Trace = AnswerTo<"GET", "/api/automations/{id}/traces">["traces"][number];

/** Delay after which traces are loaded again; the hub writes them once a second. */
const WRITTEN_AFTER_MS = 1_300;
const TONES: Readonly<Record<Trace["outcome"], string>> = {
  ran: "badge good",
  waiting: "badge",
  not_run: "badge warn",
  stopped: "badge warn",
};
const DONE: Readonly<Record<Step["result"], string>> = {
  sent: "good",
  waited: "good",
  failed: "bad",
  skipped_late: "warn",
};

/**
 * The last runs of a rule as paths, and the reasons when it did not run. `lastRan`: when it did, even if that run is no
 * longer listed. `version` changes when the rule is run by hand.
 */
export function AutomationTraces({ id, lastRan, version }: { id: number; lastRan: string | null; version: number }) {
  const [traces, setTraces] = useState<readonly Trace[] | null>(null);
  useEffect(() => {
    const load = (): Promise<void> =>
      get("/api/automations/{id}/traces", { params: { id } })
        .then((answer) => setTraces(answer.traces))
        .catch(() => {}); // a list that was loaded before stays
    void load();
    const timer = setTimeout(load, WRITTEN_AFTER_MS);
    const stop = askAfter(["feed.added", "command.sent"], load, { soonMs: WRITTEN_AFTER_MS });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [id, version]);
  return (
    <Card title={t("trace.title")}>
      {traces === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : traces.length === 0 ? (
        <p class="soft">
          {lastRan === null ? t("trace.none") : t("trace.older", { ago: ago(lastRan), at: dateTime(lastRan) })}
        </p>
      ) : (
        <ul class="list">
          {traces.map((trace) => (
            <li key={trace.runId ?? trace.at}>
              <TracePath trace={trace} ruleId={id} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Trigger → condition with the value that decided → steps with their results. */
function TracePath({ trace, ruleId }: { trace: Trace; ruleId: number }) {
  // A run names itself as the last cause of what it does; only the rules before it led here.
  const causes = (trace.causes ?? []).filter((cause) => cause.automationId !== ruleId);
  return (
    <div class="grow stack">
      <div class="row between">
        <time dateTime={trace.at}>{dateTime(trace.at)}</time>
        <span class={trace.result === "failed" ? "badge bad" : TONES[trace.outcome]}>
          {t(`trace.${trace.outcome}`)}
        </span>
      </div>
      <ol class="trace">
        {causes.map((cause) => (
          <li key={cause.automationId}>{t("trace.cause", { name: cause.name })}</li>
        ))}
        <li class="good">{triggerText(trace.trigger)}</li>
        {trace.decidedBy != null && (
          <li class={trace.reason === "condition" ? "bad" : "good"}>
            {sentence(trace.decidedBy)} <span class="soft">({sawThen(trace.decidedBy, trace.saw)})</span>
          </li>
        )}
        {
          trace.reason !== undefined && (
            <li class="warn">{t(`why.${trace.reason}` as TextKey)}</li>
          ) /* the reasons are keys of the catalogue */
        }
        {(trace.steps ?? []).map((step, index) => (
          <li key={index} class={DONE[step.result]}>
            {stepText(step, trace.trigger)} <span class="soft">– {t(`step.${step.result}`)}</span>
            {step.error !== undefined && (
              <span class="error-text small"> {recordedText("detail", step.words, step.error)}</span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A value that a trigger saw; undefined before the first one. */
function sawValue(key: string, value: unknown): string {
  return value === undefined || value === null ? "–" : valueWord(key, value);
}

function deviceName(id: string): string {
  return devices.value.get(id)?.name ?? id;
}

function stepText(step: Step, trigger: Trace["trigger"]): string {
  const by = {
    command: () => t("trace.command", { device: deviceName(step.what) }),
    notify: () => t("trace.notify", { title: capital(messageText(step.what, filledIn(trigger))) }),
    scene: () =>
      t("say.scene", { scene: scenes.value.find((scene) => String(scene.id) === step.what)?.name ?? step.what }),
    house: () => t("say.setHouse", { mode: modeWord(step.what) }),
    delay: () => t("say.delay", { time: duration(Number(step.what)) }),
  };
  return by[step.type]();
}

/** What the hub filled into a message of the run. */
function filledIn({ deviceId, plate, field, to }: Trace["trigger"]): Parameters<typeof messageText>[1] {
  return {
    ...(typeof deviceId === "string" ? { device: deviceName(deviceId) } : {}),
    ...(typeof plate === "string" ? { plate } : {}),
    ...(to === undefined ? {} : { value: sawValue(String(field), to) }),
  };
}

/** "Front door is open", "Kitchen: temperature 27 °C → 29 °C". */
function stateText(deviceId: string, key: string, from: unknown, to: unknown): string {
  const device = deviceName(deviceId);
  const whole = saidWhole(key, typeof to === "boolean" ? { op: to ? "truthy" : "falsy" } : { op: "eq", value: to });
  return whole === null
    ? `${device}: ${fieldWord(key)} ${sawValue(key, from)} → ${sawValue(key, to)}`
    : tidy(t("say.switched", { device, op: whole, hold: "" }));
}

/** What triggered it: the type of the trigger in words, and the members that the hub recorded. */
function triggerText(trigger: Readonly<Record<string, unknown>>): string {
  if (trigger.type === "house") return capital(sentence({ type: "house", becomes: trigger.to } as Block));
  if (typeof trigger.field === "string" && typeof trigger.deviceId === "string")
    return capital(stateText(trigger.deviceId, trigger.field, trigger.from, trigger.to));
  if (trigger.type === "presence") return capital(sentence({ ...trigger, type: "presence" }));
  const {
    type,
    deviceId,
    decision,
    direction,
    readId: _readId,
    actor: _actor,
    opensNothing: _opensNothing,
    timeDoubted: _timeDoubted,
    plate,
    at,
    event,
    everySeconds,
    ...members
  } = trigger;
  const key = `trigger.${String(type)}`;
  const known = ["time", "sun", "device", "plate", "occupancy", "event", "interval", "manual"].includes(String(type));
  const parts = [known ? t(key as TextKey) : String(type)]; // one of the types above is a key of the catalogue
  if (typeof deviceId === "string") parts.push(deviceName(deviceId));
  if (typeof plate === "string") parts.push(plate);
  // the decisions are keys of the catalogue
  if (typeof decision === "string") parts.push(t(`decision.${decision}` as TextKey));
  if (direction === "in" || direction === "out") parts.push(t(`read.${direction}`));
  if (typeof at === "string") parts.push(/^\d\d:\d\d$/.test(at) ? clockText(at) : at);
  if (typeof everySeconds === "number") parts.push(duration(everySeconds));
  if (event === "sunrise" || event === "sunset") parts.push(t(`sun.${event}`));
  else if (event === "online" || event === "offline") parts.push(t(`device.${event}`));
  for (const [name, value] of Object.entries(members))
    if (value !== null && value !== undefined && value !== false && value !== 0)
      parts.push(`${measureName(name)} ${sawValue(name, value)}`);
  return parts.join(" · ");
}
