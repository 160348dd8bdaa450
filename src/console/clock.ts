/** The present moment for what is shown: words such as `5 minutes ago` go on with it. */
import { signal } from "@preact/signals";

/** How often relative times are looked at again: seconds are named only in the first minute. */
const TICK_MS = 10_000;

let timer: ReturnType<typeof setInterval> | undefined;
/** One clock for all parts of the page; it stands still while nobody shows a time, and in a hidden tab. */
const tick = signal(0, {
  watched: () => {
    document.addEventListener("visibilitychange", run);
    run();
  },
  unwatched: () => {
    document.removeEventListener("visibilitychange", run);
    clearInterval(timer);
  },
});

/** Starts or stops with the tab; one that is looked at again is put right at once. */
function run(event?: Event): void {
  clearInterval(timer);
  if (document.hidden) return;
  timer = setInterval(next, TICK_MS);
  if (event !== undefined) next();
}

function next(): void {
  tick.value = tick.peek() + 1;
}

/** The time in epoch ms. A part of the page that asks while it is drawn is drawn again as time passes. */
export function shownNow(): number {
  void tick.value;
  return Date.now();
}
