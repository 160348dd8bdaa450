import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, type Fault } from "../api.js";
import { faultWithName, fieldTexts } from "../i18n/hub-texts.js";
import { t } from "../i18n/translate.js";
import { Notice } from "./basics.js";
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

const NO_ERRORS: FieldErrors = {};

/** Errors that remember which fields asked for theirs: what nobody shows must be said elsewhere. */
function watched(errors: FieldErrors): { readonly errors: FieldErrors; readonly asked: ReadonlySet<string> } {
  const asked = new Set<string>();
  const note = (field: string | symbol): void => void (typeof field === "string" && asked.add(field));
  return {
    errors: new Proxy(errors, {
      get(target, field) {
        note(field);
        return Reflect.get(target, field);
      },
    }),
    asked,
  };
}

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
  const [refused, setRefused] = useState<ApiError | null>(null);
  /** Faults that no field of the form shows. */
  const [elsewhere, setElsewhere] = useState<readonly Fault[]>([]);
  const { errors, asked } = watched(refused === null ? NO_ERRORS : fieldTexts(refused));
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    setElsewhere(refused?.faults.filter(({ field }) => !asked.has(field)) ?? []); // by now every field of the form is drawn
    // The first field that was refused, wherever on a long page it is.
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refused]);
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const unread = form.current?.querySelector<HTMLElement>("[data-unread]");
    if (unread) return unread.focus();
    setBusy(true);
    setRefused(null);
    try {
      await send();
    } catch (error) {
      if (error instanceof ApiError && error.faults.length > 0) setRefused(error);
      else sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack" ref={form} onSubmit={onSubmit} noValidate>
      {children(errors)}
      {elsewhere.length > 0 && <Notice tone="bad">{elsewhere.map(faultWithName).join(" ")}</Notice>}
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
