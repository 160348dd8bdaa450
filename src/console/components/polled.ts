import { useEffect, useRef, useState } from "preact/hooks";

/** How often to look for changes made elsewhere. */
const LOOK_MS = 3_000;

/** Something that is looked up repeatedly. */
export interface Polled<Value> {
  /** Null until the first answer. */
  readonly value: Value | null;
  /** Whether the last lookup that somebody asked for failed; failures in between are retried silently. */
  readonly failed: boolean;
  /** Takes a change's answer: a lookup that was under way meanwhile is older, and no longer counts. */
  readonly set: (value: Value) => void;
  readonly again: () => void;
}

/**
 * Looks something up when the page opens, and every few seconds while it is visible. `ask` must not depend on the page.
 */
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
