import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** For a row of tabs, which scrolls on a phone: keeps the open one in sight. `drawn`: changes when the tabs do. */
export function useOpenTab(drawn: unknown = null): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const open = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tabs.current && open)
      tabs.current.scrollLeft = open.offsetLeft - (tabs.current.clientWidth - open.clientWidth) / 2;
  }, [drawn]);
  return tabs;
}
