/** Parts and devices that other rules of the house have: what is likely meant again. */
import { signal } from "@preact/signals";
import type { Rule } from "./automations.tsx";
import type { Block } from "./block-editor.tsx";

/** By part (as JSON) or device id: its place, those of the rule that was edited last first. */
const places = signal<ReadonlyMap<string, number>>(new Map());

/** Notes the parts and the devices of the rules of the house. */
export function noteUsual(rules: readonly Rule[]): void {
  const latest = [...rules].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const used = latest.flatMap(({ trigger, conditions, action }) =>
    [trigger, ...conditions, action].flatMap((part) => leaves({ ...part })),
  );
  const keys = used.flatMap((block) => [
    JSON.stringify(block),
    ...(typeof block.deviceId === "string" ? [block.deviceId] : []),
  ]);
  places.value = new Map([...new Set(keys)].map((key, place) => [key, place]));
}

/** The place of a part among those that other rules of the house have; undefined: none has it. */
export function usualBlock(block: Block): number | undefined {
  return places.value.get(JSON.stringify(block));
}

/** The place of a device among those that other rules of the house name; undefined: none does. */
export function usualDevice(id: string): number | undefined {
  return places.value.get(id);
}

function leaves(block: Block): Block[] {
  const inner = [block.triggers, block.conditions, block.actions].find(Array.isArray);
  if (inner !== undefined) return (inner as Block[]).flatMap(leaves); // the hub checked the shape
  if (block.type === "either") return [...leaves(block.do as Block), ...leaves(block.otherwise as Block)]; // as above
  return [block];
}
