/** Fields shared by several forms: a person's identity, the current password, the household. */
import { t } from "../i18n/translate.ts";
import type { FieldErrors } from "./dialog.tsx";
import { SelectField, TextField } from "./field.tsx";
import { PasswordField } from "./password-field.tsx";

/** A person who gets an account. */
export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Empty: the initial value of the fields. */
export const NEW_PERSON: NewPerson = { name: "", email: "", password: "" };

/** Name, e-mail and new password of a person who gets an account. */
export function NewPersonFields({
  person,
  errors,
  onChange,
}: {
  person: NewPerson;
  errors: FieldErrors;
  onChange: (person: NewPerson) => void;
}) {
  return (
    <>
      <TextField
        label={t("welcome.name")}
        autocomplete="name"
        value={person.name}
        onInput={(name) => onChange({ ...person, name })}
        error={errors.name}
        required
      />
      <TextField
        label={t("signIn.email")}
        hint={t("welcome.emailHint")}
        type="email"
        inputMode="email"
        autocomplete="username"
        value={person.email}
        onInput={(email) => onChange({ ...person, email })}
        error={errors.email}
        required
      />
      <NewPasswordField
        label={t("signIn.password")}
        value={person.password}
        onInput={(password) => onChange({ ...person, password })}
        error={errors.password}
      />
    </>
  );
}

/** A password that is being chosen. */
export function NewPasswordField({
  label,
  value,
  onInput,
  error,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  error: string | undefined;
}) {
  return (
    <PasswordField
      label={label}
      hint={t("welcome.passwordHint")}
      autocomplete="new-password"
      value={value}
      onInput={onInput}
      error={error}
      required
    />
  );
}

/** A person's current password, asked for again before a sensitive action. */
export function CurrentPasswordField({
  value,
  onInput,
  error,
}: {
  value: string;
  onInput: (value: string) => void;
  error: string | undefined;
}) {
  return (
    <PasswordField
      label={t("account.current")}
      autocomplete="current-password"
      value={value}
      onInput={onInput}
      error={error}
      required
    />
  );
}

/** Choice between the real devices and the simulated ones. */
export function EnvironmentField({
  value,
  onChange,
}: {
  value: "live" | "test";
  onChange: (value: "live" | "test") => void;
}) {
  return (
    <SelectField
      label={t("key.env")}
      value={value}
      onChange={onChange}
      options={[
        ["live", t("key.live")],
        ["test", t("key.test")],
      ]}
    />
  );
}

/** A code in the hub's form, however somebody typed it: groups, spaces and small letters do not matter. */
export function typedCode(typed: string): string {
  return typed.replace(/[\s-]/g, "").toUpperCase();
}
