import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";

/** What the dialog around it shows only this once; null outside a dialog. */
export const OnceScope = createContext<Set<object> | null>(null);

/**
 * Has the dialog around the caller closed by its own buttons only, while the caller is drawn: also where what is shown
 * once is still being fetched.
 */
export function useShownOnce(): void {
  const [me] = useState<object>({});
  const scope = useContext(OnceScope);
  useLayoutEffect(() => {
    scope?.add(me);
    return () => void scope?.delete(me);
  }, []);
}
