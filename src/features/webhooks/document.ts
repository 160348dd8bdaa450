import { FAILURES_TO_DISABLE, gapAfter, probeGap, REFUSALS_TO_SLOW, retryGap } from "./schedule.ts";

const BEGIN = "<!-- Written from src/features/webhooks/schedule.ts by scripts/generate-docs.mjs; do not edit. -->";
const END = "<!-- End of the schedule. -->";
const MIDDLE = 0.5;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * docs/client-guide.md with the schedule of deliveries as the code has it.
 * @throws Error when the page has no place for it
 */
export function pageWithSchedule(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("The client guide has no place for the schedule.");
  return `${page.slice(0, begin + BEGIN.length)}\n${schedule()}\n${page.slice(end)}`;
}

function schedule(): string {
  const gaps = growing((failures) => gapAfter(failures, MIDDLE), 1);
  const least = Math.round((100 * gapAfter(1, 0)) / gapAfter(1, MIDDLE));
  const longest = gaps.at(-1) ?? 0;
  const slow = growing(retryGap, 0);
  const probes = growing(probeGap, 0);
  const disabledAfterMs = sum(Array.from({ length: FAILURES_TO_DISABLE - 1 }, (_, n) => gapAfter(n + 1, MIDDLE)));
  return `
* A delivery that gets no 2xx is sent again after ${listed(gaps.slice(0, -1))}, then every ${spoken(longest)}, each ± ${100 - least} %. \`Retry-After\` is honoured up to an hour.
* After ${FAILURES_TO_DISABLE} failed attempts in a row, whatever the answers were, the webhook is disabled: about ${Math.round(disabledAfterMs / MINUTE_MS)} minutes after the receiver went away. Nothing more is sent, and undelivered events are kept for 72 hours.
* One delivery that was refused ${REFUSALS_TO_SLOW} times (it got an answer, but no 2xx) moves to the retry queue, with everything else of the same device, so that other devices go on. It is sent again as soon as the receiver has accepted anything after a failure, and then after ${listed(slow)}; after that it is given up, and the next one of its device follows.
* No delivery passes another of the same device; those about no device count as one device. A delivery that an owner sends again by hand is the exception.
* While the webhook is disabled, the hub checks by itself whether the receiver is back, with a signed test (\`data.test\` is true) after ${listed(probes.slice(0, -1))}, then every ${spoken(probes.at(-1) ?? 0).replace(/^1 /, "")}. The first 2xx enables the webhook again, and the kept events are sent.
`;
}

/** The gaps from the n-th on, until one equals its predecessor, or there is none. */
function growing(gap: (n: number) => number | null, from: number): number[] {
  const gaps: number[] = [];
  for (let n = from; ; n++) {
    const next = gap(n);
    if (next === null || next === gaps.at(-1)) return gaps;
    gaps.push(next);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** `1, 2 and 4 seconds`, `1 minute and 2 hours`. */
function listed(gaps: readonly number[]): string {
  const parts = gaps.map((gap, index) => {
    const next = gaps[index + 1];
    return next !== undefined && unitOf(next) === unitOf(gap) ? String(gap / unitOf(gap)) : spoken(gap);
  });
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function unitOf(ms: number): number {
  return ms >= HOUR_MS ? HOUR_MS : ms >= MINUTE_MS ? MINUTE_MS : SECOND_MS;
}

function spoken(ms: number): string {
  const unit = unitOf(ms);
  const name = unit === HOUR_MS ? "hour" : unit === MINUTE_MS ? "minute" : "second";
  return ms === unit ? `1 ${name}` : `${ms / unit} ${name}s`;
}
