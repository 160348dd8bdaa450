import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n/translate.js";
import { Icon } from "./icon.js";
import { sayError } from "./toast.js";

/** What can be put in order. */
interface Item {
  readonly id: string;
  readonly name: string;
}

/** So close to the edge of the screen the page moves on under the finger. */
const EDGE_PX = 72;
const SCROLL_PX = 12;

/**
 * A list that is put in order: dragged by its handles with a finger or a mouse, or moved with buttons. `save` gets the ids after each move,
 * one call after the other; where it fails the list goes back to `items`.
 */
export function SortableList({ items, save }: { items: readonly Item[]; save: (ids: readonly string[]) => Promise<void> }) {
  const given = items.map(({ id }) => id);
  const [ids, setIds] = useState<readonly string[]>(given);
  const [dragged, setDragged] = useState<string | null>(null);
  /** What a person has made of the list, also before it is drawn. */
  const latest = useRef(ids);
  const saving = useRef<Promise<void>>(Promise.resolve());
  const [unsavedMoves, setUnsavedMoves] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const byId = new Map(items.map((item) => [item.id, item]));
  const put = (next: readonly string[]): void => {
    latest.current = next;
    setIds(next);
  };
  useEffect(() => {
    if (dragged === null && unsavedMoves === 0) put(given); // an answer to an earlier move must not undo a later one
  }, [given.join(" "), unsavedMoves]);

  const store = (): void => {
    const wanted = latest.current;
    setUnsavedMoves((n) => n + 1);
    saving.current = saving.current
      .then(() => save(wanted))
      .catch(sayError)
      .finally(() => setUnsavedMoves((n) => n - 1));
  };
  const move = (id: string, to: number): void => {
    put(moved(latest.current, id, to));
    store();
  };
  return (
    <ul class="list sortable" ref={list}>
      {ids.map((id, index) => {
        const item = byId.get(id);
        if (item === undefined) return null;
        const words = { name: item.name };
        return (
          <li key={id} data-id={id} data-dragged={dragged === id}>
            <Handle
              onMove={(y) => {
                setDragged(id);
                const to = indexAt(list.current, y);
                if (to !== null) put(moved(latest.current, id, to));
              }}
              onEnd={(isDropped) => {
                setDragged(null);
                if (isDropped) store();
                else put(given);
              }}
            />
            <p class="grow">{item.name}</p>
            <span class="tools">
              <MoveButton icon="arrowUp" label={t("rooms.up", words)} off={index === 0} onPress={() => move(id, index - 1)} />
              <MoveButton icon="arrowDown" label={t("rooms.down", words)} off={index === ids.length - 1} onPress={() => move(id, index + 1)} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function MoveButton({ icon, label, off, onPress }: { icon: "arrowUp" | "arrowDown"; label: string; off: boolean; onPress: () => void }) {
  // Not disabled: the button that has just moved something to the end would lose the focus.
  return (
    <button type="button" class="button plain icon-only" aria-label={label} aria-disabled={off} onClick={() => !off && onPress()}>
      <Icon name={icon} />
    </button>
  );
}

/** What is dragged by; for pointers only, the buttons do the same for the keyboard. */
function Handle({ onMove, onEnd }: { onMove: (y: number) => void; onEnd: (isDropped: boolean) => void }) {
  const isHeld = useRef(false);
  const end = (isDropped: boolean): void => {
    if (!isHeld.current) return;
    isHeld.current = false;
    onEnd(isDropped);
  };
  return (
    <span
      class="drag-handle"
      aria-hidden="true"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        isHeld.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!isHeld.current) return;
        if (event.clientY < EDGE_PX) scrollBy(0, -SCROLL_PX);
        else if (event.clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX);
        onMove(event.clientY);
      }}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
    >
      <Icon name="grip" />
    </span>
  );
}

function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  const next = ids.filter((other) => other !== id);
  next.splice(to, 0, id);
  return next;
}

/** The place in the list at a height of the screen. */
function indexAt(list: HTMLUListElement | null, y: number): number | null {
  const rows = [...(list?.children ?? [])];
  const at = rows.findIndex((row) => y < row.getBoundingClientRect().bottom);
  return rows.length === 0 ? null : at < 0 ? rows.length - 1 : at;
}
