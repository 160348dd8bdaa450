/** "For 5 min": a command, a wait and the command that takes it back, shown and edited as one. */
import type { Block } from "./block-editor.tsx";

/** The command that takes one back; null if there is none. */
export function oppositeOf(command: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof command !== "object" || command === null) return null;
  const entries = Object.entries(command);
  const key = entries.find(
    ([name, value]) => typeof value === "boolean" && ["power", "on", "armed", "open", "locked"].includes(name),
  )?.[0];
  if (key === undefined) return null;
  const value = (command as Record<string, unknown>)[key];
  const channel = entries.filter(([name]) => name === "ch");
  return { ...Object.fromEntries(channel), [key]: !value };
}

/** For how long, in seconds, the last command lasts that a wait and its opposite follow; null: for good. */
export function holdOf(actions: readonly Block[]): number | null {
  const [command, delay, back] = actions.slice(-3);
  if (
    command?.type !== "command" ||
    delay?.type !== "delay" ||
    back?.type !== "command" ||
    back.deviceId !== command.deviceId ||
    JSON.stringify(oppositeOf(command.command)) !== JSON.stringify(back.command)
  )
    return null;
  return Number(delay.seconds);
}

/** Actions without the wait and the opposite command at their end, which are shown as "for 5 min". */
export function withoutTail(actions: readonly Block[]): readonly Block[] {
  return holdOf(actions) === null ? actions : actions.slice(0, -2);
}

/** The shown actions with a hold of the last one. */
export function withHold(shown: readonly Block[], index: number, seconds: number | null): readonly Block[] {
  const command = shown[index];
  const back = oppositeOf(command?.command);
  if (command === undefined || back === null || seconds === null) return shown;
  return [...shown, { type: "delay", seconds }, { type: "command", deviceId: command.deviceId, command: back }];
}

/** A further action; what lasts for a while stays the last, so that nothing waits for it. */
export function added(actions: readonly Block[], block: Block): readonly Block[] {
  const shown = withoutTail(actions);
  if (shown === actions) return [...actions, block];
  return [...actions.slice(0, shown.length - 1), block, ...actions.slice(shown.length - 1)];
}
