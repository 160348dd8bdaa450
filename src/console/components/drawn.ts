import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/**
 * How many things of a long list are drawn: the first ones, a step more on a tap, and from then on as somebody scrolls
 * to `end`. `key`: with another one it begins anew. `more` loads what is not here yet.
 */
export function useDrawn({
  count,
  first,
  step = first,
  key = "",
  more = null,
}: {
  count: number;
  first: number;
  step?: number;
  key?: string;
  more?: (() => void) | null;
}): {
  readonly drawn: number;
  readonly hasMore: boolean;
  readonly end: RefObject<HTMLButtonElement | null>;
  readonly goOn: () => void;
  /** Draws at least as far as this place. */
  readonly reach: (place: number) => void;
  /** Back to the first ones. */
  readonly fold: () => void;
} {
  const [shown, setShown] = useState({ key, further: 0 });
  const end = useRef<HTMLButtonElement>(null);
  const further = shown.key === key ? shown.further : 0;
  const drawn = first + further;
  const hasMore = drawn < count || more !== null;
  const goOn = (): void => {
    if (drawn + step > count) more?.();
    setShown({ key, further: further + step });
  };
  useEffect(() => {
    if (!hasMore || end.current === null || further === 0) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && goOn());
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [drawn, count, more === null, key]);
  return {
    drawn,
    hasMore,
    end,
    goOn,
    reach: (place) => {
      if (place >= count - 1) more?.();
      if (place >= drawn) setShown({ key, further: further + Math.ceil((place + 1 - drawn) / step) * step });
    },
    fold: () => setShown({ key, further: 0 }),
  };
}
