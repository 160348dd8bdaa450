import { useEffect, useState } from "preact/hooks";

/** Up to here a head has no room for words. */
export const NARROW = "(max-width: 600px)";

/** Whether a media query holds; what is drawn follows it. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = (): void => setHolds(list.matches);
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return holds;
}
