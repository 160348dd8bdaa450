/**
 * Of the four threads that serve all files of the process, at most this many wait for the disk here, so that one is
 * free for the log and readers of files.
 */
const MOST = 2;

const waiting: (() => void)[] = [];
let running = 0;

/** Runs a wait for the disk when it is its turn. */
export async function withDiskSlot<Answer>(wait: () => Promise<Answer>): Promise<Answer> {
  if (running >= MOST) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await wait();
  } finally {
    const next = waiting.shift(); // takes over this place
    if (next === undefined) running -= 1;
    else next();
  }
}
