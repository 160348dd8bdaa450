import { useId, useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { FieldNotes, tiedToNotes } from "./field.tsx";
import "./password-field.css";

/**
 * A field for a secret, hidden as it is typed. It can be shown, since what is typed blindly on a phone is typed wrongly;
 * it is hidden again once the field is left, and not kept when the session ends.
 */
export function PasswordField({
  label,
  hint,
  error,
  value,
  onInput,
  autocomplete = "off",
  required = false,
  inputMode,
  maxLength,
}: {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  onInput: (value: string) => void;
  autocomplete?: string;
  required?: boolean;
  inputMode?: "numeric";
  maxLength?: number;
}) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const type = (isShown ? "text" : "password") as "text"; // Preact's typings want one literal; both take the same
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div
        class="password-field"
        onFocusOut={(event) => {
          const to = event.relatedTarget;
          if (!(to instanceof Node && event.currentTarget.contains(to))) setShown(false);
        }}
      >
        <input
          id={id}
          class="input"
          type={type}
          data-secret=""
          value={value}
          autocomplete={autocomplete}
          autocapitalize="off"
          spellcheck={false}
          required={required}
          {...tiedToNotes(id, hint, error)}
          {...(inputMode === undefined ? {} : { inputMode })}
          {...(maxLength === undefined ? {} : { maxLength })}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <Button
          look="plain"
          text={t(isShown ? "password.hide" : "password.show")}
          onMouseDown={(event: MouseEvent) => event.preventDefault()} // the focus stays in the field
          onClick={() => setShown(!isShown)}
        />
      </div>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}
