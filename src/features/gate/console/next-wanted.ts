/** Whether this browser shows what is worth doing after the set-up; only one that has seen the set-up does. */
import { signal } from "@preact/signals";

/** Where this browser remembers it. */
const NEXT = "gatehouse.what-next";

/** `later`: once the gate has opened; `now`; `over`: it was put away, or all is done; null: this browser never asked. */
type Stage = "later" | "now" | "over";

/** How far it is in this browser. */
export const nextStage = signal(localStorage.getItem(NEXT) as Stage | null); // written below

/** Goes on to a later stage; what is over stays over. */
export function showNext(stage: Stage): void {
  const order: readonly (Stage | null)[] = [null, "later", "now", "over"];
  if (order.indexOf(stage) <= order.indexOf(nextStage.value)) return;
  localStorage.setItem(NEXT, stage);
  nextStage.value = stage;
}
