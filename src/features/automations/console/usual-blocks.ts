/** Parts that other rules of the house have: what is likely meant again. */
import { signal } from "@preact/signals";
import type { Rule } from "./automations.tsx";
import type { Block } from "./block-editor.tsx";

const usual = signal<ReadonlySet<string>>(new Set());

/** Notes the parts of the rules of the house. */
export function noteUsual(rules: readonly Rule[]): void {
  usual.value = new Set(
    rules.flatMap(({ trigger, conditions, action }) =>
      [trigger, ...conditions, action].flatMap((part) => leaves({ ...part })),
    ),
  );
}

/** Whether another rule of the house has this part. */
export function isUsual(block: Block): boolean {
  return usual.value.has(JSON.stringify(block));
}

function leaves(block: Block): string[] {
  const inner = [block.triggers, block.conditions, block.actions].find(Array.isArray);
  if (inner !== undefined) return (inner as Block[]).flatMap(leaves); // the hub checked the shape
  if (block.type === "either") return [...leaves(block.do as Block), ...leaves(block.otherwise as Block)]; // as above
  return [JSON.stringify(block)];
}
