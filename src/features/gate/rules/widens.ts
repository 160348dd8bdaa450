import { areWithin, EARNINGS } from "../../../core/plates/decide.ts";
import { storedWindows } from "../../../core/storage/stored-windows.ts";
import type { PlateRuleRow } from "../tables/plate-rule.ts";

/**
 * Whether an edit lets a plate in that was not let in before, for longer, or to more. Who makes such an edit answers for
 * the rule from then on; one that names it anew, narrows it, or changes a rule that lets nobody in leaves it to who did.
 */
export function widens(before: PlateRuleRow, next: PlateRuleRow): boolean {
  if (!letsIn(next)) return false;
  return (
    !letsIn(before) ||
    next.plate !== before.plate ||
    (before.validFrom !== null && (next.validFrom === null || next.validFrom < before.validFrom)) ||
    (before.validTo !== null && (next.validTo === null || next.validTo > before.validTo)) ||
    holdsLonger(before.windows, next.windows) ||
    earnsMore(before, next)
  );
}

function letsIn({ kind, enabled }: PlateRuleRow): boolean {
  return kind === "allow" && enabled === 1;
}

/** Windows hold no longer where each lies within one of those before. */
function holdsLonger(before: string | null, next: string | null): boolean {
  if (before === next || before === null) return false;
  if (next === null) return true;
  return !areWithin(storedWindows(next), storedWindows(before));
}

/** What the defaults say may be anything: only the least is surely no more than that. */
function earnsMore(before: PlateRuleRow, next: PlateRuleRow): boolean {
  if (next.earns === before.earns) return false;
  const [had, has] = [EARNINGS.indexOf(before.earns ?? "note"), EARNINGS.indexOf(next.earns ?? "open")];
  return has < had;
}
