import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * For a row of tabs: on a phone they scroll, and the one that is open must be among those that are seen. `drawn`: what
 * changes which there are.
 */
export function useOpenTab(drawn: unknown = null): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const open = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tabs.current && open)
      tabs.current.scrollLeft = open.offsetLeft - (tabs.current.clientWidth - open.clientWidth) / 2;
  }, [drawn]);
  return tabs;
}
