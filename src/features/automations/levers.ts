/**
 * What decides whom a household lets in, besides the gates, locks and alarms themselves: what a rule that opens or
 * disarms goes by, what another rule moves that by, and what the gate asks. In: the rules that are on. Out: levers,
 * which somebody who may not open everything at that moment may not move. In doubt something is a lever.
 */
import type { Lever } from "../access/person-limits.ts";
import type { Commands } from "../devices/commands.ts";
import type { Device } from "../devices/device.ts";
import { type Entry, isGuarded } from "../devices/rules/device-types.ts";
import type { GateChoices } from "../gate/gate-choices.ts";
import type { Presence } from "../house/presence.ts";
import type { Scenes } from "../scenes/scenes.ts";
import { fieldOf } from "./rules/operators.ts";
import {
  type LeafCondition,
  leavesOf,
  type Rule,
  type SimpleTrigger,
  type Step,
  stepsOf,
  triggersOf,
} from "./rules/rule.ts";

/** What rules speak of. */
export interface Sources {
  readonly registry: {
    find(id: string): Entry | null;
    list(siteId: number): readonly Pick<Device, "id" | "type" | "state" | "capabilities">[];
  };
  readonly commands: Pick<Commands, "opens" | "movedBy">;
  readonly scenes: Pick<Scenes, "modeOf" | "actionsOf">;
  readonly presence: Pick<Presence, "of">;
  readonly gate: Pick<GateChoices, "deciding" | "seeing">;
}

/** The levers of a household with these rules. */
export function leversOf(siteId: number, rules: readonly Rule[], house: Sources): ReadonlySet<Lever> {
  const persons = house.presence.of(siteId);
  const levers = new Set<Lever>(house.gate.deciding(siteId).map(ofDevice));
  let others = rules.filter(({ enabled }) => enabled);
  for (let leading = others; leading.length > 0; ) {
    leading = others.filter(({ action }) => stepsOf(action).some((step) => moves(siteId, step, levers, house)));
    others = others.filter((rule) => !leading.includes(rule));
    for (const lever of leading.flatMap((rule) => watchedBy(siteId, rule, house))) levers.add(lever);
    for (const { id, deviceId, plate } of persons) {
      if (!levers.has(`person:${id}`)) continue;
      if (deviceId !== null) levers.add(ofDevice(deviceId));
      if (plate !== null) for (const seeing of house.gate.seeing(siteId)) levers.add(ofDevice(seeing));
    }
  }
  // what opens by itself has limits of its own, and everybody may shut it
  return new Set([...levers].filter((lever) => !isGuardedIn(lever, house)));
}

/** Whether a step opens or disarms, or moves what decides about it. */
export function decides(siteId: number, step: Step, rules: readonly Rule[], house: Sources): boolean {
  return moves(siteId, step, leversOf(siteId, rules, house), house);
}

/** Whether a step opens or disarms, or moves one of these levers. */
function moves(siteId: number, step: Step, levers: ReadonlySet<Lever>, house: Sources): boolean {
  const { registry, commands, scenes } = house;
  switch (step.type) {
    case "command": {
      if (commands.opens(step.deviceId, step.command)) return true;
      const device = registry.find(step.deviceId);
      if (device !== null && isGuarded(device)) return false;
      return commands.movedBy(step.deviceId, step.command).some((id) => levers.has(ofDevice(id)));
    }
    case "scene": {
      const mode = scenes.modeOf(siteId, step.sceneId);
      const actions = scenes.actionsOf(siteId, step.sceneId) ?? [];
      return (
        (mode !== null && levers.has("mode")) ||
        actions.some((one) => moves(siteId, { type: "command", ...one }, levers, house))
      );
    }
    case "house":
      return levers.has("mode");
    case "notify":
    case "delay":
      return false;
  }
}

/** What a rule depends on. */
function watchedBy(siteId: number, rule: Rule, house: Sources): Lever[] {
  const parts = [...triggersOf(rule), ...rule.conditions.flatMap(leavesOf)];
  return parts.flatMap((part) => watched(siteId, part, house));
}

function watched(siteId: number, part: SimpleTrigger | LeafCondition, { registry, presence, gate }: Sources): Lever[] {
  switch (part.type) {
    case "state":
    case "device":
    case "event":
      return [ofDevice(part.deviceId)];
    case "any_state":
      return registry
        .list(siteId)
        .filter(({ type }) => part.deviceType === undefined || part.deviceType === type)
        .filter(({ state, capabilities }) => fieldOf(state, part.field) !== null || capabilities.controls.length === 0)
        .map(({ id }) => ofDevice(id));
    case "plate":
    case "occupancy":
      return gate.seeing(siteId).map(ofDevice);
    case "house":
      return ["mode"];
    case "presence":
      return part.person === undefined
        ? presence.of(siteId).map(({ id }): Lever => `person:${id}`)
        : [`person:${part.person}`];
    case "time":
    case "sun":
    case "interval":
    case "days":
      return [];
  }
}

function isGuardedIn(lever: Lever, { registry }: Sources): boolean {
  const device = lever.startsWith("device:") ? registry.find(lever.slice("device:".length)) : null;
  return device !== null && isGuarded(device);
}

function ofDevice(deviceId: string): Lever {
  return `device:${deviceId}`;
}
