import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** From this width on there is room for a form as a whole. */
const WIDE = "(min-width: 900px)";

/**
 * Settings under their title; on a phone folded to the title and how they stand. `starts`: the same at every width.
 * `mustShow`: something in it is wrong.
 */
export function FoldCard({
  title,
  value,
  starts,
  mustShow = false,
  children,
}: {
  title: string;
  value: string;
  starts?: "open" | "folded";
  mustShow?: boolean;
  children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(() => (starts === undefined ? matchMedia(WIDE).matches : starts === "open"));
  return (
    <details class="card fold" open={isOpen || mustShow} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
        <span class="soft small">{value}</span>
        <Icon name="chevronRight" small />
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}
