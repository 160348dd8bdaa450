import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { openedHelp, toggleHelp } from "../help/open-help.ts";
import { t } from "../i18n/translate.ts";
import { usePage } from "../pages/page.ts";
import { moved } from "../router.ts";
import { authStatus } from "../session.ts";
import { type Back, BackLink } from "./back-link.tsx";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { NARROW, useMedia } from "./media.ts";
import { Name } from "./name.tsx";

/**
 * A page's one h1, with the way back above it and its "?" beside it: a new page is announced and keyboard users start
 * at its head. On a phone a name that is longer than any place loses its middle. `page`: its name where it says else; `back`: where it leads back to, if not to the page that its address
 * belongs to.
 */
export function PageHeading({ text, page = text, back }: { text: string; page?: string; back?: Back }) {
  const head = useRef<HTMLHeadingElement>(null);
  const isPhone = useMedia(NARROW);
  useEffect(() => {
    // unless they are already somewhere on it
    const at = document.activeElement;
    if (moved() && (at === null || at === document.body || at.closest(".nav") !== null))
      head.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = page === "" ? "Gatehouse" : `${page} · Gatehouse`;
  }, [page]);
  return (
    <>
      <BackLink {...(back === undefined ? {} : { back })} />
      <div class="page-title">
        <h1 ref={head} tabIndex={-1}>
          {isPhone ? <Name text={text} /> : text}
        </h1>
        <HelpButton />
      </div>
    </>
  );
}

/** The head of a page: its h1, and what can be done there. */
export function PageHead({
  title,
  subtitle,
  back,
  children,
}: {
  title: string;
  subtitle?: ComponentChildren;
  back?: Back;
  children?: ComponentChildren;
}) {
  return (
    <header class="page-head">
      <div>
        <PageHeading text={title} {...(back === undefined ? {} : { back })} />
        {subtitle !== undefined && <p>{subtitle}</p>}
      </div>
      {children !== undefined && <div class="row">{children}</div>}
    </header>
  );
}

/** Opens the section of the manual about this page, over the page. */
function HelpButton() {
  const place = usePage()?.help;
  if (place === undefined || authStatus.value !== "signed-in") return null;
  return (
    <button
      type="button"
      class="help-button"
      aria-label={t("help.ofPage")}
      title={t("help.ofPage")}
      aria-haspopup="dialog"
      aria-expanded={openedHelp.value !== null}
      onClick={(event) => toggleHelp(place, event.currentTarget)}
    >
      <Icon name="help" small />
    </button>
  );
}

/** A titled card. */
export function Card({
  title,
  action,
  children,
}: {
  title?: string;
  action?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="card" {...(title === undefined ? {} : { "aria-labelledby": id })}>
      {title !== undefined && (
        <div class="row between">
          <h2 id={id}>{title}</h2>
          {action}
        </div>
      )}
      {children}
    </section>
  );
}

/** Shown for an empty list: what would be here, and how to add it. */
export function Empty({ icon, text, children }: { icon: IconName; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p>{text}</p>
      {children}
    </div>
  );
}

/** A number plate, set like a plate. */
export function Plate({ text }: { text: string | null }) {
  return text === null ? <span class="plate none">{t("plate.unread")}</span> : <span class="plate">{text}</span>;
}

/** On/off. `pending`: the command was sent and the device has not answered yet. */
export function Switch({
  label,
  on,
  pending,
  disabled = false,
  onToggle,
}: {
  label: string;
  on: boolean;
  pending: boolean;
  disabled?: boolean;
  onToggle: (on: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={on}
      aria-label={label}
      data-pending={pending}
      disabled={disabled}
      onClick={() => onToggle(!on)}
    />
  );
}

/** A decision in colour and word. */
export function Decision({ decision }: { decision: "allow" | "deny" | "watch" | "unknown" }) {
  const words = {
    allow: t("decision.allow"),
    deny: t("decision.deny"),
    watch: t("decision.watch"),
    unknown: t("decision.unknown"),
  };
  return <span class={`badge ${decision}`}>{words[decision]}</span>;
}

/** An important notice above everything else on the page. */
export function Notice({
  tone,
  isFailure = false,
  children,
}: {
  tone: "warn" | "bad" | "good";
  /** The page could not load something: it starts over when the hub is back. */
  isFailure?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div
      class={`notice ${tone}`}
      role={tone === "bad" ? "alert" : "status"}
      {...(isFailure ? { "data-failed": "" } : {})}
    >
      <Icon name={tone === "good" ? "check" : "circleAlert"} />
      <div class="grow">{children}</div>
    </div>
  );
}

/** Says that something could not be loaded, with a button to try again. */
export function TryAgain({ text, onTry }: { text: string; onTry: () => void }) {
  return (
    <Notice tone="bad" isFailure>
      {text} <Button text={t("action.tryAgain")} onClick={onTry} />
    </Notice>
  );
}
