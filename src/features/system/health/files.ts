import type { HealthCheck } from "../../../core/health/health.ts";
import type { FileTroubles } from "../../../core/kernel/file-troubles.ts";

/** Whether the hub's own small files were usable at the start, and its key is the one of its database. */
export function filesCheck(
  facts: () => { readonly troubles: FileTroubles; readonly isKeyForeign: boolean },
): HealthCheck {
  return {
    code: "files",
    check: () => {
      const { troubles, isKeyForeign } = facts();
      if (isKeyForeign) return { level: "degraded", words: { code: "files.key" } };
      if (troubles.all.length === 0) return { level: "ok", words: { code: "files.ok" } };
      const copied = troubles.named("copy");
      const anew = troubles.named("anew");
      const without = troubles.named("without");
      const is = (text: string): string => (text === "" ? "no" : "yes");
      return {
        level: "degraded",
        words: {
          code: "files.trouble",
          copied,
          isCopied: is(copied),
          anew,
          isAnew: is(anew),
          without,
          isWithout: is(without),
        },
      };
    },
  };
}
