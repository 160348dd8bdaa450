import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Fault, isSignedOut } from "../api.ts";
import { faultWithName, fieldTexts, problemText } from "../i18n/hub-texts.ts";
import { t } from "../i18n/translate.ts";
import { held, setUnsaved } from "../router.ts";
import { Notice } from "./basics.tsx";
import { Button } from "./button.tsx";
import { OnceScope } from "./once.ts";
import { leadToRefusal, Refusal } from "./refusal.tsx";
import { UnsavedScope, useUnsaved } from "./unsaved.ts";

/**
 * A modal dialog with a title. Escape closes it, and so does a tap beside it; if something in it is unsaved, the person
 * is asked first; if it shows what is not shown again, only its own buttons close it, and Escape leads to them. Focus
 * returns where it was. `isCurtain`: it hides the page and cannot be closed. `isSheet`: on a phone it comes from below
 * at full width, and by touch no field of it takes the focus, so that no keyboard covers what can be chosen; unless one
 * is marked with `data-focus`.
 */
export function Dialog({
  title,
  wide = false,
  isCurtain = false,
  isSheet = false,
  onClose = () => {},
  children,
}: {
  title: string;
  wide?: boolean;
  isCurtain?: boolean;
  isSheet?: boolean;
  onClose?: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [unsavedHere] = useState(() => new Set<object>());
  const [onceHere] = useState(() => new Set<object>());
  useEffect(() => {
    const before = document.activeElement;
    if (isSheet && matchMedia("(pointer: coarse)").matches)
      element.current?.querySelector("h2")?.setAttribute("autofocus", "");
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const [isWarned, setWarned] = useState(false);
  const putAway = (): void => {
    if (isCurtain) return;
    if (onceHere.size > 0) {
      setWarned(true); // a toast would lie under the dialog
      element.current?.querySelector<HTMLElement>(".actions :is(a, button)")?.focus();
      return;
    }
    if (unsavedHere.size === 0) onClose();
    else
      held.value = () => {
        for (const what of unsavedHere) setUnsaved(what, false);
        onClose();
      };
  };
  return (
    <dialog
      class={`dialog${wide ? " wide" : ""}${isCurtain ? " curtain" : ""}${isSheet ? " sheet" : ""}`}
      ref={element}
      aria-labelledby={titleId}
      onClose={() => {
        if (!isCurtain && onceHere.size === 0) return onClose();
        element.current?.showModal(); // some browsers close it whatever the page says
        putAway();
      }}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return; // a file field in it: its chooser was left, which bubbles
        event.preventDefault(); // the browser's own gestures, such as back on a phone
        putAway();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault(); // some browsers close it at the second Escape even if the first was cancelled
        event.stopPropagation();
        putAway();
      }}
      onClick={(event) => {
        if (event.target === element.current && onceHere.size === 0) putAway();
      }}
    >
      <UnsavedScope.Provider value={unsavedHere}>
        <OnceScope.Provider value={onceHere}>
          <div class="dialog-body">
            <h2 id={titleId} {...(isSheet ? { tabIndex: -1 } : {})}>
              {title}
            </h2>
            {isWarned && (
              <div class="dialog-warning" role="alert">
                <Notice tone="warn">{t("secret.keepFirst")}</Notice>
              </div>
            )}
            {children}
          </div>
        </OnceScope.Provider>
      </UnsavedScope.Provider>
    </dialog>
  );
}

/** A form's errors by field, as the hub named them. */
export type FieldErrors = Readonly<Record<string, string>>;

const NO_ERRORS: FieldErrors = {};

/** Errors that record which fields showed theirs; the others have to be shown elsewhere. */
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

/** What somebody may have entered in a form, as its fields, chips and switches show it. */
function shownIn(form: HTMLFormElement | null): string {
  const parts = [...(form?.querySelectorAll("input, select, textarea, [aria-pressed], [aria-checked]") ?? [])];
  return JSON.stringify(
    parts.map((part) => {
      if (part instanceof HTMLInputElement) return [part.value, part.checked];
      if (part instanceof HTMLSelectElement || part instanceof HTMLTextAreaElement) return part.value;
      return [part.getAttribute("aria-pressed"), part.getAttribute("aria-checked")];
    }),
  );
}

/**
 * A form that sends once, shows field errors at their fields and everything else above its buttons. `send` resolves
 * when the work is done; the caller closes the dialog then. While it holds unsent input, the person is asked before it
 * is left; not for a form that only asks for something (`isPassing`): to sign in, to search. `isWhole` says whether it
 * can be sent; if not, the caller shows at its fields what is missing.
 */
export function Form({
  submit,
  send,
  onCancel,
  danger = false,
  disabled = false,
  isPassing = false,
  isWhole = () => true,
  children,
}: {
  submit: string;
  send: () => Promise<void>;
  onCancel?: () => void;
  danger?: boolean;
  disabled?: boolean;
  isPassing?: boolean;
  isWhole?: () => boolean;
  children: (errors: FieldErrors) => ComponentChildren;
}) {
  const [refused, setRefused] = useState<ApiError | null>(null);
  /** Faults that no field of the form shows. */
  const [elsewhere, setElsewhere] = useState<readonly Fault[]>([]);
  /** What went wrong with the whole. */
  const [failure, setFailure] = useState<string | null>(null);
  const { errors, asked } = watched(refused === null ? NO_ERRORS : fieldTexts(refused));
  const [busy, setBusy] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  /** Its content before the first input; null: untouched. */
  const untouched = useRef<string | null>(null);
  const [isDirty, setDirty] = useState(false);
  const saved = useUnsaved(isDirty && !busy);
  const look = (): void => {
    if (form.current !== null)
      setDirty(!isPassing && untouched.current !== null && shownIn(form.current) !== untouched.current);
  };
  useLayoutEffect(look);
  const touch = (): void => {
    untouched.current ??= shownIn(form.current);
  };
  useEffect(() => {
    // every field of the form has been drawn by now
    setElsewhere(refused?.faults.filter(({ field }) => !asked.has(field)) ?? []);
  }, [refused]);
  // once more for every attempt: the same refusal leads to the same place again
  useEffect(() => {
    if (attempt > 0) leadToRefusal(form.current);
  }, [attempt, refused, elsewhere, failure]);
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const unread = form.current?.querySelector<HTMLElement>("[data-unread]");
    if (unread) return unread.focus();
    setAttempt(attempt + 1);
    if (!isWhole()) {
      setRefused(null);
      setFailure(null);
      return;
    }
    setBusy(true);
    saved(); // the pending action may lead to another page
    setRefused(null);
    setFailure(null);
    try {
      await send();
      untouched.current = null;
      setDirty(false);
    } catch (error) {
      if (error instanceof ApiError && error.faults.length > 0) setRefused(error);
      else if (!isSignedOut(error)) setFailure(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="stack"
      ref={form}
      onSubmit={onSubmit}
      onFocusInCapture={touch}
      onPointerDownCapture={touch}
      onKeyDownCapture={touch}
      onInput={() => setTimeout(look)} // deferred: drawn between "input" and "change", a box that was just ticked would be drawn unticked
      noValidate
    >
      {children(errors)}
      {(elsewhere.length > 0 || failure !== null) && (
        <Refusal>
          {elsewhere.map((fault) => (
            <p key={fault.field}>{faultWithName(fault)}</p>
          ))}
          {failure !== null && <p>{failure}</p>}
        </Refusal>
      )}
      <div class="row actions">
        {onCancel && <Button look="plain" text={t("action.cancel")} onClick={onCancel} />}
        <button type="submit" class={danger ? "button danger" : "button primary"} disabled={busy || disabled}>
          {submit}
        </button>
      </div>
    </form>
  );
}

/** Asks before an action that cannot be undone, or that opens a gate. */
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
  onYes: () => Promise<unknown>;
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
