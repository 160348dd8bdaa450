import type { HealthCheck } from "./health.js";

/** Whether the hub writes more than it should. */
export function cardWearCheck(wear: () => { readonly todayBytes: number; readonly budgetBytes: number; readonly estimate: string }): HealthCheck {
  return {
    code: "card-wear",
    title: "Written today",
    check: () => {
      const { todayBytes, budgetBytes, estimate } = wear();
      const text = `${Math.round(todayBytes / 1_000_000)} of ${Math.round(budgetBytes / 1_000_000)} MB. ${estimate}`;
      return todayBytes > budgetBytes
        ? { level: "degraded", text: `${text} Find out what writes so much: cameras that capture too often, or many devices that report every second.` }
        : { level: "ok", text };
    },
  };
}
