import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { IconButton } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { NARROW, useMedia } from "./media.ts";
import "./page-actions.css";

/** What can be done on a page: by a link (`href`) or at once (`onClick`). */
export interface PageAction {
  readonly text: string;
  readonly icon?: IconName;
  readonly href?: string;
  readonly onClick?: () => void;
  readonly disabled?: boolean;
}

/**
 * The actions in the head of a page (a child of `PageHead`). Where there is room, each is a button with its words; on a
 * phone the primary one shows its icon alone, at the right of the title, and the others wait in a menu behind "…"; on a
 * page where people look for them (`named`), it and the first of the others have their words, below the title. Names for assistive technology are the same at every width.
 */
export function PageActions({
  primary,
  others = [],
  named = false,
}: {
  primary?: PageAction;
  others?: readonly PageAction[];
  named?: boolean;
}) {
  const isPhone = useMedia(NARROW);
  const isNarrow = isPhone && !named;
  const inSight = !isPhone ? others : others.slice(0, named ? 1 : 0);
  const behind = others.slice(inSight.length);
  return (
    <div class={named ? "page-actions named" : "page-actions"}>
      {inSight.map((action) => (
        <ActionButton key={action.text} action={action} look="button" />
      ))}
      {behind.length > 0 && <ActionMenu actions={behind} />}
      {primary !== undefined && (
        <ActionButton
          action={primary}
          look={isNarrow && primary.icon !== undefined ? "button primary icon-only" : "button primary"}
          isIconOnly={isNarrow && primary.icon !== undefined}
        />
      )}
    </div>
  );
}

function ActionButton({
  action: { text, icon, href, onClick, disabled = false },
  look,
  isIconOnly = false,
  onDone,
}: {
  action: PageAction;
  look: string;
  isIconOnly?: boolean;
  onDone?: () => void;
}) {
  const content: ComponentChildren = (
    <>
      {icon !== undefined && <Icon name={icon} small={!isIconOnly} />}
      {!isIconOnly && text}
    </>
  );
  const named = isIconOnly ? { "aria-label": text } : {};
  if (href !== undefined)
    return (
      <a class={look} href={href} {...named}>
        {content}
      </a>
    );
  return (
    <button
      type="button"
      class={look}
      disabled={disabled}
      onClick={() => {
        onDone?.();
        onClick?.();
      }}
      {...named}
    >
      {content}
    </button>
  );
}

/**
 * A list that opens below its button; a tap elsewhere and Escape close it. In a row of a list, `label` says whose
 * actions they are.
 */
export function ActionMenu({ actions, label = t("action.more") }: { actions: readonly PageAction[]; label?: string }) {
  const id = useId();
  const whole = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const elsewhere = (event: Event): void => {
      if (!(event.target instanceof Node) || whole.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
    };
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what its own button has opened
    <div
      class="page-menu"
      ref={whole}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        whole.current?.querySelector("button")?.focus();
      }}
    >
      <IconButton
        icon="more"
        label={label}
        framed
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      />
      <ul id={id} hidden={!isOpen}>
        {actions.map((action) => (
          <li key={action.text}>
            <ActionButton action={action} look="page-menu-item" onDone={() => setOpen(false)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
