import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** Whether a key means the search of a page: "/" where nobody types. */
export function isSearchKey(event: KeyboardEvent): boolean {
  const at = event.target instanceof Element ? event.target : null;
  return (
    event.key === "/" &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !at?.closest("input, select, textarea, dialog, [contenteditable]")
  );
}

/**
 * A field that narrows the page while typing. Escape empties it, and "/" leads to it from anywhere on the page unless
 * it is not the page's own (`hasKey`).
 */
export function SearchField({
  label,
  value,
  onInput,
  hasKey = true,
}: {
  label: string;
  value: string;
  onInput: (text: string) => void;
  hasKey?: boolean;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!hasKey) return;
    const onKey = (event: KeyboardEvent): void => {
      if (!isSearchKey(event)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div class="search-field">
      <label class="sr-only" for={id}>
        {label}
      </label>
      <Icon name="search" small />
      <input
        id={id}
        ref={field}
        class="input"
        type="search"
        placeholder={label}
        value={value}
        autocomplete="off"
        enterkeyhint="search"
        maxLength={120}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.preventDefault();
            onInput("");
          }
        }}
      />
      {hasKey && <kbd>/</kbd>}
      {value !== "" && <IconButton icon="x" label={t("home.clearSearch")} small onClick={() => onInput("")} />}
    </div>
  );
}
