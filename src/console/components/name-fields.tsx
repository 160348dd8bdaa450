import { t } from "../i18n/translate.ts";
import { rooms } from "../store.ts";
import { TextField } from "./field.tsx";

interface Typed {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** The hub's errors for the form's fields. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A required name. */
export function NameField({
  label = t("field.name"),
  hint,
  maxLength = 120,
  errors,
  ...typed
}: Typed & { label?: string; hint?: string; maxLength?: number }) {
  return (
    <TextField
      {...typed}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      error={errors.name}
      maxLength={maxLength}
      required
    />
  );
}

/** The room of a device, known or new. */
export function RoomField({ errors, ...typed }: Typed) {
  const names = rooms.value.map(({ name }) => name);
  return (
    <TextField
      {...typed}
      label={t("device.room")}
      hint={t("device.roomHint", { count: names.length, rooms: names.join(", ") })}
      error={errors.room}
      maxLength={80}
    />
  );
}
