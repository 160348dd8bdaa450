import { signal } from "@preact/signals";
import { problemText } from "../i18n/hub-texts.js";

interface Toast {
  readonly id: number;
  readonly text: string;
}

const shown = signal<readonly Toast[]>([]);
let lastId = 0;

/** Says something for six seconds, read out by screen readers. */
export function say(text: string): void {
  const id = ++lastId;
  shown.value = [...shown.value.slice(-2), { id, text }];
  setTimeout(() => {
    shown.value = shown.value.filter((toast) => toast.id !== id);
  }, 6000);
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
          {toast.text}
        </p>
      ))}
    </div>
  );
}
