import { signal } from "@preact/signals";

/** Pages that were at another address once, which people have kept. */
const MOVED: Readonly<Record<string, string>> = { "/system/devices": "/devices" };
const place = MOVED[location.pathname];
if (place !== undefined) history.replaceState(null, "", place + location.search + location.hash);

/** Path of the current page, without query; pages read it through {@link path}. */
const current = signal(location.pathname);
/** Query of the current page, as the last navigation left it. */
const asked = signal(location.search);
/** The part of the page that the address names. */
const part = signal(location.hash);

/** The path that is shown. Reading it in a component subscribes the component. */
export function path(): string {
  return current.value;
}

/** The query of the page that is shown, with its `?`. Reading it in a component subscribes the component. */
export function query(): string {
  return asked.value;
}

/** The part of the page that its address names, with its `#`. Reading it in a component subscribes the component. */
export function fragment(): string {
  return part.value;
}

/**
 * Whether the person has navigated within the console since it was opened; on the first page the browser keeps control
 * of the focus.
 */
let hasMoved = false;

/** Whether a page was left for another. */
export function moved(): boolean {
  return hasMoved;
}

/** Unsaved input on this page. */
const made = signal<ReadonlySet<object>>(new Set());
/** The pending action that would discard it; null: none. */
export const held = signal<(() => void) | null>(null);

/** Notes whether `what` (a form, an editor) holds unsaved input. */
export function setUnsaved(what: object, isUnsaved: boolean): void {
  if (made.value.has(what) === isUnsaved) return;
  const next = new Set(made.value);
  if (isUnsaved) next.add(what);
  else next.delete(what);
  made.value = next;
}

/** Whether this page holds unsaved input. */
export function hasUnsaved(): boolean {
  return made.value.size > 0;
}

/** Discards all unsaved input: the page may be left without a question. */
export function forgetUnsaved(): void {
  made.value = new Set();
}

/** Address of the current page, with its query: where to return when the person stays. */
let shownAt = location.pathname + location.search;

/** Shows another page and adds it to the history; if something is unsaved, the person is asked first. */
export function go(to: string, options: { replace?: boolean } = {}): void {
  if (hasUnsaved()) {
    held.value = () => {
      forgetUnsaved();
      go(to, options);
    };
    return;
  }
  // what lay over the page leaves its entry in the history to the new page
  const isOver = new URL(to, location.href).pathname !== location.pathname && putAway();
  if (isOver || options.replace === true) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  arrive();
  scrollTo(0, 0);
}

function arrive(): void {
  hasMoved = true;
  current.value = location.pathname;
  asked.value = location.search;
  part.value = location.hash;
  shownAt = location.pathname + location.search;
}

/** Closes what lies over the page, as the back button does; null: nothing lies there. */
let over: (() => void) | null = null;
/** The next step back removes the entry of what lay over the page. */
let isRemoving = false;

/**
 * Something was put over the page: the back button closes it instead of leaving the page, and so does another page.
 * Returns what to call once it is closed in any way.
 */
export function layOver(close: () => void): () => void {
  history.pushState(null, "", location.href);
  over = close;
  return () => {
    if (over !== close) return;
    over = null;
    isRemoving = true;
    history.back();
  };
}

function putAway(): boolean {
  const close = over;
  over = null;
  close?.();
  return close !== null;
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

/** Turns clicks on plain links into page changes; otherwise links behave as the browser has them. */
export function listenToLinks(): void {
  addEventListener("beforeunload", (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
  addEventListener("popstate", () => {
    if (isRemoving) {
      isRemoving = false;
      if (location.pathname + location.search !== shownAt) history.forward(); // another page was opened meanwhile
      return;
    }
    if (putAway() && location.pathname + location.search === shownAt) return;
    if (!hasUnsaved()) return arrive();
    history.pushState(null, "", shownAt); // stays until the answer is known
    held.value = () => {
      forgetUnsaved();
      history.back();
    };
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
    if (
      !(link instanceof HTMLAnchorElement) ||
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey
    )
      return;
    if (link.target !== "" || link.hasAttribute("download") || /^\/(v1|api|ca)\b/.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
