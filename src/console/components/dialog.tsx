import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.js";
import { fieldTexts } from "../i18n/hub-texts.js";
import { t } from "../i18n/translate.js";
import { sayError } from "./toast.js";

/**
 * A modal dialog with a title. Escape closes it, and a tap beside it unless it shows a secret that is not shown again; focus returns
 * where it was.
 */
export function Dialog({ title, wide = false, onClose, children }: { title: string; wide?: boolean; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; the key for it is Escape, which the browser handles
    <dialog
      class={wide ? "dialog wide" : "dialog"}
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current && event.currentTarget.querySelector("[data-shown-once]") === null) onClose();
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** Errors of a form by field, as the hub named them. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * A form that sends once, shows field errors where they belong and everything else as a toast.
 * `send` resolves when the work is done; the caller closes the dialog there.
 */
export function Form({
  submit,
  send,
  onCancel,
  danger = false,
  disabled = false,
  children,
}: {
  submit: string;
  send: () => Promise<void>;
  onCancel?: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: (errors: FieldErrors) => ComponentChildren;
}) {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The first field that was refused, wherever on a long page it is.
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [errors]);
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const unread = form.current?.querySelector<HTMLElement>("[data-unread]");
    if (unread) return unread.focus();
    setBusy(true);
    setErrors({});
    try {
      await send();
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) setErrors(fieldTexts(error));
      else sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack" ref={form} onSubmit={onSubmit} noValidate>
      {children(errors)}
      <div class="row actions">
        {onCancel && (
          <button type="button" class="button plain" onClick={onCancel}>
            {t("action.cancel")}
          </button>
        )}
        <button type="submit" class={danger ? "button danger" : "button primary"} disabled={busy || disabled}>
          {submit}
        </button>
      </div>
    </form>
  );
}

/** Asks before something that cannot be undone, or that opens a gate. */
export function Confirm({
  title,
  text,
  action,
  danger = false,
  onYes,
  onClose,
}: {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
  onYes: () => Promise<void>;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <Form
        submit={action}
        danger={danger}
        onCancel={onClose}
        send={async () => {
          await onYes();
          onClose();
        }}
      >
        {() => null}
      </Form>
    </Dialog>
  );
}
