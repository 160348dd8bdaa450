import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** From this width on there is room for a form as a whole. */
const WIDE = "(min-width: 900px)";

/** Settings under their title; on a phone folded to the title and how they stand. `mustShow`: something in it is wrong. */
export function FoldCard({
  title,
  value,
  mustShow = false,
  children,
}: {
  title: string;
  value: string;
  mustShow?: boolean;
  children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(() => matchMedia(WIDE).matches);
  return (
    <details class="card" open={isOpen || mustShow} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2 class="summary-title">{title}</h2> <span class="soft small">· {value}</span>
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}
