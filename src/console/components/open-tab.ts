import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * For a row of tabs, which scrolls on a phone: keeps the open one in sight, and notes where others are out of sight
 * before it (`data-scrolled`). `drawn`: changes when the tabs do.
 */
export function useOpenTab(drawn: unknown = null): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = tabs.current;
    if (row === null) return;
    const open = row.querySelector<HTMLElement>("[aria-current]");
    if (open) row.scrollLeft = open.offsetLeft - (row.clientWidth - open.clientWidth) / 2;
    const note = (): void => void row.toggleAttribute("data-scrolled", row.scrollLeft > 4);
    note();
    row.addEventListener("scroll", note, { passive: true });
    return () => row.removeEventListener("scroll", note);
  }, [drawn]);
  return tabs;
}
