import { signal } from "@preact/signals";
import { ApiError } from "../api.js";
import { t } from "../i18n/translate.js";

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

/** Says what went wrong, in the hub's own words where it sent some. */
export function sayError(error: unknown): void {
  say(error instanceof ApiError ? (error.status === 0 ? t("error.unreachable") : error.message) : t("error.unknown"));
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
