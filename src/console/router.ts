import { signal } from "@preact/signals";

/** Path of the page shown now, without query; pages read it through {@link path}. */
const current = signal(location.pathname);

/** The path that is shown. Reading it in a component subscribes the component. */
export function path(): string {
  return current.value;
}

/** Whether the person has moved within the console since it was opened; the first page leaves the focus to the browser. */
let hasMoved = false;

/** True once a page was left for another. */
export function moved(): boolean {
  return hasMoved;
}

/** Whether the page that is shown holds what a person made and nobody saved. */
export const unsaved = signal(false);
/** The path that somebody wanted to go to meanwhile; null when nobody waits for an answer. */
export const held = signal<string | null>(null);

/** Shows another page and adds it to the history; where something is unsaved, a person is asked first. */
export function go(to: string, options: { replace?: boolean } = {}): void {
  if (unsaved.value) {
    held.value = to;
    return;
  }
  if (options.replace === true) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  hasMoved = true;
  current.value = location.pathname;
  scrollTo(0, 0);
}

/** Matches `pattern` (`/devices/:id`) against a path; null when it does not fit. */
export function match(pattern: string, actual: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = actual.split("/");
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return found;
}

/** Turns clicks on plain links into page changes; everything else about links stays the browser's. */
export function listenToLinks(): void {
  addEventListener("beforeunload", (event) => {
    if (unsaved.value) event.preventDefault();
  });
  addEventListener("popstate", () => {
    if (unsaved.value) {
      held.value = location.pathname;
      history.pushState(null, "", current.value); // stays until the answer is known
      return;
    }
    hasMoved = true;
    current.value = location.pathname;
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.target !== "" || link.hasAttribute("download") || /^\/(v1|api|ca)\b/.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
