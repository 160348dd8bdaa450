import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isSignedOut } from "../api.ts";
import { problemText } from "../i18n/hub-texts.ts";
import { t } from "../i18n/translate.ts";
import { Button, IconButton } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | null;
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

/**
 * Shows a message for six seconds, read out by screen readers; for twelve if it offers `action`. It stays while the
 * pointer or the focus is on it: F6 leads there and back, Escape closes it. Nothing that matters may depend on a toast,
 * since it disappears.
 */
export function say(text: string, action: ToastAction | null = null): void {
  shown.value = [...shown.value.slice(-2), { id: ++lastId, text, action }];
}

function end(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
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
      <div class="toast-list" role="status" aria-atomic="false">
        {shown.value.map((toast) => (
          <OneToast key={toast.id} toast={toast} onClose={() => close(toast.id)} />
        ))}
      </div>
    </section>
  );
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
        {action !== null && <span class="sr-only"> {t("toast.f6")}</span>}
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
