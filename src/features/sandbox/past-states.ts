/** When doors, lights and sensors of the simulated household changed in its made-up past. */
import { senderOf } from "../states/rules/sender.ts";
import type { StateChange } from "../states/state-history.ts";
import { fanIsOn, liveliness, plugIsOn, pumpIsOn } from "./daily-shapes.ts";
import { HELD_OPEN_MS, heldOpen, type Past, type PastPass, pastPlan } from "./history.ts";
import { EVENING_RULE, NIGHT_SCENE, VEHICLES } from "./household.ts";
import { hourIn } from "./local-time.ts";

/** A state of a device and its changes, oldest first. */
export interface PastState {
  readonly deviceId: string;
  readonly key: string;
  readonly changes: readonly StateChange[];
}

const MINUTE_MS = 60_000;
const GATE_MOVES_MS = 15_000;

/**
 * The states over a past with these passes of cars; `deviceId` makes a full id of a key, `say` gives the words of the
 * household's language.
 */
export function pastStates(
  past: Past,
  passes: readonly PastPass[],
  deviceId: (key: string) => string,
  say: (english: string) => string,
): PastState[] {
  const { from, to, random } = past;
  const allowed = new Map(
    VEHICLES.flatMap(({ plate, rule }) => (rule?.kind === "allow" ? [[plate, say(rule.label)] as const] : [])),
  );
  const gate: StateChange[] = [{ at: from, value: "closed", sender: null }];
  const held = heldOpen(passes);
  for (const pass of passes.filter(({ plate }) => allowed.has(plate))) {
    const { at, plate } = pass;
    const openMs = pass === held ? HELD_OPEN_MS : (20 + random() * 40) * 1_000;
    gate.push(
      { at: at + 400, value: "opening", sender: senderOf("gate:", allowed.get(plate) ?? null) },
      { at: at + GATE_MOVES_MS, value: "open", sender: null },
      { at: Math.round(at + GATE_MOVES_MS + openMs), value: "closing", sender: null },
      { at: Math.round(at + 2 * GATE_MOVES_MS + openMs), value: "closed", sender: null },
    );
  }
  const ownCars = new Set(VEHICLES.flatMap(({ plate, livesHere }) => (livesHere ? [plate] : [])));
  const unlocked = passes
    .filter(({ plate }) => ownCars.has(plate))
    .map(({ at, direction }) => at + (direction === "in" ? 2 : -5) * MINUTE_MS)
    .sort((one, other) => one - other);
  const lock: StateChange[] = [{ at: from, value: true, sender: null }];
  for (const at of unlocked) {
    const locked = Math.round(at + (1 + random() * 3) * MINUTE_MS);
    if (at <= (lock.at(-1)?.at ?? 0)) continue; // it is still open from before
    lock.push(
      { at, value: false, sender: null },
      { at: locked, value: true, sender: senderOf("automation:0", say("Lock the front door")) },
    );
  }
  const plan = pastPlan(past);
  const evening = (value: (isEvening: boolean) => boolean): StateChange[] =>
    plan.flatMap(({ evening: begin, night }) => [
      { at: begin, value: value(true), sender: senderOf("automation:0", say(EVENING_RULE)) },
      { at: night, value: value(false), sender: senderOf("scene:0", say(NIGHT_SCENE)) },
    ]);
  const moved = (busy: number): StateChange[] => {
    const hourAt = hourIn(past.timeZone);
    const changes: StateChange[] = [];
    for (let at = from; at < to; at += 10 * MINUTE_MS)
      if (random() < liveliness(hourAt(at)) * busy) {
        const begin = Math.round(at + random() * 5 * MINUTE_MS);
        changes.push({ at: begin, value: true, sender: null }, { at: begin + MINUTE_MS, value: false, sender: null });
      }
    return changes;
  };
  const hourAt = hourIn(past.timeZone);
  const switched = (isOnAt: (hour: number) => boolean): StateChange[] => {
    const changes: StateChange[] = [];
    for (let at = Math.ceil(from / (30 * MINUTE_MS)) * 30 * MINUTE_MS; at < to; at += 30 * MINUTE_MS) {
      const value = isOnAt(hourAt(at));
      if (changes.at(-1)?.value !== value) changes.push({ at, value, sender: null });
    }
    return changes;
  };
  const states: readonly (readonly [key: string, state: string, changes: readonly StateChange[]])[] = [
    ["gate", "position", gate],
    ["lock", "locked", lock],
    ["dimmer", "power", evening((is) => is)],
    ["light", "power", evening((is) => is)],
    ["plug", "power", switched(plugIsOn)],
    ["switch", "power", switched(pumpIsOn)],
    ["fan", "power", switched(fanIsOn)],
    ["sensor", "motion", moved(0.5)],
    ["camera", "motion", moved(0.4)],
    ["sentinel", "armed", evening((is) => !is)],
    ...["gate", "lock", "camera", "dimmer", "sensor"].map(
      (key) => [key, "online", [{ at: from, value: true, sender: null }]] as const,
    ),
  ];
  return states.map(([key, state, changes]) => ({
    deviceId: deviceId(key),
    key: state,
    changes: changes.filter(({ at }) => at >= from && at < to).sort((one, other) => one.at - other.at),
  }));
}
