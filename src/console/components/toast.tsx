import { signal } from "@preact/signals";
import { problemText } from "../i18n/hub-texts.js";

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
/** With something to decide. */
const OFFERED_MS = 12_000;

const shown = signal<readonly Toast[]>([]);
let lastId = 0;

/** Says something for six seconds, read out by screen readers; for twelve where it offers `action`. */
export function say(text: string, action: ToastAction | null = null): void {
  const id = ++lastId;
  shown.value = [...shown.value.slice(-2), { id, text, action }];
  setTimeout(() => end(id), action === null ? SHOWN_MS : OFFERED_MS);
}

function end(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
}

/** Says what went wrong, in the reader's language where there are words for it. */
export function sayError(error: unknown): void {
  say(problemText(error));
}

/** Where toasts appear; once per page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map((toast) => (
        <p class="toast" key={toast.id}>
          {toast.text}{" "}
          {toast.action !== null && (
            <button
              type="button"
              class="button"
              onClick={() => {
                end(toast.id);
                toast.action?.run();
              }}
            >
              {toast.action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
