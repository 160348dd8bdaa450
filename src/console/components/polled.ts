import { useEffect, useRef, useState } from "preact/hooks";

/** What happens outside the page is looked for this often. */
const LOOK_MS = 3_000;

/** What is looked up again and again. */
export interface Polled<Value> {
  /** Null until the first answer. */
  readonly value: Value | null;
  /** Whether the last time that somebody asked for it failed; what fails in between is tried again in silence. */
  readonly failed: boolean;
  /** What a change answered: a look that was under way meanwhile is older, and counts no more. */
  readonly set: (value: Value) => void;
  readonly again: () => void;
}

/** Looks something up when the page opens, and every few seconds while it is seen. `ask` must not depend on the page. */
export function usePolled<Value>(ask: () => Promise<Value>): Polled<Value> {
  const [value, setValue] = useState<Value | null>(null);
  const [failed, setFailed] = useState(false);
  const changes = useRef(0);
  const look = (isAsked: boolean): void => {
    const begun = changes.current;
    void ask().then(
      (answer) => {
        if (begun === changes.current) setValue(() => answer);
        setFailed(false);
      },
      () => isAsked && setFailed(true),
    );
  };
  useEffect(() => {
    look(true);
    const timer = setInterval(() => document.visibilityState === "visible" && look(false), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const set = (changed: Value): void => {
    changes.current += 1;
    setValue(() => changed);
  };
  return { value, failed, set, again: () => look(true) };
}
