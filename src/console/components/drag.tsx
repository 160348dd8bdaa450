/** Reordering of lists: a handle for touch and mouse, and two buttons that do the same by keyboard. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Icon } from "./icon.tsx";

/** This close to the edge of the screen, the page scrolls under the finger. */
const EDGE_PX = 72;
const SCROLL_PX = 12;

/**
 * The handle by which a row is dragged; for pointers only. It follows the pointer until it is released, even while the
 * row is drawn elsewhere. `onMove` gets the position of the row's upper edge; `onEnd` says whether it was released, or
 * the drag was cancelled (by Escape, or by the system).
 */
export function DragHandle({ onMove, onEnd }: { onMove: (top: number) => void; onEnd: (isDropped: boolean) => void }) {
  const latest = useRef({ onMove, onEnd });
  latest.current = { onMove, onEnd };
  const stop = useRef<(() => void) | null>(null);
  useLayoutEffect(() => () => stop.current?.(), []);
  const begin = (event: PointerEvent, handle: HTMLElement): void => {
    if (event.button !== 0 || stop.current !== null) return;
    const { pointerId } = event;
    const moves = handle.closest("dialog") ?? window;
    const grip = event.clientY - (handle.closest("li") ?? handle).getBoundingClientRect().top;
    const isMine = (other: Event): boolean => other instanceof PointerEvent && other.pointerId === pointerId;
    const move = (next: Event): void => {
      if (!isMine(next) || !(next instanceof PointerEvent)) return;
      if (next.clientY < EDGE_PX) moves.scrollBy(0, -SCROLL_PX);
      else if (next.clientY > innerHeight - EDGE_PX) moves.scrollBy(0, SCROLL_PX);
      latest.current.onMove(next.clientY - grip);
    };
    const end = (isDropped: boolean): void => {
      stop.current?.();
      latest.current.onEnd(isDropped);
    };
    const listeners: Readonly<Record<string, (event: Event) => void>> = {
      pointermove: move,
      pointerup: (next) => isMine(next) && end(true),
      pointercancel: (next) => isMine(next) && end(false),
      keydown: (next) => {
        if (!(next instanceof KeyboardEvent) || next.key !== "Escape") return;
        next.preventDefault();
        next.stopPropagation(); // the dialog around it stays
        end(false);
      },
    };
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener, true);
    stop.current = () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener, true);
      stop.current = null;
    };
  };
  return (
    <span
      class="drag-handle"
      aria-hidden="true"
      onMouseDown={(event) => event.preventDefault()} // no text is selected while dragging
      onPointerDown={(event) => begin(event, event.currentTarget)}
    >
      <Icon name="grip" />
    </span>
  );
}

/**
 * The buttons that move one of `count` rows up and down; the one that was pressed keeps the focus wherever it is drawn
 * next.
 */
export function MoveButtons({
  name,
  index,
  count,
  onMove,
}: {
  name: string;
  index: number;
  count: number;
  onMove: (to: number) => void;
}) {
  return (
    <>
      <MoveButton
        icon="arrowUp"
        label={t("rooms.up", { name })}
        isOff={index === 0}
        onPress={() => onMove(index - 1)}
      />
      <MoveButton
        icon="arrowDown"
        label={t("rooms.down", { name })}
        isOff={index === count - 1}
        onPress={() => onMove(index + 1)}
      />
    </>
  );
}

function MoveButton({
  icon,
  label,
  isOff,
  onPress,
}: {
  icon: "arrowUp" | "arrowDown";
  label: string;
  isOff: boolean;
  onPress: () => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const wasPressed = useRef(false);
  useLayoutEffect(() => {
    if (wasPressed.current) button.current?.focus(); // a row that is drawn elsewhere loses it
    wasPressed.current = false;
  });
  // Not disabled: the button that has just moved something to the end would lose the focus.
  return (
    <button
      type="button"
      class="button plain icon-only"
      ref={button}
      aria-label={label}
      aria-disabled={isOff}
      onClick={() => {
        if (isOff) return;
        wasPressed.current = true;
        onPress();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A copy of a list with the item from `from` moved to `to`. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const next = [...items];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/**
 * Where the row from `from` belongs while its upper edge is held at a height of the screen: past every row whose middle
 * its own edge has crossed. That keeps rows of different heights from jumping to and fro.
 */
export function placeAt(list: HTMLElement | null, from: number, top: number): number {
  const boxes = [...(list?.children ?? [])].map((row) => row.getBoundingClientRect());
  const bottom = top + (boxes[from]?.height ?? 0);
  const middles = boxes.map((box) => (box.top + box.bottom) / 2);
  const below = middles.slice(from + 1).filter((middle) => middle < bottom).length;
  const above = middles.slice(0, from).filter((middle) => middle > top).length;
  return below > 0 ? from + below : from - above;
}
