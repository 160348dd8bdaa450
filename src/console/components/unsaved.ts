import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { setUnsaved } from "../router.ts";

/** What is unsaved in the dialog around a form; null on a page. */
export const UnsavedScope = createContext<Set<object> | null>(null);

/**
 * Has the person asked before this page is left, the window closed or the dialog dismissed, while `isDirty`. Returns a
 * function that marks it as saved at once, for callers that navigate before the next render.
 */
export function useUnsaved(isDirty: boolean): () => void {
  const [me] = useState<object>({});
  const scope = useContext(UnsavedScope);
  const note = (isUnsaved: boolean): void => {
    setUnsaved(me, isUnsaved);
    if (isUnsaved) scope?.add(me);
    else scope?.delete(me);
  };
  useLayoutEffect(() => {
    note(isDirty);
    return () => note(false);
  }, [isDirty]);
  return () => note(false);
}
