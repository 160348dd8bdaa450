import type { HealthCheck } from "../../../core/health/health.ts";
import type { HealthText } from "../../../core/text/keys.ts";

/** Whether the hub writes more than it should. */
export function cardWearCheck(
  wear: () => { readonly todayBytes: number; readonly budgetBytes: number; readonly lifetimeYears: number | null },
): HealthCheck {
  return {
    code: "card-wear",
    check: () => {
      const { todayBytes, budgetBytes, lifetimeYears } = wear();
      const figures = { written: megabytes(todayBytes), budget: megabytes(budgetBytes) };
      return todayBytes > budgetBytes
        ? {
            level: "degraded",
            words: { code: "wear.over", ...figures },
          }
        : { level: "ok", words: lifetimeText(figures, lifetimeYears) };
    },
  };
}

function lifetimeText(
  figures: { readonly written: number; readonly budget: number },
  years: number | null,
): HealthText {
  if (years === null) return { code: "wear.ok", ...figures };
  return years >= 2
    ? { code: "wear.years", ...figures, n: Math.round(years) }
    : { code: "wear.months", ...figures, n: Math.max(1, Math.round(years * 12)) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
