import "./picker.css";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FieldNotes, tiedToNotes } from "./field.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Name } from "./name.tsx";

/** One thing to choose. */
export interface PickerOption {
  readonly id: string;
  readonly name: string;
  /** What distinguishes it from others, and its current state. */
  readonly detail: string;
  readonly icon?: IconName;
}

/** Most options drawn; typing narrows them. */
const MOST_SHOWN = 100;
/** A list that is longer has a search where it is tapped. */
const LONG = 8;
/** A phone: a list beside the field would stand behind the keyboard. */
const BY_THUMB = "(pointer: coarse) and (max-width: 600px)";

/**
 * A field that finds one of many while typing (a combobox with a list). Arrow keys, Enter and Escape work as usual;
 * typed text that matches nothing is taken as it is if `isFree`, is reported if `unknown` says how, and otherwise gives
 * way to the previous choice. On a
 * phone the choices come from below as full rows. What is typed into the field goes on in their search; where the field
 * says what to type, the search has the focus at once, and elsewhere once somebody taps it.
 */
export function Picker(props: PickerProps) {
  const [isByThumb] = useState(() => matchMedia(BY_THUMB).matches);
  return isByThumb ? <SheetPicker {...props} /> : <ListPicker {...props} />;
}

interface PickerProps {
  readonly label: string;
  /** The current choice: its id, and the name that the field shows. */
  readonly chosen: { readonly id: string; readonly name: string };
  readonly hint?: string;
  readonly error?: string | undefined;
  /** What may be typed, as an example; then a phone has the search too, however few choices there are at first. */
  readonly placeholder?: string;
  /** The options that match a text; all for the empty one. */
  readonly find: (text: string) => readonly PickerOption[];
  readonly isFree?: boolean;
  /** What is said of typed text that names nothing: it stays in the field, and a form with it is not sent. */
  readonly unknown?: string;
  readonly onChange: (id: string) => void;
}

/** The options for a text, with the text itself where it can be taken as it is. */
function offered({ find, isFree = false }: PickerProps, text: string) {
  const all = find(text);
  const found = all.slice(0, MOST_SHOWN);
  const typed = text.trim();
  const own = isFree && typed !== "" && found.every((option) => option.id !== typed) ? typed : null;
  const options: readonly PickerOption[] =
    own === null ? found : [...found, { id: own, name: t("picker.own", { text: own }), detail: "" }];
  return { all, found, own, options };
}

/** The field of a phone: a tap opens the choices in a sheet. */
function SheetPicker(props: PickerProps) {
  const { label, chosen, hint, error, isFree = false, onChange } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const { all, found, options } = isOpen ? offered(props, typed) : { all: [], found: [], options: [] };
  const hasSearch = isFree || props.placeholder !== undefined || props.find("").length > LONG;
  const close = (): void => {
    setOpen(false);
    setTyped("");
  };
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        readOnly
        inputMode="none"
        role="combobox"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...tiedToNotes(id, hint, error)}
        placeholder={t("block.choose")}
        value={chosen.name}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          const isLetter = hasSearch && event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
          if (!isLetter && event.key !== "Enter" && event.key !== " " && event.key !== "ArrowDown") return;
          event.preventDefault();
          if (isLetter) setTyped((before) => before + event.key); // the sheet may take a moment
          setOpen(true);
        }}
      />
      {isOpen && (
        <Dialog title={label} isSheet onClose={close}>
          <div class="picker-sheet">
            {hasSearch && (
              <div class="sheet-search">
                <input
                  data-focus={typed === "" && props.placeholder === undefined ? undefined : ""}
                  class="input"
                  type="search"
                  aria-label={t("picker.search")}
                  placeholder={props.placeholder ?? t("picker.search")}
                  value={typed}
                  maxLength={200}
                  onInput={(event) => setTyped(event.currentTarget.value)}
                />
              </div>
            )}
            <div class="picker-list" role="listbox" aria-label={t("picker.list", { label })}>
              {options.map((option) => (
                <button
                  type="button"
                  key={option.id}
                  role="option"
                  aria-selected={option.id === chosen.id}
                  onClick={() => {
                    close();
                    if (option.id !== chosen.id) onChange(option.id);
                  }}
                >
                  <OptionWords option={option} isChosen={option.id === chosen.id} />
                </button>
              ))}
            </div>
            {all.length > found.length && (
              <p class="soft small">{t("picker.more", { n: all.length - found.length })}</p>
            )}
            <span class={options.length === 0 ? "soft" : "sr-only"} role="status">
              {typed === "" && options.length > 0 ? "" : t("picker.found", { n: all.length })}
            </span>
            <div class="actions">
              <Button text={t("action.cancel")} onClick={close} />
            </div>
          </div>
        </Dialog>
      )}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

