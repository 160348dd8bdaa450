/** Locks and alarm panels: devices that give entry, and devices that report intruders. */
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { booleanOf, textOf } from "../../json-values.ts";
import {
  type Carried,
  type Component,
  carried,
  component,
  type DecodedValue,
  input,
  type Naming,
  Sender,
  says,
  stateWord,
} from "../component.ts";
import type { Config } from "../config.ts";

/** A lock. */
export function lock(naming: Naming, config: Config): Component {
  const state = (name: string, otherwise: string): string => config.payload(name, otherwise);
  const inputs = input(config, { topic: "state_topic", template: "value_template" }, ({ text }): DecodedValue[] => {
    if (says(text, state("state_jammed", "JAMMED"))) return [{ word: "jammed", value: true }];
    const fine: DecodedValue = { word: "jammed", value: false };
    if (says(text, state("state_locked", "LOCKED"))) return [{ word: "locked", value: true }, fine];
    if (says(text, state("state_unlocked", "UNLOCKED")) || says(text, state("state_open", "OPEN")))
      return [{ word: "locked", value: false }, fine];
    return [];
  });
  const send = new Sender(config).to("command_topic", "command_template");
  const latch = config.optionalPayload("payload_open", "");
  return component(naming, {
    words: [stateWord("locked", naming.own), stateWord("jammed", `${naming.own}Jammed`)],
    inputs,
    takes: { locked: { type: "boolean", title: naming.label } },
    alsoTakes: ["open", "code"],
    rawTopic: config.topic("command_topic"),
    suggests: "lock",
    command: ({ locked, open, code }): Carried => {
      const variables = code === undefined ? {} : { code: textOf(code, 64) };
      const proof = (value: boolean): JsonObject | null => (inputs.length > 0 ? { locked: value } : null);
      if (open !== undefined) {
        if (booleanOf(open) !== true || latch === null || latch === "")
          return { unsupported: "the lock has no latch to open" };
        return carried([send?.(latch, variables) ?? null], proof(false));
      }
      const wanted = booleanOf(locked);
      if (wanted === null) return { unsupported: "locked takes true or false" };
      const payload = wanted ? config.payload("payload_lock", "LOCK") : config.payload("payload_unlock", "UNLOCK");
      return carried([send?.(payload, variables) ?? null], proof(wanted));
    },
  });
}

const ARMINGS: Readonly<Record<string, readonly [key: string, otherwise: string]>> = {
  away: ["payload_arm_away", "ARM_AWAY"],
  home: ["payload_arm_home", "ARM_HOME"],
  night: ["payload_arm_night", "ARM_NIGHT"],
  vacation: ["payload_arm_vacation", "ARM_VACATION"],
  custom_bypass: ["payload_arm_custom_bypass", "ARM_CUSTOM_BYPASS"],
};

/**
 * An alarm panel: `armed`, and `alarm` with its own state. `{"armed": true}` arms away; `{"arm": "night"}` arms in the
 * named mode.
 */
export function alarmControlPanel(naming: Naming, config: Config): Component {
  const features = config.list("supported_features");
  const can = (mode: string): boolean => features.length === 0 || features.includes(`arm_${mode}`);
  const inputs = input(config, { topic: "state_topic", template: "value_template" }, ({ text }): DecodedValue[] => {
    const state = textOf(text, 40)?.toLowerCase() ?? "";
    const armed = state.startsWith("armed") || state === "triggered" ? true : state === "disarmed" ? false : null;
    return [{ word: "alarm", value: state }, ...(armed === null ? [] : [{ word: "armed", value: armed }])];
  });
  const send = new Sender(config).to("command_topic", "command_template");
  const modes = Object.keys(ARMINGS).filter(can);
  return component(naming, {
    words: [stateWord("armed", naming.own), stateWord("alarm", `${naming.own}Alarm`)],
    inputs,
    takes: { armed: { type: "boolean", title: naming.label }, arm: { type: "string", enum: modes } },
    alsoTakes: ["code", "trigger"],
    rawTopic: config.topic("command_topic"),
    suggests: "sentinel",
    command: ({ armed, arm, code, trigger }): Carried => {
      const action = actionOf({ armed, arm, trigger, modes }, config);
      if (action === null) return { unsupported: `armed takes true or false, arm one of ${modes.join(", ")}` };
      const codeText = typeof code === "string" || typeof code === "number" ? String(code).slice(0, 32) : undefined;
      const { payload, isArmed } = action;
      const needsCode =
        typeof config.raw("code") === "string" &&
        config.flag(isArmed === false ? "code_disarm_required" : "code_arm_required") !== false;
      if (needsCode && codeText === undefined) return { unsupported: "the alarm asks for a code" };
      const own = config.text("code");
      if (needsCode && own !== null && !own.startsWith("REMOTE_CODE") && own !== codeText)
        return { unsupported: "the code is another one" };
      const message =
        send?.(payload, { action: payload, ...(codeText === undefined ? {} : { code: codeText }) }) ?? null;
      return carried([message], inputs.length > 0 && isArmed !== null ? { armed: isArmed } : null);
    },
  });
}

function actionOf(
  wanted: { armed: unknown; arm: unknown; trigger: unknown; modes: readonly string[] },
  config: Config,
): { payload: string; isArmed: boolean | null } | null {
  if (booleanOf(wanted.trigger) === true)
    return { payload: config.payload("payload_trigger", "TRIGGER"), isArmed: null };
  const flag = booleanOf(wanted.armed);
  if (flag === false) return { payload: config.payload("payload_disarm", "DISARM"), isArmed: false };
  const mode = typeof wanted.arm === "string" ? wanted.arm : flag === true ? "away" : null;
  const row = mode !== null && wanted.modes.includes(mode) ? ARMINGS[mode] : undefined;
  return row ? { payload: config.payload(row[0], row[1]), isArmed: true } : null;
}
