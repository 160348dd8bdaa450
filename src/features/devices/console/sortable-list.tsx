import { useEffect, useRef, useState } from "preact/hooks";
import { DragHandle, MoveButtons, moved, placeAt } from "../../../console/components/drag.tsx";
import { sayError } from "../../../console/components/toast.tsx";

/** What can be reordered. */
interface Item {
  readonly id: string;
  readonly name: string;
}

/**
 * A list that can be reordered: dragged by its handles with a finger or a mouse, or moved with buttons. `save` gets the
 * ids after each move, one call after another; if it fails, the list goes back to `items`.
 */
export function SortableList({
  items,
  save,
}: {
  items: readonly Item[];
  save: (ids: readonly string[]) => Promise<void>;
}) {
  const given = items.map(({ id }) => id);
  const [ids, setIds] = useState<readonly string[]>(given);
  const [dragged, setDragged] = useState<string | null>(null);
  /** The person's latest order, even before it is drawn. */
  const latest = useRef(ids);
  const saving = useRef<Promise<void>>(Promise.resolve());
  const unsaved = useRef(0);
  const [savedMoves, setSavedMoves] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const byId = new Map(items.map((item) => [item.id, item]));
  const put = (next: readonly string[]): void => {
    latest.current = next;
    setIds(next);
  };
  useEffect(() => {
    // an answer to an earlier move must not undo a later one, nor one made since this was drawn
    if (dragged === null && unsaved.current === 0) put(given);
  }, [given.join(" "), savedMoves]);

  const store = (): void => {
    const wanted = latest.current;
    unsaved.current += 1;
    saving.current = saving.current
      .then(() => save(wanted))
      .catch(sayError)
      .finally(() => {
        unsaved.current -= 1;
        setSavedMoves((n) => n + 1);
      });
  };
  /** Moves it from its current position: key presses can be faster than drawing. */
  const moveBy = (id: string, places: number): void => {
    const from = latest.current.indexOf(id);
    const to = Math.min(Math.max(from + places, 0), latest.current.length - 1);
    if (to === from) return;
    put(moved(latest.current, from, to));
    store();
  };
  return (
    <ul class="list sortable" ref={list}>
      {ids.map((id, index) => {
        const item = byId.get(id);
        if (item === undefined) return null;
        return (
          <li key={id} data-id={id} data-dragged={dragged === id}>
            <DragHandle
              onMove={(top) => {
                setDragged(id);
                const from = latest.current.indexOf(id);
                const isDrawn = list.current?.children[from]?.getAttribute("data-id") === id;
                if (isDrawn) put(moved(latest.current, from, placeAt(list.current, from, top)));
              }}
              onEnd={(isDropped) => {
                setDragged(null);
                if (isDropped) store();
                else put(given);
              }}
            />
            <p class="grow">{item.name}</p>
            <span class="tools">
              <MoveButtons name={item.name} index={index} count={ids.length} onMove={(to) => moveBy(id, to - index)} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