function OptionWords({ option: { icon, name, detail }, isChosen }: { option: PickerOption; isChosen: boolean }) {
  return (
    <>
      {icon !== undefined && <Icon name={icon} />}
      <span class="grow">
        <span class="picker-name">
          <Name text={name} />
        </span>
        {detail !== "" && <span class="soft small picker-detail">{detail}</span>}
      </span>
      {isChosen && <Icon name="check" small />}
    </>
  );
}

function ListPicker(props: PickerProps) {
  const { label, chosen, hint, find, unknown, onChange } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  /** Null: nothing was typed since the list opened. */
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const [isUnknown, setUnknown] = useState(false);
  const error = isUnknown ? unknown : props.error;
  const { all, found, own, options } = isOpen
    ? offered(props, typed ?? "")
    : { all: [], found: [], own: null, options: [] };
  const at = Math.min(active, options.length - 1);

  useLayoutEffect(() => {
    list.current?.querySelector("[data-active=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, isOpen]);
  useEffect(() => {
    if (isOpen) list.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);

  const open = (): void => {
    if (isOpen) return;
    setActive(
      typed !== null
        ? 0
        : Math.max(
            0,
            find("").findIndex((option) => option.id === chosen.id),
          ),
    );
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    setTyped(null);
    setUnknown(false);
  };
  const pick = (option: PickerOption): void => {
    close();
    if (option.id !== chosen.id) onChange(option.id);
  };
  /** Somebody moves to the next field with what they have typed. */
  const leave = (): void => {
    const text = (typed ?? "").trim().toLowerCase();
    const named = found.find((option) => option.name.toLowerCase() === text || option.id.toLowerCase() === text);
    const meant =
      text === ""
        ? undefined
        : (named ?? (own !== null ? { id: own, name: own, detail: "" } : found.length === 1 ? found[0] : undefined));
    if (meant !== undefined) pick(meant);
    else if (text === "" || unknown === undefined) close();
    else {
      setOpen(false);
      setUnknown(true);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) open();
      else setActive((at + (event.key === "ArrowDown" ? 1 : -1) + options.length) % Math.max(1, options.length));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      const option = options[at];
      if (option !== undefined) pick(option);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation(); // closes the list, not the dialog around it
      close();
    }
  };
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={field}
        class="input"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-l`}
        {...(isOpen && options[at] !== undefined ? { "aria-activedescendant": `${id}-${at}` } : {})}
        {...tiedToNotes(id, hint, error)}
        {...(isUnknown ? { "data-unread": "" } : {})}
        placeholder={props.placeholder ?? t("picker.search")}
        value={typed ?? chosen.name}
        maxLength={200}
        onFocus={(event) => event.currentTarget.select()}
        onClick={(event) => {
          event.currentTarget.select();
          open();
        }}
        onInput={(event) => {
          setOpen(true);
          setActive(0);
          setUnknown(false);
          setTyped(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <div
        class="picker-list"
        id={`${id}-l`}
        role="listbox"
        aria-label={t("picker.list", { label })}
        ref={list}
        hidden={!isOpen || options.length === 0}
      >
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's, which keeps the focus
          // biome-ignore lint/a11y/useFocusableInteractive: named by the field's aria-activedescendant
          <div
            key={option.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={option.id === chosen.id}
            data-active={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={(event) => {
              pick(option);
              // so that the phone's keyboard closes
              if (event instanceof PointerEvent && event.pointerType === "touch") field.current?.blur();
            }}
          >
            <OptionWords option={option} isChosen={option.id === chosen.id} />
          </div>
        ))}
        {all.length > found.length && (
          <div role="option" aria-disabled="true" aria-selected={false} tabIndex={-1} class="soft small">
            {t("picker.more", { n: all.length - found.length })}
          </div>
        )}
      </div>
      <span class={isOpen && options.length === 0 ? "hint" : "sr-only"} role="status">
        {isOpen && typed !== null ? t("picker.found", { n: all.length }) : ""}
      </span>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}
