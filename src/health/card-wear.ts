import type { HealthCheck, HealthWords } from "./health.js";

/** Whether the hub writes more than it should. */
export function cardWearCheck(
  wear: () => { readonly todayBytes: number; readonly budgetBytes: number; readonly estimate: string; readonly lifetimeYears: number | null },
): HealthCheck {
  return {
    code: "card-wear",
    title: "Written today",
    check: () => {
      const { todayBytes, budgetBytes, estimate, lifetimeYears } = wear();
      const figures = { written: megabytes(todayBytes), budget: megabytes(budgetBytes) };
      const text = `${figures.written} of ${figures.budget} MB. ${estimate}`;
      return todayBytes > budgetBytes
        ? {
            level: "degraded",
            text: `${text} Find out what writes so much: cameras that capture too often, or many devices that report every second.`,
            words: { code: "wear.over", ...figures },
          }
        : { level: "ok", text, words: lifeWords(figures, lifetimeYears) };
    },
  };
}

function lifeWords(figures: { readonly written: number; readonly budget: number }, years: number | null): HealthWords {
  if (years === null) return { code: "wear.ok", ...figures };
  return years >= 2 ? { code: "wear.years", ...figures, n: Math.round(years) } : { code: "wear.months", ...figures, n: Math.max(1, Math.round(years * 12)) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
