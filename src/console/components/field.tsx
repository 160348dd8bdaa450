import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Icon } from "./icon.tsx";
import { toldApart } from "./told-apart.ts";

interface Common {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
}

type InputType = "text" | "date" | "email" | "number" | "time" | "datetime-local" | "url" | "search";

/** Preact's typings want one literal type per element; all of these take the same attributes. */
function inputType(type: InputType): { type: "text" } {
  return { type } as { type: "text" };
}

/** What ties a field to the {@link FieldNotes} below it, and to further elements, for screen readers. */
export function tiedToNotes(id: string, hint: string | undefined, error: string | undefined, ...further: string[]) {
  const notes = [...(hint === undefined ? [] : [`${id}-h`]), ...(error === undefined ? [] : [`${id}-e`])];
  const ids = [...notes, ...further].join(" ");
  return { "aria-invalid": error !== undefined, ...(ids === "" ? {} : { "aria-describedby": ids }) };
}

/** A field's hint and error, shown below it with the ids (`ID-h`, `ID-e`) that `aria-describedby` names. */
export function FieldNotes({ id, hint, error }: { id: string; hint: string | undefined; error: string | undefined }) {
  return (
    <>
      {hint !== undefined && (
        <span class="hint" id={`${id}-h`}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span class="error" id={`${id}-e`}>
          {error}
        </span>
      )}
    </>
  );
}

/** A labelled text input with its hint and its error tied to it for screen readers. */
export function TextField({
  label,
  hint,
  error,
  value,
  onInput,
  type = "text",
  autocomplete = "off",
  required = false,
  inputMode,
  placeholder,
  maxLength,
  unit = "",
  unread = false,
  secret = false,
  selected = false,
}: Common & {
  value: string;
  onInput: (value: string) => void;
  type?: InputType;
  autocomplete?: string;
  required?: boolean;
  inputMode?: "text" | "numeric" | "decimal" | "url" | "email";
  placeholder?: string;
  maxLength?: number;
  /** Shown after the input, and read out with the label. */
  unit?: string;
  /** What is typed has no value yet: a form with such a field is not sent. */
  unread?: boolean;
  /** A code that lets somebody in, visible while it is typed: it is not kept when the session ends. */
  secret?: boolean;
  /** A proposal: what is typed takes its place. */
  selected?: boolean;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {label}
        {unit !== "" && <span class="soft"> ({unit})</span>}
      </label>
      <input
        id={id}
        class="input"
        {...inputType(type)}
        value={value}
        autocomplete={autocomplete}
        required={required}
        {...tiedToNotes(id, hint, error)}
        {...(unread ? { "data-unread": "" } : {})}
        {...(secret ? { "data-secret": "" } : {})}
        {...(inputMode === undefined ? {} : { inputMode })}
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(maxLength === undefined ? {} : { maxLength })}
        {...(selected ? { onFocus: (event: { currentTarget: HTMLInputElement }) => event.currentTarget.select() } : {})}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** A labelled choice of one. Of choices with the same words each has its value beside them, such as the id of a device. */
export function SelectField<Value extends string>({
  label,
  hint,
  error,
  value,
  options,
  onChange,
}: Common & {
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  onChange: (value: Value) => void;
}) {
  const id = useId();
  const wordsOf = toldApart(
    options,
    ([, text]) => text,
    ([key]) => key,
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        {...tiedToNotes(id, hint, error)}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option[0]} value={option[0]} selected={option[0] === value}>
            {wordsOf(option)}
          </option>
        ))}
      </select>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/**
 * The files that somebody has just chosen in a field. It is empty afterwards, so that the same path can be chosen again:
 * a browser reports only what differs, and a file may have been corrected meanwhile.
 */
export function takeFiles(input: HTMLInputElement): readonly File[] {
  const files = [...(input.files ?? [])];
  input.value = "";
  return files;
}

/**
 * A labelled choice of files from this device: a button, and the names of the files that were chosen. Files can also be
 * dropped onto it.
 */
export function FileField({
  label,
  hint,
  error,
  accept,
  multiple = false,
  onFiles,
}: Common & {
  accept: string;
  multiple?: boolean;
  onFiles: (files: readonly File[]) => void;
}) {
  const id = useId();
  const [names, setNames] = useState<readonly string[]>([]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="file-field">
        <input
          id={id}
          type="file"
          accept={accept}
          multiple={multiple}
          {...tiedToNotes(id, hint, error, `${id}-n`)}
          onChange={(event) => {
            const files = takeFiles(event.currentTarget);
            if (files.length === 0) return;
            setNames(files.map(({ name }) => name));
            onFiles(files);
          }}
        />
        {/* The browser's own field, invisible, lies over these: it takes taps, files that are dropped, and the focus. */}
        <span class="button" aria-hidden="true">
          <Icon name="upload" small />
          {t(multiple ? "file.chooseMany" : "file.choose")}
        </span>
        <span class={names.length === 0 ? "soft small" : "small"} id={`${id}-n`} aria-hidden="true">
          {names.length > 1 ? t("file.many", { n: names.length }) : (names[0] ?? t("file.none"))}
        </span>
      </div>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** A labelled box to tick. */
export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <span class="soft small block-hint">{hint}</span>}
      </span>
    </label>
  );
}

/** Boxes to tick, one for each option; any number of them is chosen. */
export function CheckList<Value extends string>({
  options,
  chosen,
  onChange,
}: {
  options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  chosen: ReadonlySet<Value>;
  onChange: (chosen: ReadonlySet<Value>) => void;
}) {
  const toggle = (value: Value, on: boolean): void =>
    onChange(new Set(on ? [...chosen, value] : [...chosen].filter((other) => other !== value)));
  return (
    <div>
      {options.map(({ value, ...words }) => (
        <CheckField key={value} {...words} checked={chosen.has(value)} onChange={(on) => toggle(value, on)} />
      ))}
    </div>
  );
}

/** A group of fields under one legend. */
export function Group({ legend, children }: { legend: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <div class="stack" role="group" aria-labelledby={id}>
      <h3 id={id}>{legend}</h3>
      {children}
    </div>
  );
}
