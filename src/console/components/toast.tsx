import { effect, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isSignedOut } from "../api.ts";
import { problemText } from "../i18n/hub-texts.ts";
import { t } from "../i18n/translate.ts";
import { path } from "../router.ts";
import { Button, IconButton } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | null;
  /** When it was said, on the clock of `performance`. */
  readonly at: number;
}

/** What a toast offers to do. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = 6_000;
/** For a toast with an action. */
const OFFERED_MS = 12_000;

const shown = signal<readonly Toast[]>([]);
let lastId = 0;
/** What is said so shortly before another page is opened is said about that. */
const SAME_ACT_MS = 1_000;

/**
 * Shows a message for six seconds, read out by screen readers; for twelve if it offers `action`. It stays while the
 * pointer or the focus is on it: F6 leads there and back, Escape closes it. It belongs to the page that shows it and
 * goes with it; one that is said just before another page is opened appears there. Nothing that matters may depend on a
 * toast, since it disappears.
 */
export function say(text: string, action: ToastAction | null = null): void {
  shown.value = [...shown.value.slice(-2), { id: ++lastId, text, action, at: performance.now() }];
}

function end(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
}

/** What acts for the whole page or dialog: no toast may lie on it. */
const ACTIONS = ".save-bar, .actions, .button.primary, [type=submit]";
/** It lies on none of these either where that does not lead it into the upper part of the screen. */
const BUTTONS = `${ACTIONS}, .button`;
const HIGHEST = 0.5;
const GAP = 8;

/** How far a toast has to be raised so that it lies on no button. `at` is where it is without that. */
function raiseOfToast(at: DOMRect): number {
  const raise = raiseOver(at, BUTTONS);
  return raise > HIGHEST * innerHeight ? raiseOver(at, ACTIONS) : raise;
}

/** How far it has to be raised over what is in its way; 0 if there is no such place. */
function raiseOver(at: DOMRect, obstacles: string): number {
  const places = [...([...document.querySelectorAll("dialog:modal")].at(-1) ?? document).querySelectorAll(obstacles)]
    .filter((action) => action.closest(".toasts") === null && action.checkVisibility())
    .map((action) => action.getBoundingClientRect())
    .filter(({ left, right }) => left < at.right && right > at.left)
    .sort((one, other) => other.bottom - one.bottom); // from below: what is above is met later
  let raise = 0;
  for (const { top, bottom } of places)
    if (top < at.bottom - raise + GAP && bottom > at.top - raise - GAP) raise = at.bottom - top + GAP;
  return at.top - raise < GAP ? 0 : raise;
}

/** Reports an error, in the reader's language if the catalogue has a text for it. */
export function sayError(error: unknown): void {
  if (!isSignedOut(error)) say(problemText(error));
}

/** Where toasts appear; once per page. */
export function Toasts() {
  const region = useRef<HTMLElement>(null);
  /** Where the focus was before F6. */
  const cameFrom = useRef<HTMLElement | null>(null);
  const goBack = (): void => {
    cameFrom.current?.focus();
    cameFrom.current = null;
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "F6" || shown.value.length === 0) return;
      event.preventDefault();
      const here = document.activeElement;
      if (region.current?.contains(here)) goBack();
      else {
        cameFrom.current = here instanceof HTMLElement ? here : null;
        region.current?.querySelector<HTMLElement>(".toast:last-child button")?.focus(); // the newest one
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const close = (id: number): void => {
    const wasInside = region.current?.contains(document.activeElement) === true;
    end(id);
    if (wasInside) goBack();
  };
  useEffect(
    () =>
      effect(() => {
        path();
        const now = performance.now();
        shown.value = shown.peek().filter(({ at }) => now - at < SAME_ACT_MS);
      }),
    [],
  );
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const here = list.current;
    if (here === null || shown.value.length === 0) return;
    const place = (): void => {
      here.style.translate = "";
      const raise = raiseOfToast(here.getBoundingClientRect());
      here.style.translate = raise === 0 ? "" : `0 ${-raise}px`;
    };
    place();
    // the page moves, or becomes another, under it
    const changes = new MutationObserver(place);
    changes.observe(document.body, { childList: true, subtree: true });
    addEventListener("scroll", place, { capture: true, passive: true });
    addEventListener("resize", place);
    return () => {
      changes.disconnect();
      removeEventListener("scroll", place, { capture: true });
      removeEventListener("resize", place);
    };
  }, [shown.value]);
  const some = shown.value.length > 0;
  const newest = shown.value.at(-1)?.id;
  useLayoutEffect(() => {
    const here = region.current;
    // always shown, so that screen readers know it; raised again above a dialog, which lies above what was there before
    if (here?.matches(":popover-open") === true && newest !== undefined && document.querySelector("dialog:modal"))
      here.hidePopover();
    if (here?.matches(":popover-open") === false) here.showPopover();
  }, [newest]);
  return (
    <section class="toasts" popover="manual" ref={region} {...(some ? { "aria-label": t("toast.region") } : {})}>
      <div class="toast-list" role="status" aria-atomic="false" ref={list}>
        {shown.value.map((toast) => (
          <OneToast key={toast.id} toast={toast} onClose={() => close(toast.id)} />
        ))}
      </div>
    </section>
  );
}

/** Whether there may be a keyboard: a phone or tablet that is only touched has no F6. */
function hasKeys(): boolean {
  return matchMedia("(any-pointer: fine)").matches;
}

function OneToast({ toast: { id, text, action }, onClose }: { toast: Toast; onClose: () => void }) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus;
  useLayoutEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => end(id), action === null ? SHOWN_MS : OFFERED_MS);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only tracks the pointer and the focus; its buttons are interactive
    <div
      class="toast"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocusIn={() => setFocus(true)}
      onFocusOut={() => setFocus(false)}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <p>
        {text}
        {action !== null && hasKeys() && <span class="sr-only"> {t("toast.f6")}</span>}
      </p>
      {action !== null && (
        <Button
          text={action.label}
          onClick={() => {
            onClose();
            action.run();
          }}
        />
      )}
      <IconButton icon="x" label={t("toast.close")} small onClick={onClose} />
    </div>
  );
}
