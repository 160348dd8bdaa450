/** What follows one message alone is not waited for; what a burst begins with comes with it. */
const SOON_MS = 150;
/** A house that never rests is asked this seldom. */
const SELDOM_MS = 5_000;

/**
 * What to call for each message after which something has to be requested again. `ask` follows the first one almost at
 * once, and the more messages come, the longer they wait for each other: one request serves them all, and however many
 * come, it is sent once in five seconds. `soonMs`: how long what the first message says takes to be stored.
 */
export function paced(ask: () => Promise<unknown>, soonMs = SOON_MS): () => void {
  let pause = soonMs;
  let isWaiting = false;
  let rest: ReturnType<typeof setTimeout> | undefined;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    clearTimeout(rest);
    setTimeout(() => {
      isWaiting = false; // what comes while the hub answers may not be in its answer
      pause = Math.min(2 * pause, SELDOM_MS);
      rest = setTimeout(() => (pause = soonMs), SELDOM_MS);
      void ask().catch(() => {}); // asked for again with the next message, or when the stream is back
    }, pause);
  };
}
