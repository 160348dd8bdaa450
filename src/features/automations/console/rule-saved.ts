/** Tells the list which rule the editor has just stored. */
let saved: number | null = null;

/** The rule `id` was stored; the list is shown next. */
export function noteSaved(id: number): void {
  saved = id;
}

/** The rule that was just stored; null: none, or the list has shown it already. */
export function takeSaved(): number | null {
  const id = saved;
  saved = null;
  return id;
}
