import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * For a row of tabs, which scrolls on a phone if it has to: keeps the open one in sight, and notes where others are out
 * of sight, before it (`data-scrolled`) and after it (`data-more`). `drawn`: changes when the tabs do.
 */
export function useOpenTab(drawn: unknown = null): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = tabs.current;
    if (row === null) return;
    const open = row.querySelector<HTMLElement>("[aria-current]");
    if (open) row.scrollLeft = open.offsetLeft - (row.clientWidth - open.clientWidth) / 2;
    const note = (): void => {
      row.toggleAttribute("data-scrolled", row.scrollLeft > 4);
      row.toggleAttribute("data-more", row.scrollLeft + row.clientWidth < row.scrollWidth - 4);
    };
    note();
    row.addEventListener("scroll", note, { passive: true });
    return () => row.removeEventListener("scroll", note);
  }, [drawn]);
  return tabs;
}
