import type { ComponentChildren } from "preact";
import { Notice } from "./basics.tsx";

/** Why something was refused, where no field of its own shows it; {@link leadToRefusal} leads there. */
export function Refusal({ children }: { children: ComponentChildren }) {
  return (
    <div class="refusal" tabIndex={-1} data-refusal="">
      <Notice tone="bad">{children}</Notice>
    </div>
  );
}

/**
 * What was sent from `part` of a page was refused: the focus goes to the first field that is wrong, or to the
 * {@link Refusal}, and the page scrolls there. Nothing happens if neither is shown.
 */
export function leadToRefusal(part: HTMLElement | null): void {
  const place =
    part?.querySelector<HTMLElement>("[aria-invalid=true]") ?? part?.querySelector<HTMLElement>("[data-refusal]");
  if (!place) return;
  for (let fold = place.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "center" }); // not beneath the buttons that stay at the edge
}
